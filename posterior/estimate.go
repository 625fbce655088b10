package posterior

import (
	"cmp"
	"errors"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sync"

	"aibd/feature"
	"aibd/internal/lists"
	"aibd/internal/parallel"
)

// Estimate is a point estimate of Z, and of weights if features have weights. It minimizes the
// expected loss of EstimateZ or EstimateG, the mean over the draws, as far as the search found.
type Estimate struct {
	Z    *feature.Allocation
	Loss float64 // expected
	// Share holds, for each feature of Z and each item, the share of draws whose
	// matched feature has the item.
	Share [][]float64
	// Weights holds the weights of the items, by feature and item, 0 where Z is 0. It is nil if
	// features are binary.
	Weights [][]float64
}

// EstimateOptions are the options of EstimateZ.
type EstimateOptions struct {
	A      float64 // weight of the FARO loss, 0 to 2; 1 weighs both errors equally
	Starts int     // draws to start from, at least 1; all draws if there are fewer
	// Progress is called now and then with the expected loss of the best candidate, from one
	// goroutine at a time. It may be nil.
	Progress func(loss float64)
}

// Starts search among few draws. Candidates that are among the best polished see all draws.
const (
	fewDraws   = 64
	polished   = 3
	spare      = 1         // features that a candidate may have in addition to those of the largest draw
	maxFlipped = 2_000_000 // entries of a candidate whose single flips are tried
)

// EstimateZ searches for the allocation with minimal expected FARO loss under the draws
// (Dahl, Johnson and Andros, 2023). It starts at a draw. It matches draws to the candidate,
// sets each entry by the weighted majority of the matched entries, and repeats this until
// nothing changes. Then it flips single entries while the expected loss falls. A flip changes
// one row of each matching problem: the potentials bound the change from below, the matching
// from above, and in draws in which these differ, one augmenting path gives it exactly. The
// search from each start takes 64 draws, evenly spaced. A candidate that is among the best three of
// its start and those before is then improved in the same way with all draws. The result is the best
// of these, a local minimum under all single flips. More starts from the same rng include the fewer,
// so their loss is at most as large. Candidates of more than two million entries vote only.
//
// If the allocations that may have the least loss are few, EstimateZ tries them all.
//
// EstimateZ draws the starts from rng. It returns an error if there are no draws, and
// panics if they differ in the number of items or an option is out of range.
func EstimateZ(rng *rand.Rand, draws []*feature.Allocation, o EstimateOptions) (*Estimate, error) {
	checkWeight(o.A)
	if o.Starts < 1 {
		panic("posterior: EstimateZ needs at least one start")
	}
	if len(draws) == 0 {
		return nil, errors.New("found no draws, expected at least one")
	}
	n, mean := 1, 0.0
	for _, z := range draws {
		if z.N() != draws[0].N() {
			panic("posterior: EstimateZ of draws with different numbers of items")
		}
		n, mean = max(n, z.K()), mean+float64(z.K())/float64(len(draws))
	}
	// If a feature of the estimate is matched in a share of at most 1 - A/2 of the draws, the loss is
	// no larger without it. Among this number of features there is one.
	enough := 2 * mean / (2 - o.A)
	if enough < maxEnumerated {
		limit := max(n, int(math.Ceil(enough))-1)
		if z := enumerate(draws, limit, o.A); z != nil {
			return newCandidate(draws, z, limit, o.A).estimate(), nil
		}
		n = min(limit, n+spare)
	}
	return searchZ(rng, draws, n, o), nil
}

// searchZ is EstimateZ without enumeration, for allocations of at most n features.
func searchZ(rng *rand.Rand, draws []*feature.Allocation, n int, o EstimateOptions) *Estimate {
	improve := func(allocations []*feature.Allocation, start *feature.Allocation, progress func(loss float64)) *Estimate {
		c := newCandidate(allocations, start, n, o.A)
		c.vote()
		c.flips(progress)
		return c.estimate()
	}
	least, reports := math.Inf(1), sync.Mutex{}
	report := func(loss float64) {
		reports.Lock()
		defer reports.Unlock()
		least = min(least, loss)
		o.Progress(least)
	}
	if o.Progress == nil {
		report = nil
	}
	return searchFrom(rng, draws, o, func(few []*feature.Allocation, start *feature.Allocation) *Estimate { return improve(few, start, nil) },
		func(e *Estimate) *Estimate { return improve(draws, e.Z, report) })
}

// searchFrom improves some of the draws under few of them, and then the promising results. It returns the best.
func searchFrom[D any](rng *rand.Rand, draws []D, o EstimateOptions, begin func(few []D, start D) *Estimate, polish func(e *Estimate) *Estimate) *Estimate {
	few := lists.Thin(draws, fewDraws)
	starts := rng.Perm(len(draws))[:min(o.Starts, len(draws))]
	estimates := make([]*Estimate, len(starts))
	parallel.Do(len(starts), func(i int) { estimates[i] = begin(few, draws[starts[i]]) })
	estimates = promising(estimates)
	parallel.Do(len(estimates), func(i int) { estimates[i] = polish(estimates[i]) })
	return slices.MinFunc(estimates, func(a, b *Estimate) int { return cmp.Compare(a.Loss, b.Loss) })
}

// promising returns the candidates with less than the polished number of better ones, or equally good
// ones, before them. Those of the first starts are therefore among those of more.
func promising(estimates []*Estimate) (kept []*Estimate) {
	for i, e := range estimates {
		better := 0
		for _, before := range estimates[:i] {
			if before.Loss <= e.Loss {
				better++
			}
		}
		if better < polished && !slices.ContainsFunc(kept, func(k *Estimate) bool { return k.Loss == e.Loss && k.Z.Equal(e.Z) }) {
			kept = append(kept, e)
		}
	}
	return kept
}

// candidate is a candidate for the estimate, with all draws matched to it.
type candidate struct {
	*faro
	items int
	draws []*matched
	s     *search
	row   []int32 // of lowers
	near  []nearColumn
}

func newCandidate(draws []*feature.Allocation, start *feature.Allocation, n int, a float64) *candidate {
	c := &candidate{faro: newFaro(start, n, a), items: start.N(), s: newSearch(n), row: make([]int32, n)}
	for _, z := range draws {
		m := newMatched(z, n)
		c.matchAll(m, c.s)
		c.draws = append(c.draws, m)
	}
	return c
}

// match matches all draws again after features changed.
func (c *candidate) match(changed ...int) {
	for _, m := range c.draws {
		costs := c.costs(m)
		for _, k := range changed {
			c.overlap(k, m)
			m.free(k)
		}
		for _, k := range changed {
			m.match(k, c.s, costs)
		}
		m.forget()
	}
}

// loss returns the expected loss.
func (c *candidate) loss() float64 {
	sum := 0.0
	for _, m := range c.draws {
		sum += c.faro.loss(m)
	}
	return sum / float64(len(c.draws))
}

// counts sets into to the number of draws that have each item in the feature matched to k.
func (c *candidate) counts(k int, into []int) {
	clear(into)
	for _, m := range c.draws {
		for i := range feature.Items(m.columns[m.col[k]]) {
			into[i]++
		}
	}
}

// vote sets each entry to minimize the loss under the matchings and matches again, until
// nothing changes. The loss falls each time.
func (c *candidate) vote() {
	counts := make([]int, c.items)
	for {
		var changed []int
		for k := range c.n {
			c.counts(k, counts)
			flipped := false
			for i, count := range counts {
				if c.change(i, k, count) < 0 {
					c.flip(i, k)
					flipped = true
				}
			}
			if flipped {
				changed = append(changed, k)
			}
		}
		if changed == nil {
			return
		}
		c.match(changed...)
	}
}

// change returns by how much the flip of an entry changes the sum of losses under the
// matchings, of which the given number have the item.
func (c *candidate) change(i, k, count int) float64 {
	change := c.extra*float64(len(c.draws)-count) - c.missed*float64(count)
	if c.has(i, k) {
		return -change
	}
	return change
}

func (c *candidate) has(i, k int) bool { return feature.Contains(c.columns[k], i) }

// flip flips an entry of the candidate and keeps the matchings.
func (c *candidate) flip(i, k int) {
	c.columns[k][i>>6] ^= 1 << (uint(i) & 63)
	if c.has(i, k) {
		c.sizes[k]++
	} else {
		c.sizes[k]--
	}
}

// follow brings the overlaps of feature k with the features of a draw up to date after a flip.
func (c *candidate) follow(i, k int, m *matched) {
	change := int32(-1)
	if c.has(i, k) {
		change = 1
	}
	for l, column := range m.columns {
		if feature.Contains(column, i) {
			m.both[k*c.n+l] += change
		}
	}
}

// negligible bounds the rounding error of a sum of losses.
const negligible = 1e-7

// flips flips single entries while this lowers the expected loss, unless there are too many. It
// calls progress, which may be nil, after each feature.
func (c *candidate) flips(progress func(loss float64)) {
	if c.items*c.n > maxFlipped {
		return
	}
	gains := make([]gainBound, c.items)
	counts := make([]int, c.items)
	for unchanged, k := 0, 0; unchanged < c.n; k = (k + 1) % c.n {
		unchanged++
		c.bound(k, gains)
		c.counts(k, counts)
		for i := range c.items {
			change := c.change(i, k, counts[i])
			if change+gains[i].sum >= -negligible || change >= -negligible && !c.lowers(i, k, change, gains[i]) {
				continue
			}
			c.flip(i, k)
			for _, m := range c.draws {
				c.follow(i, k, m)
				m.free(k)
				if m.match(k, c.s, c.costs(m)) {
					m.forget()
				}
				m.out[k] = math.NaN()
			}
			unchanged = 0
			c.bound(k, gains)
			c.counts(k, counts)
		}
		if progress != nil {
			progress(c.loss())
		}
	}
}

// gainBound bounds what other matchings add to the flip of an entry.
type gainBound struct {
	sum   float64    // at most 0
	draws []*matched // those in which another matching may gain
	parts []float64  // their parts of the sum
}

// bound bounds the gains of the flips of feature k, by item. In a draw, feature k can change to column l if the sum of
// the reduced costs, cost - u - v, along a path from l to the column of k is less than what the flip adds to that column
// and saves on l, which is a + (2 - a). The path has at least one more pair: that of the feature of l and the column of k,
// or one of that feature, and one of the column.
func (c *candidate) bound(k int, gains []gainBound) {
	for i := range gains {
		gains[i] = gainBound{draws: gains[i].draws[:0], parts: gains[i].parts[:0]}
	}
	worth := c.missed + c.extra - negligible
	for _, m := range c.draws {
		assignment := m.col[k]
		in := c.leastOf(m, func(row int) (r, l int) { return row, assignment }, k)
		if in >= worth {
			continue
		}
		c.near = c.near[:0]
		for l := range c.n {
			length := c.reduced(k, l, m)
			if l == assignment || length+in >= worth {
				continue
			}
			r := m.row[l]
			if math.IsNaN(m.out[r]) {
				m.out[r] = c.leastOf(m, func(index int) (int, int) { return r, index }, l)
			}
			if length += min(c.reduced(r, assignment, m), m.out[r]+in); length < worth {
				c.near = append(c.near, nearColumn{l, length})
			}
		}
		slices.SortFunc(c.near, func(a, b nearColumn) int { return cmp.Compare(a.length, b.length) })
		matched := m.columns[assignment]
		for w, word := range c.columns[k] {
			candidates := ^uint64(0)
			for _, near := range c.near {
				column := m.columns[near.l][w]
				useful := candidates & (^word&column&^matched[w] | word&^column&matched[w])
				candidates &^= useful
				for ; useful != 0; useful &= useful - 1 {
					g := &gains[w<<6+bits.TrailingZeros64(useful)]
					gain := near.length - c.missed - c.extra
					g.sum += gain
					g.draws, g.parts = append(g.draws, m), append(g.parts, gain)
				}
			}
		}
	}
}

// reduced returns the reduced cost of feature k of the candidate and column l of a draw, which is at least 0.
func (c *candidate) reduced(k, l int, m *matched) float64 {
	return max(0, c.cost(k, l, m)-m.u[k]-m.v[l])
}

// leastOf returns the least reduced cost of some pairs, without one of them.
func (c *candidate) leastOf(m *matched, pair func(index int) (k, l int), without int) float64 {
	least := math.Inf(1)
	for index := range c.n {
		if index != without {
			k, l := pair(index)
			least = min(least, c.reduced(k, l, m))
		}
	}
	return least
}

// nearColumn is a column of a draw that a flip can make the best match of a feature.
type nearColumn struct {
	l      int
	length float64 // of a path
}

// lowers reports whether the flip of an entry lowers the loss. The flip changes it by change
// under the matchings; the shortest augmenting path of each draw gives what other matchings gain.
// It changes nothing.
func (c *candidate) lowers(i, k int, change float64, bound gainBound) bool {
	change += bound.sum
	c.flip(i, k)
	defer c.flip(i, k)
	for d, m := range bound.draws {
		copy(c.row, m.both[k*c.n:])
		c.follow(i, k, m)
		change -= bound.parts[d]
		now := c.cost(k, m.col[k], m) - m.v[m.col[k]]
		change += min(0, c.path(k, m, now-negligible-change)-now)
		copy(m.both[k*c.n:], c.row)
		if change >= -negligible {
			return false
		}
	}
	return true
}

// path returns the length of the shortest path of reduced costs from feature k, as if u_k were 0, to its column, by
// which it would be matched again. It may return any number of at least limit instead, and at most the length.
func (c *candidate) path(k int, m *matched, limit float64) float64 {
	s, end := c.s, m.col[k]
	s.open = s.open[:0]
	for l := range c.n {
		s.open = append(s.open, l)
		s.shortest[l] = math.Inf(1)
	}
	for row, low, u := k, 0.0, 0.0; ; u = m.u[row] {
		both, size, best := m.both[row*c.n:(row+1)*c.n], c.sizes[row], 0
		for e, l := range s.open {
			b := int(both[l])
			cost := c.missed*float64(m.sizes[l]-b) + c.extra*float64(size-b)
			if x := low + (cost - u - m.v[l]); x < s.shortest[l] {
				s.shortest[l] = x
			}
			if least := s.shortest[s.open[best]]; s.shortest[l] < least || s.shortest[l] == least && l == end {
				best = e
			}
		}
		l := s.open[best]
		if low = s.shortest[l]; l == end || low >= limit {
			return low
		}
		s.open[best] = s.open[len(s.open)-1]
		s.open = s.open[:len(s.open)-1]
		row = m.row[l]
	}
}

// estimate returns the estimate without empty features.
func (c *candidate) estimate() *Estimate {
	e := &Estimate{Z: feature.New(c.items), Loss: c.loss()}
	counts := make([]int, c.items)
	for k := range c.n {
		if c.sizes[k] == 0 {
			continue
		}
		e.Z.AppendColumn(c.columns[k])
		c.counts(k, counts)
		e.Share = append(e.Share, lists.Map(counts, func(count int) float64 { return float64(count) / float64(len(c.draws)) }))
	}
	return e
}
