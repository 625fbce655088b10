package results

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"aibd/internal/spec"
)

// A Density is the prior density of a scalar.
type Density struct {
	At   func(x float64) float64
	From float64 // the least value
	To   float64 // the largest, or +Inf
}

// Prior returns the prior density of the scalar with the given key, or nil if it has none of
// its own or is fixed.
func (j *Judged) Prior(key string) *Density {
	switch p := j.Run.Spec.Prior; {
	case key == "mass" && !p.Mass.Fixed:
		return gamma(p.Mass.Shape, p.Mass.Rate)
	case key == "temperature" && !p.Temperature.Fixed:
		rate := p.Temperature.Rate
		if unit := j.Run.Data.TemperatureUnit; unit > 0 { // the prior may be about the temperature times a distance
			rate *= unit
		}
		return gamma(p.Temperature.Shape, rate)
	case key == "sigma_x":
		return ofScale(p.SigmaX)
	case key == "sigma_a":
		return ofScale(p.SigmaA)
	}
	return nil
}

func gamma(shape, rate float64) *Density {
	return &Density{At: distuv.Gamma{Alpha: shape, Beta: rate}.Prob, To: math.Inf(1)}
}

// ofScale returns the density of a standard deviation, gamma or uniform.
func ofScale(s spec.Scale) *Density {
	switch {
	case s.Fixed:
		return nil
	case s.Shape != 0:
		return gamma(s.Shape, s.Rate)
	}
	return &Density{At: func(float64) float64 { return 1 / s.Max }, To: s.Max}
}
