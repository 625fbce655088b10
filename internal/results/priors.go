package results

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"aibd/internal/spec"
)

// A Prior is the prior distribution of a scalar that is at least 0.
type Prior struct {
	Density  func(x float64) float64
	Quantile func(p float64) float64
	To       float64 // the largest value, or +Inf
}

// Prior returns the prior of the scalar with the given key, or nil if it has none of its own or
// is fixed.
func (j *Judged) Prior(key string) *Prior {
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

func gamma(shape, rate float64) *Prior {
	of := distuv.Gamma{Alpha: shape, Beta: rate}
	return &Prior{of.Prob, of.Quantile, math.Inf(1)}
}

// ofScale returns the prior of a standard deviation, gamma or uniform.
func ofScale(s spec.Scale) *Prior {
	switch {
	case s.Fixed:
		return nil
	case s.Shape != 0:
		return gamma(s.Shape, s.Rate)
	}
	return &Prior{func(float64) float64 { return 1 / s.Max }, func(p float64) float64 { return p * s.Max }, s.Max}
}
