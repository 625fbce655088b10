package similarity

// Decays: how similarity falls with distance.

import (
	"cmp"
	"fmt"
	"math"

	"aibd/internal/hint"
)

// A Decay turns a distance into a similarity f at a temperature. Temperatures
// are finite and at least 0, distances at least 0 and possibly +Inf.
//
// At temperature 0 every decay but Given is 1 whatever the distance, so that the
// attraction Indian buffet distribution is the Indian buffet process there.
type Decay interface {
	// LogSimilarity returns log f(temperature, distance). It is -Inf where the
	// similarity is 0 and +Inf where it is infinite, as the reciprocal decay is at
	// distance 0: a law takes the limit.
	LogSimilarity(temperature, distance float64) float64
	// String returns the name with its parameters, as "reciprocal(shift=1)".
	String() string
}

// A PowerDecay is the power of a fixed function of the distance, so that a law
// can compute the exponents once:
//
//	log f = -temperature * Exponent(distance)
//
// for every temperature above 0. Exponents may be negative or infinite; at
// temperature 0 log f is 0 all the same.
type PowerDecay interface {
	Decay
	Exponent(distance float64) float64
}

// power returns the log similarity of a PowerDecay. At temperature 0 it avoids
// the product 0 * Inf.
func power(temperature, exponent float64) float64 {
	if temperature == 0 {
		return 0
	}
	return -temperature * exponent
}

// log returns the natural logarithm of x, which is at least 0. For denormal x math.Log
// is wrong on amd64: it returns about -709 for every one.
func log(x float64) float64 {
	if x < 0x1p-1022 {
		return math.Log(0x1p54*x) - 54*math.Ln2
	}
	return math.Log(x)
}

// Exponential is the decay f = exp(-temperature * distance).
type Exponential struct{}

// LogSimilarity returns log f.
func (Exponential) LogSimilarity(temperature, distance float64) float64 {
	return power(temperature, distance)
}

// Exponent returns the distance.
func (Exponential) Exponent(distance float64) float64 { return distance }

func (Exponential) String() string { return "exponential" }

// Reciprocal is the decay f = (distance + Shift)^(-temperature). Shift is finite
// and at least 0. Without a shift two items at distance 0 are infinitely similar
// at any temperature above 0.
type Reciprocal struct{ Shift float64 }

// LogSimilarity returns log f.
func (r Reciprocal) LogSimilarity(temperature, distance float64) float64 {
	return power(temperature, r.Exponent(distance))
}

// Exponent returns log(distance + Shift).
func (r Reciprocal) Exponent(distance float64) float64 { return log(distance + r.Shift) }

func (r Reciprocal) String() string { return fmt.Sprintf("reciprocal(shift=%v)", r.Shift) }

// Window is the decay that is 1 if temperature * distance <= Width and 0
// otherwise; at temperature 1 it is that of Blei and Frazier (2011). Width is finite and above 0; 0 stands for 1.
type Window struct{ Width float64 }

func (w Window) width() float64 { return cmp.Or(w.Width, 1) }

// LogSimilarity returns 0 or -Inf.
func (w Window) LogSimilarity(temperature, distance float64) float64 {
	if temperature == 0 || temperature*distance <= w.width() {
		return 0
	}
	return math.Inf(-1)
}

func (w Window) String() string { return fmt.Sprintf("window(width=%v)", w.width()) }

// Constant is the decay f = 1: distances do not matter.
type Constant struct{}

// LogSimilarity returns 0.
func (Constant) LogSimilarity(_, _ float64) float64 { return 0 }

// Exponent returns 0.
func (Constant) Exponent(float64) float64 { return 0 }

func (Constant) String() string { return "constant" }

// Given is for a matrix of similarities instead of distances. They do not depend on the
// temperature.
type Given struct{}

// LogSimilarity returns the log of the given similarity.
func (Given) LogSimilarity(_, similarity float64) float64 { return log(similarity) }

func (Given) String() string { return "given" }

var decayNames = []string{"exponential", "reciprocal", "given"}

// ParseDecay returns the decay of the given name: exponential, reciprocal (which
// uses shift) or given. It returns an error for any other name and if the shift of reciprocal is
// negative or not finite.
func ParseDecay(name string, shift float64) (Decay, error) {
	switch name {
	case "exponential":
		return Exponential{}, nil
	case "reciprocal":
		if !(shift >= 0) || math.IsInf(shift, 1) {
			return nil, fmt.Errorf("decay reciprocal: found shift %v, expected a finite number of at least 0", shift)
		}
		return Reciprocal{Shift: shift}, nil
	case "given":
		return Given{}, nil
	}
	return nil, hint.Unknown("decay", name, decayNames)
}
