package results

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"aibd/feature"
)

// Features trade places if what each adds varies while their sum stays, and if they have most of their items in common: two or
// three that turn into each other, not those whose sum varies as much, nor those of other items.
func TestTrading(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	z := feature.New(20)
	for k := range 5 {
		z.Append()
		for i := range 20 {
			if k < 4 && i < 12+k || k == 4 && i >= 15 {
				z.Flip(i, k)
			}
		}
	}
	shares := make([][]float64, 5)
	for range 400 {
		part := func(angle float64) float64 { return 0.6 * math.Pow(math.Cos(angle), 2) }
		angle := math.Pi * rng.Float64()
		noise := func() float64 { return 0.02 * rng.NormFloat64() }
		for k := range 3 {
			shares[k] = append(shares[k], part(angle+float64(k)*math.Pi/3)+noise())
		}
		shares[3] = append(shares[3], 0.3+5*noise())
		shares[4] = append(shares[4], 0.9-part(angle)+noise())
	}
	for _, test := range []struct {
		groups [][]int
		want   []int
	}{
		{[][]int{{0}, {1}, {2}}, []int{0, 1, 2}}, // of three no two have a sum that stays
		{[][]int{{0, 1}, {2}}, []int{0, 1}},
		{[][]int{{0}, {1}}, nil},
		{[][]int{{0, 1, 2}, {3}}, nil},
		{[][]int{{0}, {3}}, nil},
		{[][]int{{0}, {4}}, nil}, // other items
	} {
		if got := trading(z, test.groups, shares); !slices.Equal(slices.Sorted(slices.Values(got)), test.want) {
			t.Errorf("%v: found %v, expected %v", test.groups, got, test.want)
		}
	}
}
