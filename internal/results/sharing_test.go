package results

import (
	"math"
	"slices"
	"testing"
)

// TestCorrelations: covariances are divided by both standard deviations, and items without a signal have none.
func TestCorrelations(t *testing.T) {
	s := &Sharing{Items: []string{"a", "b", "c", "d"}, Covariance: [][]float64{{4, -1, 3, 0}, {-1, 1, -0.5, 0}, {3, -0.5, 9, 0}, {0, 0, 0, 0}}}
	correlations, order := s.Correlations()
	for i, want := range [][]float64{{1, -0.5, 0.5, 0}, {-0.5, 1, -1. / 6, 0}, {0.5, -1. / 6, 1, 0}, {0, 0, 0, 0}} {
		for j := range want {
			if math.Abs(correlations[i][j]-want[j]) > 1e-12 {
				t.Errorf("found %v for %d and %d, expected %v", correlations[i][j], i, j, want[j])
			}
		}
	}
	if a, c := slices.Index(order, 0), slices.Index(order, 2); max(a-c, c-a) != 1 {
		t.Errorf("found the order %v, expected the first and the third adjacent", order)
	}
	if correlations, order := (&Sharing{}).Correlations(); correlations != nil || order != nil {
		t.Errorf("found %v and %v without covariances", correlations, order)
	}
}
