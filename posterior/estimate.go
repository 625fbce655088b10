package posterior

import (
	"context"
	"errors"
	"math"
	"math/bits"
	"math/rand/v2"

	"aibd/feature"
	"aibd/internal/parallel"
)

// Estimate is a point estimate of Z. It minimizes the expected FARO loss, the mean of FARO
// over the draws, as far as the search found.
type Estimate struct {
	Z    *feature.Allocation
	Loss float64 // expected
	// Start is the expected loss of the best start.
	Start float64
	// Share holds, for each feature of Z and each item, the share of draws whose
	// matched feature has the item.
	Share [][]float64
}

// EstimateOptions are the options of EstimateZ.
type EstimateOptions struct {
	A       float64 // weight of the FARO loss, 0 to 2; 1 weighs both errors equally
	Starts  int     // draws to start from, at least 1; all draws if there are fewer
	Workers int     // goroutines, at least 1; the result does not depend on it
}

// EstimateZ searches for the allocation with minimal expected FARO loss under the draws
// (Dahl, Johnson and Andros, 2023). It starts at a draw. It matches all draws to the
// candidate, sets each entry by the weighted majority of the matched entries, and repeats
// this until nothing changes. Then it flips single entries while the expected loss falls.
// A flip changes one row of each matching problem: the potentials bound the change from
// below, the matching from above, and where these differ, one augmenting path gives it
// exactly. The result is a local minimum under all single flips, the best over all starts.
//
// EstimateZ draws the starts from rng. It returns an error if there are no draws, and
// panics if they differ in the number of items or an option is out of range.
func EstimateZ(rng *rand.Rand, draws []*feature.Allocation, o EstimateOptions) (*Estimate, error) {
	checkWeight(o.A)
	if o.Starts < 1 || o.Workers < 1 {
		panic("posterior: EstimateZ needs at least one start and one worker")
	}
	if len(draws) == 0 {
		return nil, errors.New("found no draws, expected at least one")
	}
	n := 1
	for _, z := range draws {
		if z.N() != draws[0].N() {
			panic("posterior: EstimateZ of draws with different numbers of items")
		}
		n = max(n, z.K())
	}
	starts := rng.Perm(len(draws))[:min(o.Starts, len(draws))]
	found := make([]*candidate, len(starts))
	first := make([]float64, len(starts))
	parallel.Each(context.Background(), o.Workers, len(starts), func(i int) error { // never fails
		c := newCandidate(draws, draws[starts[i]], n, o.A)
		first[i] = c.loss()
		c.vote()
		c.flips()
		found[i] = c
		return nil
	})
	best := 0
	for i := range found {
		if found[i].loss() < found[best].loss() {
			best = i
		}
	}
	e := found[best].estimate()
	e.Start = math.Inf(1)
	for _, l := range first {
		e.Start = math.Min(e.Start, l)
	}
	return e, nil
}

// candidate is a candidate for the estimate, with all draws matched to it.
type candidate struct {
	*faro
	items int
	draws []*matched
	s     *search
	trial *assignment // of lowers
}

func newCandidate(draws []*feature.Allocation, start *feature.Allocation, n int, a float64) *candidate {
	c := &candidate{faro: newFaro(start, n, a), items: start.N(), s: newSearch(n), trial: newAssignment(n)}
	for _, z := range draws {
		c.draws = append(c.draws, newMatched(z, n))
	}
	c.matchAll()
	return c
}

// matchAll matches all draws again.
func (c *candidate) matchAll() {
	for _, m := range c.draws {
		costs := c.costs(m)
		for k := range c.n {
			m.free(k)
		}
		clear(m.v)
		for k := range c.n {
			m.match(k, c.s, costs)
		}
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
		for w, word := range m.columns[m.col[k]] {
			for ; word != 0; word &= word - 1 {
				into[w<<6+bits.TrailingZeros64(word)]++
			}
		}
	}
}

// vote sets each entry to minimize the loss under the matchings and matches again, until
// nothing changes. The loss falls each time.
func (c *candidate) vote() {
	counts := make([]int, c.items)
	for changed := true; changed; {
		changed = false
		for k := range c.n {
			c.counts(k, counts)
			for i, count := range counts {
				missing := c.missed * float64(count)
				having := c.extra * float64(len(c.draws)-count)
				if has := c.has(i, k); has && missing < having || !has && missing > having {
					c.flip(i, k)
					changed = true
				}
			}
		}
		if changed {
			c.matchAll()
		}
	}
}

func (c *candidate) has(i, k int) bool { return c.columns[k][i>>6]>>(uint(i)&63)&1 != 0 }

// flip flips an entry of the candidate and keeps the matchings.
func (c *candidate) flip(i, k int) {
	c.columns[k][i>>6] ^= 1 << (uint(i) & 63)
	if c.has(i, k) {
		c.sizes[k]++
	} else {
		c.sizes[k]--
	}
}

// flips flips single entries while this lowers the expected loss.
func (c *candidate) flips() {
	reduced := make([]float64, len(c.draws)*c.n) // cost(k, l) - u_k - v_l, at least 0
	for unchanged, k := 0, 0; unchanged < c.n; k = (k + 1) % c.n {
		unchanged++
		c.reduce(k, reduced)
		for i := range c.items {
			if c.tryFlip(i, k, reduced) {
				unchanged = 0
				c.reduce(k, reduced)
			}
		}
	}
}

// reduce computes the reduced costs of feature k.
func (c *candidate) reduce(k int, reduced []float64) {
	for d, m := range c.draws {
		for l := range c.n {
			reduced[d*c.n+l] = c.cost(k, l, m) - m.u[k] - m.v[l]
		}
	}
}

// negligible bounds the rounding error of a sum of losses.
const negligible = 1e-7

// tryFlip flips an entry if that lowers the expected loss.
func (c *candidate) tryFlip(i, k int, reduced []float64) bool {
	// The flip adds these to the cost of a feature with and without the item.
	with, without := -c.missed, c.extra
	if c.has(i, k) {
		with, without = c.missed, -c.extra
	}
	w, bit := i>>6, uint64(1)<<(uint(i)&63)
	lower, upper := 0.0, 0.0
	for d, m := range c.draws {
		row := reduced[d*c.n : (d+1)*c.n]
		low := math.Inf(1)
		for l, x := range row {
			if m.columns[l][w]&bit != 0 {
				x += with
			} else {
				x += without
			}
			low = math.Min(low, x)
		}
		lower += low
		if m.columns[m.col[k]][w]&bit != 0 {
			upper += with
		} else {
			upper += without
		}
	}
	if lower >= -negligible {
		return false
	}
	if upper >= -negligible && !c.lowers(i, k) {
		return false
	}
	c.flip(i, k)
	for _, m := range c.draws {
		m.free(k)
		m.match(k, c.s, c.costs(m))
	}
	return true
}

// lowers reports whether the flip of an entry lowers the loss, by one augmenting path for
// each draw. It changes nothing.
func (c *candidate) lowers(i, k int) bool {
	c.flip(i, k)
	defer c.flip(i, k)
	change, trial := 0.0, c.trial
	for _, m := range c.draws {
		trial.set(m.assignment)
		before := trial.bound()
		trial.free(k)
		trial.match(k, c.s, c.costs(m))
		change += trial.bound() - before
	}
	return change < -negligible
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
		share := make([]float64, c.items)
		for i, count := range counts {
			share[i] = float64(count) / float64(len(c.draws))
		}
		e.Share = append(e.Share, share)
	}
	return e
}
