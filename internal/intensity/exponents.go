package intensity

import (
	"fmt"
	"math"
	"slices"

	"aibd/internal/vector"
	"aibd/similarity"
)

// exponents are those of a decay by pair of items, where log f is -temperature times
// an exponent. It is immutable.
type exponents struct {
	n               int
	least, greatest float64 // between different items
	symmetric       bool    // the order of two items makes no difference

	// Where exponents repeat so much that a table of similarities by exponent is worth
	// its while, the distinct ones, ascending, and by giver the number of each: entry
	// j*n+i is of item i arriving after item j.
	distinct []float64
	level    []int32
	// Elsewhere the exponents by giver, or the distances if those are the same.
	all  []float64
	dist *similarity.Matrix
}

// newExponents returns the exponents of a decay. It panics if one is not a number.
func newExponents(dist *similarity.Matrix, decay similarity.PowerDecay) *exponents {
	n := dist.N()
	e := &exponents{n: n, symmetric: dist.Symmetric()}
	at := func(j, i int) float64 { return decay.Exponent(dist.At(i, j)) }
	pairs := n * (n - 1)
	if e.symmetric {
		pairs /= 2
	}
	sorted, same := make([]float64, 0, pairs), e.symmetric
	for j := range n {
		for i := range n {
			if i == j || e.symmetric && i > j {
				continue
			}
			x := at(j, i)
			if math.IsNaN(x) {
				panic(fmt.Sprintf("prior: %s of distance %g is not a number", decay, dist.At(i, j)))
			}
			same = same && x == dist.At(i, j)
			sorted = append(sorted, x)
		}
	}
	if len(sorted) == 0 {
		e.distinct, e.level = []float64{0}, make([]int32, n*n)
		return e
	}
	slices.Sort(sorted)
	e.least, e.greatest = sorted[0], sorted[len(sorted)-1]
	sorted = slices.Compact(sorted)
	switch {
	case 4*len(sorted) <= n*n:
		e.distinct, e.level = slices.Clone(sorted), make([]int32, n*n)
		for j := range n {
			for i := range n {
				if i != j {
					k, _ := slices.BinarySearch(e.distinct, at(j, i))
					e.level[j*n+i] = int32(k)
				}
			}
		}
	case same:
		e.dist = dist
	default:
		e.all = make([]float64, n*n)
		for j := range n {
			for i := range n {
				if i != j {
					e.all[j*n+i] = at(j, i)
				}
			}
		}
	}
	return e
}

// at returns the exponent of item i arriving after item j, where there is no table.
func (e *exponents) at(j, i int) float64 {
	if e.all == nil {
		return e.dist.At(j, i)
	}
	return e.all[j*e.n+i]
}

// given sets out to the exponents of items arriving after item j; that of j itself is
// not to be used.
func (e *exponents) given(out []float64, j int, items []int) {
	switch {
	case e.level != nil:
		look(out, e.distinct, e.level[j*e.n:(j+1)*e.n], items)
	case e.all != nil:
		pick(out, e.all[j*e.n:(j+1)*e.n], items)
	default:
		for p, i := range items {
			out[p] = e.dist.At(i, j)
		}
	}
}

// taken sets out to the exponents of item i arriving after each of the items.
func (e *exponents) taken(out []float64, i int, items []int) {
	if e.symmetric {
		e.given(out, i, items)
		return
	}
	for p, j := range items {
		if e.level != nil {
			out[p] = e.distinct[e.level[j*e.n+i]]
		} else {
			out[p] = e.at(j, i)
		}
	}
}

// givenNumbers and takenNumbers set out to the numbers of exponents that are in a
// table.
func (e *exponents) givenNumbers(out []int32, j int, items []int) {
	pick(out, e.level[j*e.n:(j+1)*e.n], items)
}

func (e *exponents) takenNumbers(out []int32, i int, items []int) {
	for p, j := range items {
		out[p] = e.level[j*e.n+i]
	}
}

// pick sets out to the values of items.
func pick[T any](out, values []T, items []int) {
	out = out[:len(items)]
	for p, i := range items {
		out[p] = values[i]
	}
}

// look sets out to the values with the numbers of items.
func look(out, values []float64, number []int32, items []int) {
	out = out[:len(items)]
	for p, i := range items {
		out[p] = values[number[i]]
	}
}

// decayed are similarities at a temperature, relative to that of the exponent least.
type decayed struct {
	*exponents
	temperature, least float64
	table              []float64 // of the distinct exponents
}

// at prepares for a temperature. d is working memory.
func (d *decayed) at(e *exponents, temperature, least float64) {
	d.exponents, d.temperature, d.least = e, temperature, least
	d.table = extend(d.table, len(e.distinct))
	similarities(d.table, e.distinct, temperature, least)
}

// after sets out to the similarities of items arriving after item j.
func (d *decayed) after(out []float64, j int, items []int) {
	if d.level != nil {
		look(out, d.table, d.level[j*d.n:(j+1)*d.n], items)
		return
	}
	d.given(out, j, items)
	similarities(out, out, d.temperature, d.least)
}

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
