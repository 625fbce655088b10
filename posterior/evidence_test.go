package posterior

import (
	"math"
	"testing"
)

// TestEvidence: the mean of 1 and 3 is 2; the standard deviation of 0 and log 3 is
// log(3)/sqrt(2).
func TestEvidence(t *testing.T) {
	log, spread := Evidence([]float64{-1000, -1000 + math.Log(3)})
	if want := -1000 + math.Log(2); math.Abs(log-want) > 1e-12 {
		t.Errorf("log evidence %v, want %v", log, want)
	}
	if want := math.Log(3) / math.Sqrt2; math.Abs(spread-want) > 1e-12 {
		t.Errorf("spread %v, want %v", spread, want)
	}
	if log, spread := Evidence([]float64{-5}); log != -5 || !math.IsNaN(spread) {
		t.Errorf("of one population: %v, %v, want -5, NaN", log, spread)
	}
}
