package model

// Draws of the prior of a problem, and the nearest items under its distances.

import (
	"fmt"
	"math"

	"aibd/draws"
	"aibd/mcmc"
	"aibd/prior"
	"aibd/similarity"
)

// DrawPrior records n draws of all unknowns from their priors, see mcmc.Posterior.DrawPrior.
func (p *Problem) DrawPrior(n int, rec draws.Recorder) error {
	start, err := p.start("draws of the prior", p.given(), mcmc.InitEmpty)
	if err != nil {
		return err
	}
	return p.Posterior.DrawPrior(mcmc.NewStream(p.Spec.Sampler.Seed, "prior").Rand, start, n, rec)
}

// Nearest returns the other items at the smallest distance from each item, or of the largest
// proximity, of several distances the smallest sum in their units: several if there are ties. It returns an error if the law
// has no distances.
func (p *Problem) Nearest() ([][]int, error) {
	law, ok := p.Posterior.Law.(prior.Attraction)
	if !ok {
		return nil, fmt.Errorf("found the law %s, expected one with distances", p.Spec.Prior.Law)
	}
	a, all := law.Affinity(), law.Affinity().Several()
	nearest := make([][]int, a.N())
	sign := func(m int) float64 {
		if a.Decay(m) == (similarity.Given{}) {
			return -1
		}
		return 1
	}
	units := p.Distances()
	for i := range nearest {
		least := math.Inf(1)
		for j := range a.N() {
			distance := 0.0
			for m, unit := range units {
				distance += sign(m) * all[m].At(i, j) / unit.TemperatureUnit
			}
			switch {
			case j == i || distance > least:
			case distance < least:
				nearest[i], least = []int{j}, distance
			default:
				nearest[i] = append(nearest[i], j)
			}
		}
	}
	return nearest, nil
}
