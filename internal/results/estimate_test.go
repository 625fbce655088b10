package results

import (
	"slices"
	"testing"

	"aibd/feature"
	"aibd/posterior"
)

// Features come by their numbers of items, each with its own shares.
func TestSorted(t *testing.T) {
	z, err := feature.FromRows([][]int{{1, 1, 0}, {0, 1, 1}, {0, 1, 1}})
	if err != nil {
		t.Fatal(err)
	}
	s := sorted(&posterior.Estimate{Z: z, Loss: 2, Share: [][]float64{{0.1}, {0.3}, {0.2}}})
	for k, expected := range []int{1, 2, 0} {
		if !slices.Equal(s.Z.Column(k), z.Column(expected)) || s.Share[k][0] != float64(3-k)/10 {
			t.Errorf("feature %d: found %v with shares %v, expected %v", k, s.Z.Column(k), s.Share[k], z.Column(expected))
		}
	}
	if s.Loss != 2 {
		t.Errorf("found the loss %v, expected 2", s.Loss)
	}
}
