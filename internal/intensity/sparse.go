package intensity

import (
	"math"
	"math/rand/v2"

	"aibd/feature"
	"aibd/internal/lists"
	"aibd/internal/vector"
)

// sparse has the tables of the AIBD with a sparse matrix of similarities, by item: an item
// takes an existing dish with probability b, the sum of its shares over the earlier owners.
// One that nothing attracts has equal shares for the items just before it (links.near).
type sparse struct {
	*links
	temperatures Temperatures
	perm         []int   // perm[p] is the item at position p
	pos          []int32 // its inverse
	share        []float64
	given        []float64 // share by the entries of the earlier item
	norm         []float64 // log of the attraction on an item
	alone        []uint64  // positions of items that nothing attracts
	givers       givers
	takers       takers
	trial        trial
}

// takers are the later items that attend to an item, with its share of each.
type takers struct {
	item  int // -1: none
	items []int32
	share []float64
}

// trial is the working memory of one column.
type trial struct {
	b       []float64 // 0 between uses
	touched []int32   // items whose b is not 0
	list    []int
	others  []uint64 // items that are not in the column
}

func newSparse(l *links, temperatures Temperatures, perm []int) *sparse {
	s := &sparse{
		links: l, temperatures: temperatures.Clone(), perm: make([]int, l.n), pos: make([]int32, l.n),
		share: make([]float64, len(l.to)), given: make([]float64, len(l.to)), norm: make([]float64, l.n), alone: make([]uint64, (l.n+63)/64),
		givers: newGivers(l), trial: trial{b: make([]float64, l.n)},
	}
	s.order(perm)
	s.attract()
	return s
}

// own returns the same tables with working memory of its own.
func (s *sparse) own() *sparse {
	c := *s
	c.givers, c.takers, c.trial = newGivers(s.links), takers{item: -1}, trial{b: make([]float64, s.n)}
	return &c
}

// order sets the permutation.
func (s *sparse) order(perm []int) {
	copy(s.perm, perm)
	for p, i := range perm {
		s.pos[i] = int32(p)
	}
}

// attract computes all shares.
func (s *sparse) attract() {
	for i := range s.n {
		s.attend(i)
	}
}

// attend computes the shares of an arriving item.
func (s *sparse) attend(i int) {
	from, end := s.start[i], s.start[i+1]
	shares, p := s.share[from:end], int(s.pos[i])
	clear(shares)
	if s.arrive(&s.givers, i, s.pos, s.temperatures) {
		s.alone[p>>6] &^= 1 << (uint(p) & 63)
		s.norm[i] = s.givers.top + math.Log(s.givers.total)
		for m, e := range s.givers.entries {
			shares[e] = s.givers.share[m]
		}
	} else {
		setBit(s.alone, p)
	}
	for e, at := range s.twin[from:end] {
		s.given[at] = shares[e]
	}
	s.takers.item = -1
}

// attending returns the givers of an item, valid until the next call.
func (s *sparse) attending(i int) *givers {
	g, from, end := &s.givers, s.start[i], s.start[i+1]
	if p := int(s.pos[i]); hasBit(s.alone, p) {
		s.follow(g, p, s.perm)
		return g
	}
	g.resize(end - from)
	g.resize(compact(g.items, g.share, s.to[from:end], s.share[from:end]))
	return g
}

// follow sets g to the items just before one at position p of an order that nothing attracts.
func (l *links) follow(g *givers, p int, perm []int) {
	share, count := l.lone(p)
	g.resize(count)
	for m, j := range perm[p-count : p] {
		g.items[m], g.share[m] = int32(j), share
	}
}

// compact copies the items with shares that are not 0 and returns their number. The loop has no
// branch: about half of the shares are 0, at random.
func compact(items []int32, shares []float64, from []int32, given []float64) int {
	m := 0
	for e, x := range given {
		items[m], shares[m] = from[e], x
		if x != 0 {
			m++
		}
	}
	return m
}

// taking returns the takers of an item, valid until the next call and while no share changes.
func (s *sparse) taking(i int) *takers {
	t := &s.takers
	if t.item == i {
		return t
	}
	from, end := s.back[i], s.back[i+1]
	t.item, t.items, t.share = i, vector.Extend(t.items, end-from), vector.Extend(t.share, end-from)
	m := compact(t.items, t.share, s.from[from:end], s.given[from:end])
	t.items, t.share = t.items[:m], t.share[:m]
	p := int(s.pos[i])
	last := min(s.n, p+s.near+1)
	for q := nextBit(s.alone, p+1, last); q < last; q = nextBit(s.alone, q+1, last) {
		x, _ := s.lone(q)
		t.items, t.share = append(t.items, int32(s.perm[q])), append(t.share, x)
	}
	return t
}

// newFor returns w, the rate of new dishes of an item over the mass.
func (s *sparse) newFor(i int) float64 { return 1 / float64(s.pos[i]+1) }

// totalIntensity returns H.
func (s *sparse) totalIntensity() float64 { return s.h }

// logIntensity returns log nu of a column over items.
func (s *sparse) logIntensity(items []uint64) float64 {
	if 2*feature.Ones(items) > s.n {
		return s.logIntensityOfMost(items)
	}
	first := s.offer(items)
	prod, t := newProduct(), &s.trial
	if first < 0 {
		return math.Inf(-1)
	}
	prod.mul(s.newFor(first))
	for _, i := range t.list {
		// Counted below as one that declines.
		if b := t.b[i]; i != first {
			prod.divide(b, 1-b)
		}
	}
	for _, i := range t.touched {
		prod.mul(1 - t.b[i])
		t.b[i] = 0
	}
	return prod.logValue()
}

// logIntensityOfMost is logIntensity of a column that most items have. It visits the takers of the
// others: the shares of the item at position p add to p/(p+1).
func (s *sparse) logIntensityOfMost(items []uint64) float64 {
	prod, t, begun := newProduct(), &s.trial, false
	t.others = feature.Complement(t.others[:0], items, s.n)
	s.offer(t.others)
	for p, i := range s.perm {
		all := float64(p) / float64(p+1)
		switch b, has := all-t.b[i], hasBit(items, i); {
		case !begun && has:
			begun = true
			prod.mul(s.newFor(i))
		case has:
			if !(b > cancels*all) {
				b = s.b(i, items, -1)
			}
			prod.divide(b, 1)
		case begun:
			prod.mul(1 - max(b, 0))
		}
	}
	for _, i := range t.touched {
		t.b[i] = 0
	}
	return prod.logValue()
}

// offer sets the trial to a column, and returns its first member, -1 if it has none.
func (s *sparse) offer(items []uint64) (first int) {
	t := &s.trial
	t.list, t.touched, first = feature.Members(t.list[:0], items), t.touched[:0], -1
	for _, i := range t.list {
		if first < 0 || s.pos[i] < s.pos[first] {
			first = i
		}
		s.give(i)
	}
	return first
}

// give adds a member to the trial.
func (s *sparse) give(i int) {
	t, takers := &s.trial, s.taking(i)
	for e, l := range takers.items {
		if t.b[l] == 0 {
			t.touched = append(t.touched, l)
		}
		t.b[l] += takers.share[e]
	}
}

// sumLogIntensity returns the sum of log nu over the columns of z.
func (s *sparse) sumLogIntensity(z *feature.Allocation) float64 { return sumOver(z, s.logIntensity) }

// rand draws an allocation.
func (s *sparse) rand(rng *rand.Rand, mass float64) *feature.Allocation {
	return drawColumns(rng, s.n, mass*s.h, s.drawColumn)
}

// drawColumn draws a column over items from nu/H, as arrival.drawColumn does.
func (s *sparse) drawColumn(rng *rand.Rand, items []uint64) {
	clear(items)
	first := opener(rng, s.h, s.n, func(p int) float64 { return 1 / float64(p+1) })
	t := &s.trial
	t.touched = t.touched[:0]
	for p := first; p < s.n; p++ {
		i := s.perm[p]
		if p > first && (t.b[i] == 0 || !(rng.Float64() < t.b[i])) {
			continue
		}
		setBit(items, i)
		s.give(i)
	}
	for _, i := range t.touched {
		t.b[i] = 0
	}
}

// sharing returns the expected number of shared features by item, as arrival.sharing does.
func (s *sparse) sharing(mass float64) [][]float64 {
	shared := lists.Square(s.n)
	for p, i := range s.perm {
		row := shared[i]
		g := s.attending(i)
		for m, j := range g.items {
			for q := range p {
				row[s.perm[q]] += g.share[m] * shared[j][s.perm[q]]
			}
		}
		row[i] = mass // of every item
		for q := range p {
			shared[s.perm[q]][i] = row[s.perm[q]]
		}
	}
	return shared
}

// b returns the probability with which item i takes a dish of the given owners but one.
func (s *sparse) b(i int, owners []uint64, but int) float64 {
	sum, g := 0.0, s.attending(i)
	for m, j := range g.items {
		if int(j) != but && hasBit(owners, int(j)) {
			sum += g.share[m]
		}
	}
	return sum
}

// intensityBound is Reader.IntensityBound: the factors of items that decline are at most 1.
func (s *sparse) intensityBound(items []uint64, enough float64) float64 {
	t := &s.trial
	t.list = feature.Members(t.list[:0], items)
	first := -1
	for _, i := range t.list {
		if first < 0 || s.pos[i] < s.pos[first] {
			first = i
		}
	}
	if first < 0 {
		return math.Inf(-1)
	}
	bound, floor := s.newFor(first), 0.9*math.Exp(enough) // see logAbove
	for _, i := range t.list {
		if i == first {
			continue
		}
		b := s.b(i, items, -1)
		if b == 0 {
			return math.Inf(-1)
		}
		if bound *= b * (1 + 1e-9); !(bound > floor && bound > tiny) {
			break
		}
	}
	return logAbove(bound)
}
