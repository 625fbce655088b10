package results

// Predictions of new items.

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"aibd/draws"
	"aibd/feature"
	"aibd/internal/lists"
	"aibd/internal/model"
	"aibd/internal/parallel"
	"aibd/internal/verdict"
	"aibd/lglfm"
	"aibd/mcmc"
	"aibd/posterior"
	"aibd/predict"
	"aibd/prior"
)

// Newcomers holds the predictions of new items.
type Newcomers struct {
	*Judged `json:"-"`
	Verdict *verdict.Verdict `json:"verdict"`
	Draws   int              `json:"draws"`
	Note    string           `json:"note,omitempty"`
	Items   []Newcomer       `json:"items"`

	Estimate *Estimate `json:"-"` // whose features are meant
}

// Newcomer is what is predicted of a new item.
type Newcomer struct {
	Item          string             `json:"item"`
	Observed      int                `json:"observed"`               // cells
	Features      Number             `json:"features"`               // expected number
	Singletons    Number             `json:"singletons"`             // those that no item of the run has
	Limited       int                `json:"limited_draws,omitzero"` // in which mcmc.MaxSingletons bound
	Probabilities []float64          `json:"probabilities"`          // of the features of the estimate
	Weights       []float64          `json:"weights,omitempty"`      // expected, 0 where the item lacks the feature
	Shared        map[string]float64 `json:"shared"`                 // expected number of features shared with each item
	Cells         []Prediction       `json:"cells"`

	SharedBy []float64 `json:"-"` // Shared by item of the run
}

// NewcomerOptions are the options of PredictNew.
type NewcomerOptions struct {
	MaxDraws int // max number of draws to use, evenly spaced
	Sweeps   int // updates of the features of a new item for each draw
	Seed     uint64
}

// PredictNew predicts new items. It lists the features of StandardEstimate. It returns an error if X of the
// run is missing.
func (j *Judged) PredictNew(read *model.Newcomers, o NewcomerOptions) (*Newcomers, error) {
	seen, err := j.Seen.Likelihood(j.Run.Spec.Data)
	if err != nil {
		return nil, err
	}
	e, err := j.StandardEstimate()
	if err != nil {
		return nil, err
	}
	a := arrivals{o: o, Judged: j, read: read, seen: seen, cutpoints: lglfm.NewCutpoints(seen), kept: slices.Concat(spaced(j.Chains, o.MaxDraws)...), estimate: e.Z}
	a.matched, a.turned = make([][]int, len(a.kept)), make([][]bool, len(a.kept))
	parallel.Do(len(a.kept), func(t int) {
		switch z := a.kept[t].Z; {
		case e.Weights != nil:
			a.matched[t], a.turned[t] = posterior.MatchWeights(a.kept[t], e.Weights)
		case j.Run.Spec.Data.HasIntercept():
			a.matched[t], a.turned[t] = posterior.MatchSides(z, a.estimate)
		default:
			a.matched[t], a.turned[t] = posterior.Match(z, a.estimate), make([]bool, a.estimate.K())
		}
	})
	newcomers := &Newcomers{Judged: j, Verdict: j.Verdict, Draws: len(a.kept), Note: j.Note, Estimate: e}
	for k := range read.IDs {
		n, err := a.arrive(k)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", read.IDs[k], err)
		}
		newcomers.Items = append(newcomers.Items, n)
	}
	return newcomers, nil
}

// arrivals predicts new items.
type arrivals struct {
	o NewcomerOptions
	*Judged
	read      *model.Newcomers
	seen      *lglfm.Data // X of the run
	cutpoints lglfm.Cutpoints
	kept      []*draws.Draw
	estimate  *feature.Allocation
	// By draw: the feature that matches each of the estimate, or -1, and whether its complement does, or if
	// features have weights, that with the other sign.
	matched [][]int
	turned  [][]bool
}

// data returns the observed cells of new item k, and the same columns of X of the run with the
// values of the draw for cells with bounds.
func (a *arrivals) data(k int, observed []int, d *draws.Draw) (*lglfm.Data, error) {
	x := a.Seen.X
	if a.seen.Bounded() > 0 {
		x = a.seen.Complete(d)
	}
	last := len(x)
	x = append(slices.Clone(x), a.read.X[k])
	all := &model.Observed{X: lists.Map(x, func(row []float64) []float64 { return lists.Pick(row, observed) })}
	for c, v := range observed {
		if level := a.read.Levels[k][v]; level >= 0 {
			lower, upper := a.cutpoints.Ends(d, v, level)
			all.Bounds = append(all.Bounds, lglfm.Bound{Item: last, Variable: c, Lower: lower, Upper: upper})
		}
	}
	for _, b := range a.read.Bounds {
		if b.Item == k {
			b.Item, b.Variable = last, slices.Index(observed, b.Variable)
			all.Bounds = append(all.Bounds, b)
		}
	}
	return all.Likelihood(a.Run.Spec.Data)
}

// with returns what the run saw of X, and new item k.
func (a *arrivals) with(k int) *model.Observed {
	all := &model.Observed{X: append(slices.Clone(a.Seen.X), a.read.X[k]), Bounds: slices.Clone(a.Seen.Bounds)}
	for _, b := range a.read.Bounds {
		if b.Item == k {
			b.Item = len(a.Seen.X)
			all.Bounds = append(all.Bounds, b)
		}
	}
	for _, column := range a.Seen.Ordinal {
		column.Level = append(slices.Clone(column.Level), a.read.Levels[k][column.Variable])
		all.Ordinal = append(all.Ordinal, column)
	}
	return all
}

// arrive predicts new item k.
func (a *arrivals) arrive(k int) (Newcomer, error) {
	o, read := a.o, a.read
	law, err := read.Law(k)
	if err != nil {
		return Newcomer{}, err
	}
	weights, err := read.Weights(k, a.Run.Data.Shares > 0, a.Run.Data.Weights)
	if err != nil {
		return Newcomer{}, err
	}
	n := Newcomer{Item: read.IDs[k], Probabilities: make([]float64, a.estimate.K()), Shared: map[string]float64{}, Cells: []Prediction{}, SharedBy: make([]float64, len(a.Seen.X))}
	var observed []int
	latent := a.seen.Bounded() > 0
	for v, value := range read.X[k] {
		limited := slices.ContainsFunc(read.Bounds, func(b lglfm.Bound) bool { return b.Item == k && b.Variable == v })
		if limited || read.Levels[k][v] >= 0 || !math.IsNaN(value) {
			observed = append(observed, v)
			latent = latent || limited
		}
	}
	n.Observed = len(observed)
	// The features depend on the observed cells of the new item and the same columns of X.
	var shared *lglfm.Data
	if !latent {
		if shared, err = a.data(k, observed, nil); err != nil {
			return n, err
		}
	}
	arrived := make([]*draws.Draw, len(a.kept))
	err = parallel.Each(context.Background(), len(a.kept), func(t int) error {
		rng := mcmc.NewStream(o.Seed, fmt.Sprintf("new item %d, draw %d", k+1, t+1)).Rand
		d, data := *a.kept[t], shared
		if latent {
			var err error
			if data, err = a.data(k, observed, &d); err != nil {
				return err
			}
		}
		last, err := drawArrival(rng, &mcmc.Posterior{Data: data, Law: law, Features: model.FeaturesOf(a.Run.Spec), Weights: weights}, observed, &d, o.Sweeps)
		d.Z, d.Weights, d.Cells = last.Z, last.Weights, slices.Concat(d.Cells, last.Cells)
		arrived[t] = &d
		return err
	})
	if err != nil {
		return n, err
	}
	last, share := len(a.Seen.X), 1/float64(len(a.kept))
	var members []int
	counts := make([]int, last+1)
	weighted, g := a.Run.Spec.Likelihood.HasWeights(), []float64(nil)
	if weighted {
		n.Weights = make([]float64, len(n.Probabilities))
	}
	for t, d := range arrived {
		g = d.Z.Weighted(g, d.Weights)
		for e, b := range a.matched[t] {
			if b < 0 {
				continue
			}
			w, turned := g[last*d.Z.K()+b], a.turned[t][e]
			if turned {
				w = -w
			}
			if !weighted && (w == 0) == turned || weighted && w != 0 {
				n.Probabilities[e] += share
			}
			if weighted {
				n.Weights[e] += share * w
			}
		}
		for f := range d.Z.K() {
			if d.Z.Has(last, f) {
				members = d.Z.Members(members[:0], f)
				for _, i := range members {
					counts[i]++
				}
			}
		}
		n.Features += Number(share * float64(d.Z.RowSum(last)))
		singletons := d.Z.K() - a.kept[t].Z.K()
		n.Singletons += Number(share * float64(singletons))
		if singletons == mcmc.MaxSingletons {
			n.Limited++
		}
	}
	for i := range n.SharedBy {
		n.SharedBy[i] = share * float64(counts[i])
		n.Shared[a.Run.Data.IDs[i]] = n.SharedBy[i]
	}
	if len(observed) == len(read.X[k]) {
		return n, nil
	}
	all, err := a.with(k).Likelihood(a.Run.Spec.Data)
	if err != nil {
		return n, err
	}
	cells, err := predict.NewCells(all, [][]*draws.Draw{arrived})
	if err != nil {
		return n, err
	}
	for cell, place := range cells.Places {
		if place[0] == last {
			n.Cells = append(n.Cells, predictionOf(cells, cell, n.Item, a.Run.Data.Columns[place[1]], a.Seen))
		}
	}
	return n, nil
}

// drawArrival draws Z with the new item last, its weights and its cells with bounds, given a draw of the
// others. The posterior is of all items and the observed columns.
func drawArrival(rng *rand.Rand, post *mcmc.Posterior, observed []int, d *draws.Draw, updates int) (mcmc.Arrival, error) {
	copied := *d
	if d.Permutation != nil {
		copied.Permutation = append(slices.Clone(d.Permutation), d.Z.N())
	}
	z := feature.New(d.Z.N() + 1)
	column := make([]uint64, z.Words())
	for k := range d.Z.K() {
		copy(column, d.Z.Column(k))
		z.AppendColumn(column)
	}
	var noise []float64
	if d.NoiseScales != nil {
		noise = lists.Pick(d.NoiseScales, observed)
	}
	post.Law = prior.WithDraw(post.Law, &copied)
	return post.DrawLast(rng, mcmc.Start{Z: z, Weights: d.Weights, Shares: d.Shares, Rates: d.Rates, Scales: lglfm.ScalesOf(d), NoiseScales: noise}, updates)
}
