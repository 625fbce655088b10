package prior

import (
	"fmt"
	"math"

	"aibd/similarity"
)

// Affinity is how much each item attracts each other one: pairwise distances
// and the decay that turns them into similarities at a temperature. It is
// immutable and shared by the laws made from it.
type Affinity struct {
	dist  *similarity.Matrix
	decay similarity.Decay
	// exponent holds -log f / temperature of each pair where the decay is of that
	// form, so that a change of temperature costs one exponential a pair.
	exponent []float64
	spread   float64 // largest less smallest exponent off the diagonal
	least    float64 // smallest exponent off the diagonal
	mirror   bool    // exponent is symmetric
}

// NewAffinity prepares distances and a decay. The distances need not be
// symmetric: row i, column j is how far the arriving item i is from the earlier
// item j.
func NewAffinity(dist *similarity.Matrix, decay similarity.Decay) *Affinity {
	a := &Affinity{dist: dist, decay: decay, least: math.Inf(1), mirror: dist.Symmetric()}
	power, ok := decay.(similarity.PowerDecay)
	if !ok {
		return a
	}
	n := dist.N()
	a.exponent = make([]float64, n*n)
	most := math.Inf(-1)
	for i := range n {
		for j := range n {
			if i != j {
				e := power.Exponent(dist.At(i, j))
				a.exponent[i*n+j] = e
				a.least, most = min(a.least, e), max(most, e)
			}
		}
	}
	a.spread = most - a.least
	if n < 2 {
		a.spread, a.least = 0, 0
	}
	return a
}

// N returns the number of items.
func (a *Affinity) N() int { return a.dist.N() }

// Distance returns the distances.
func (a *Affinity) Distance() *similarity.Matrix { return a.dist }

// Decay returns the decay.
func (a *Affinity) Decay() similarity.Decay { return a.decay }

// validTemperature reports an error unless temperature is a number >= 0.
func validTemperature(temperature float64) error {
	if !(temperature >= 0) || math.IsInf(temperature, 1) {
		return fmt.Errorf("temperature: found %g, expected a finite number >= 0", temperature)
	}
	return nil
}

// logSimilarity returns log f(temperature, d_ij), from -Inf to +Inf.
func (a *Affinity) logSimilarity(temperature float64, i, j int) float64 {
	return a.decay.LogSimilarity(temperature, a.dist.At(i, j))
}

// rows fills f, N x N, with similarities up to a factor of each row, which the
// normalization of an arrival cancels. scale says that the factor is the same in
// all rows: then no ratio of two entries under- or overflows, and sums over
// any subset of a row are safe.
func (a *Affinity) rows(f []float64, temperature float64) (safe bool) {
	n := a.N()
	switch {
	case temperature == 0 && a.exponent != nil:
		for i := range f {
			f[i] = 1
		}
		safe = true
	case a.exponent != nil && temperature*a.spread < 300:
		for i := range n {
			row, exponent := f[i*n:(i+1)*n], a.exponent[i*n:(i+1)*n]
			first := 0
			if a.mirror {
				for j := range i {
					row[j] = f[j*n+i]
				}
				first = i
			}
			for j := first; j < n; j++ {
				row[j] = math.Exp(-temperature * (exponent[j] - a.least))
			}
		}
		safe = true
	default:
		for i := range n {
			row := f[i*n : (i+1)*n]
			top := math.Inf(-1)
			for j := range row {
				if j != i {
					row[j] = a.logSimilarity(temperature, i, j)
					top = max(top, row[j])
				}
			}
			for j := range row {
				row[j] = relative(row[j], top)
			}
		}
	}
	for i := range n {
		f[i*n+i] = 0
	}
	return safe
}

// relative returns exp(logF - top), where top is the largest of its kind and
// may be infinite: infinitely similar items leave nothing to the others.
func relative(logF, top float64) float64 {
	if math.IsInf(top, 0) {
		if logF == top && top > 0 {
			return 1
		}
		return 0
	}
	return math.Exp(logF - top)
}

// logShare returns the log of the share that the earlier items in member have
// of the attraction of all earlier items on item i, sum over the members of f
// over sum over all. It is exact where the similarities themselves underflow.
// Where all similarities are 0 the share is by number, the limit as they tend to
// 0 together.
func (a *Affinity) logShare(temperature float64, i int, earlier []int, member func(j int) bool) float64 {
	top := math.Inf(-1)
	for _, j := range earlier {
		top = max(top, a.logSimilarity(temperature, i, j))
	}
	if math.IsInf(top, -1) {
		count := 0
		for _, j := range earlier {
			if member(j) {
				count++
			}
		}
		return math.Log(float64(count) / float64(len(earlier)))
	}
	all, in := math.Inf(-1), math.Inf(-1)
	for _, j := range earlier {
		l := a.logSimilarity(temperature, i, j)
		if math.IsInf(top, 1) {
			// Only the infinitely similar ones count, equally.
			if l < top {
				continue
			}
			l = 0
		}
		all = logSumExp(all, l)
		if member(j) {
			in = logSumExp(in, l)
		}
	}
	return in - all
}
