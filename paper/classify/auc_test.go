package classify

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Against the definition over all pairs, with many ties.
func TestAUC(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		n := 2 + rng.IntN(20)
		scores, y := make([]float64, n), make([]bool, n)
		for i := range scores {
			scores[i], y[i] = float64(rng.IntN(5)), rng.IntN(2) == 0
		}
		y[0], y[1] = true, false
		sum, pairs := 0.0, 0.0
		for i := range y {
			for j := range y {
				if !y[i] || y[j] {
					continue
				}
				pairs++
				if scores[i] > scores[j] {
					sum++
				} else if scores[i] == scores[j] {
					sum += 0.5
				}
			}
		}
		if got := AUC(scores, y); math.Abs(got-sum/pairs) > 1e-15 {
			t.Fatalf("%v %v: %v, expected %v", scores, y, got, sum/pairs)
		}
	}
}

// The example of scikit-learn's roc_auc_score, and what scikit-learn 1.2.1 and pROC
// 1.18.0 of R give for ties: both the same.
func TestAUCOfOthers(t *testing.T) {
	if got := AUC([]float64{0.1, 0.4, 0.35, 0.8}, []bool{false, false, true, true}); got != 0.75 {
		t.Errorf("%v, expected 0.75", got)
	}
	if got := AUC([]float64{1, 1, 2, 3, 1, 3, 3, 4}, []bool{false, false, false, false, true, true, true, true}); got != 0.75 {
		t.Errorf("%v, expected 0.75", got)
	}
	scores := []float64{.1, .1, .2, .2, .3, .3, .3, .9, .2, .9}
	if got := AUC(scores, []bool{false, true, false, true, true, false, false, true, true, false}); math.Abs(got-0.44) > 1e-15 {
		t.Errorf("%v, expected 0.44", got)
	}
	for _, y := range [][]bool{{true, true}, {false, false}} {
		if got := AUC([]float64{1, 2}, y); !math.IsNaN(got) {
			t.Errorf("one label: %v", got)
		}
	}
	if got := AUC([]float64{1, math.NaN()}, []bool{true, false}); !math.IsNaN(got) {
		t.Errorf("a score that is no number: %v", got)
	}
}
