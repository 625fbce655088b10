package model

// Which columns of a table are X, and what is done to them.

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"aibd/dataset"
	"aibd/internal/hint"
	"aibd/internal/lists"
	"aibd/internal/spec"
	"aibd/internal/words"
	"aibd/lglfm"
)

// isIdentifier reports whether a column is called ID, subject or something_id, and holds whole numbers.
func isIdentifier(t *dataset.Table, column string) bool {
	if name := strings.ToLower(column); name != "id" && name != "subject" && !strings.HasSuffix(name, "_id") {
		return false
	}
	values, err := t.Float(column)
	return err == nil && !slices.ContainsFunc(values, func(v float64) bool { return v != math.Trunc(v) })
}

// LeadingZeros reports whether names are digits, and one of them has a leading zero.
func LeadingZeros(names []string) bool {
	digits := func(name string) bool { return name != "" && strings.Trim(name, "0123456789") == "" }
	return !slices.ContainsFunc(names, func(name string) bool { return !digits(name) }) &&
		slices.ContainsFunc(names, func(name string) bool { return len(name) > 1 && name[0] == '0' })
}

// LeftOut is a column that is not in X.
type LeftOut struct{ Column, Reason string }

// chosen returns the columns of X: those that match a pattern of the spec, without those that
// match a pattern after "!". If the spec has no pattern without "!", it chooses from the numeric
// columns but the names of the items and columns of the distances; leftOut are the others.
func (in *Input) chosen(s spec.Spec) (columns []string, leftOut []LeftOut, err error) {
	if in.Items.N() < 2 {
		return nil, nil, fmt.Errorf("%s: found %d item, expected at least 2", in.Items.Name, in.Items.N())
	}
	reasons := map[string]string{}
	var with, out []string
	for _, pattern := range s.Data.Columns {
		if without, not := strings.CutPrefix(pattern, "!"); not {
			out = append(out, without)
		} else {
			with = append(with, pattern)
		}
	}
	without, err := in.Items.Select(out...)
	if err != nil {
		return nil, nil, spec.Errorf("data.columns", "%w", err)
	}
	for _, c := range without {
		reasons[c] = "by --columns"
	}
	if len(with) > 0 {
		if columns, err = in.Items.Select(with...); err != nil {
			return nil, nil, spec.Errorf("data.columns", "%w", err)
		}
		columns = slices.DeleteFunc(columns, func(c string) bool { return reasons[c] != "" })
		if len(columns) == 0 {
			err = spec.Errorf("data.columns", "%s: found ! before all columns named, expected the columns of X", in.Items.Name)
		}
		return columns, nil, err
	}
	// Also if the law does not use them: X must not depend on the law.
	for _, d := range s.Distances() {
		for _, pattern := range d.Columns {
			// A column that does not exist is an error where the distances are measured.
			measured, _ := in.Items.Select(pattern)
			for _, c := range measured {
				reasons[c] = "for the distances (--columns names those of X)"
			}
		}
	}
	if in.numericID() {
		as := "whole numbers that increase or a column of this name"
		if LeadingZeros(in.Items.IDs) {
			as = "whole numbers with leading zeros"
		}
		reasons[in.Items.IDColumn] = "names of the items, as " + as + " (--id - makes it data)"
	}
	for _, c := range in.Items.Columns {
		if reasons[c] == "" && isIdentifier(in.Items, c) {
			reasons[c] = "an identifier by its name (--columns names those of X)"
		}
	}
	binary, err := in.Items.Select(s.Data.BinaryColumns(nil)...)
	if err != nil {
		return nil, nil, spec.Errorf("data.binary", "%w", err)
	}
	latent, constant := lists.Positions(binary), slices.Clone(binary)
	for _, o := range s.Data.OrdinalColumns() {
		ordinal, err := in.Items.Select(o.Pattern)
		if err != nil {
			return nil, nil, spec.Errorf("data.ordinal", "%w", err)
		}
		maps.Copy(latent, lists.Positions(ordinal))
		if o.Labels == nil {
			constant = append(constant, ordinal...)
		}
	}
	for _, c := range constant {
		switch labels, err := in.labels(c); {
		case err != nil || reasons[c] != "":
		case len(labels) == 0:
			reasons[c] = noValues
		case len(labels) == 1:
			reasons[c] = sameValue
		}
	}
	var values []string // columns of numbers
	numeric := in.Items.NumericColumns()
	for _, c := range numeric {
		if _, isLatent := latent[c]; !isLatent && reasons[c] == "" {
			values = append(values, c)
		}
	}
	all, given := slices.Contains(s.Data.Binary, spec.AllBinary), len(values)+len(latent) > 0
	auto := openToBinary(s) && slices.Contains(s.Data.Binary, spec.AutoBinary)
	data := lists.Positions(numeric)
	for _, c := range in.Items.Columns {
		_, isNumeric := data[c]
		if _, isLatent := latent[c]; isLatent || isNumeric || reasons[c] != "" {
			continue
		}
		if all && in.hasTwo(c) || !given && openToAll(s) && in.twoValues(c) != nil || auto && in.isLogical(c) {
			latent[c] = 0
		}
	}
	maps.Copy(data, latent)
	if len(data) == 0 {
		return nil, nil, in.withoutNumbers()
	}
	in.uninformative(s.Data, values, reasons)
	for _, c := range in.Items.Columns {
		reason, leave := reasons[c]
		_, isData := data[c]
		switch {
		case leave:
			leftOut = append(leftOut, LeftOut{c, reason})
		case isData:
			columns = append(columns, c)
		default:
			leftOut = append(leftOut, LeftOut{c, in.whyText(c)})
		}
	}
	if len(columns) == 0 {
		but := "names and columns of the distances"
		if len(s.Data.Columns) > 0 {
			but = "names, columns of the distances and those with ! in --columns"
		}
		return nil, nil, spec.Errorf("data.columns", "%s: found no column of numbers except %s, expected the columns of X%s", in.Items.Name, but, in.takingText(s, leftOut))
	}
	return columns, leftOut, nil
}

// takingText returns which options take columns of text that are left out, "" if there is none.
func (in *Input) takingText(s spec.Spec, leftOut []LeftOut) string {
	for _, l := range leftOut {
		switch l.Reason {
		case twoKinds:
			return " (--binary all takes text of two kinds)"
		case fewKinds, notNumbers:
			return categories
		}
	}
	return ""
}

// categories ends errors of tables without numbers.
const categories = " (--binary and --ordinal name columns of categories)"

// withoutNumbers returns the error of a table without columns of numbers. A single column may
// hold several, with a separator that is not read.
func (in *Input) withoutNumbers() error {
	name := in.Items.Columns[0]
	parts := func(cell string) int {
		return len(strings.FieldsFunc(cell, func(r rune) bool { return r == ':' || unicode.IsSpace(r) }))
	}
	cells, _ := in.Items.Strings(name) // it is a column
	if len(in.Items.Columns) == 1 && parts(name) > 1 && !slices.ContainsFunc(cells, func(cell string) bool { return parts(cell) < parts(name) }) {
		return fmt.Errorf("%s: found one column, %s, expected commas, semicolons, tabs or vertical bars between columns", in.Items.Name, hint.Quoted(name))
	}
	err := fmt.Errorf("%s: found no column of numbers, expected at least one%s", in.Items.Name, categories)
	if note := in.answers(in.Items.Columns); note != "" {
		return fmt.Errorf("%w; %s", err, note)
	}
	return err
}

// uninformative adds to reasons those of columns of numbers that are left out because they have no
// numbers, or only one distinct number that centering makes 0. It adds none if no column remains.
func (in *Input) uninformative(d spec.Data, columns []string, reasons map[string]string) {
	x, limits, err := in.Items.Limited(columns)
	if err != nil {
		return // an error of the columns of X
	}
	varies := make([]bool, len(columns))
	for _, limit := range limits {
		varies[limit.Column] = true
	}
	constants := map[string]string{}
	for j, values := range lists.Observed(x) {
		switch {
		case varies[j]:
		case len(values) == 0:
			constants[columns[j]] = noValues
		case d.Center && slices.Max(values) == slices.Min(values):
			constants[columns[j]] = sameValue
		}
	}
	if len(constants) < len(columns) {
		maps.Copy(reasons, constants)
	}
}

// Why columns are left out.
const (
	noValues  = "no values"
	sameValue = "the same value in all rows (--columns names those of X)"
)

// Why columns of text are left out.
const (
	notNumbers = "not numbers (--binary and --ordinal take categories)"
	twoKinds   = "text of two kinds (--binary takes them as data)"
	manyKinds  = "text that repeats (it can measure distances: --distance same:COLUMN)"
	fewKinds   = "text of a few kinds (a column of 0 and 1 for each kind can be data, or measure distances: --distance same:COLUMN; --ordinal takes kinds that have an order)"
)

// maxKinds is the max number of kinds of text that are few.
const maxKinds = 20

// signed matches numbers, maybe with a percent or currency sign.
var signed = regexp.MustCompile(`^[-+]?\p{Sc}?\s*[-+]?[0-9][0-9.,]*\s*(%|\p{Sc})?$`)

// whyText returns why a column of text is left out.
func (in *Input) whyText(column string) string {
	labels, err := in.labels(column)
	if _, dates := days(labels); dates && err == nil && simple.MatchString(column) {
		return fmt.Sprintf("dates (they can measure distances: --distance absolute:%s)", column)
	}
	sign := slices.IndexFunc(labels, func(label string) bool {
		return strings.ContainsFunc(label, func(r rune) bool { return r == '%' || unicode.Is(unicode.Sc, r) })
	})
	switch kinds := len(labels); {
	case err == nil && sign >= 0 && !slices.ContainsFunc(labels, func(label string) bool { return !signed.MatchString(label) }):
		return fmt.Sprintf("numbers whose percent or currency signs differ, such as %s", labels[sign])
	case err == nil && kinds == in.Items.N() && kinds >= minAlike && in.Items.IDs == nil && simple.MatchString(column):
		return fmt.Sprintf("not numbers; it can name the items: --id %s", column)
	case err != nil || kinds < 2 || 2*kinds > in.Items.N():
		return notNumbers
	case kinds > maxKinds:
		return manyKinds
	case kinds == 2:
		return twoKinds
	}
	return fewKinds
}

// MaxSDRatio is the max ratio of standard deviations of columns that are taken to have one
// unit, see docs/theory/decisions/units.md.
const MaxSDRatio = 5

// leaveOut ends errors about the cells of X.
const leaveOut = "--columns '!NAME' leaves out a column"

// leavingOut says how to leave out columns.
func leavingOut(columns []string) string {
	if len(columns) > 6 || strings.ContainsAny(strings.Join(columns, ""), `,'"*?[\`) {
		return leaveOut
	}
	return "--columns '!" + strings.Join(columns, ",!") + "' leaves them out"
}

// Observed is what a fit sees of X, and what it does not see.
type Observed struct {
	Names      Names           // of the items
	X          [][]float64     // N x D, after the transformations; NaN for unknown cells
	Units      dataset.Units   // of X
	Bounds     []lglfm.Bound   // limits on cells that are NaN in X
	Categories []*Categories   // by column; nil: it is a column of numbers
	Ordinal    []lglfm.Ordinal // categories of the cells of binary and ordinal columns, which are NaN in X
	Counts     []bool          // by column: whether it holds counts, which bound latent values that are NaN in X; nil: none does
	Latent     [][]float64     // X, with the latent values that stand for counts
	Held       []Held          // hidden cells, which are unknown in X
	MinNoise   []float64       // lower bounds on the noise of the columns; nil: none
	Raised     []bool          // by column: whether the other columns raise MinNoise; nil: nowhere
	SDRatio    float64         // ratio of the largest and the smallest standard deviation of a column before columns are scaled
}

// observations returns the given columns after the transformations. If the spec leaves open
// whose logarithms are taken or whether columns are scaled, observations decides.
func (in *Input) observations(s *spec.Spec, columns []string) (o Observed, err error) {
	d := &s.Data
	o.Names = in.Names()
	if o.Categories, err = in.categories(*d, columns); err != nil {
		return Observed{}, err
	}
	var values []int // columns of numbers
	for j := range columns {
		if o.Categories[j] == nil {
			values = append(values, j)
		}
	}
	names := lists.Pick(columns, values)
	x, limits, err := in.Items.Limited(names)
	if err != nil {
		return Observed{}, fmt.Errorf("%w (%s; --missing names marks of missing cells)", err, leaveOut)
	}
	if err := in.hellinger(d, names, x); err != nil {
		return Observed{}, err
	}
	counts, err := in.counts(d, names, x)
	if err != nil {
		return Observed{}, err
	}
	o.setCounts(columns, counts)
	o.X = make([][]float64, len(x))
	for i, row := range x {
		o.X[i] = make([]float64, len(columns))
		for k, j := range values {
			o.X[i][j] = row[k]
		}
	}
	for j, c := range o.Categories {
		if c == nil {
			continue
		}
		for _, group := range transformed(d) {
			if slices.Contains(group.patterns, columns[j]) {
				return Observed{}, spec.Errorf(group.key, "%s: column %s: found a binary or ordinal column, expected numbers", in.Items.Name, hint.Quoted(columns[j]))
			}
		}
		levels, err := c.levels(in.Items, columns[j])
		if err != nil {
			return Observed{}, spec.Errorf(c.key, "%w", err)
		}
		for i, level := range levels {
			o.X[i][j] = level
		}
	}
	if o.Held, err = in.hide(*s, columns, &o); err != nil {
		return Observed{}, err
	}
	if j := o.zeros(limits, values); j >= 0 {
		return Observed{}, spec.Errorf("data.count", "%s: column %s: found only counts of 0, expected a larger one (%s)", in.Items.Name, hint.Quoted(columns[j]), leaveOut)
	}
	if in.openLogs {
		if d.Log, err = in.longTails(d, columns, values, &o, limits); err != nil {
			return Observed{}, err
		}
	}
	for i, row := range x {
		for k, j := range values {
			if row[k] = o.X[i][j]; o.IsCount(j) { // NaN if hidden
				row[k] += countMiddle
			}
		}
	}
	var units dataset.Units
	if units, o.SDRatio, err = in.transform(d, names, x, counts); err != nil {
		return Observed{}, err
	}
	o.Units = slices.Repeat(dataset.Units{dataset.Identity}, len(columns))
	for k, j := range values {
		o.Units[j] = units[k]
		for i, row := range x {
			o.X[i][j] = row[k]
		}
	}
	for _, limit := range limits {
		b, err := o.bound(limit, values[limit.Column])
		if err != nil {
			return Observed{}, fmt.Errorf("%s: %w", in.Items.Where(limit.Item, names[limit.Column]), err)
		}
		o.Bounds = append(o.Bounds, b)
	}
	o.Ordinal = o.ordinal()
	o.Latent, o.MinNoise = o.X, lglfm.MinNoise(o.X)
	o.boundCounts()
	if s.Likelihood.HasWeights() {
		o.raiseNoise(*d.MinNoise)
	}
	for _, c := range o.Held {
		if o.IsCount(c.Variable) {
			continue
		}
		if err := o.Units.Check(c.Variable, c.Value); err != nil {
			return Observed{}, fmt.Errorf("%s: %w", in.Items.Where(c.Item, columns[c.Variable]), err)
		}
	}
	return o, nil
}

// bound returns a limit on column j in the units of X.
func (o *Observed) bound(limit dataset.Interval, j int) (lglfm.Bound, error) {
	if o.IsCount(j) {
		limit = wholeLimit(limit)
	}
	b := lglfm.Bound{Item: limit.Item, Variable: j, Lower: limit.Lower, Upper: limit.Upper}
	for _, end := range []*float64{&b.Lower, &b.Upper} {
		switch {
		case math.IsInf(*end, 0):
			continue
		case o.IsCount(j) && *end <= 0:
			return b, fmt.Errorf("found a limit that all counts meet, or none, expected one between counts, such as <3 or >3")
		case o.Units.Check(j, *end) != nil:
			return b, fmt.Errorf("found the limit %v, expected one above %v to take its log", *end, 0-o.Units.Plus(j))
		}
		if *end = o.Units.Do(j, *end); math.IsInf(*end, 0) {
			return b, fmt.Errorf("found a limit that is too large once centered and scaled")
		}
	}
	return b, nil
}

// transform transforms x, whose columns have the given names and are columns of numbers, some of counts.
func (in *Input) transform(d *spec.Data, columns []string, x [][]float64, counts []string) (units dataset.Units, ratio float64, err error) {
	if len(columns) == 0 {
		for _, group := range transformed(d) {
			if len(group.patterns) > 0 {
				return nil, 0, spec.Errorf(group.key, "found binary and ordinal columns only, expected a column of numbers")
			}
		}
		if d.Scale == nil {
			d.Scale = new(bool)
		}
		return nil, 1, nil
	}
	logs, err := in.selected("data.log", d.Log, columns)
	if err != nil {
		return nil, 0, err
	}
	log1p, err := in.selected("data.log1p", d.Log1p, columns)
	if err != nil {
		return nil, 0, err
	}
	first, err := dataset.Transform{Log: logs, Log1p: log1p, Root: counts}.Fit(columns, x)
	constant := false // all columns
	if err == nil {
		var largest float64
		ratio, largest = spreadOf(x)
		if constant = largest == 0; d.Scale == nil {
			squared := largest > 1e-90 && largest < 1e90     // the likelihood squares what is not scaled
			d.Scale = new(!(ratio <= MaxSDRatio && squared)) // constant columns too, which are then refused
		}
		units, err = dataset.Transform{Center: d.Center, Scale: *d.Scale}.Fit(columns, x)
	}
	if err != nil && constant && len(columns) > 1 {
		return nil, 0, fmt.Errorf("%s: found one value in all rows of each of the %s, expected a column that varies", in.Items.Name, words.Plural(len(columns), "column"))
	}
	if err != nil {
		return nil, 0, fmt.Errorf("%w (%s)", in.located(err), leaveOut)
	}
	return first.Then(units), ratio, nil
}

// located returns an error of a transformation with the file, and the line of a cell.
func (in *Input) located(err error) error {
	var cellError *dataset.CellError
	if errors.As(err, &cellError) {
		return fmt.Errorf("%s: %w", in.Items.Where(cellError.Item, cellError.Column), cellError.Err)
	}
	return fmt.Errorf("%s: %w", in.Items.Name, err)
}

// A setting names columns by patterns.
type setting struct {
	key      spec.Key
	patterns []string
}

// transformed returns the settings that transform columns of numbers.
func transformed(d *spec.Data) []setting {
	return []setting{{"data.log", d.Log}, {"data.log1p", d.Log1p}, {"data.hellinger", d.Hellinger}, {"data.count", d.Count}}
}

// selected returns those of the columns that the patterns of a setting select. Patterns refer to all columns of
// the file: some may not be in X.
func (in *Input) selected(key spec.Key, patterns, columns []string) ([]string, error) {
	if len(patterns) == 0 {
		return nil, nil
	}
	names, err := in.Items.Select(patterns...)
	if err != nil {
		return nil, spec.Errorf(key, "%w", err)
	}
	places := lists.Positions(columns)
	return slices.DeleteFunc(names, func(c string) bool { _, ok := places[c]; return !ok }), nil
}

// strays returns a note for each setting that names columns which are not in X.
func (in *Input) strays(d *spec.Data, columns []string) (notes []string) {
	places := lists.Positions(columns)
	ordinal := setting{"data.ordinal", lists.Map(d.OrdinalColumns(), func(o spec.OrdinalColumn) string { return o.Pattern })}
	for _, group := range append(transformed(d), setting{"data.binary", d.BinaryColumns(nil)}, ordinal) {
		var names []string
		for _, name := range group.patterns {
			if _, ok := places[name]; !ok && slices.Contains(in.Items.Columns, name) {
				names = append(names, hint.Quoted(name))
			}
		}
		if len(names) > 0 {
			notes = append(notes, fmt.Sprintf("--%s has no use for columns that are not in X: %s", strings.TrimPrefix(string(group.key), "data."), words.And(names)))
		}
	}
	return notes
}

// hellinger takes the square roots of shares of rows of x, whose columns of numbers have the given names.
func (in *Input) hellinger(d *spec.Data, names []string, x [][]float64) error {
	selected, err := in.selected("data.hellinger", d.Hellinger, names)
	if err != nil || len(selected) == 0 {
		return err
	}
	places := lists.Positions(names)
	picked := lists.Map(selected, func(name string) int { return places[name] })
	if err := dataset.Hellinger(names, x, picked); err != nil {
		return spec.Errorf("data.hellinger", "%w", in.located(err))
	}
	return nil
}

// spreadOf returns the ratio of the largest and the smallest standard deviation of a column, and the
// largest. Squares of the numbers may exceed the range of a float64.
func spreadOf(x [][]float64) (ratio, largest float64) {
	low, high := math.Inf(1), 0.0
	for _, column := range lists.Observed(x) {
		_, exponent := math.Frexp(floats.Norm(column, math.Inf(1)))
		for i, v := range column {
			column[i] = math.Ldexp(v, -exponent)
		}
		sd := math.Ldexp(stat.StdDev(column, nil), exponent)
		low, high = min(low, sd), max(high, sd)
	}
	if ratio = high / low; low > 0 {
		ratio = min(ratio, math.MaxFloat64) // infinite for a constant column only
	}
	return ratio, high
}
