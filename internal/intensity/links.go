package intensity

import (
	"math"
	"slices"

	"aibd/similarity"
)

// links are the entries of sparse matrices of distances, by the arriving item and by the
// earlier one. They are immutable.
type links struct {
	n      int
	start  []int     // entries of the arriving item i are start[i] to start[i+1]
	to     []int32   // the earlier item
	along  []along   // by distance
	weight []float64 // factors of the similarities, nil if all are 1

	back []int   // entries of the earlier item j, by the arriving one, are back[j] to back[j+1]
	from []int32 // the arriving item
	twin []int32 // by entry of an arriving item: the same among those of the earlier one

	power bool // all decays have exponents
	near  int  // items just before one that nothing attracts, to which it attends
	h     float64
}

// along are the entries of one distance, with its decay.
type along struct {
	decay similarity.Decay
	power bool
	x     []float64 // exponents if the decay has them (power), else distances
}

// nearby is the number of items just before an item without earlier neighbours to which it
// attends.
const nearby = 20

// minShare is the share below which an earlier item has none, so that logs and quotients of
// shares are shares of normal numbers.
const minShare = 1e-290

func newLinks(all similarity.SeveralEdges, decays []similarity.Decay) *links {
	n, edges := all.N(), all[0]
	l := &links{n: n, start: make([]int, n+1), back: make([]int, n+1), power: true, near: nearby, h: harmonic(n)}
	for m, decay := range decays {
		power, ok := decay.(similarity.PowerDecay)
		of := along{decay, ok, make([]float64, 0, edges.Len())}
		for i := range n {
			_, distance, _ := all[m].Row(i)
			for _, x := range distance {
				if ok {
					x = power.Exponent(x)
				}
				of.x = append(of.x, x)
			}
		}
		l.along, l.power = append(l.along, of), l.power && ok
	}
	l.to = make([]int32, 0, edges.Len())
	for i := range n {
		to, _, weight := edges.Row(i)
		for _, j := range to {
			l.to = append(l.to, j)
			l.back[j+1]++
		}
		l.weight = append(l.weight, weight...)
		l.start[i+1] = len(l.to)
	}
	for j := range n {
		l.back[j+1] += l.back[j]
	}
	l.from, l.twin = make([]int32, len(l.to)), make([]int32, len(l.to))
	next := append([]int(nil), l.back...)
	for i := range n {
		for e := l.start[i]; e < l.start[i+1]; e++ {
			at := next[l.to[e]]
			next[l.to[e]]++
			l.from[at], l.twin[e] = int32(i), int32(at)
		}
	}
	return l
}

// givers are the items that attract an arriving one, with its share of each.
type givers struct {
	items   []int32
	share   []float64
	entries []int32 // of the items, in the row of the arriving one

	// The log of the largest similarity without weights, and the sum of all relative to it.
	top, total float64
}

// newGivers returns givers with room for those of any item.
func newGivers(l *links) givers {
	room := l.near
	for i := range l.n {
		room = max(room, l.start[i+1]-l.start[i])
	}
	return givers{items: make([]int32, room), share: make([]float64, room), entries: make([]int32, room)}
}

// resize sets the number of items.
func (g *givers) resize(n int) {
	g.items, g.share, g.entries = g.items[:n], g.share[:n], g.entries[:n]
}

// arrive sets g to the earlier neighbours of an arriving item, with the shares that they have of
// the attraction on it, times p/(p+1) at position p. It reports whether anything attracts the item.
func (l *links) arrive(g *givers, i int, pos []int32, temperatures Temperatures) bool {
	from, at, m := l.start[i], pos[i], 0
	to := l.to[from:l.start[i+1]]
	g.resize(len(to))
	for e, j := range to { // without a branch: half of the neighbours are earlier, at random
		g.items[m], g.entries[m] = j, int32(e)
		if pos[j] < at {
			m++
		}
	}
	g.resize(m)
	l.similarities(g, from, temperatures)
	g.total = 0
	for m, e := range g.entries {
		if l.weight != nil {
			g.share[m] *= l.weight[from+int(e)]
		}
		g.total += g.share[m]
	}
	if g.total == 0 {
		return false
	}
	scale, floor := float64(at)/(float64(at+1)*g.total), minShare*g.total
	for m, x := range g.share {
		if x < floor {
			x = 0
		}
		g.share[m] = x * scale
	}
	return true
}

// similarities sets the shares of g to the similarities of its entries without their weights,
// relative to the largest. The entries are of the row that begins at from.
func (l *links) similarities(g *givers, from int, t Temperatures) {
	if l.power && (t.First != 0 || t.Further != nil) {
		low, slope := math.Inf(1), t.First
		if t.Further != nil {
			slope = 1
		}
		for m, e := range g.entries {
			x := l.along[0].x[from+int(e)]
			if t.Further != nil {
				x = -l.logSimilarity(t, from+int(e))
			}
			if g.share[m] = x; x < low {
				low = x
			}
		}
		if !math.IsInf(low, 0) {
			g.top = -slope * low
			exp(g.share, low, -slope)
			return
		}
	}
	g.top = math.Inf(-1)
	for m, e := range g.entries {
		g.share[m] = l.logSimilarity(t, from+int(e))
		g.top = max(g.top, g.share[m])
	}
	for m, x := range g.share {
		g.share[m] = relative(x, g.top)
	}
}

// logSimilarity returns the log similarity of an entry without its weight.
func (l *links) logSimilarity(t Temperatures, e int) float64 {
	sum := l.along[0].logSimilarity(t.First, e)
	for m, x := range t.Further {
		sum = both(sum, l.along[m+1].logSimilarity(x, e))
	}
	return sum
}

func (a *along) logSimilarity(temperature float64, e int) float64 {
	switch {
	case !a.power:
		return a.decay.LogSimilarity(temperature, a.x[e])
	case temperature == 0:
		return 0
	}
	return -temperature * a.x[e]
}

// entry returns the entry of an arriving item for another one, if there is one.
func (l *links) entry(i, j int) (e int, ok bool) {
	e, ok = slices.BinarySearch(l.to[l.start[i]:l.start[i+1]], int32(j))
	return l.start[i] + e, ok
}

// lone returns the share of each of the items just before one at position p that nothing
// attracts, and their number.
func (l *links) lone(p int) (share float64, count int) {
	count = min(p, l.near)
	return float64(p) / (float64(p+1) * float64(count)), count
}
