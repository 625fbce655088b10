package prospect

import (
	"math"
	"testing"

	"aibd/internal/model"
	"aibd/internal/spec"
	"aibd/prior"
	"aibd/similarity"
)

// averagedLaw is the sequential dd-IBP of items on a line, averaged over their order.
func averagedLaw(t *testing.T, items int) *model.PriorProblem {
	t.Helper()
	places := make([]float64, items)
	for i := range places {
		places[i] = float64(i * i)
	}
	law, err := prior.NewSequentialDDIBP(prior.NewAffinity(similarity.AbsDifference(places), similarity.Exponential{}), 2, 0.3, prior.Identity(items))
	if err != nil {
		t.Fatal(err)
	}
	p := &model.PriorProblem{Law: law, Spec: spec.Default()}
	p.Spec.Prior.Law, p.Spec.Prior.Permutation.Kind = "ddibp", "random"
	return p
}

// The mean number of features is the sum over features of the average of their probabilities, exactly with
// few items and within Monte Carlo errors with more.
func TestFeatures(t *testing.T) {
	for items, method := range map[int]string{5: "exact", MaxOrders + 1: "Monte Carlo"} {
		f := NewFeatures(averagedLaw(t, items), 200, 1)
		sum, mean := 0.0, 0.0
		for k, p := range f.Probability {
			sum, mean = sum+p, mean+float64(k)*p
		}
		if !f.Averaged || f.Method != method || math.Abs(sum-1) > 1e-9 || math.Abs(mean-f.Mean) > 1e-9 || (f.MeanStdErr > 0) != (method == "Monte Carlo") {
			t.Errorf("%d items: found %s, sum %v, mean %v of probabilities, %v with error %v", items, f.Method, sum, mean, f.Mean, f.MeanStdErr)
		}
	}
}

// Items share fewer features at a higher temperature.
func TestSharing(t *testing.T) {
	s, err := NewSharing(averagedLaw(t, 4), []float64{0, 2}, 10, 1)
	if err != nil {
		t.Fatal(err)
	}
	if s.Method != "exact" || len(s.Rows) != 2 || !(s.Rows[1].Mean < s.Rows[0].Mean) || s.Rows[0].Sharing[0][3] != s.Rows[0].Sharing[3][0] {
		t.Errorf("found %+v", s)
	}
}
