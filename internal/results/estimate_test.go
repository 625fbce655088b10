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

// Copies of features count as one in the estimate.
func TestEstimateWithoutCopies(t *testing.T) {
	j := judge(t)
	for _, chain := range j.Chains {
		for _, d := range chain {
			z := feature.New(d.Z.N())
			for _, items := range [][]int{{0}, {0}, {0}, {0}, {1, 2}, {1, 2}} {
				k := z.Append()
				for _, i := range items {
					z.Flip(i, k)
				}
			}
			d.Z, d.Permutation = z, nil
		}
	}
	e, err := j.Estimate(DefaultEstimate())
	if err != nil {
		t.Fatal(err)
	}
	if e.Z.K() != 2 || e.Z.Size(0) != 2 || e.Z.Size(1) != 1 || e.Loss != 0 {
		t.Errorf("found\n%v\nwith loss %v, expected {1, 2} and {0}", e.Z, e.Loss)
	}
	for k := range e.Z.K() {
		if e.Loadings[k].Matched != 1 || e.Loadings[k].Overlap != 1 {
			t.Errorf("feature %d: found %+v, expected it in all draws", k, e.Loadings[k])
		}
	}
}
