package intensity

import (
	"math"
	"math/bits"

	"aibd/feature"
	"aibd/internal/vector"
)

// sparseInsertion is the working memory of Insertions.
type sparseInsertion struct {
	zeros []int32   // by place: by how much the number of factors that are 0 grows there
	mine  []float64 // by slot: b of the item that moves
}

// Insertions takes O(NK), and a row of the matrix for each neighbour of the item. Any other item
// has one factor for all places of item i before it, and one for all places after it. An item
// that nothing attracts has a third factor for the places just before it.
func (t *sparseTracker) Insertions(i int, weights []float64) {
	c, s := &t.next, &t.insertion
	clear(weights)
	s.zeros, s.mine = vector.Extend(s.zeros, t.n), vector.Extend(s.mine, t.room)
	clear(s.zeros)
	t.unmark()
	for _, j := range t.to[t.start[i]:t.start[i+1]] {
		t.mark(j)
	}
	for _, j := range t.from[t.back[i]:t.back[i+1]] {
		t.mark(j)
	}
	c.temperatures.Set(t.temperatures)
	c.first = append(c.first[:0], t.first...)
	t.insertBefore(i, weights)
	t.insertAfter(i, weights)
}

// insertBefore adds the factors of the other items when item i comes before them to the
// differences of successive weights.
func (t *sparseTracker) insertBefore(i int, weights []float64) {
	c := &t.next
	c.perm = append(c.perm[:0], i)
	for _, j := range t.perm {
		if j != i {
			c.perm = append(c.perm, j)
		}
	}
	for p, j := range c.perm {
		c.pos[j] = int32(p)
	}
	for s := range feature.Items(t.columns(i)) {
		c.first[s] = int32(i)
	}
	for p := 1; p < t.n; p++ {
		j, from := c.perm[p], 0
		log, attracted := t.logFactors(j)
		if !attracted && p > t.near {
			// Among the items just before j, item i takes the place of the first.
			from = p - t.near
			t.spread(weights, 0, from, log)
			first := c.perm[from]
			c.perm[from] = i
			log, _ = t.logFactors(j)
			c.perm[from] = first
		}
		t.spread(weights, from, p, log)
	}
}

// insertAfter adds the factors of the other items when item i comes after them, sums the
// differences and adds the factors of item i.
func (t *sparseTracker) insertAfter(i int, weights []float64) {
	c, s := &t.next, &t.insertion
	copy(c.perm, c.perm[1:])
	c.perm[t.n-1] = i
	for p, j := range c.perm {
		c.pos[j] = int32(p)
	}
	mine := t.columns(i)
	sum, zeros, from, attracted, changed := 0.0, int32(0), 0, false, true
	for p := range t.n {
		c.pos[i] = int32(p)
		if changed {
			attracted, from = t.receiveAnew(s.mine, i, c.perm, c.pos), p
		}
		prod := newProduct()
		t.factors(&prod, i, t.moved(s.mine, from, p), int32(p), c.first)
		sum += weights[p]
		if zeros += s.zeros[p]; zeros > 0 {
			weights[p] = math.Inf(-1)
		} else {
			weights[p] = sum + prod.logValue()
		}
		j := c.perm[p]
		for w, word := range t.columns(j) {
			for word &= mine[w]; word != 0; word &= word - 1 {
				if s := w<<6 + bits.TrailingZeros64(word); c.first[s] == int32(i) {
					c.first[s] = int32(j)
				}
			}
		}
		if p+1 < t.n {
			log, _ := t.logFactors(j)
			t.spread(weights, p+1, t.n, log)
		}
		changed = !attracted || hasBit(c.marked, j)
	}
}

// logFactors returns the log factors of an item under the proposed order, in which the items
// that are not marked pass item i at most. It reports whether anything attracts the item.
func (t *sparseTracker) logFactors(j int) (log float64, attracted bool) {
	c, prod := &t.next, newProduct()
	if attracted = true; hasBit(c.marked, j) || hasBit(t.alone, int(t.pos[j])) {
		attracted = t.factorsAnew(&prod, j, c.perm, c.pos)
	} else {
		t.factors(&prod, j, t.moved(t.row(j), int(t.pos[j]), int(c.pos[j])), c.pos[j], c.first)
	}
	return prod.logValue(), attracted
}

// moved returns b of an item at position p from b at another one after the same neighbours.
func (t *sparseTracker) moved(b []float64, from, p int) []float64 {
	if p == from {
		return b
	}
	scale := float64(p) * float64(from+1) / (float64(p+1) * float64(from))
	for s, x := range b {
		t.bWith[s] = x * scale
	}
	return t.bWith
}

// spread adds a log factor to the weights of the places from from to end-1, by their
// differences.
func (t *sparseTracker) spread(weights []float64, from, end int, log float64) {
	zero := math.IsInf(log, -1)
	add := func(p int, sign int32) {
		switch {
		case p == t.n:
		case zero:
			t.insertion.zeros[p] += sign
		default:
			weights[p] += float64(sign) * log
		}
	}
	add(from, 1)
	add(end, -1)
}
