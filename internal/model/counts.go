package model

// Columns of counts: the count y says that a latent value is between the square roots of y and y + 1, from -Inf on
// for 0 (Kowal and Canale, 2020, Simultaneous transformation and rounding (STAR) models for integer-valued data,
// Electronic Journal of Statistics 14, 1744-1772).

import (
	"math"
	"slices"

	"aibd/dataset"
	"aibd/internal/hint"
	"aibd/internal/lists"
	"aibd/internal/spec"
	"aibd/lglfm"
)

const (
	// maxCount is the largest count. The latent values of y and y + 1 are equal for much larger ones.
	maxCount = 1e12
	// countMiddle is added to a count before the transformation where one number stands for its latent values: in
	// means and standard deviations.
	countMiddle = 0.5
)

// counts returns the names of the columns of x that hold counts, and checks their cells.
func (in *Input) counts(d *spec.Data, names []string, x [][]float64) ([]string, error) {
	selected, err := in.selected("data.count", d.Count, names)
	if err != nil {
		return nil, err
	}
	places := lists.Positions(names)
	for _, name := range selected {
		for _, other := range transformed(d) {
			if also, err := in.selected(other.key, other.patterns, names); other.key != "data.count" && err == nil && slices.Contains(also, name) {
				return nil, spec.Errorf("data.count", "column %s: found it in count and in %s, expected it in one of them", hint.Quoted(name), other.key)
			}
		}
		for i, row := range x {
			if v := row[places[name]]; v < 0 || v > maxCount || v != math.Trunc(v) && !math.IsNaN(v) {
				return nil, spec.Errorf("data.count", "%s: found %v, expected a count: 0, 1, 2 and so on, up to 1e12", in.Items.Where(i, name), v)
			}
		}
	}
	return selected, nil
}

// setCounts notes which columns hold counts.
func (o *Observed) setCounts(columns, counts []string) {
	if len(counts) == 0 {
		return
	}
	o.Counts = lists.Map(columns, func(column string) bool { return slices.Contains(counts, column) })
}

// zeros returns a column whose counts are all 0 and which has no limits, or -1: nothing bounds its latent mean
// from below.
func (o *Observed) zeros(limits []dataset.Interval, values []int) int {
	for j, counted := range o.Counts {
		if counted && !slices.ContainsFunc(o.X, func(row []float64) bool { return row[j] > 0 }) &&
			!slices.ContainsFunc(limits, func(l dataset.Interval) bool { return values[l.Column] == j }) {
			return j
		}
	}
	return -1
}

// IsCount reports whether column j holds counts.
func (o *Observed) IsCount(j int) bool { return o.Counts != nil && o.Counts[j] }

// CountEnds returns the ends of the latent values of a count in column j.
func (o *Observed) CountEnds(j int, count float64) (lower, upper float64) {
	if lower = math.Inf(-1); count > 0 {
		lower = o.Units.Do(j, count)
	}
	return lower, o.Units.Do(j, count+1)
}

// Count returns the count of a latent value of column j.
func (o *Observed) Count(j int, latent float64) float64 { return math.Floor(o.Units.Undo(j, latent)) }

// IsLimit reports whether bounds belong to a cell beyond a limit, and not to a count.
func (o *Observed) IsLimit(b lglfm.Bound) bool {
	_, zero := o.CountEnds(b.Variable, 0)
	return !o.IsCount(b.Variable) || math.IsInf(b.Upper, 1) || math.IsInf(b.Lower, -1) && b.Upper != zero
}

// LatentOf returns a value of column j in the units of X. In place of a count it returns its latent value.
func (o *Observed) LatentOf(j int, value float64) float64 {
	if o.IsCount(j) {
		value += countMiddle
	}
	return o.Units.Do(j, value)
}

// CountsOf returns the observed counts of column j.
func (o *Observed) CountsOf(j int) (counts []float64) {
	for _, row := range o.Latent {
		if !math.IsNaN(row[j]) {
			counts = append(counts, o.Count(j, row[j]))
		}
	}
	return counts
}

// CountFunctions returns the functions from latent values to counts, by column, nil for other columns. It returns nil
// without columns of counts.
func (o *Observed) CountFunctions() []func(latent float64) float64 {
	if o.Counts == nil {
		return nil
	}
	functions := make([]func(float64) float64, len(o.Counts))
	for j, counted := range o.Counts {
		if counted {
			functions[j] = func(latent float64) float64 { return o.Count(j, latent) }
		}
	}
	return functions
}

// SeenUnits returns the units of observed cells and replicates, which hold counts as the file does.
func (o *Observed) SeenUnits() dataset.Units {
	units := slices.Clone(o.Units)
	for j := range units {
		if o.IsCount(j) {
			units[j] = dataset.Identity
		}
	}
	return units
}

// SeenBounds returns the bounds of cells, of counts in the unit of the file, so that they are the same under each
// transformation.
func (o *Observed) SeenBounds() []lglfm.Bound {
	bounds := slices.Clone(o.Bounds)
	for i := range bounds {
		if b := &bounds[i]; o.IsCount(b.Variable) {
			b.Lower, b.Upper = o.Units.Undo(b.Variable, b.Lower), o.Units.Undo(b.Variable, b.Upper)
		}
	}
	return bounds
}

// boundCounts replaces the cells of columns of counts by bounds of their latent values. The lower bound of the
// noise is the standard deviation of the normal distribution whose largest density is one over the width of the narrowest
// interval.
func (o *Observed) boundCounts() {
	if o.Counts == nil {
		return
	}
	x := lists.Map(o.X, slices.Clone)
	for j, counted := range o.Counts {
		if !counted {
			continue
		}
		narrowest := math.Inf(1)
		for i, row := range x {
			if math.IsNaN(row[j]) {
				continue
			}
			b := o.countBound(i, j, o.Count(j, row[j]))
			o.Bounds, row[j] = append(o.Bounds, b), math.NaN()
			narrowest = min(narrowest, b.Upper-b.Lower)
		}
		if o.MinNoise[j] > 0 {
			o.MinNoise[j] = narrowest / math.Sqrt(2*math.Pi)
		}
	}
	o.X = x
}

// countBound returns the bounds of the latent value of a count of item i in column j.
func (o *Observed) countBound(i, j int, count float64) lglfm.Bound {
	lower, upper := o.CountEnds(j, count)
	return lglfm.Bound{Item: i, Variable: j, Lower: lower, Upper: upper}
}

// wholeLimit returns the limit of a count as a limit of its latent value before the transformation: less than 3 is at
// most 2, which is below 3; more than 3 is at least 4.
func wholeLimit(limit dataset.Interval) dataset.Interval {
	lower, upper := math.Ceil(limit.Lower), math.Ceil(limit.Upper)
	if limit.AtEnd && upper == limit.Upper {
		upper++
	}
	if !limit.AtEnd && lower == limit.Lower {
		lower++
	}
	limit.Lower, limit.Upper = lower, upper
	return limit
}
