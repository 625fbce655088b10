package intensity

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"aibd/internal/lists"
	"aibd/similarity"
)

// Affinity is how much each item attracts each other one: distances and the decays that turn them into
// similarities at temperatures.
type Affinity struct {
	dist      similarity.Several // one or more
	decays    []similarity.Decay // of each distance
	exponents []*exponents       // of each distance; nil if a decay has none
}

// NewAffinity is NewAffinity of package prior.
func NewAffinity(distances similarity.Distances, decays ...similarity.Decay) *Affinity {
	a := new(Affinity)
	switch d := distances.(type) {
	case *similarity.Matrix:
		a.dist = similarity.Several{d}
	case similarity.Several:
		if a.dist = d; len(d) == 0 {
			panic("prior: found no distances, expected at least one")
		}
		for m, matrix := range d {
			if matrix.N() != d.N() {
				panic(fmt.Sprintf("prior: distance %d is between %d items, expected %d as in the first", m+1, matrix.N(), d.N()))
			}
		}
	default:
		panic("prior: distances are nil")
	}
	for _, decay := range decays {
		checkDecay(decay)
	}
	count := 1 + a.countFurther()
	switch len(decays) {
	case count:
		a.decays = slices.Clone(decays)
	case 1:
		a.decays = slices.Repeat(decays, count)
	default:
		panic(fmt.Sprintf("prior: %d decays, expected one for each of %d distances, or one for all", len(decays), count))
	}
	for m, d := range a.dist {
		power, ok := a.decays[m].(similarity.PowerDecay)
		if !ok {
			a.exponents = nil
			break
		}
		a.exponents = append(a.exponents, newExponents(d, power))
	}
	if len(a.exponents) > 1 {
		share(a.exponents)
	}
	return a
}

// checkDecay panics if a decay is nil or its parameter out of range.
func checkDecay(decay similarity.Decay) {
	switch d := decay.(type) {
	case nil:
		panic("prior: a decay is nil")
	case similarity.Window:
		if !(d.Width >= 0) || math.IsInf(d.Width, 1) {
			panic(fmt.Sprintf("prior: found width %v of a window, expected a finite number of at least 0", d.Width))
		}
	case similarity.Reciprocal:
		if !(d.Shift >= 0) || math.IsInf(d.Shift, 1) {
			panic(fmt.Sprintf("prior: found shift %v of a reciprocal decay, expected a finite number of at least 0", d.Shift))
		}
	}
}

// N returns the number of items.
func (a *Affinity) N() int { return a.dist.N() }

// Several returns the distances, one or more.
func (a *Affinity) Several() similarity.Several { return a.dist }

// countFurther returns the number of distances after the first.
func (a *Affinity) countFurther() int { return len(a.dist) - 1 }

// Decay returns the decay of distance m.
func (a *Affinity) Decay(m int) similarity.Decay { return a.decays[m] }

// decayNames names the decay, or that of each distance if they differ.
func (a *Affinity) decayNames() string {
	names := lists.Map(a.decays, similarity.Decay.String)
	if len(slices.Compact(slices.Clone(names))) == 1 {
		return names[0]
	}
	return strings.Join(names, " and ")
}

// logSimilarity returns log f_ij, the sum over the distances, from -Inf to +Inf. Items that one
// distance makes infinitely similar and another one not similar at all are not similar.
func (a *Affinity) logSimilarity(t Temperatures, i, j int) float64 {
	sum := a.decays[0].LogSimilarity(t.First, a.dist[0].At(i, j))
	for m, x := range t.Tail {
		sum = both(sum, a.decays[m+1].LogSimilarity(x, a.dist[m+1].At(i, j)))
	}
	return sum
}

// both returns the log of the product of two similarities, where 0 times infinity is 0.
func both(a, b float64) float64 {
	if math.IsInf(a, -1) || math.IsInf(b, -1) {
		return math.Inf(-1)
	}
	return a + b
}

// update sets d to the similarities at temperatures, relative to the max of all, with self
// that of an item to itself among them. It reports whether they are safe to sum over any
// subset: none is below exp(-300). If they are not, it may leave d alone.
func (a *Affinity) update(d *decayed, t Temperatures, self bool) (safe bool) {
	if a.exponents == nil {
		return false
	}
	spread, low := 0.0, 0.0
	for m, e := range a.exponents {
		least, highest := e.min, e.max
		if self {
			least, highest = min(least, 0), max(highest, 0)
		}
		if x := t.Value(m); x != 0 { // exponents may be infinite
			spread += x * (highest - least)
		}
		if m == 0 {
			low = least
		}
	}
	if safe = spread < 300; safe {
		d.update(a.exponents, t, low, self)
	}
	return safe
}

// row sets out to the similarities of item i arriving after each of the items, relative to
// the largest of these. That of item i itself, if it is one of them, is 0, or with self 1
// before it is taken relative. Where all are 0 the others are equal, the limit as they
// tend to 0 together.
func (a *Affinity) row(out []float64, t Temperatures, i int, items []int, self bool) {
	top := math.Inf(-1)
	for p, j := range items {
		switch {
		case j != i:
			out[p] = a.logSimilarity(t, i, j)
		case self:
			out[p] = 0
		default:
			out[p] = math.Inf(-1)
		}
		top = max(top, out[p])
	}
	for p, j := range items {
		out[p] = relative(out[p], top)
		if math.IsInf(top, -1) && j != i {
			out[p] = 1
		}
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
func (a *Affinity) logShare(t Temperatures, i int, earlier []int, member func(j int) bool) float64 {
	top := math.Inf(-1)
	for _, j := range earlier {
		top = max(top, a.logSimilarity(t, i, j))
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
		l := a.logSimilarity(t, i, j)
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

// logTake returns the log of the probability with which item i, arriving after earlier,
// takes a dish of those in member, for what underflows. With self the item attracts itself.
func (a *Affinity) logTake(t Temperatures, i int, earlier []int, self bool, member func(j int) bool) float64 {
	if self {
		all := a.logSumOf(t, i, earlier, func(int) bool { return true })
		return a.logSumOf(t, i, earlier, member) - logSumExp(0, all)
	}
	count := float64(len(earlier))
	return math.Log(count/(count+1)) + a.logShare(t, i, earlier, member)
}

// logSumOf returns the log of the sum of the similarities of item i to the earlier
// items in member.
func (a *Affinity) logSumOf(t Temperatures, i int, earlier []int, member func(j int) bool) float64 {
	sum := math.Inf(-1)
	for _, j := range earlier {
		if member(j) {
			sum = logSumExp(sum, a.logSimilarity(t, i, j))
		}
	}
	return sum
}
