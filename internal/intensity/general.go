package intensity

import (
	"fmt"
	"math"
	"math/rand/v2"

	"aibd/feature"
	"aibd/internal/lists"
	"aibd/internal/vector"
)

// Columns determines a law, up to its mass. It is prior.Intensity.
type Columns interface {
	N() int
	LogIntensity(column []uint64) float64
	TotalIntensity() float64
	DrawColumn(rng *rand.Rand, column []uint64)
}

// General is a law that has no methods beyond Columns and the mass.
type General struct {
	Columns
	mass float64
}

// NewGeneral returns the law.
func NewGeneral(nu Columns, mass float64) (*General, error) {
	if err := validMass(mass); err != nil {
		return nil, err
	}
	if h := nu.TotalIntensity(); !(h > 0) || math.IsInf(h, 1) {
		return nil, fmt.Errorf("total intensity: found %g, expected a positive finite number", h)
	}
	return &General{nu, mass}, nil
}

// Mass returns the mass parameter.
func (l *General) Mass() float64 { return l.mass }

// WithMass returns the law with another mass. It panics unless mass is valid.
func (l *General) WithMass(mass float64) *General {
	must(validMass(mass))
	return &General{l.Columns, mass}
}

// SumLogIntensity returns the sum of log nu over the columns of z.
func (l *General) SumLogIntensity(z *feature.Allocation) float64 { return sumOver(z, l.LogIntensity) }

// sumOver returns the sum of a function over the columns of z.
func sumOver(z *feature.Allocation, logIntensity func(column []uint64) float64) float64 {
	sum := 0.0
	for k := range z.K() {
		sum += logIntensity(z.Column(k))
	}
	return sum
}

// Rand draws an allocation column by column.
func (l *General) Rand(rng *rand.Rand) *feature.Allocation {
	return drawColumns(rng, l.N(), l.mass*l.TotalIntensity(), l.DrawColumn)
}

// Tracker returns the incremental form of the law.
func (l *General) Tracker() Tracker { return newGeneralTracker(l) }

// generalTracker keeps the columns and their intensities. It asks the law for the intensity of each
// column that a flip would make, and has no bounds.
type generalTracker struct {
	Columns
	w       int // words a column
	columns []uint64
	nu      []float64 // log nu
	size    []int
	flipped []uint64 // working memory
}

func newGeneralTracker(law Columns) *generalTracker {
	return &generalTracker{Columns: law, w: (law.N() + 63) / 64}
}

func (t *generalTracker) column(k int) []uint64 { return t.columns[k*t.w : (k+1)*t.w] }

func (t *generalTracker) Reset(z *feature.Allocation) {
	t.columns, t.nu, t.size = t.columns[:0], t.nu[:0], t.size[:0]
	for k := range z.K() {
		t.AppendColumn(z.Column(k))
	}
}

func (t *generalTracker) SumLogIntensity() float64 { return lists.Sum(t.nu) }

func (t *generalTracker) IntensityBound([]uint64, float64) float64 { return math.Inf(1) }

func (t *generalTracker) LogSingleton(i int) float64 {
	t.flipped = append(t.flipped[:0], make([]uint64, t.w)...)
	setBit(t.flipped, i)
	return t.LogIntensity(t.flipped)
}

func (t *generalTracker) LogFlip(i, k int) float64 {
	t.flipped = append(t.flipped[:0], t.column(k)...)
	t.flipped[i>>6] ^= 1 << (uint(i) & 63)
	return t.LogIntensity(t.flipped) - t.nu[k]
}

func (t *generalTracker) FlipBound(int, int) float64 { return math.Inf(1) }

func (t *generalTracker) FlipBounds(_ int, bounds []float64) {
	vector.Fill(bounds, math.Inf(1))
}

func (t *generalTracker) Flip(i, k int) {
	column := t.column(k)
	column[i>>6] ^= 1 << (uint(i) & 63)
	t.nu[k], t.size[k] = t.LogIntensity(column), feature.Ones(column)
}

func (t *generalTracker) Append(i int) {
	t.nu, t.size = append(t.nu, t.LogSingleton(i)), append(t.size, 1)
	t.columns = append(t.columns, t.flipped...)
}

func (t *generalTracker) AppendColumn(column []uint64) {
	t.nu, t.size = append(t.nu, t.LogIntensity(column)), append(t.size, feature.Ones(column))
	t.columns = append(t.columns, column...)
}

func (t *generalTracker) Remove(k int) {
	last := len(t.nu) - 1
	t.nu[k], t.size[k] = t.nu[last], t.size[last]
	t.nu, t.size = t.nu[:last], t.size[:last]
	copy(t.column(k), t.column(last))
	t.columns = t.columns[:last*t.w]
}

func (t *generalTracker) Propose(Temperatures, []int) (float64, float64) {
	return t.SumLogIntensity(), t.TotalIntensity()
}

func (t *generalTracker) Accept() {}
