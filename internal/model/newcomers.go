package model

// Items that a run has not seen.

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"aibd/internal/hint"
	"aibd/internal/lists"
	"aibd/internal/spec"
	"aibd/internal/words"
	"aibd/lglfm"
	"aibd/mcmc"
	"aibd/prior"
	"aibd/similarity"
)

// Newcomers are items that a run has not seen.
type Newcomers struct {
	IDs    []string
	X      [][]float64   // transformed as X of the run, NaN for cells that are missing or latent
	Bounds []lglfm.Bound // limits on cells that are NaN in X
	Notes  []string      // see Problem
	Levels [][]int       // categories of cells of binary and ordinal columns, from zero; -1: missing, or of another column

	prior     spec.Prior
	measured  []spec.Distance
	n         int                  // items of the run
	distances []*similarity.Matrix // of all items, those of the run first; nil if the law has none
	pairs     []similarity.Pairs   // by distance, of all items, those of the run first
	weights   *mcmc.WeightPrior    // of the items of the run
	decays    []similarity.Decay
}

// TakesNewcomers returns an error if the law of a spec cannot take a further item: one with a
// matrix of distances or proximities, or the symmetric dd-IBP, which changes with the number of items.
func TakesNewcomers(s spec.Spec) error {
	errMatrix := errors.New("found a matrix of distances or proximities, expected distances between columns: new items are not in the matrix")
	switch {
	case s.Prior.ProximityFile() != "":
		return errMatrix
	case !s.HasDistances():
		return nil
	}
	for _, d := range s.Distances() {
		if d.Kind == "matrix" {
			return errMatrix
		}
	}
	if s.Prior.Law == "ddibp" && !s.Prior.HasPermutation() {
		return errors.New("found the symmetric dd-IBP, expected a law in which items arrive one after the other: a new item would change the law of the others")
	}
	return nil
}

// BuildNewcomers returns new items, with the columns of X as a run saw them. If the law has distances,
// it calls covariates for the input of the run and the distances among all items, those of the run first: of each
// distance of the law, nil if it is between columns.
func BuildNewcomers(in *Input, seen *Observed, columns []string, covariates func() (*Input, []*similarity.Matrix, error)) (*Newcomers, error) {
	s := in.Spec
	p := &Newcomers{prior: s.Prior, n: len(seen.X), IDs: in.IDs(), Notes: in.Notes}
	if err := p.set(in, seen, columns); err != nil {
		return nil, err
	}
	if !s.HasDistances() {
		return p, nil
	}
	run, along, err := covariates()
	if err != nil {
		return nil, err
	}
	return p, p.measure(run, in, along)
}

// set sets the cells of the new items.
func (p *Newcomers) set(in *Input, seen *Observed, columns []string) error {
	for range p.IDs {
		p.X, p.Levels = append(p.X, make([]float64, len(columns))), append(p.Levels, slices.Repeat([]int{-1}, len(columns)))
	}
	var values []int       // columns of numbers
	var otherForm []string // columns whose names have another Unicode form
	for j, column := range columns {
		written, ok := in.Items.Written(column)
		if !ok {
			meant := ""
			if nearest, ok := hint.Nearest(column, in.Items.Columns); ok {
				meant = fmt.Sprintf("; did you mean %s?", hint.Quoted(nearest))
			}
			return fmt.Errorf("%s: found no column %s, expected all columns of X of the run%s", in.Items.Name, hint.Quoted(column), meant)
		}
		if written != column {
			otherForm = append(otherForm, hint.Quoted(column))
		}
		categories := seen.Categories[j]
		if categories == nil {
			values = append(values, j)
			continue
		}
		levels, err := categories.levels(in.Items, column)
		if err != nil {
			return err
		}
		for i, level := range levels {
			if p.X[i][j] = math.NaN(); !math.IsNaN(level) {
				p.Levels[i][j] = int(level)
			}
		}
	}
	if otherForm != nil {
		p.Notes = append(p.Notes, fmt.Sprintf("%s: %s in another Unicode form than in the run: %s", in.Items.Name, words.Plural(len(otherForm), "name"), hint.Listed(otherForm, 3)))
	}
	names := lists.Pick(columns, values)
	x, limits, err := in.Items.Limited(names)
	if err != nil {
		return err
	}
	if err := in.hellinger(&in.Spec.Data, names, x); err != nil {
		return err
	}
	if _, err := in.counts(&in.Spec.Data, names, x); err != nil {
		return err
	}
	for i, row := range x {
		for k, j := range values {
			v := row[k]
			if seen.IsCount(j) {
				if p.X[i][j] = math.NaN(); !math.IsNaN(v) {
					p.Bounds = append(p.Bounds, seen.countBound(i, j, v))
				}
				continue
			}
			if err := seen.Units.Check(j, v); err != nil {
				return fmt.Errorf("%s: %w", in.Items.Where(i, columns[j]), err)
			}
			if p.X[i][j] = seen.Units.Do(j, v); math.IsInf(p.X[i][j], 0) {
				return fmt.Errorf("%s: found %v, which is too large once centered and scaled", in.Items.Where(i, columns[j]), v)
			}
		}
	}
	for k, j := range values {
		p.noteFar(in, seen, j, columns[j], k, x)
	}
	for _, limit := range limits {
		j := values[limit.Column]
		b, err := seen.bound(limit, j)
		if err != nil {
			return fmt.Errorf("%s: %w", in.Items.Where(limit.Item, columns[j]), err)
		}
		p.Bounds = append(p.Bounds, b)
	}
	return nil
}

// farOut is a ratio of distances from the mean of a column. A note names a cell that is at least that many times as far
// as the farthest item of the run.
const farOut = 10

// noteFar notes cells of column j that are far from those of the run. They are in column k of raw, as in
// the file.
func (p *Newcomers) noteFar(in *Input, seen *Observed, j int, column string, k int, raw [][]float64) {
	sum, count, largest := 0.0, 0.0, 0.0
	for _, row := range seen.X {
		if !math.IsNaN(row[j]) {
			sum, count = sum+row[j], count+1
		}
	}
	for _, row := range seen.X {
		if x := math.Abs(row[j] - sum/count); x > largest {
			largest = x
		}
	}
	for i, row := range p.X {
		if times := math.Abs(row[j]-sum/count) / largest; times > farOut {
			p.Notes = append(p.Notes, fmt.Sprintf("%s: found %v, %.3g times as far from the mean as any item of the run: features of its own will stand for that, and its prediction says little",
				in.Items.Where(i, column), raw[i][k], times))
		}
	}
}

// measure computes the distances among the items of the run and the new ones in fresh. Those along trees are read.
func (p *Newcomers) measure(run, fresh *Input, along []*similarity.Matrix) error {
	s := run.Spec
	p.measured = s.Distances()
	p.decays = decaysOf(s)
	if run.computes(s, p.n) {
		all, err := run.computed(s, fresh)
		for k, pairs := range all {
			p.pairs = append(p.pairs, pairs)
			p.noteFarPlaces(fresh, k)
		}
		return err
	}
	for k, d := range p.measured {
		m, err := along[k], error(nil)
		if m == nil {
			m, _, err = run.measured(d, fresh)
		}
		if err == nil {
			m, err = adjusted(d, m)
		}
		if err != nil {
			return err
		}
		p.distances, p.pairs = append(p.distances, m), append(p.pairs, m)
		p.noteFarPlaces(fresh, k)
	}
	return nil
}

// noteFarPlaces notes new items that are farOut times as far from all items of the run, by distance k, as these can be from
// each other.
func (p *Newcomers) noteFarPlaces(fresh *Input, k int) {
	if !p.measured[k].HasPoints() || p.n < minAlike {
		return
	}
	radius := 0.0 // of the run, about its first item
	for i := 1; i < p.n; i++ {
		radius = max(radius, p.pairs[k].At(i, 0))
	}
	for i, id := range p.IDs {
		least := math.Inf(1)
		for j := range p.n {
			least = min(least, p.pairs[k].At(p.n+i, j))
		}
		if least > farOut*2*radius {
			p.Notes = append(p.Notes, fmt.Sprintf("%s: item %s is at least %s from all items of the run, which are at most %s from each other by %s: is it in another unit?",
				fresh.Items.Name, hint.Quoted(id), words.Significant(least, 3), words.Significant(2*radius, 3), p.measured[k].Label()))
		}
	}
}

// Law returns the law of the items of the run and the new item k, which arrives last, at mass
// 1, temperature 1 and the order of the rows.
func (p *Newcomers) Law(k int) (prior.Law, error) {
	if p.prior.Law == "ibp" {
		return prior.NewIBP(p.n+1, 1)
	}
	several, err := p.with(k)
	if err != nil {
		return nil, err
	}
	return LawOf(p.prior, prior.NewAffinity(several, p.decays...), 1, 1, prior.Identity(p.n+1))
}

// with returns the distances of the items of the run and the new item k.
func (p *Newcomers) with(k int) (several similarity.Several, err error) {
	chosen := append(prior.Identity(p.n), p.n+k)
	for _, all := range p.distances {
		m, err := similarity.NewMatrix(lists.Map(chosen, func(i int) []float64 {
			return lists.Map(chosen, func(j int) float64 { return all.At(i, j) })
		}))
		if err != nil {
			return nil, err
		}
		several = append(several, m)
	}
	return several, nil
}

// Weights returns the prior of the weights of the items of the run and the new item k, nil for independent ones.
// near are the distances that weights of the run follow, and dependent says whether they are dependent.
func (p *Newcomers) Weights(k int, dependent bool, near []WeightDistance) (*mcmc.WeightPrior, error) {
	if !dependent {
		return nil, nil
	}
	if len(near) == 0 {
		return new(mcmc.WeightPrior), nil
	}
	nearness := func(arrived, last int) (all []mcmc.Nearness) {
		for _, d := range near {
			var pairs similarity.Pairs = arriving{p.pairs[d.Distance], p.n + arrived, last}
			if d.MaxRate == 0 { // new items have no given similarities
				pairs = similarity.Alike(pairs)
			}
			all = append(all, mcmc.Nearness{Distances: pairs, MinRate: d.MinRate, MaxRate: d.MaxRate})
		}
		return all
	}
	if p.weights == nil {
		p.weights = &mcmc.WeightPrior{Near: nearness(0, 0), Neighbors: mcmc.DefaultNeighbors(p.n)}
	}
	return p.weights.With(nearness(1, p.n+k)), nil
}

// arriving are the pairs of the first n items of others, in which another takes the place of the last one.
type arriving struct {
	similarity.Pairs
	n, last int
}

func (a arriving) N() int { return a.n }

func (a arriving) At(i, j int) float64 {
	if i == a.n-1 && a.last > 0 {
		i = a.last
	}
	return a.Pairs.At(i, j)
}
