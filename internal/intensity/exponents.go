package intensity

import (
	"fmt"
	"math"
	"slices"

	"aibd/internal/vector"
	"aibd/similarity"
)

// exponents are the exponents of a decay by pair of items, where log f is -temperature times
// an exponent. It is immutable.
type exponents struct {
	n         int
	min, max  float64   // between different items
	symmetric bool      // the order of two items makes no difference
	all       []float64 // entry j*n+i is of item i arriving after item j; nil if exponents repeat much

	// If exponents repeat much: the distinct ones and the rank of each among them. A temperature then takes
	// one exponential for each distinct one. Several distances may share ranks, see share.
	distinct []float64
	rank     []int32
}

// newExponents returns the exponents of a decay. It panics if one is not a number.
func newExponents(dist *similarity.Matrix, decay similarity.PowerDecay) *exponents {
	n := dist.N()
	e := &exponents{n: n, symmetric: dist.Symmetric(), all: make([]float64, n*n)}
	if n > 1 {
		e.min, e.max = math.Inf(1), math.Inf(-1)
	}
	for j := range n {
		for i := range n {
			if i == j {
				continue
			}
			x := decay.Exponent(dist.At(i, j))
			if math.IsNaN(x) {
				panic(fmt.Sprintf("prior: %s of distance %g is not a number", decay, dist.At(i, j)))
			}
			e.all[j*n+i], e.min, e.max = x, min(e.min, x), max(e.max, x)
		}
	}
	sorted := slices.Compact(slices.Sorted(slices.Values(e.all)))
	if 4*len(sorted) > n*n {
		return e
	}
	e.distinct, e.rank = slices.Clone(sorted), make([]int32, n*n)
	for index, x := range e.all {
		k, _ := slices.BinarySearch(sorted, x)
		e.rank[index] = int32(k)
	}
	e.all = nil
	return e
}

// share makes several distances share their ranks if their exponents repeat much together: a rank then stands for
// a combination of one exponent of each distance. A panel of firms and years has few combinations.
func share(all []*exponents) {
	count, n := 1, all[0].n
	for _, e := range all {
		if count *= len(e.distinct); count == 0 || 4*count > n*n {
			return
		}
	}
	rank, stride := make([]int32, n*n), 1
	for _, e := range all {
		distinct := make([]float64, count)
		for c := range distinct {
			distinct[c] = e.distinct[c/stride%len(e.distinct)]
		}
		for index, r := range e.rank {
			rank[index] += r * int32(stride)
		}
		stride *= len(e.distinct)
		e.distinct, e.rank = distinct, rank
	}
}

// given sets out to the exponents of items arriving after item j; that of j itself is
// 0.
func (e *exponents) given(out []float64, j int, items []int) {
	if e.rank != nil {
		look(out, e.distinct, e.rank[j*e.n:(j+1)*e.n], items)
		return
	}
	all, out := e.all[j*e.n:(j+1)*e.n], out[:len(items)]
	for p, i := range items {
		out[p] = all[i]
	}
}

// look sets out to the values at the ranks of items.
func look(out, values []float64, rank []int32, items []int) {
	out = out[:len(items)]
	for p, i := range items {
		out[p] = values[rank[i]]
	}
}

// taken sets out to the exponents of item i arriving after each of the items.
func (e *exponents) taken(out []float64, i int, items []int) {
	if e.symmetric {
		e.given(out, i, items)
		return
	}
	for p, j := range items {
		if e.rank != nil {
			out[p] = e.distinct[e.rank[j*e.n+i]]
		} else {
			out[p] = e.all[j*e.n+i]
		}
	}
}

// decayed are similarities at temperatures. Of one distance they are relative to that of the exponent
// min, of several to the exponential of minus min.
type decayed struct {
	*exponents   // of the first distance
	temperature  float64
	min          float64
	ranked       bool      // the distances share ranks
	table        []float64 // and the similarities of these
	tail         []*exponents
	temperatures []float64 // of others
	part         []float64 // working memory
}

// update prepares for temperatures. min is the least exponent of the first distance, and self says
// whether the exponent 0 of an item to itself counts.
func (d *decayed) update(e []*exponents, t Temperatures, min float64, self bool) {
	d.exponents, d.temperature, d.min = e[0], t.First, min
	d.tail = e[1:]
	last := e[len(e)-1]
	d.ranked = len(d.rank) > 0 && len(last.rank) > 0 && &d.rank[0] == &last.rank[0]
	if len(d.tail) > 0 {
		d.temperatures = append(d.temperatures[:0], t.Tail...)
		if d.temperature == 0 {
			d.min = 0
		} else {
			d.min *= d.temperature
		}
		for m, e := range d.tail {
			if x := d.temperatures[m]; x != 0 && !(self && e.min > 0) {
				d.min += x * e.min
			}
		}
	}
	if d.ranked {
		d.table = vector.Extend(d.table, len(d.distinct))
		d.similarities(d.table, func(e *exponents, out []float64) { copy(out, e.distinct) })
	}
}

// given sets out to the similarities of items arriving after item j.
func (d *decayed) given(out []float64, j int, items []int) {
	if d.ranked {
		look(out, d.table, d.rank[j*d.n:(j+1)*d.n], items)
		return
	}
	d.similarities(out[:len(items)], func(e *exponents, out []float64) { e.given(out, j, items) })
}

// taken sets out to the similarities of item i arriving after each of the items.
func (d *decayed) taken(out []float64, i int, items []int) {
	d.similarities(out[:len(items)], func(e *exponents, out []float64) { e.taken(out, i, items) })
}

// similarities sets out to the similarities. For each distance fill fills a slice with exponents.
func (d *decayed) similarities(out []float64, fill func(e *exponents, out []float64)) {
	if len(d.tail) > 0 {
		d.combine(out, fill)
		return
	}
	fill(d.exponents, out)
	d.decay(out)
}

// combine sets out to the similarities of several distances. For each of them fill fills a slice with exponents.
func (d *decayed) combine(out []float64, fill func(e *exponents, out []float64)) {
	d.part = vector.Extend(d.part, len(out))
	clear(out)
	if d.temperature != 0 { // exponents may be infinite
		fill(d.exponents, d.part)
		vector.Axpy(out, d.temperature, d.part)
	}
	for m, e := range d.tail {
		if d.temperatures[m] != 0 {
			fill(e, d.part)
			vector.Axpy(out, d.temperatures[m], d.part)
		}
	}
	exp(out, d.min, -1)
}

// decay replaces exponents of one distance by similarities, exp(-temperature * (exponent - min)).
func (d *decayed) decay(x []float64) {
	if d.temperature == 0 { // exponents may be infinite
		vector.Fill(x, 1)
		return
	}
	exp(x, d.min, -d.temperature)
}

// self is the similarity 1 of an item to itself, relative as the others are.
func (d *decayed) self() float64 {
	switch {
	case len(d.tail) > 0:
		return math.Exp(d.min)
	case d.temperature == 0:
		return 1
	}
	return math.Exp(d.temperature * d.min)
}
