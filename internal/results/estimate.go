package results

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"aibd/draws"
	"aibd/feature"
	"aibd/internal/lists"
	"aibd/internal/permutation"
	"aibd/lglfm"
	"aibd/mcmc"
	"aibd/posterior"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// EstimateOptions are the options of Judged.Estimate.
type EstimateOptions struct {
	Weight    float64 // loss of a missing entry, 0 to 2
	Starts    int     // draws to start from, at least 1
	Most      int     // max number of draws to use, evenly spaced
	Seed      uint64  // selects the starts
	Quantiles bool    // compute quantiles of the loadings, the slowest part
	Progress  func(loss float64)
}

// DefaultEstimate returns the options that aibd estimate has by default.
func DefaultEstimate() EstimateOptions {
	return EstimateOptions{Weight: 1, Starts: 4, Most: 250, Seed: 1}
}

// Estimate is an estimate of Z with its features in descending order of items, their
// loadings and their fit. Features with the same items count as one, whose loadings are the sums of
// theirs.
type Estimate struct {
	*Judged
	*posterior.Estimate
	Items, Variables []string
	Draws            int
	from             []*draws.Draw               // these draws
	Loadings         []posterior.FeatureLoadings // nil without X
	Intercept        *posterior.FeatureLoadings  // nil without X or without an intercept
	Fit              *posterior.Fit              // nil without X
	// Axes are groups of features of the same items, shown by their principal axes. Only weighted
	// features have them, and only with X.
	Axes [][]int
	// Turning are groups of features that turn into each other over the draws.
	Turning [][]int
	Cells   []Prediction // of unknown cells, if asked for
}

// Estimate searches for the estimate and, if X is there, computes loadings and fit.
func (j *Judged) Estimate(o EstimateOptions) (*Estimate, error) {
	e, err := j.EstimateZ(o)
	if err != nil || j.Seen == nil {
		return e, err
	}
	data, err := j.Seen.Likelihood(j.Run.Spec.Data)
	if err != nil {
		return nil, err
	}
	aligned, err := posterior.AlignLoadings(data, e.Z, e.from, posterior.LoadingsOptions{Quantiles: o.Quantiles, Weights: e.Weights})
	if err != nil {
		return nil, err
	}
	e.Axes = aligned.Axes(e.Estimate)
	e.Loadings, e.Intercept, e.Fit = aligned.Features, aligned.Intercept, aligned.Fit
	return e, nil
}

// EstimateZ searches for the estimate, without loadings and fit. If features have weights, both errors
// weigh equally, whatever o.Weight says.
func (j *Judged) EstimateZ(o EstimateOptions) (*Estimate, error) {
	kept := Thinned(j.Chains, o.Most)
	if j.Run.Spec.Data.HasIntercept() { // the posterior hardly tells a feature from its complement
		kept = posterior.Orient(kept)
	}
	rng, options := mcmc.NewStream(o.Seed, "estimate").Rand, posterior.EstimateOptions{A: o.Weight, Starts: o.Starts, Progress: o.Progress}
	var e *posterior.Estimate
	var err error
	if j.Run.Spec.Likelihood.HasWeights() {
		options.A = 1
		e, err = posterior.EstimateG(rng, kept, options)
	} else {
		allocations := lists.Of(kept, func(d *draws.Draw) *feature.Allocation { return distinct(d.Z, d) })
		e, err = posterior.EstimateZ(rng, allocations, options)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", j.Run.Dir, err)
	}
	if e = sorted(e); j.Seen != nil {
		orient(e.Weights, j.Seen.X)
	}
	of := &Estimate{Judged: j, Estimate: e, Items: j.Run.Data.IDs, Variables: j.Run.Data.Columns, Draws: len(kept), from: kept}
	of.Turning = of.turning()
	return of, nil
}

// orient turns features with weights of both signs: the column of x that has the largest covariance with the weights, in
// standard deviations, then rises with them. Other features keep a positive sum of weights.
func orient(weights, x [][]float64) {
	largest := make([]float64, len(weights)) // covariance, by feature
	for v, column := range lists.Observed(x) {
		mean, sd := stat.PopMeanStdDev(column, nil)
		for k, w := range weights {
			covariance := 0.0
			for i, g := range w {
				if e := x[i][v] - mean; !math.IsNaN(e) {
					covariance += g * e / sd
				}
			}
			if math.Abs(covariance) > math.Abs(largest[k]) { // not if sd is 0
				largest[k] = covariance
			}
		}
	}
	for k, w := range weights {
		sum, size := 0.0, 0.0
		for _, g := range w {
			sum, size = sum+g, size+math.Abs(g)
		}
		if math.Abs(sum) <= size/2 && largest[k] < 0 {
			floats.Scale(-1, w)
		}
	}
}

// distinct returns z without copies of features, unless the draw d has weights, in which they differ.
func distinct(z *feature.Allocation, d *draws.Draw) *feature.Allocation {
	if d.Weights == nil {
		z, _, _ = posterior.Distinct(z)
	}
	return z
}

// sorted returns the estimate with its features in descending order of items.
func sorted(e *posterior.Estimate) *posterior.Estimate {
	order := permutation.Identity(e.Z.K())
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(e.Z.Size(b), e.Z.Size(a)) })
	s := &posterior.Estimate{Z: feature.NewSized(e.Z.N(), e.Z.K()), Loss: e.Loss}
	for _, k := range order {
		s.Z.AppendColumn(e.Z.Column(k))
		s.Share = append(s.Share, e.Share[k])
		if e.Weights != nil {
			s.Weights = append(s.Weights, e.Weights[k])
		}
	}
	return s
}

// Thinned returns at most the given number of draws of all chains, evenly spaced.
func Thinned(chains [][]*draws.Draw, most int) []*draws.Draw {
	return lists.Spread(slices.Concat(chains...), most)
}

// Surest returns the items of a feature, those of most draws first, or those of the largest weights if
// features have weights.
func (e *Estimate) Surest(k int) []int {
	by := func(i int) float64 { return e.Share[k][i] }
	if e.Weights != nil {
		by = func(i int) float64 { return math.Abs(e.Weights[k][i]) }
	}
	order := e.Z.Members(nil, k)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(by(b), by(a)) })
	return order
}

// Sureness returns the items of a feature, the mean over them of the share of draws
// whose matched feature has the item, and the mean over all other items, NaN if there are none.
func (e *Estimate) Sureness(k int) (items []string, inside, outside float64) {
	for i, share := range e.Share[k] {
		if e.Z.Has(i, k) {
			items = append(items, e.Items[i])
			inside += share
		} else {
			outside += share
		}
	}
	return items, inside / float64(len(items)), outside / float64(e.Z.N()-len(items))
}

// Fitted returns the posterior mean of the fitted values ZB, by item and variable, with B the
// mean of the loadings given the draw, over at most the given number of draws. X must be
// there.
func (j *Judged) Fitted(most int) ([][]float64, error) {
	data, err := j.Seen.Likelihood(j.Run.Spec.Data)
	if err != nil {
		return nil, err
	}
	from := Thinned(j.Chains, most)
	fitted := lists.Make(len(j.Seen.X), func(i int) []float64 { return make([]float64, len(j.Seen.X[i])) })
	l := lglfm.NewLoadings(data)
	row := make([]float64, len(j.Run.Data.Columns))
	for _, d := range from {
		if err := l.ResetDraw(d); err != nil {
			return nil, err
		}
		for i := range fitted {
			l.Fitted(i, row)
			for v, x := range row {
				fitted[i][v] += x / float64(len(from))
			}
		}
	}
	return fitted, nil
}
