package intensity

import (
	"math"

	"aibd/internal/vector"
	"aibd/similarity"
)

// links are the entries of a sparse matrix of distances, by the arriving item and by the
// earlier one. They are immutable.
type links struct {
	n      int
	start  []int     // entries of the arriving item i are start[i] to start[i+1]
	to     []int32   // the earlier item
	x      []float64 // the exponent of a decay that has them, else the distance
	weight []float64 // factors of the similarities, nil if all are 1

	back []int   // entries of the earlier item j, by the arriving one, are back[j] to back[j+1]
	from []int32 // the arriving item
	twin []int32 // by entry of an arriving item: the same among those of the earlier one

	decay similarity.Decay
	power bool // x are exponents
	near  int  // items just before one that nothing attracts, to which it attends
	h     float64
}

// nearby is the number of items just before an item without earlier neighbours to which it
// attends.
const nearby = 20

// minShare is the share below which an earlier item has none, so that logs and quotients of
// shares are those of normal numbers.
const minShare = 1e-290

func newLinks(edges *similarity.Edges, decay similarity.Decay) *links {
	n := edges.N()
	l := &links{n: n, start: make([]int, n+1), back: make([]int, n+1), decay: decay, near: nearby, h: harmonic(n)}
	power, ok := decay.(similarity.PowerDecay)
	l.power = ok
	l.to, l.x = make([]int32, 0, edges.Len()), make([]float64, 0, edges.Len())
	for i := range n {
		to, distance, weight := edges.Row(i)
		for e, j := range to {
			x := distance[e]
			if ok {
				x = power.Exponent(x)
			}
			l.to, l.x = append(l.to, j), append(l.x, x)
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

// shares sets shares to those that the entries of an arriving item have of the attraction on
// it, times p/(p+1) at position p: 0 for items that are not earlier. It reports whether
// anything attracts the item.
func (l *links) shares(shares []float64, i int, pos []int32, temperature float64) bool {
	from := l.start[i]
	to, x := l.to[from:l.start[i+1]], l.x[from:l.start[i+1]]
	at := pos[i]
	if !l.power || temperature == 0 {
		return l.sharesOf(shares, i, pos, temperature)
	}
	low := math.Inf(1)
	for e, j := range to {
		if pos[j] < at {
			low = min(low, x[e])
		}
	}
	if math.IsInf(low, 0) {
		return l.sharesOf(shares, i, pos, temperature)
	}
	vector.Exp(shares, x, low, -temperature)
	total := 0.0
	for e, j := range to {
		if pos[j] >= at {
			shares[e] = 0
		} else if l.weight != nil {
			shares[e] *= l.weight[from+e]
		}
		total += shares[e]
	}
	l.normalize(shares, total, at)
	return true
}

// normalize makes shares of similarities with the given sum.
func (l *links) normalize(shares []float64, total float64, at int32) {
	scale, floor := float64(at)/(float64(at+1)*total), minShare*total
	for e := range shares {
		if shares[e] < floor {
			shares[e] = 0
		}
		shares[e] *= scale
	}
}

// sharesOf is shares for any decay: similarities may be 0 or infinite.
func (l *links) sharesOf(shares []float64, i int, pos []int32, temperature float64) bool {
	from, at, top := l.start[i], pos[i], math.Inf(-1)
	for e := range shares {
		shares[e] = math.Inf(-1)
		if pos[l.to[from+e]] < at {
			shares[e] = l.logSimilarity(temperature, from+e)
			top = max(top, shares[e])
		}
	}
	total := 0.0
	for e := range shares {
		shares[e] = relative(shares[e], top)
		if l.weight != nil {
			shares[e] *= l.weight[from+e]
		}
		total += shares[e]
	}
	if total == 0 {
		return false
	}
	l.normalize(shares, total, at)
	return true
}

// logSimilarity returns the log similarity of an entry but for its weight.
func (l *links) logSimilarity(temperature float64, e int) float64 {
	switch {
	case !l.power:
		return l.decay.LogSimilarity(temperature, l.x[e])
	case temperature == 0:
		return 0
	}
	return -temperature * l.x[e]
}

// lone returns the share of each of the items just before one at position p that nothing
// attracts, and their number.
func (l *links) lone(p int) (share float64, count int) {
	count = min(p, l.near)
	return float64(p) / (float64(p+1) * float64(count)), count
}
