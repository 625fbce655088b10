package prospect

// What X looks like under the priors.

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"

	"aibd/draws"
	"aibd/internal/describe"
	"aibd/internal/model"
	"aibd/internal/results"
	"aibd/internal/verdict"
	"aibd/mcmc"
	"aibd/posterior"
	"aibd/predict"
	"aibd/prior"
)

// Predicted holds what the prior predicts.
type Predicted struct {
	Law       string `json:"law"`
	Intercept string `json:"intercept,omitempty"` // a note on its prior, if there is one
	*results.Checks
	Scalars []Scalar `json:"scalars"`
}

// flatPrior explains the flat prior of the intercept.
const flatPrior = "The intercept has a flat prior, so the prior says nothing about the mean of a column: replicates have the column means of X."

// Scalar holds quantiles of a scalar under the prior.
type Scalar struct {
	Name string         `json:"name"`
	Q5   results.Number `json:"q5"`
	Q50  results.Number `json:"q50"`
	Q95  results.Number `json:"q95"`
}

// Predict draws from the priors of a problem, and checks X. It passes each draw and its replicate of X to keep.
func Predict(p *model.Problem, size int, quantities []predict.Quantity, keep func(d *draws.Draw, y predict.Replicate)) (*Predicted, error) {
	r, err := results.NewReplicator(p.Posterior.Data, &p.Observed)
	if err != nil {
		return nil, err
	}
	r.Prior = true
	f := &Predicted{Law: describe.Law(p.Spec, p.Distances())}
	if p.Spec.Data.HasIntercept() {
		f.Intercept = flatPrior
	}
	checker, rng := predict.NewChecker(r, quantities...), mcmc.NewStream(p.Spec.Sampler.Seed, "prior predictive").Rand
	scalars := scalarsOf(p)
	values := make([][]float64, len(scalars))
	err = p.DrawPrior(size, draws.RecorderFunc(func(d *draws.Draw) error {
		y, err := r.Draw(d, rng)
		if err != nil {
			return err
		}
		checker.Add(d, y)
		for i, s := range scalars {
			values[i] = append(values[i], s.value(d, y))
		}
		keep(d, y)
		return nil
	}))
	if err != nil {
		return nil, err
	}
	for i, s := range scalars {
		q := func(p float64) results.Number { return results.Number(posterior.Quantile(values[i], p)) }
		f.Scalars = append(f.Scalars, Scalar{s.name, q(0.05), q(0.5), q(0.95)})
	}
	f.Checks = results.NewChecks(checker, size, p.Columns, p.IDs, p.SeenUnits(), quantities)
	f.Prior = true
	return f, nil
}

// A drawnScalar is a scalar of a draw and its replicate.
type drawnScalar struct {
	name  string
	value func(d *draws.Draw, y predict.Replicate) float64
}

// scalarsOf returns the scalars whose quantiles are of interest.
func scalarsOf(p *model.Problem) []drawnScalar {
	scalar := func(key, unit string) drawnScalar {
		s, _ := draws.Has{Temperature: true, NoiseScales: true}.Scalar(key)
		return drawnScalar{verdict.Quantity{Name: s.Name, Unit: unit}.Label(), func(d *draws.Draw, _ predict.Replicate) float64 {
			row := draws.RowOf(d)
			return s.Value(&row)
		}}
	}
	newScalar := func(name string, f func(d *draws.Draw) float64) drawnScalar {
		return drawnScalar{name, func(d *draws.Draw, _ predict.Replicate) float64 { return f(d) }}
	}
	all := []drawnScalar{
		newScalar("features", func(d *draws.Draw) float64 { return float64(d.Z.K()) }),
		newScalar("features of more than one item", results.SharedFeatures),
		newScalar("features of an item, on average", results.FeaturesPerItem),
	}
	if law, ok := p.Posterior.Law.(prior.Attraction); ok {
		for m := range p.Distances() {
			near, far := results.NearFar(law, m, p.Spec.Prior.Decay)
			suffix := ""
			if len(p.FurtherDistances) > 0 {
				suffix = ", by " + p.Spec.Distances()[m].Label()
			}
			for _, group := range []struct {
				name  string
				pairs [][2]int
			}{{"nearest", near}, {"farthest", far}} {
				name := fmt.Sprintf("features that the %s %d of %d pairs share%s", group.name, len(group.pairs), law.N()*(law.N()-1)/2, suffix)
				all = append(all, newScalar(name, func(d *draws.Draw) float64 { return posterior.MeanSharing(d.Z, [][][2]int{group.pairs})[0] }))
			}
		}
	}
	all = append(all, scalar(draws.KeyMass, ""))
	if p.Spec.HasTemperature() {
		for m := range p.Distances() {
			all = append(all, ofTemperature(p, m)...)
		}
	}
	return append(all, scalar(draws.KeySigmaX, ""), scalar(draws.KeySigmaA, ""),
		drawnScalar{"percent of the sum of squares that features explain", explainedShare})
}

// ofTemperature returns the temperature of distance m and what it means.
func ofTemperature(p *model.Problem, m int) (all []drawnScalar) {
	d, unit := p.Spec.Distances()[m], p.Distances()[m].Unit
	add := func(name string, f func(temperature float64) float64) {
		all = append(all, drawnScalar{name, func(d *draws.Draw, _ predict.Replicate) float64 {
			if m > 0 {
				return f(d.FurtherTemperatures[m-1])
			}
			return f(d.Temperature)
		}})
	}
	name := "temperature"
	if len(p.FurtherDistances) > 0 {
		name += " of " + d.Label()
	}
	add(verdict.Quantity{Name: name, Unit: describe.TemperatureUnit(p.Spec.Prior, unit)}.Label(), func(x float64) float64 { return x })
	switch {
	case p.Spec.Prior.Decay != "exponential":
	case d.Kind == "same":
		add("similarity of items that differ in "+d.Columns[0]+", as a factor", describe.Strangers)
	case unit != "":
		per, unit := describe.UnitOf(d, unit)
		add("distance at which similarity halves ("+unit+")", func(x float64) float64 { return per * math.Ln2 / x })
	}
	return all
}

// explainedShare returns the percentage of the sums of squares about column means of signal and noise
// that the signal has.
func explainedShare(_ *draws.Draw, y predict.Replicate) float64 {
	var signal, noise float64
	for v := range y.Signal[0] {
		var s, e []float64
		for i, row := range y.Latent {
			if !math.IsNaN(row[v]) {
				s, e = append(s, y.Signal[i][v]), append(e, row[v]-y.Signal[i][v])
			}
		}
		signal += stat.PopVariance(s, nil) * float64(len(s))
		noise += stat.PopVariance(e, nil) * float64(len(e))
	}
	return 100 * signal / (signal + noise)
}
