package mcmc

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"

	"aibd/feature"
	"aibd/internal/collapsed"
	"aibd/lglfm"
)

// threeWithCounts is three items with two columns of counts, one of them with a zero in each, and no number:
// by logarithms without and with an intercept, and by square roots.
func threeWithCounts() (all []enumerated) {
	for _, transforms := range []struct {
		transform func(float64) float64
		intercept bool
	}{{math.Log, false}, {math.Log, true}, {math.Sqrt, false}} {
		c := threeItems
		c.x, c.maxK, c.intercept = [][]float64{{nan, nan}, {nan, nan}, {nan, nan}}, 5, transforms.intercept
		for j, column := range [][]float64{{0, 1, 3}, {9, 6, 0}} {
			for i, y := range column {
				b := lglfm.Bound{Item: i, Variable: j, Lower: transforms.transform(y), Upper: transforms.transform(y + 1)}
				if y == 0 {
					b.Lower = math.Inf(-1)
				}
				c.bounds = append(c.bounds, b)
			}
		}
		c.scales = lglfm.Scales{SigmaX: 0.7, SigmaA: 1.3}
		all = append(all, c)
	}
	return all
}

// allBounded reports whether all cells of column j have bounds.
func (c enumerated) allBounded(j int) bool {
	transforms := 0
	for _, b := range c.bounds {
		transforms += btoi(b.Variable == j)
	}
	return transforms == len(c.x)
}

// countsKnown keeps what was integrated, by column and the sharing of the items.
var countsKnown = map[string]float64{}

// logColumn returns the log probability of the bounds of a column of three cells, at most one of which has an
// infinite end: by quadrature over the others.
func (c enumerated) logColumn(z *feature.Allocation, j int) float64 {
	key := fmt.Sprint(c.intercept, c.scales)
	var low, high [3]float64
	for _, b := range c.bounds {
		if b.Variable == j {
			low[b.Item], high[b.Item] = b.Lower, b.Upper
		}
	}
	key += fmt.Sprint(low, high)
	for i := range 3 {
		for j := range i + 1 {
			key += fmt.Sprint(" ", z.Shared(i, j))
		}
	}
	if p, ok := countsKnown[key]; ok {
		return p
	}
	const size = 12
	var node, weight [3][size]float64
	a := 0 // the cell that is integrated out, given the others
	for i := range 3 {
		if math.IsInf(low[i], 0) {
			a = i
			continue
		}
		quad.Legendre{}.FixedLocations(node[i][:], weight[i][:], low[i], high[i])
	}
	p, log := c.precision(z)
	b, d := (a+1)%3, (a+2)%3
	sum := 0.0
	for s, x := range node[b] {
		for t, y := range node[d] {
			mean, sd := -(p.At(a, b)*x+p.At(a, d)*y)/p.At(a, a), 1/math.Sqrt(p.At(a, a))
			square := p.At(b, b)*x*x + p.At(d, d)*y*y + 2*p.At(b, d)*x*y - p.At(a, a)*mean*mean
			inside := collapsed.LogInterval((low[a]-mean)/sd, (high[a]-mean)/sd)
			sum += weight[b][s] * weight[d][t] * math.Exp(log-square/2+inside) * sd * math.Sqrt(2*math.Pi)
		}
	}
	countsKnown[key] = math.Log(sum)
	return countsKnown[key]
}

// TestExactPosteriorCounts compares chains with enumeration, by the rules of TestExactPosterior. Chains whose
// intervals go to the count after the next are noticed.
func TestExactPosteriorCounts(t *testing.T) {
	for i, c := range threeWithCounts() {
		if z := c.worst(t, fmt.Sprint("counts ", i), length(scans/10), newCycle(bounded, exactRows()), nil); !(z < limit) {
			t.Errorf("data %d: |z| = %.2f, want below %v", i+1, z, limit)
		}
	}
	c := threeWithCounts()[0]
	z := c.worst(t, "wide counts", length(scans/10), newCycle(bounded, exactRows()), func(s *target) { boundBy(s, afterNext) })
	t.Logf("intervals to the count after the next: |z| = %.1f", z)
	if z < limit {
		t.Errorf("intervals to the count after the next pass with |z| = %.2f", z)
	}
}

// afterCount returns the upper end of the count that begins at an end.
func afterCount(end float64) float64 { return math.Log(math.Round(math.Exp(end)) + 1) }

// afterNext returns the bounds of a count or the next: y stands for y and y + 1.
func afterNext(b [2]float64) [2]float64 { return [2]float64{b[0], afterCount(b[1])} }

// nextCount returns the bounds of the next count.
func nextCount(b [2]float64) [2]float64 { return [2]float64{b[1], afterCount(b[1])} }

// boundBy gives the cells of a state, all of which have bounds, others.
func boundBy(s *target, other func(b [2]float64) [2]float64) {
	x, data := make2(s.N(), s.post.Data.D()), s.post.Data
	var bounds []lglfm.Bound
	u, current := s.Unknowns(), data.Bounds()
	for c, cell := range data.UnknownCells() {
		b := current[cell]
		if !math.IsInf(b[1], 1) {
			b = other(b)
		}
		x[cell[0]][cell[1]] = nan
		bounds = append(bounds, lglfm.Bound{Item: cell[0], Variable: cell[1], Lower: b[0], Upper: b[1]})
		if v := &u.Cells[c]; *v < b[0] {
			*v = b[0] + min(1, b[1]-b[0])/2
		}
	}
	s.post.Data = must(lglfm.NewBounded(x, bounds))
	s.move(s.law(), u)
}

// otherCounts draws the cells of counts within other bounds.
func otherCounts(other func(b [2]float64) [2]float64) kernel {
	return step(func(rng *rand.Rand, s *target) Info {
		boundBy(s, other)
		return bounded.Step(rng, s)
	})
}
