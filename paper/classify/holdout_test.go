package classify

import (
	"math/rand/v2"
	"slices"
	"testing"

	"aibd/internal/oracle/fixture"
)

// TestHoldOut: the order of the training set changes nothing, and an item twice is refused.
func TestHoldOut(t *testing.T) {
	rng := rand.New(rand.NewPCG(53, 1))
	x, y := make([][]float64, 14), make([]bool, 14)
	for i := range x {
		y[i] = i%2 == 0
		x[i] = []float64{rng.NormFloat64(), rng.NormFloat64()}
		if y[i] {
			x[i][0]++
		}
	}
	f := Logistic{Lambda: 1}
	train := []int{0, 1, 2, 3, 5, 8, 11}
	want, err := f.HoldOut(x, y, train)
	if err != nil {
		t.Fatal(err)
	}
	if want == 1 {
		t.Fatal("the classes are apart, so that the order would not show")
	}
	for range 20 {
		rng.Shuffle(len(train), func(i, j int) { train[i], train[j] = train[j], train[i] })
		if got, err := f.HoldOut(x, y, train); err != nil || got != want {
			t.Errorf("%v: found %v, %v, expected %v", train, got, err, want)
		}
	}
	fixture.WantPanic(t, "classify: HoldOut of a training set that has item 3 twice", func() { f.HoldOut(x, y, slices.Insert(train, 0, 3, 3)) })
}
