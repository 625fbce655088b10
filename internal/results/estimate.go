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
	MaxDraws  int     // max number of draws to use, evenly spaced; large allocations use fewer
	Seed      uint64  // selects the starts
	Quantiles bool    // compute quantiles of the loadings, the slowest part
	Progress  func(loss float64)
}

// DefaultEstimate returns the options that aibd estimate has by default.
func DefaultEstimate() EstimateOptions {
	return EstimateOptions{Weight: 1, Starts: 4, MaxDraws: 250, Seed: 1}
}

// Estimate is an estimate of Z, with the loadings of its features and their fit. The features that add most to the fitted
// values come first; see Parts. Binary features with the same items count as one, whose
// loadings are the sums of theirs.
type Estimate struct {
	*Judged
	*posterior.Estimate // with Share as posterior.Matching computes it
	Items, Variables    []string
	Draws               int // of the search
	Loadings            []posterior.FeatureLoadings
	Intercept           *posterior.FeatureLoadings // nil without an intercept
	Fit                 *posterior.Fit
	Parts               []Part       // of all features, the largest first
	Cells               []Prediction // of unknown cells, if asked for

	certain []bool // by feature
}

// StandardEstimate returns the estimate with the default options. It computes it once.
func (j *Judged) StandardEstimate() (*Estimate, error) {
	j.estimating.Do(func() { j.estimate, j.unestimated = j.Estimate(DefaultEstimate()) })
	return j.estimate, j.unestimated
}

// Estimate searches for the estimate, matches draws to it, and computes loadings and fit. If features have
// weights, both errors weigh equally, whatever o.Weight says.
func (j *Judged) Estimate(o EstimateOptions) (*Estimate, error) {
	limit := min(o.MaxDraws, j.searched())
	ds := slices.Concat(spaced(j.Chains, max(limit, j.matched()))...)
	if j.Run.Spec.Data.HasIntercept() { // the data hardly distinguish a feature from its complement
		ds = posterior.Orient(ds)
	}
	searched := lists.Thin(ds, limit)
	estimate, err := j.search(searched, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", j.Run.Dir, err)
	}
	e := &Estimate{Judged: j, Estimate: sorted(estimate), Items: j.Run.Data.IDs, Variables: j.Run.Data.Columns, Draws: len(searched)}
	orient(e.Weights, j.Seen.X)
	data, err := j.Seen.Likelihood(j.Run.Spec.Data)
	if err != nil {
		return nil, err
	}
	aligned, err := posterior.AlignLoadings(data, e.Z, ds, posterior.LoadingsOptions{Quantiles: o.Quantiles, Weights: e.Weights})
	if err != nil {
		return nil, err
	}
	parts, err := aligned.Matching.Parts(data, lists.Make(e.Z.K(), func(k int) []int { return []int{k} }))
	if err != nil {
		return nil, err
	}
	if e.Weights != nil {
		groups := groups(e.Estimate, ds, lists.Map(parts, func(p posterior.Part) []float64 { return p.Share }))
		if len(groups) < len(parts) {
			if parts, err = aligned.Matching.Parts(data, groups); err != nil {
				return nil, err
			}
		}
	}
	order := e.arrange(aligned.Matching, parts)
	aligned.Features = lists.Pick(aligned.Features, order)
	aligned.Axes(e.Estimate)
	e.Loadings, e.Intercept, e.Fit = aligned.Features, aligned.Intercept, aligned.Fit
	return e, nil
}

// maxMatched is the max number of draws that are matched to an estimate by default, and matchingWork how many operations
// more than minMatched may take, about.
const (
	maxMatched   = 1000
	minMatched   = 50
	matchingWork = 1 << 28
)

// searchOnes is how many ones the allocations of the draws of a search may have together, if there are more than
// minMatched of them.
const searchOnes = 1 << 23

// searched returns how many draws a search uses at most.
func (j *Judged) searched() int {
	ones := 1
	for _, chain := range j.Chains {
		ones = max(ones, chain[len(chain)-1].Z.Ones())
	}
	return max(minMatched, searchOnes/ones)
}

// matched returns how many draws are matched to an estimate by default.
func (j *Judged) matched() int {
	n, d, k := j.Run.Data.N, j.Run.Data.D, 1
	for _, chain := range j.Chains {
		k = max(k, chain[len(chain)-1].Z.K())
	}
	return max(minMatched, min(maxMatched, matchingWork/(k*k*(k+n)+2*k*n*d)))
}

// search searches for the estimate.
func (j *Judged) search(ds []*draws.Draw, o EstimateOptions) (*posterior.Estimate, error) {
	rng, options := mcmc.NewStream(o.Seed, "estimate").Rand, posterior.EstimateOptions{A: o.Weight, Starts: o.Starts, Progress: o.Progress}
	if j.Run.Spec.Likelihood.HasWeights() {
		options.A = 1
		return posterior.EstimateG(rng, ds, options)
	}
	return posterior.EstimateZ(rng, lists.Map(ds, func(d *draws.Draw) *feature.Allocation { return distinct(d.Z, d) }), options)
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
	return ordered(e, order)
}

// ordered returns the estimate with its features in another order.
func ordered(e *posterior.Estimate, order []int) *posterior.Estimate {
	s := &posterior.Estimate{Z: feature.NewSized(e.Z.N(), e.Z.K()), Loss: e.Loss, Share: lists.Pick(e.Share, order)}
	for _, k := range order {
		s.Z.AppendColumn(e.Z.Column(k))
	}
	if e.Weights != nil {
		s.Weights = lists.Pick(e.Weights, order)
	}
	return s
}

// Thinned returns at most the given number of draws of all chains, evenly spaced.
func Thinned(chains [][]*draws.Draw, limit int) []*draws.Draw {
	return lists.Thin(slices.Concat(chains...), limit)
}

// Surest returns the items of a feature, those of most draws first, or those of the largest weights if
// features have weights.
func (e *Estimate) Surest(k int) []int {
	share := func(i int) float64 { return e.Share[k][i] }
	if e.Weights != nil {
		share = func(i int) float64 { return math.Abs(e.Weights[k][i]) }
	}
	order := e.Z.Members(nil, k)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(share(b), share(a)) })
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
func (j *Judged) Fitted(limit int) ([][]float64, error) {
	data, err := j.Seen.Likelihood(j.Run.Spec.Data)
	if err != nil {
		return nil, err
	}
	ds := Thinned(j.Chains, limit)
	fitted := lists.Make(len(j.Seen.X), func(i int) []float64 { return make([]float64, len(j.Seen.X[i])) })
	l := lglfm.NewLoadings(data)
	row := make([]float64, len(j.Run.Data.Columns))
	for _, d := range ds {
		if err := l.ResetDraw(d); err != nil {
			return nil, err
		}
		for i := range fitted {
			l.Fitted(i, row)
			for v, x := range row {
				fitted[i][v] += x / float64(len(ds))
			}
		}
	}
	return fitted, nil
}
