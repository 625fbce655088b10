package model

// Cells of X that are hidden from the fit.

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"aibd/internal/hint"
	"aibd/internal/names"
	"aibd/internal/spec"
	"aibd/mcmc"
)

// Held is a cell of X that the fit does not see.
type Held struct {
	Item, Variable int
	Value          float64 // in the units of the file; the category, from zero, of a binary or ordinal column
}

// hide replaces the hidden cells of X, which is not transformed yet, by NaN, and returns
// them by item and variable.
func (in *Input) hide(s spec.Spec, columns []string, o *Observed) ([]Held, error) {
	x := o.X
	var cells [][2]int
	var err error
	switch {
	case s.Data.HoldoutFile != "":
		cells, err = in.listed(s.Data.HoldoutFile, columns, x)
	case s.Data.Holdout > 0:
		cells = drawn(s, o)
	}
	slices.SortFunc(cells, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	var held []Held
	for _, c := range cells {
		held = append(held, Held{c[0], c[1], x[c[0]][c[1]]})
		x[c[0]][c[1]] = math.NaN()
	}
	return held, err
}

// minObserved is the number of observed cells that drawn leaves in each column, enough for a
// standard deviation.
const minObserved = 3

// drawn draws the share of the observed cells that the spec says, by its seed. It leaves at
// least minObserved in each column, and the cells that must stay.
func drawn(s spec.Spec, o *Observed) [][2]int {
	var observed, cells [][2]int
	remaining, values := make([]int, len(o.X[0])), make([]map[float64]int, len(o.X[0]))
	for j, c := range o.Categories {
		// Without an intercept, all signs of a column may be equal.
		if o.IsCount(j) || c != nil && s.Data.HasIntercept() {
			values[j] = map[float64]int{}
		}
	}
	for i, row := range o.X {
		for j, v := range row {
			if math.IsNaN(v) {
				continue
			}
			observed = append(observed, [2]int{i, j})
			remaining[j]++
			if values[j] != nil {
				values[j][v]++
			}
		}
	}
	rng := mcmc.NewStream(s.Sampler.Seed, "holdout").Rand
	candidates, count := candidates(rng, s.Data, observed, len(o.X))
	for _, c := range candidates {
		counts, v := values[c[1]], o.X[c[0]][c[1]]
		if len(cells) == count || remaining[c[1]] <= minObserved || o.mustStay(c[1], v, counts) {
			continue
		}
		cells = append(cells, c)
		remaining[c[1]]--
		if counts != nil {
			if counts[v]--; counts[v] == 0 {
				delete(counts, v)
			}
		}
	}
	return cells
}

// candidates returns cells in the order in which to hide them, and how many to hide at most: cells, all cells of some
// items, or a half of them.
func candidates(rng *rand.Rand, d spec.Data, observed [][2]int, items int) (cells [][2]int, count int) {
	if d.HoldoutUnit == spec.HoldCells {
		for _, index := range rng.Perm(len(observed)) {
			cells = append(cells, observed[index])
		}
		return cells, int(math.Round(d.Holdout * float64(len(observed))))
	}
	for _, i := range rng.Perm(items)[:int(math.Round(d.Holdout*float64(items)))] {
		var row [][2]int
		for _, c := range observed {
			if c[0] == i {
				row = append(row, c)
			}
		}
		if d.HoldoutUnit == spec.HoldHalves {
			rng.Shuffle(len(row), func(a, b int) { row[a], row[b] = row[b], row[a] })
			row = row[:(len(row)+1)/2]
		}
		cells = append(cells, row...)
	}
	return cells, len(cells)
}

// mustStay reports whether a cell of column j, with so many cells by value, must not be hidden: all others have one
// other value. Zeros alone, of which many columns hold little else, do not bound the latent mean from below, nor
// does the highest category alone bound it from above. Categories between these two do both.
func (o *Observed) mustStay(j int, value float64, cells map[float64]int) bool {
	switch {
	case len(cells) != 2 || cells[value] != 1:
		return false
	case o.IsCount(j):
		return true
	}
	top := float64(len(o.Categories[j].Labels) - 1)
	return value != 0 && cells[0] > 0 || value != top && cells[top] > 0
}

// listed returns the cells that a file lists: an item and a variable in each line.
func (in *Input) listed(file string, columns []string, x [][]float64) ([][2]int, error) {
	rowOf, variables, seen := in.Items.Lookup(), names.NewIndex(columns), map[[2]int]bool{}
	var cells [][2]int
	for row, cell := range in.Held {
		i, isItem := rowOf(cell[0])
		j, _, isVariable := variables.Find(cell[1])
		place := fmt.Sprintf("%s: row %d", file, row+1)
		switch c := [2]int{i, j}; {
		case !isItem:
			return nil, fmt.Errorf("%s: %w", place, hint.Unknown("item", cell[0], in.IDs()))
		case !isVariable:
			return nil, fmt.Errorf("%s: %w", place, hint.Unknown("variable of X", cell[1], columns))
		case math.IsNaN(x[i][j]):
			return nil, fmt.Errorf("%s: found %s of %s, which is missing in %s, expected an observed cell", place, hint.Quoted(cell[1]), hint.Quoted(cell[0]), in.Items.Name)
		case seen[c]:
			return nil, fmt.Errorf("%s: found %s of %s a second time, expected each cell once", place, hint.Quoted(cell[1]), hint.Quoted(cell[0]))
		default:
			cells, seen[c] = append(cells, c), true
		}
	}
	return cells, nil
}
