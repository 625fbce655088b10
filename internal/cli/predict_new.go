package cli

// aibd predict with new items.

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"aibd/draws"
	"aibd/feature"
	"aibd/internal/model"
	"aibd/internal/parallel"
	"aibd/internal/results"
	"aibd/internal/spec"
	"aibd/internal/verdict"
	"aibd/internal/visible"
	"aibd/internal/words"
	"aibd/lglfm"
	"aibd/mcmc"
	"aibd/posterior"
	"aibd/predict"
	"aibd/prior"
)

// newcomer is what is predicted of a new item.
type newcomer struct {
	id       string
	observed int       // cells
	features []float64 // probabilities of the features of the estimate
	weights  []float64 // their expected weights, 0 where the item lacks them; nil for binary features
	number   float64   // expected number of features
	single   float64   // expected number of them that no item of the run has
	limited  int       // draws in which they are as many as allowed
	shared   []float64 // expected number of features shared with each item of the run
	cells    []prediction
}

// newcomers holds the predictions of new items.
type newcomers struct {
	*judged
	draws    int
	estimate *estimate // whose features are told
	attends  string    // see model.Newcomers
	items    []newcomer
}

func (o *predictOptions) predictNew(c *cobra.Command, j *judged, file string) error {
	seen, err := j.Seen.Likelihood(j.Run.Spec.Data)
	if err != nil {
		return err
	}
	data := j.Run.Data
	read, err := j.Run.Input().Newcomers(j.Seen, data.Columns, file, o.side)
	if err != nil {
		return err
	}
	if !o.quiet {
		tellNotes(c, read.Notes)
	}
	found := &newcomers{judged: j, attends: read.Attends()}
	// As aibd estimate does, whose numbers of features the output has.
	e, err := j.EstimateZ(results.DefaultEstimate(o.cores))
	if err != nil {
		return err
	}
	found.estimate = &estimate{judged: j, Estimate: e}
	a := arrivals{o: o, judged: j, read: read, seen: seen, cutpoints: lglfm.NewCutpoints(seen), kept: slices.Concat(spaced(j.Chains, o.most)...), estimate: found.estimate.Z}
	found.draws, a.matched, a.turned = len(a.kept), make([][]int, len(a.kept)), make([][]bool, len(a.kept))
	parallel.Do(o.cores, len(a.kept), func(t int) {
		switch z := a.kept[t].Z; {
		case e.Weights != nil:
			a.matched[t], a.turned[t] = posterior.MatchWeights(a.kept[t], e.Weights)
		case j.Run.Spec.Data.HasIntercept():
			a.matched[t], a.turned[t] = posterior.MatchSides(z, a.estimate)
		default:
			a.matched[t], a.turned[t] = posterior.Match(z, a.estimate), make([]bool, a.estimate.K())
		}
	})
	for k := range read.IDs {
		n, err := a.arrive(k)
		if err != nil {
			return fmt.Errorf("%s: %s: %w", file, read.IDs[k], err)
		}
		found.items = append(found.items, n)
	}
	if err := writeOutputs(tableOutput(o.out, found.table), tableOutput(o.features, found.featureTable)); err != nil {
		return err
	}
	return j.show(c, o.json, o.strict, found.json(), func(w io.Writer) { found.write(w, o.top) })
}

// arrivals predicts new items.
type arrivals struct {
	o *predictOptions
	*judged
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
		x = a.seen.Complete(x, d)
	}
	all := &model.Observed{X: columnsOf(append(slices.Clone(x), a.read.X[k]), observed)}
	for c, v := range observed {
		if level := a.read.Levels[k][v]; level >= 0 {
			lower, upper := a.cutpoints.Ends(d, v, level)
			all.Bounds = append(all.Bounds, lglfm.Bound{Item: len(x), Variable: c, Lower: lower, Upper: upper})
		}
	}
	for _, b := range a.read.Bounds {
		if b.Item == k {
			b.Item, b.Variable = len(x), slices.Index(observed, b.Variable)
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
func (a *arrivals) arrive(k int) (newcomer, error) {
	o, read := a.o, a.read
	law, err := read.Law(k)
	if err != nil {
		return newcomer{}, err
	}
	n := newcomer{id: read.IDs[k], features: make([]float64, a.estimate.K()), shared: make([]float64, len(a.Seen.X))}
	var observed []int
	latent := a.seen.Bounded() > 0
	for v, value := range read.X[k] {
		limited := slices.ContainsFunc(read.Bounds, func(b lglfm.Bound) bool { return b.Item == k && b.Variable == v })
		if limited || read.Levels[k][v] >= 0 || !math.IsNaN(value) {
			observed = append(observed, v)
			latent = latent || limited
		}
	}
	n.observed = len(observed)
	// The features depend on the observed cells of the new item and the same columns of X.
	var shared *lglfm.Data
	if !latent {
		if shared, err = a.data(k, observed, nil); err != nil {
			return n, err
		}
	}
	arrived := make([]*draws.Draw, len(a.kept))
	err = parallel.Each(context.Background(), o.cores, len(a.kept), func(t int) error {
		rng := mcmc.NewStream(o.seed, fmt.Sprintf("new item %d, draw %d", k+1, t+1)).Rand
		d, data := *a.kept[t], shared
		if latent {
			var err error
			if data, err = a.data(k, observed, &d); err != nil {
				return err
			}
		}
		last, err := drawArrival(rng, law, data, a.Run.Spec.Likelihood, observed, &d, o.sweeps)
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
		n.weights = make([]float64, len(n.features))
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
				n.features[e] += share
			}
			if weighted {
				n.weights[e] += share * w
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
		n.number += share * float64(d.Z.RowSum(last))
		own := d.Z.K() - a.kept[t].Z.K()
		n.single += share * float64(own)
		if own == mcmc.MaxOwn {
			n.limited++
		}
	}
	for i := range n.shared {
		n.shared[i] = share * float64(counts[i])
	}
	if len(observed) == len(read.X[k]) {
		return n, nil
	}
	all, err := a.with(k).Likelihood(a.Run.Spec.Data)
	if err != nil {
		return n, err
	}
	cells, err := predict.NewCells(all, [][]*draws.Draw{arrived}, o.cores)
	if err != nil {
		return n, err
	}
	for cell, at := range cells.At {
		if at[0] == last {
			n.cells = append(n.cells, predictionOf(cells, cell, n.id, a.Run.Data.Columns[at[1]], a.Seen))
		}
	}
	return n, nil
}

// columnsOf returns the given columns of x.
func columnsOf(x [][]float64, columns []int) [][]float64 {
	some := make([][]float64, len(x))
	for i, row := range x {
		some[i] = make([]float64, len(columns))
		for c, j := range columns {
			some[i][c] = row[j]
		}
	}
	return some
}

// drawArrival draws Z with the new item last, its weights and its cells with bounds, given a draw of the
// others. The data are of the observed columns.
func drawArrival(rng *rand.Rand, law prior.Law, data *lglfm.Data, likelihood spec.Likelihood, observed []int, d *draws.Draw, updates int) (mcmc.Arrival, error) {
	var order []int
	if d.Permutation != nil {
		order = append(slices.Clone(d.Permutation), d.Z.N())
	}
	z := feature.New(d.Z.N() + 1)
	column := make([]uint64, z.Words())
	for k := range d.Z.K() {
		copy(column, d.Z.Column(k))
		z.AppendColumn(column)
	}
	var noise []float64
	if d.NoiseScales != nil {
		for _, v := range observed {
			noise = append(noise, d.NoiseScales[v])
		}
	}
	post := &mcmc.Posterior{Data: data, Law: results.LawOf(law, d, order), Features: mcmc.Features(likelihood.Features)}
	return post.DrawLast(rng, mcmc.Start{Z: z, Weights: d.Weights, SigmaW: d.SigmaW, Scales: lglfm.ScalesOf(d), NoiseScales: noise}, updates)
}

// like returns the items of the run with which n shares most features, at most top.
func (n newcomer) like(top int) []int {
	order := prior.Identity(len(n.shared))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(n.shared[b], n.shared[a]) })
	return order[:min(top, len(order))]
}

// cells returns the predicted cells of all new items.
func (f *newcomers) cells() (all []prediction) {
	for _, n := range f.items {
		all = append(all, n.cells...)
	}
	return all
}

// table returns a row for each cell.
func (f *newcomers) table() table {
	t := table{{"item", "variable", "mean", "sd", "lower", "upper", "probabilities"}}
	for _, c := range f.cells() {
		t.add(append(c.row(), c.probabilities(words.Exact[float64]))...)
	}
	return t
}

// featureTable returns the probabilities of the features, or if they have weights their expected weights,
// items by features of the estimate.
func (f *newcomers) featureTable() table {
	t := table{append([]string{"item"}, numbered("", f.estimate.Z.K())...)}
	for _, n := range f.items {
		row := []string{n.id}
		values := n.weights
		if values == nil {
			values = n.features
		}
		for _, x := range values {
			row = append(row, cell(x))
		}
		t.add(row...)
	}
	return t
}

func (f *newcomers) write(w io.Writer, top int) {
	fmt.Fprintf(w, `Predicted from %s. Each new item arrives alone after all %d items of the run. Its features
depend on its observed cells, on X of the run and on the draws; the draws do not depend on it.
`, plural(f.draws, "draw"), f.Run.Data.N)
	if f.attends != "" {
		fmt.Fprint(w, wrap(fmt.Sprintf("It attends to %s. The items of the run keep their distances.", f.attends), "", lineWidth(w)))
	}
	fmt.Fprintln(w)
	t := table{{"new item", "observed", "features", "own", "shares most with"}}
	for _, n := range f.items {
		var like []string
		for _, i := range n.like(3) {
			like = append(like, f.Run.Data.IDs[i]+" "+fixed(n.shared[i], 2))
		}
		t.add(n.id, fmt.Sprintf("%d of %d", n.observed, f.Run.Data.D), fixed(n.number, 2), fixed(n.single, 2), strings.Join(like, ", "))
	}
	t.write(w)
	fmt.Fprint(w, "features: expected number; own: those of them that no item of the run has\n")
	for _, n := range f.items {
		if n.limited > 0 {
			fmt.Fprint(w, wrap(visible.Text(fmt.Sprintf("%s has as many features of its own as allowed, %d, in %d of %s.", n.id, mcmc.MaxOwn, n.limited, plural(f.draws, "draw"))), "", lineWidth(w)))
		}
	}
	if f.Run.Spec.Data.HasIntercept() && !f.Run.Spec.Likelihood.HasWeights() {
		fmt.Fprint(w, wrap(complementNote, "", lineWidth(w)))
	}
	fmt.Fprintln(w)
	for _, n := range f.items {
		order := prior.Identity(len(n.features))
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(n.features[b], n.features[a]) })
		var parts []string
		for _, k := range order {
			if n.features[k] >= minProbability {
				weight := ""
				if n.weights != nil {
					weight = ", expected weight " + fixed(n.weights[k], 2)
				}
				parts = append(parts, fmt.Sprintf("%s feature %d (%s)%s", fixed(n.features[k], 2), k+1, f.estimate.name(k, 3, 0), weight))
			}
		}
		if parts == nil {
			parts = []string{"no feature of the estimate with probability 0.05 or more"}
		}
		fmt.Fprint(w, wrap(visible.Text(n.id+": "+strings.Join(parts, ", ")), "  ", lineWidth(w)-2)[2:])
	}
	writePredictions(w, f.cells(), top)
}

// minProbability is the least probability of a feature that is printed.
const minProbability = 0.05

type newcomersJSON struct {
	Verdict *verdict.Verdict `json:"verdict"`
	Draws   int              `json:"draws"`
	Note    string           `json:"note,omitempty"`
	Items   []newcomerJSON   `json:"items"`
}

type newcomerJSON struct {
	Item          string             `json:"item"`
	Observed      int                `json:"observed"`
	Features      number             `json:"features"`               // expected number
	Own           number             `json:"own"`                    // those that no item of the run has
	Limited       int                `json:"limited_draws,omitzero"` // in which mcmc.MaxOwn bound
	Probabilities []float64          `json:"probabilities"`          // of the features of aibd estimate
	Weights       []float64          `json:"weights,omitempty"`      // expected, 0 where the item lacks the feature
	Shared        map[string]float64 `json:"shared"`                 // expected number of features shared with each item
	Cells         []prediction       `json:"cells"`
}

func (f *newcomers) json() newcomersJSON {
	j := newcomersJSON{Verdict: f.Verdict, Draws: f.draws, Note: f.Note}
	for _, n := range f.items {
		one := newcomerJSON{
			Item: n.id, Observed: n.observed, Features: number(n.number), Own: number(n.single), Limited: n.limited,
			Probabilities: n.features, Weights: n.weights, Shared: map[string]float64{}, Cells: append([]prediction{}, n.cells...),
		}
		for i, shared := range n.shared {
			one.Shared[f.Run.Data.IDs[i]] = shared
		}
		j.Items = append(j.Items, one)
	}
	return j
}
