package intensity

import (
	"math"
	"math/rand/v2"

	"aibd/internal/permutation"
	"aibd/internal/vector"
)

// network holds the link probabilities of the dd-IBP at temperatures.
type network struct {
	aff          *Affinity
	temperatures Temperatures
	n            int
	byTarget     []float64 // A by target: to[l*n+j] = A_jl, so that a member's row is contiguous
	inv          []float64 // 1/h
	h            float64   // sum of 1/h
	safe         bool      // no A is below exp(-300)/N: forest does not underflow
	logH         []float64 // where not safe
	items        []int     // all of them
	sums         []float64 // of similarities by item
	decayed      decayed
	row          []float64 // similarities of one item, where not safe
}

func newNetwork(aff *Affinity) *network {
	n := aff.N()
	return &network{
		aff: aff, n: n, byTarget: make([]float64, n*n), inv: make([]float64, n),
		items: permutation.Identity(n), sums: make([]float64, n), row: make([]float64, n),
	}
}

// link computes the probabilities at temperatures, which it copies.
func (w *network) link(temperatures Temperatures) {
	w.temperatures.Set(temperatures)
	w.h = 0
	d := &w.decayed
	w.safe = w.aff.update(d, w.temperatures, true)
	clear(w.sums)
	for l := range w.n {
		row := w.byTarget[l*w.n : (l+1)*w.n]
		if w.safe {
			d.given(row, l, w.items)
			row[l] = d.self()
			continue
		}
		w.aff.row(w.row, w.temperatures, l, w.items, true)
		for j, x := range w.row {
			w.byTarget[j*w.n+l] = x
		}
	}
	for l := range w.n {
		vector.Axpy(w.sums, 1, w.byTarget[l*w.n:(l+1)*w.n])
	}
	for l := range w.n {
		row := w.byTarget[l*w.n : (l+1)*w.n]
		for j, sum := range w.sums {
			row[j] /= sum
		}
		w.inv[l] = row[l]
		w.h += row[l]
	}
	if w.safe {
		return
	}
	w.logH = vector.Extend(w.logH, w.n)
	for i := range w.logH {
		w.logH[i] = 0 // log of its similarity to itself
		for j := range w.n {
			if j != i {
				w.logH[i] = logSumExp(w.logH[i], w.aff.logSimilarity(w.temperatures, i, j))
			}
		}
	}
}

// drawLink draws the link of item j.
func (w *network) drawLink(rng *rand.Rand, j int) int {
	u := rng.Float64()
	for l := range w.n {
		if u -= w.byTarget[l*w.n+j]; u < 0 {
			return l
		}
	}
	return j
}

// drawHolders draws the holders of a dish that the owner owns. links is working
// memory of length N.
func (w *network) drawHolders(rng *rand.Rand, owner int, column []uint64, links []int) {
	for j := range links {
		links[j] = w.drawLink(rng, j)
	}
	clear(column)
	setBit(column, owner)
	for j := range links {
		// Follow the chain until it meets a holder, for at most N steps.
		node := j
		for range links {
			if hasBit(column, node) {
				setBit(column, j)
				break
			}
			node = links[node]
		}
	}
}

// addMembers adds, to the sum of every item j, the probability that j links to one
// of the members.
func (w *network) addMembers(sums []float64, members []int) {
	for _, l := range members {
		for j, x := range w.byTarget[l*w.n : (l+1)*w.n] {
			sums[j] += x
		}
	}
}

// forestWork is scratch memory for logNu.
type forestWork struct{ a, inv, sums []float64 }

// logNu returns log nu of a column from its members and the probabilities of
// linking to them, in two parts: that no item outside links to a member, and the trees.
func (w *network) logNu(members []int, sums []float64, work *forestWork) (outside, trees float64) {
	prod, next := newProduct(), 0
	for j, x := range sums {
		if next < len(members) && members[next] == j {
			next++
			continue
		}
		// At least A_jj. If rounding makes it too small, the complement is summed.
		y := 1 - x
		if y < 1e-6 {
			y = w.outside(j, members)
		}
		if y < tiny {
			prod.log += math.Log(y)
			continue
		}
		prod.mul(y)
	}
	m := len(members)
	work.a, work.inv = vector.Extend(work.a, m*m), vector.Extend(work.inv, m)
	if !w.safe {
		w.logs(members, work)
		return prod.logValue(), logForest(work.a, work.inv)
	}
	work.sums = vector.Extend(work.sums, m)
	for a, i := range members {
		work.inv[a] = w.inv[i]
		for b, l := range members {
			work.a[a*m+b] = w.byTarget[l*w.n+i]
		}
	}
	log := forest(work.a, work.inv, work.sums)
	if math.IsInf(log, 0) || math.IsNaN(log) {
		w.logs(members, work) // ratios of trees overflow
		log = logForest(work.a, work.inv)
	}
	return prod.logValue(), log
}

// outside returns the probability that item j links to none of the members,
// without cancellation.
func (w *network) outside(j int, members []int) float64 {
	sum, next := 0.0, 0
	for l := range w.n {
		if next < len(members) && members[next] == l {
			next++
			continue
		}
		sum += w.byTarget[l*w.n+j]
	}
	return sum
}

// logs fills work with the logs of A among the members and of 1/h, from the
// similarities themselves.
func (w *network) logs(members []int, work *forestWork) {
	m := len(members)
	for a, i := range members {
		h := -math.Log(w.inv[i])
		if !w.safe {
			h = w.logH[i]
		}
		work.inv[a] = -h
		for b, l := range members {
			if a != b {
				work.a[a*m+b] = w.aff.logSimilarity(w.temperatures, i, l) - h
			} else {
				work.a[a*m+b] = math.Inf(-1)
			}
		}
	}
}
