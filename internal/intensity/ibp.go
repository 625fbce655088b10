package intensity

import (
	"fmt"
	"math"
	"math/rand/v2"

	"aibd/feature"
	"aibd/internal/lists"
)

// IBP is the law of package prior of this name.
type IBP struct {
	n    int
	mass float64
	h    float64   // harmonic number
	nu   []float64 // log nu by number of members; [0] is 0
	// Bounds on the odds of a column with one member more, or less, by number of members.
	increase, decrease []float64
}

// NewIBP returns the IBP.
func NewIBP(n int, mass float64) (*IBP, error) {
	if n < 0 {
		panic(fmt.Sprintf("prior: %d items", n))
	}
	if err := validMass(mass); err != nil {
		return nil, err
	}
	law := &IBP{n: n, mass: mass, h: harmonic(n), nu: make([]float64, n+1)}
	for m := 1; m <= n; m++ {
		a, _ := math.Lgamma(float64(m))
		b, _ := math.Lgamma(float64(n - m + 1))
		c, _ := math.Lgamma(float64(n + 1))
		law.nu[m] = a + b - c
	}
	law.increase, law.decrease = make([]float64, n+1), make([]float64, n+1)
	for m := range n {
		change := law.nu[m+1] - law.nu[m]
		law.increase[m], law.decrease[m+1] = oddsBound(change), oddsBound(-change)
	}
	return law, nil
}

// oddsBound returns a bound on exp(log) that rounding cannot break.
func oddsBound(log float64) float64 { return math.Exp(log) * (1 + 1e-9) }

// harmonic returns 1 + 1/2 + ... + 1/n.
func harmonic(n int) float64 {
	h := 0.0
	for i := n; i >= 1; i-- {
		h += 1 / float64(i)
	}
	return h
}

// N returns the number of items.
func (l *IBP) N() int { return l.n }

// Mass returns the mass parameter.
func (l *IBP) Mass() float64 { return l.mass }

// WithMass returns the law with another mass. It panics unless mass is valid.
func (l *IBP) WithMass(mass float64) *IBP {
	must(validMass(mass))
	c := *l
	c.mass = mass
	return &c
}

// LogIntensity returns log nu of a column, a function of its size only.
func (l *IBP) LogIntensity(column []uint64) float64 {
	m := feature.Ones(column)
	if m == 0 {
		return math.Inf(-1)
	}
	return l.nu[m]
}

// SumLogIntensity returns the sum of log nu over the columns of z.
func (l *IBP) SumLogIntensity(z *feature.Allocation) float64 { return sumOver(z, l.LogIntensity) }

// TotalIntensity returns the N-th harmonic number.
func (l *IBP) TotalIntensity() float64 { return l.h }

// Rand draws an allocation by the generative process.
func (l *IBP) Rand(rng *rand.Rand) *feature.Allocation {
	return drawColumns(rng, l.n, l.mass*l.h, l.DrawColumn)
}

// DrawColumn draws a column from nu/H: item p opens it with probability
// 1/(p+1)/H, and each later one takes it in proportion to its owners.
func (l *IBP) DrawColumn(rng *rand.Rand, column []uint64) {
	p := opener(rng, l.h, l.n, func(p int) float64 { return 1 / float64(p+1) })
	clear(column)
	setBit(column, p)
	for m, q := 1, p+1; q < l.n; q++ {
		if rng.Float64()*float64(q+1) < float64(m) {
			setBit(column, q)
			m++
		}
	}
}

// ExpectedSharing returns mass on the diagonal and mass/2 off it.
func (l *IBP) ExpectedSharing() [][]float64 {
	s := lists.Square(l.n)
	for i := range s {
		for j := range s[i] {
			s[i][j] = l.mass / 2
		}
		s[i][i] = l.mass
	}
	return s
}

// Tracker returns the incremental form.
func (l *IBP) Tracker() Tracker { return &ibpTracker{newGeneralTracker(l), l} }

// ibpTracker looks the intensity of a column up by its size.
type ibpTracker struct {
	*generalTracker
	law *IBP
}

func (t *ibpTracker) IntensityBound(column []uint64, _ float64) float64 {
	return t.LogIntensity(column)
}

func (t *ibpTracker) LogFlip(i, k int) float64 {
	m, change := t.size[k], 1
	if hasBit(t.column(k), i) {
		change = -1
	}
	return t.law.nu[m+change] - t.law.nu[m]
}

func (t *ibpTracker) FlipBound(i, k int) float64 { return t.LogFlip(i, k) }

func (t *ibpTracker) FlipBounds(i int, bounds []float64) {
	for k, m := range t.size {
		bounds[k] = t.law.increase[m]
		if hasBit(t.column(k), i) {
			bounds[k] = t.law.decrease[m]
		}
	}
}
