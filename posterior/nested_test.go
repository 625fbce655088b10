package posterior

import (
	"math"
	"testing"
)

// TestNestedRHatByHand: two populations of two chains of two draws.
//
//	{0, 2}, {2, 4}: means 1 and 3, variances 2 and 2; mean 2, variance of the means 2
//	{4, 6}, {6, 8}: means 5 and 7, variances 2 and 2; mean 6, variance of the means 2
//
// Within is 2 + 2, between is the variance of 2 and 6, 8: sqrt(1 + 8/4).
func TestNestedRHatByHand(t *testing.T) {
	chains := [][]float64{{0, 2}, {2, 4}, {4, 6}, {6, 8}}
	if got, want := nestedRHat(chains, 2), math.Sqrt(3); math.Abs(got-want) > 1e-15 {
		t.Errorf("nested R-hat %v, want %v", got, want)
	}
	// With one chain a population, within is 2 and the means are 1, 3, 5, 7, of variance 20/3.
	if got, want := nestedRHat(chains, 1), math.Sqrt(1+20./3/2); math.Abs(got-want) > 1e-15 {
		t.Errorf("nested R-hat of chains %v, want %v", got, want)
	}
	// With one draw a chain, within is the variance of the chains of a population.
	single := [][]float64{{0}, {2}, {4}, {6}} // variance 2 and 2, means 1 and 5
	if got, want := nestedRHat(single, 2), math.Sqrt(1+8./2); math.Abs(got-want) > 1e-15 {
		t.Errorf("nested R-hat of single draws %v, want %v", got, want)
	}
}

func TestNestedRHat(t *testing.T) {
	same := [][]float64{{1, 2, 3, 4}, {2, 4, 1, 3}}
	if got := NestedRHat([][][]float64{same, same}); got != 1 {
		t.Errorf("nested R-hat of equal populations %v, want 1", got)
	}
	far := [][]float64{{11, 12, 13, 14}, {12, 14, 11, 13}}
	if got := NestedRHat([][][]float64{same, far}); !(got > 1.5) {
		t.Errorf("nested R-hat of populations apart %v, want more than 1.5", got)
	}
	// Equal locations, other spread: the distances from the median tell.
	wide := [][]float64{{-100, 105, -50, 55}, {-95, 100, -45, 50}}
	if got := NestedRHat([][][]float64{same, wide}); !(got > 1.5) {
		t.Errorf("nested R-hat of populations of other spread %v, want more than 1.5", got)
	}
	for name, x := range map[string][][][]float64{
		"one population": {same}, "constant": {{{1, 1}}, {{1, 1}}}, "not finite": {{{1, math.Inf(1)}}, {{1, 2}}},
	} {
		if got := NestedRHat(x); !math.IsNaN(got) {
			t.Errorf("%s: nested R-hat %v, want NaN", name, got)
		}
	}
}

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
