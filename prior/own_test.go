package prior

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// reweighed is a law as an intensity of one's own, with a total that is off by a factor.
type reweighed struct {
	Law
	factor float64
}

func (r reweighed) TotalIntensity() float64 { return r.factor * r.Law.TotalIntensity() }

// DrawColumn draws a column of a draw that has one: given their number, columns are independent.
func (r reweighed) DrawColumn(rng *rand.Rand, column []uint64) {
	for {
		if z := r.Rand(rng); z.K() > 0 {
			copy(column, z.Column(rng.IntN(z.K())))
			return
		}
	}
}

// TestNewLaw: the intensity of a law gives this law, and no total but its own is accepted.
func TestNewLaw(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	aibd, err := NewAIBD(law3(t), 0.7, 1.2, []int{2, 0, 1})
	if err != nil {
		t.Fatal(err)
	}
	law, err := NewLaw(reweighed{aibd, 1}, 0.7)
	if err != nil {
		t.Fatal(err)
	}
	if p := pValue(law, aibd, rng, 100_000); !(p > 1e-6) {
		t.Errorf("draws of the law of its intensity: p = %g", p)
	}
	if p := pValue(law.WithMass(1), aibd, rng, 100_000); !(p < 1e-6) {
		t.Errorf("draws at another mass: p = %g", p)
	}
	z := aibd.Rand(rng)
	if got, want := LogProb(law, z), LogProb(aibd, z); !near(got, want) {
		t.Errorf("log probability %v, want %v", got, want)
	}
	want := aibd.ExpectedSharing()
	for i, row := range law.ExpectedSharing() {
		for j, got := range row {
			if !near(got, want[i][j]) {
				t.Errorf("sharing of %d and %d: %v, want %v", i, j, got, want[i][j])
			}
		}
	}
	for _, c := range []struct {
		factor, mass float64
		want         string
	}{
		{1.001, 1, "total intensity: found 1.83517, expected 1.83333, the sum over all columns of 3 items"},
		{-1, 1, "total intensity: found -1.8333333333333333, expected a positive finite number"},
		{1, 0, "mass: found 0, expected a positive finite number"},
	} {
		if _, err := NewLaw(reweighed{aibd, c.factor}, c.mass); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("factor %v, mass %v: error %v, want %s", c.factor, c.mass, err, c.want)
		}
	}
}
