package results

// Which items are near, for checks of residuals.

import (
	"aibd/mcmc"
	"aibd/predict"
	"aibd/prior"
)

// nearItems is the max number of items whose residuals are checked by distance.
const nearItems = 1000

// near returns the near pairs by each distance: similarity falls by e over the median distance to the nearest item at
// another place. It has none without symmetric distances of all pairs, and with very many items.
func (j *Judged) near() (all []predict.Near) {
	if j.Run.Data.N > nearItems {
		return nil
	}
	p := j.Problem
	if p.Posterior.Weights != nil {
		for k, nearness := range p.Posterior.Weights.Near {
			all = append(all, predict.NewNear(j.distanceName(j.Run.Data.Weights[k].Distance), nearness.Distances, nearness.MaxRate))
		}
	}
	law, ok := p.Posterior.Law.(prior.Attraction)
	if !ok || len(all) > 0 {
		return all
	}
	for m, d := range law.Affinity().Several() {
		nearness := mcmc.Nearness{Distances: d} // given similarities, of which not all are correlations
		if j.Run.Spec.Prior.Decay != "given" {
			var err error
			if nearness, err = mcmc.NewNearness(d, law.Affinity().Decay(m)); err != nil {
				continue
			}
		}
		all = append(all, predict.NewNear(j.distanceName(m), nearness.Distances, nearness.MaxRate))
	}
	return all
}

// distanceName returns the name of distance m, "distance" if there is only one.
func (j *Judged) distanceName(m int) string {
	if all := j.Run.Spec.Distances(); len(all) > 1 {
		return all[m].Label()
	}
	return "distance"
}
