package prior

import (
	"fmt"
	"math"
	"slices"

	"aibd/internal/vector"
	"aibd/similarity"
)

// Affinity is how much each item attracts each other one: pairwise distances
// and the decay that turns them into similarities at a temperature. It is
// immutable and shared by the laws made from it.
type Affinity struct {
	dist  *similarity.Matrix
	decay similarity.Decay
	// Where log f is -temperature times an exponent, the distinct exponents and, by
	// pair, the number of its exponent: a change of temperature then costs one
	// exponential for each distinct distance.
	exponents []float64 // ascending; nil for other decays
	index     []int32   // N x N
}

// NewAffinity prepares distances and a decay. It panics if the decay gives an
// exponent that is not a number, as a negative shift does. The distances need not be
// symmetric: row i, column j is how far the arriving item i is from the earlier
// item j.
func NewAffinity(dist *similarity.Matrix, decay similarity.Decay) *Affinity {
	a := &Affinity{dist: dist, decay: decay}
	power, ok := decay.(similarity.PowerDecay)
	if !ok {
		return a
	}
	n := dist.N()
	all := make([]float64, 0, n*n)
	for i := range n {
		for j := range n {
			if i == j {
				continue
			}
			e := power.Exponent(dist.At(i, j))
			if math.IsNaN(e) {
				panic(fmt.Sprintf("prior: %s of distance %g is not a number", decay, dist.At(i, j)))
			}
			all = append(all, e)
		}
	}
	slices.Sort(all)
	a.exponents = append(make([]float64, 0, n), slices.Compact(all)...)
	a.index = make([]int32, n*n)
	for i := range n {
		for j := range n {
			if i != j {
				k, _ := slices.BinarySearch(a.exponents, power.Exponent(dist.At(i, j)))
				a.index[i*n+j] = int32(k)
			}
		}
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

// spread returns the least exponent and by how much the greatest exceeds it, with
// self that of an item to itself among them, and whether similarities at the given
// temperature, relative to the largest of all, are safe to sum over any subset: none
// of them is below exp(-300).
func (a *Affinity) spread(temperature float64, self bool) (least float64, safe bool) {
	spread := 0.0
	if k := len(a.exponents); k > 0 {
		least, spread = a.exponents[0], a.exponents[k-1]-a.exponents[0]
		if self {
			least = min(least, 0)
			spread = max(a.exponents[k-1], 0) - least
		}
	}
	return least, a.exponents != nil && (temperature == 0 || temperature*spread < 300)
}

// tabled reports whether exponents repeat so much that a table of similarities by
// exponent is worth its while.
func (a *Affinity) tabled() bool { return 4*len(a.exponents) <= len(a.index) }

// similarities sets out to exp(-temperature * (exponent - least)).
func similarities(out, exponents []float64, temperature, least float64) {
	if temperature == 0 { // exponents may be infinite
		for p := range out {
			out[p] = 1
		}
		return
	}
	vector.Exp(out, exponents, least, -temperature)
}

// rows fills f, N x N, with similarities up to a factor of each row, which the
// normalization of an arrival cancels. The diagonal is 0, or with self the
// similarity 1 of an item to itself. safe says that the factor is the same in all
// rows and that no similarity is below exp(-300) of the largest: then sums over
// any subset of a row are safe. table is working memory.
func (a *Affinity) rows(f []float64, temperature float64, self bool, table *[]float64) (safe bool) {
	n := a.N()
	least, safe := a.spread(temperature, self)
	if !safe {
		for i := range n {
			a.row(f[i*n:(i+1)*n], temperature, i, self)
		}
		return false
	}
	*table = extend(*table, max(1, len(a.exponents)))
	t := *table
	similarities(t[:len(a.exponents)], a.exponents, temperature, least)
	for p, k := range a.index {
		f[p] = t[k]
	}
	one := 0.0
	if self {
		one = ownSimilarity(temperature, least)
	}
	for i := range n {
		f[i*n+i] = one
	}
	return true
}

// ownSimilarity is the similarity 1 of an item to itself, beside those relative to
// that of the least exponent.
func ownSimilarity(temperature, least float64) float64 {
	if temperature == 0 {
		return 1
	}
	return math.Exp(temperature * least)
}

// row fills row i with similarities relative to the largest.
func (a *Affinity) row(row []float64, temperature float64, i int, self bool) {
	row[i] = math.Inf(-1)
	if self {
		row[i] = 0
	}
	top := row[i]
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
		} else {
			l -= top // or a large top would swallow the sum of several like it
		}
		all = logSumExp(all, l)
		if member(j) {
			in = logSumExp(in, l)
		}
	}
	return in - all
}

// logSumOf returns the log of the sum of the similarities of item i to the earlier
// items in member.
func (a *Affinity) logSumOf(temperature float64, i int, earlier []int, member func(j int) bool) float64 {
	sum := math.Inf(-1)
	for _, j := range earlier {
		if member(j) {
			sum = logSumExp(sum, a.logSimilarity(temperature, i, j))
		}
	}
	return sum
}

// logSum returns the log of h: of 1, for the item itself, and the similarities of
// item i to all earlier items.
func (a *Affinity) logSum(temperature float64, i int, earlier []int) float64 {
	return logSumExp(0, a.logSumOf(temperature, i, earlier, func(int) bool { return true }))
}
