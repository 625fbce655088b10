package results

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"aibd/draws"
	"aibd/feature"
	"aibd/internal/lists"
	"aibd/internal/parallel"
	"aibd/internal/verdict"
	"aibd/lglfm"
	"aibd/mcmc"
	"aibd/posterior"
	"aibd/prior"
)

// Sharing is the sharing of all pairs of items of a run, or of pairs of some of very many items.
type Sharing struct {
	Verdict *verdict.Verdict `json:"verdict"`
	Items   []string         `json:"items"`
	Sampled string           `json:"sampled,omitempty"` // which items these are, if not all
	Draws   int              `json:"draws"`             // of all chains
	Note    string           `json:"note,omitempty"`
	Mean    [][]float64      `json:"mean"`  // diagonal: features of the item
	MCSE    [][]Number       `json:"mcse"`  // if AddErrors was called
	Order   []int            `json:"order"` // of the items by likeness, from zero

	// Covariance holds those of the signals of pairs, if AddCovariances was called and there are any.
	Covariance [][]float64 `json:"covariance,omitempty"`
	// PriorCovariance and PriorSD are the means and the standard deviations of these covariances under the
	// law and the priors of weights and loadings, at the mass, the temperature, the permutation and the
	// scales of the draws.
	PriorCovariance [][]float64 `json:"prior_covariance,omitempty"`
	PriorSD         [][]float64 `json:"prior_covariance_sd,omitempty"`
	// Clear holds the mean numbers of features that both items have with a part above verdict.ClearPart of the
	// noise variance (posterior.ClearSharing), if there are covariances.
	Clear [][]float64 `json:"clear,omitempty"`

	allocations [][]*feature.Allocation // by chain and draw

	Intercept bool `json:"intercept"` // items that both lack a feature may count as sharing it

	ByDistance *DistanceSharing `json:"by_distance,omitempty"`
	// ByFurther is the sharing by the distances after the first.
	ByFurther []*DistanceSharing `json:"by_further_distances,omitempty"`
}

// maxShared is the max number of items whose pairs are compared.
const maxShared = 1000

// Sharing returns the sharing of all pairs. Of very many items it takes some, evenly spaced.
func (j *Judged) Sharing() *Sharing {
	s := &Sharing{Verdict: j.Verdict, Items: j.Run.Data.IDs, Draws: j.Size(), Note: j.Note, Intercept: j.Run.Spec.Data.HasIntercept() && !j.Run.Spec.Likelihood.HasWeights()}
	allocations := lists.MapRows(j.Chains, func(d *draws.Draw) *feature.Allocation { return d.Z })
	if n := len(s.Items); n > maxShared {
		kept := make([]int, maxShared)
		s.Items = make([]string, maxShared)
		for a := range kept {
			kept[a] = a * n / maxShared
			s.Items[a] = j.Run.Data.IDs[kept[a]]
		}
		s.Sampled = fmt.Sprintf("%d of %d items, evenly spaced", maxShared, n)
		allocations = lists.MapRows(allocations, func(z *feature.Allocation) *feature.Allocation { return ofItems(z, kept) })
	}
	s.Mean = posterior.Sharing(allocations)
	s.Order = posterior.ByLikeness(s.Mean)
	if distances := j.ByDistance(); distances != nil {
		s.ByDistance, s.ByFurther = distances[0], distances[1:]
	}
	s.allocations = allocations
	return s
}

// PerPair returns the number of features that a pair shares, on average over all pairs, by chain
// and draw.
func (s *Sharing) PerPair() [][]float64 {
	pairs := float64(len(s.Items) * (len(s.Items) - 1))
	return lists.MapRows(s.allocations, func(z *feature.Allocation) float64 {
		shared := 0
		for k := range z.K() {
			shared += z.Size(k) * (z.Size(k) - 1)
		}
		return float64(shared) / pairs
	})
}

// Errors returns the Monte Carlo standard errors of some pairs.
func (s *Sharing) Errors(pairs [][2]int) []float64 {
	return posterior.SharingMCSE(s.allocations, pairs)
}

// Distances returns the sharing by each distance.
func (s *Sharing) Distances() (all []*DistanceSharing) {
	if s.ByDistance != nil {
		all = append(all, s.ByDistance)
	}
	return append(all, s.ByFurther...)
}

// AddErrors computes the Monte Carlo standard errors of all pairs.
func (s *Sharing) AddErrors() {
	var pairs [][2]int
	for i := range s.Items {
		s.MCSE = append(s.MCSE, make([]Number, len(s.Items)))
		for j := range i + 1 {
			pairs = append(pairs, [2]int{i, j})
		}
	}
	for p, mcse := range s.Errors(pairs) {
		i, j := pairs[p][0], pairs[p][1]
		s.MCSE[i][j], s.MCSE[j][i] = Number(mcse), Number(mcse)
	}
}

// AddCovariances computes three things for each pair of items: the covariance of their signals
// (posterior.SignalCovariance), its mean and standard deviation under the prior, and the number of
// features that both clearly have (posterior.ClearSharing). It uses at most the given number of draws of
// the run j, from which s must come. It does nothing if features are binary or only some items are
// compared.
func (s *Sharing) AddCovariances(j *Judged, limit int) error {
	data, ds, err := s.addSignals(j, limit)
	if err != nil || data == nil {
		return err
	}
	if s.Clear, err = posterior.ClearSharing(data, ds, verdict.ClearPart); err != nil {
		return err
	}
	return s.addPriorCovariances(j, ds)
}

// AddSignals is AddCovariances for the covariances under the posterior only.
func (s *Sharing) AddSignals(j *Judged, limit int) error {
	_, _, err := s.addSignals(j, limit)
	return err
}

// addSignals is AddSignals. It returns the data and the draws that it used, nil if it did nothing.
func (s *Sharing) addSignals(j *Judged, limit int) (data *lglfm.Data, ds []*draws.Draw, err error) {
	if !j.Run.Spec.Likelihood.HasWeights() || s.Sampled != "" {
		return nil, nil, nil
	}
	if data, err = j.Seen.Likelihood(j.Run.Spec.Data); err != nil {
		return nil, nil, err
	}
	ds = Thinned(j.Chains, limit)
	s.Covariance, err = posterior.SignalCovariance(data, ds)
	return data, ds, err
}

// Correlations returns the covariances of the signals of pairs over the standard deviations of both, 0 for an item
// without a signal, and the order of the items by them. It returns nil without covariances.
func (s *Sharing) Correlations() (correlations [][]float64, order []int) {
	if s.Covariance == nil {
		return nil, nil
	}
	correlations = lists.Square(len(s.Items))
	alike := lists.Square(len(s.Items)) // as posterior.ByLikeness expects it
	for a, row := range s.Covariance {
		for b, covariance := range row {
			if scale := math.Sqrt(s.Covariance[a][a] * s.Covariance[b][b]); scale > 0 {
				correlations[a][b] = min(max(covariance/scale, -1), 1)
			}
			alike[a][b] = (1 + correlations[a][b]) / 2
		}
		alike[a][a] = 1
	}
	return correlations, posterior.ByLikeness(alike)
}

// addPriorCovariances draws features and weights for each draw. The expectation of the covariance over
// the loadings is SigmaA^2 (g_i - m)(g_j - m)', with the mean m of the rows.
func (s *Sharing) addPriorCovariances(j *Judged, ds []*draws.Draw) error {
	p := j.Problem
	n, rng := len(s.Items), mcmc.NewStream(j.Run.Spec.Sampler.Seed, "covariance").Rand
	centered := make([]*mat.Dense, len(ds)) // the rows less their mean, times SigmaA; nil without features
	for t, d := range ds {
		z := prior.WithDraw(p.Posterior.Law, d).Rand(rng)
		weights := p.Posterior.DrawWeights(rng, z, d)
		k := z.K()
		if k == 0 {
			continue
		}
		g := mat.NewDense(n, k, z.Weighted(nil, weights))
		for a := range k {
			column := mat.Col(nil, a, g)
			floats.AddConst(-floats.Sum(column)/float64(n), column)
			floats.Scale(d.SigmaA, column)
			g.SetCol(a, column)
		}
		centered[t] = g
	}
	s.PriorCovariance, s.PriorSD = lists.Square(n), lists.Square(n)
	parallel.Do(n, func(a int) {
		sums, squares := s.PriorCovariance[a], s.PriorSD[a]
		var row mat.VecDense
		for _, g := range centered {
			if g == nil {
				continue
			}
			row.Reset()
			row.MulVec(g, g.RowView(a))
			for b := range n {
				x := row.AtVec(b)
				sums[b] += x
				squares[b] += x * x
			}
		}
		for b := range n {
			m := sums[b] / float64(len(ds))
			sums[b], squares[b] = m, math.Sqrt(max(0, squares[b]/float64(len(ds))-m*m))
		}
	})
	return nil
}

// ofItems returns the rows of the given items, in their order.
func ofItems(z *feature.Allocation, items []int) *feature.Allocation {
	part := feature.NewSized(len(items), z.K())
	column := make([]uint64, part.Words())
	for k := range z.K() {
		clear(column)
		for a, i := range items {
			if z.Has(i, k) {
				column[a>>6] |= 1 << (uint(a) & 63)
			}
		}
		part.AppendColumn(column)
	}
	return part
}
