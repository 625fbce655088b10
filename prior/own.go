package prior

import (
	"fmt"
	"math"
	"math/rand/v2"

	"aibd/internal/intensity"
)

// An Intensity is a law of one's own, up to its mass: an intensity nu over the sets of N items that
// are not empty. NewLaw makes a Law of it. A set is a column, a bitset over the items (see
// feature.Items). Several goroutines call the methods at once.
type Intensity interface {
	// N returns the number of items.
	N() int
	// LogIntensity returns log nu of a column; -Inf if it cannot occur.
	LogIntensity(column []uint64) float64
	// TotalIntensity returns H, the sum of nu over all columns, positive and finite.
	TotalIntensity() float64
	// DrawColumn draws a column with probability nu/H. It overwrites column.
	DrawColumn(rng *rand.Rand, column []uint64)
}

// maxChecked is the number of items up to which NewLaw adds the intensities of all columns.
const maxChecked = 10

// NewLaw returns the law with an intensity. A sampler computes the intensity of a column anew for each
// entry that it may flip, so that LogIntensity should take at most O(N). With up to 10 items NewLaw
// checks that the intensities of all columns add to TotalIntensity. It returns an error if they do not,
// and unless mass and TotalIntensity are positive and finite.
func NewLaw(nu Intensity, mass float64) (Law, error) {
	law, err := intensity.NewGeneral(nu, mass)
	if err != nil {
		return nil, err
	}
	if n := nu.N(); n <= maxChecked {
		sum := 0.0
		for c := uint64(1); c < 1<<n; c++ {
			sum += math.Exp(nu.LogIntensity([]uint64{c}))
		}
		if h := nu.TotalIntensity(); !(math.Abs(sum-h) <= 1e-6*h) {
			return nil, fmt.Errorf("total intensity: found %.6g, expected %.6g, the sum over all columns of %d items", h, sum, n)
		}
	}
	return &custom{base{law}, law}, nil
}

// own is a law of NewLaw.
type custom struct {
	base
	law *intensity.General
}

func (l *custom) WithMass(mass float64) Law {
	law := l.law.WithMass(mass)
	return &custom{base{law}, law}
}

func (l *custom) ExpectedSharing() [][]float64 { return enumerated(l) }
