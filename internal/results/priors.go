package results

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"aibd/draws"
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
	p := j.Run.Spec.Prior
	for _, m := range j.Run.Spec.RandomTemperatures() {
		if key == draws.TemperatureKey(m) {
			return ofGamma(j.temperaturePrior(m))
		}
	}
	switch {
	case key == draws.KeyMass && !p.Mass.Fixed:
		return gamma(p.Mass.Shape, p.Mass.Rate)
	case key == draws.KeySigmaX:
		return ofScale(p.SigmaX)
	case key == draws.KeySigmaA:
		return ofScale(p.SigmaA)
	}
	return j.weightPrior(key)
}

// weightPrior returns the prior of a share of the variance of the weights, or of a rate.
func (j *Judged) weightPrior(key string) *Prior {
	d := j.Run.Data
	shares := []string{draws.KeyShareCommon, draws.KeyShareOwn}
	for m, near := range d.Weights {
		shares = append(shares, draws.ShareKey(m))
		if key == draws.RateKey(m) && near.MaxRate > near.MinRate {
			width := math.Log(near.MaxRate / near.MinRate)
			return &Prior{func(x float64) float64 {
				if x < near.MinRate || x > near.MaxRate {
					return 0
				}
				return 1 / (x * width)
			}, func(p float64) float64 { return near.MinRate * math.Exp(p*width) }, near.MaxRate}
		}
	}
	if d.Shares == 0 || !slices.Contains(shares, key) {
		return nil
	}
	beta := distuv.Beta{Alpha: 1, Beta: float64(d.Shares)}
	return &Prior{beta.Prob, beta.Quantile, 1}
}

// temperaturePrior returns the prior of the temperature of distance m, which is not fixed.
func (j *Judged) temperaturePrior(m int) distuv.Gamma {
	measured, p := j.Run.Data.Distances()[m], j.Run.Spec.Distances()[m].Temperature
	rate := p.Rate
	if measured.TemperatureUnit > 0 { // the prior may be about the temperature times a distance
		rate *= measured.TemperatureUnit
	}
	return distuv.Gamma{Alpha: p.Shape, Beta: rate}
}

func gamma(shape, rate float64) *Prior { return ofGamma(distuv.Gamma{Alpha: shape, Beta: rate}) }

func ofGamma(gamma distuv.Gamma) *Prior { return &Prior{gamma.Prob, gamma.Quantile, math.Inf(1)} }

// ofScale returns the prior of a standard deviation: gamma, exponential or uniform.
func ofScale(s spec.Scale) *Prior {
	switch {
	case s.Fixed:
		return nil
	case s.Shape != 0:
		return gamma(s.Shape, s.Rate)
	case s.Mean != 0:
		return gamma(1, 1/s.Mean)
	}
	return &Prior{func(float64) float64 { return 1 / s.Max }, func(p float64) float64 { return p * s.Max }, s.Max}
}
