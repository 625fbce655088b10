package model

// Notes on columns of X that spoil a fit.

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"aibd/internal/hint"
	"aibd/internal/lists"
	"aibd/internal/spec"
	"aibd/internal/words"
	"aibd/lglfm"
)

// A rule is what is looked for in X, and what is said of it.
type rule struct {
	find func(t *noted) []string
	says string                                  // of what was found, which is %s
	try  func(t *noted, columns []string) string // what to do about it
}

// rules are all rules, in the order of their notes.
var rules = []rule{
	{(*noted).long, "a long table, in which each pair of %s has one row; X needs a row for each item and a column for each variable", pivoting},
	{func(t *noted) []string { return t.equalPairs }, "linear functions of each other: %s; each counts as data", leavingSomeOut},
	{(*noted).dependent, "linear functions of other columns, up to rounding: %s; features may fit them exactly", leavingSomeOut},
	{func(t *noted) []string { return t.similarPairs }, fmt.Sprintf("correlations above %v: %%s; features of such columns may hide those of others", nearlyLinear), leavingSomeOut},
	{(*noted).marks, "numbers far from the others, which may stand for missing cells: %s", markingMissing},
	{namesOf((*noted).isCode), "whole numbers that number rows or blocks of rows are data and may be codes: %s", leavingThemOut},
	{namesOf((*noted).isLong), "numbers beyond 2^53 lose digits and look like identifiers: %s", leavingThemOut},
	{namesOf(func(t *noted, j int) bool { return t.shapes[j] == longTailed }), "long tails to the right: %s; few items may decide the features", takingLogs},
	{namesOf(func(t *noted, j int) bool { return t.shapes[j] == fewValues }), "few different values: %s; features may fit them exactly", takingCategories},
	{namesOf(func(t *noted, j int) bool { return t.shapes[j] == countLike }), "whole numbers with many zeros or a long tail: %s; features may fit the zeros", takingCounts},
	{(*noted).depth, "sums of counts that differ much from row to row: %s; features may be of sampling depth", takingShares},
}

// noted is X as rules look at it.
type noted struct {
	in                       *Input
	spec                     spec.Data
	columns                  []string
	seen                     *Observed
	shapes                   []shape     // by column; normal, if the column holds categories or counts, and with few items
	values                   [][]float64 // of columns with a shape, see Observed.shapes
	names                    []string    // of the columns of numbers, without counts and categories
	x                        [][]float64 // those columns
	equalPairs, similarPairs []string    // pairs of names, see collinear
}

// notes returns the notes of all rules that find something.
func (in *Input) notes(d spec.Data, columns []string, seen *Observed) (notes []string) {
	t := noted{in: in, spec: d, columns: columns, seen: seen}
	t.shapes, t.values = seen.shapes()
	var indices []int
	for j := range columns {
		if seen.Categories[j] == nil && !seen.IsCount(j) {
			indices = append(indices, j)
		}
	}
	t.names, t.x = lists.Pick(columns, indices), lists.Map(seen.X, func(row []float64) []float64 { return lists.Pick(row, indices) })
	t.equalPairs, t.similarPairs = collinear(t.names, t.x)
	for _, r := range rules {
		if columns := r.find(&t); columns != nil {
			notes = append(notes, fmt.Sprintf(r.says+" (%s)", hint.Listed(columns, 3), r.try(&t, columns)))
		}
	}
	return notes
}

func leavingSomeOut(*noted, []string) string { return leaveOut }

func leavingThemOut(_ *noted, columns []string) string { return leavingOut(columns) }

func markingMissing(_ *noted, columns []string) string {
	return "--missing " + strings.Join(lists.Map(columns, func(f string) string { mark, _, _ := strings.Cut(f, " in "); return mark }), ",")
}

func takingLogs(t *noted, columns []string) string {
	return cmp.Or(flag("log", t.spec.Log, columns, t.columns), "--log") + " takes logarithms"
}

func takingCounts(t *noted, columns []string) string {
	return cmp.Or(flag("count", t.spec.Count, columns, t.columns), "--count") + " takes counts"
}

func takingCategories(t *noted, columns []string) string {
	named := flag("ordinal", t.spec.Ordinal, columns, t.columns)
	if named == "" || slices.ContainsFunc(columns, func(name string) bool { return !whole(t.values[slices.Index(t.columns, name)]) }) {
		return "--binary and --ordinal take categories"
	}
	return named + " takes categories"
}

func pivoting(*noted, []string) string {
	return "R's reshape with direction = \"wide\" and pandas' pivot make it"
}

func takingShares(t *noted, columns []string) string {
	_, ratio := t.sums()
	return fmt.Sprintf("they differ by a factor of %.3g; ", ratio) + cmp.Or(flag("hellinger", t.spec.Hellinger, columns, t.columns), "--hellinger") + " in place of --count takes shares of rows"
}

// namesOf returns a function that finds the columns of numbers for which matches is true.
func namesOf(matches func(t *noted, j int) bool) func(t *noted) []string {
	return func(t *noted) (columns []string) {
		for j, name := range t.columns {
			if t.seen.Categories[j] == nil && matches(t, j) {
				columns = append(columns, name)
			}
		}
		return columns
	}
}

// The correlation from which two columns say nearly the same, and the numbers of columns whose pairs are compared and
// of cells of pairs that are compared first.
const (
	nearlyLinear = 0.99
	maxPaired    = 3000
	maxScreened  = 20_000_000
)

// collinear returns the pairs of columns of x that are linear functions of each other, and those that nearly are. It
// compares the items that have both columns, at least minAlike. If there are many pairs, it compares some of the items
// first, and all items of the pairs that then look alike.
func collinear(names []string, x [][]float64) (equalPairs, similarPairs []string) {
	if len(names) < 2 || len(names) > maxPaired {
		return nil, nil
	}
	columns := lists.Transposed(x)
	var a, b []float64
	correlation := func(first, second []float64, step int) float64 {
		a, b = a[:0], b[:0]
		for i := 0; i < len(first); i += step {
			if !math.IsNaN(first[i] + second[i]) {
				a, b = append(a, first[i]), append(b, second[i])
			}
		}
		if len(a) < minAlike {
			return 0
		}
		return math.Abs(stat.Correlation(a, b, nil)) // NaN of a constant column
	}
	pairs := len(names) * (len(names) - 1) / 2
	step := max(1, len(x)/max(50, maxScreened/pairs))
	for j := range names {
		for k := range j {
			r := correlation(columns[k], columns[j], step)
			if step > 1 && r > 0.9 {
				r = correlation(columns[k], columns[j], 1)
			}
			switch {
			case r > 1-1e-12:
				equalPairs = append(equalPairs, names[k]+" and "+names[j])
			case r > nearlyLinear:
				similarPairs = append(similarPairs, names[k]+" and "+names[j])
			}
		}
	}
	return equalPairs, similarPairs
}

// minInflation is the least ratio of the variance of a column to that which other columns leave, at which the column is
// a function of them. Columns of few values leave less than their unit at small ratios. From exactInflation on, a
// column is a function of others whatever its unit.
const (
	minInflation   = 100
	exactInflation = 1e8
)

// dependent returns the columns that are linear functions of several others up to the unit in which they are
// recorded, such as a total and its parts, unless pairs are. There must be twice as many items without unknown cells
// as columns.
func (t *noted) dependent() (columns []string) {
	n, d := 0, len(t.names)
	for _, row := range t.x {
		if !slices.ContainsFunc(row, math.IsNaN) {
			n++
		}
	}
	if t.equalPairs != nil || d < 3 || n < 2*d+minAlike {
		return nil
	}
	residual, units := lglfm.Unexplained(t.x), lglfm.MinNoise(t.x)
	for j, column := range lists.Observed(t.x) {
		inflation := stat.PopVariance(column, nil) / (residual[j] * residual[j])
		if unit := units[j] * math.Sqrt(2*math.Pi); residual[j] > 0 && (residual[j] < unit/2 && inflation > minInflation || inflation > exactInflation) {
			columns = append(columns, t.names[j])
		}
	}
	return columns
}

// marks returns the numbers 7, 8 or 9 repeated, such as -9 and 9999, that are far outside the other values of their
// column, with the columns.
func (t *noted) marks() []string {
	columns := map[string][]string{} // by mark
	for j, name := range t.columns {
		if t.seen.Categories[j] != nil {
			continue
		}
		low, high, marks := math.Inf(1), math.Inf(-1), map[float64]bool{}
		for _, row := range t.seen.X {
			v := t.seen.Units.Undo(j, row[j])
			if isMark(v) {
				marks[v] = true
			} else if !math.IsNaN(v) {
				low, high = min(low, v), max(high, v)
			}
		}
		for v := range marks {
			if outside := max(low-v, v-high); low < high && (outside >= high-low || v < 0 && low >= 0) {
				columns[words.Exact(v)] = append(columns[words.Exact(v)], name)
			}
		}
	}
	return lists.Map(slices.Sorted(maps.Keys(columns)), func(mark string) string { return mark + " in " + hint.Listed(columns[mark], 3) })
}

// isMark reports whether a number is 7, 8 or 9 repeated: negative, or of two digits at least.
func isMark(v float64) bool {
	if v != math.Trunc(v) || math.Abs(v) >= 1e9 {
		return false
	}
	digits, negative := strings.CutPrefix(words.Exact(v), "-")
	return strings.Contains("789", digits[:1]) && strings.Trim(digits, digits[:1]) == "" && (negative || len(digits) > 1)
}

// isCode reports whether a column looks like codes rather than measurements.
func (t *noted) isCode(j int) bool {
	var values []float64
	for _, row := range t.seen.X {
		whole := math.Round(t.seen.Units.Undo(j, row[j]))
		if t.seen.Units.Do(j, whole) != row[j] {
			return false
		}
		values = append(values, whole)
	}
	return len(values) >= 2*minAlike && areCodes(values)
}

// areCodes reports whether whole numbers, in the order of the rows, look like codes: consecutive ones, each in one row
// or at least three of them, each in one block of rows; those of blocks of one length; those that repeat row by row in
// the same order; or numbers that mostly count from row to row.
func areCodes(values []float64) bool {
	n := len(values)
	starts := []int{} // of blocks of equal numbers
	steps := 0
	for i, v := range values {
		if i == 0 || v != values[i-1] {
			starts = append(starts, i)
		}
		if i > 0 && v == values[i-1]+1 {
			steps++
		}
	}
	sorted := slices.Compact(slices.Sorted(slices.Values(values)))
	different := len(sorted)
	consecutive := sorted[different-1]-sorted[0] == float64(different-1)
	if consecutive && (different == n || 10*steps >= 9*(n-1)) { // such as days of months
		return true
	}
	if different < 3 || 2*different > n {
		return false
	}
	repeats, equal := true, true
	for i, v := range values {
		repeats = repeats && v == values[i%different]
	}
	for b, start := range starts {
		equal = equal && start == b*starts[min(1, len(starts)-1)]
	}
	return repeats || len(starts) == different && (consecutive || equal && n%different == 0)
}

// isLong reports whether the numbers of a column have more digits than a float64 keeps. Numbers written with a power
// of ten have fewer.
func (t *noted) isLong(j int) bool {
	if t.seen.IsCount(j) || slices.ContainsFunc(t.seen.X, func(row []float64) bool { return t.seen.Units.Undo(j, row[j]) < 1<<53 }) {
		return false
	}
	cells, _ := t.in.Items.Strings(t.columns[j]) // it is a column
	return slices.ContainsFunc(cells, func(cell string) bool {
		digits, _, _ := strings.Cut(cell, "e")
		return len(digits) > len("9.00719925474099")
	})
}

// long returns the names of two columns of labels, which may be whole numbers, of a table with one other column of
// numbers, if each pair of labels has at most one row and at least half of the pairs have one.
func (t *noted) long() []string {
	n := t.in.Items.N()
	if n < 2*minAlike || len(t.columns) > 3 {
		return nil
	}
	for _, d := range t.in.Spec.Distances() {
		if len(d.Columns) > 0 { // the rows are meant
			return nil
		}
	}
	var candidates []string
	var codes [][]float64
	var kinds []int
	for _, column := range t.in.Items.Columns {
		cells, _ := t.in.Items.Strings(column) // it is a column
		code := coded(cells)
		if k := 1 + int(slices.Max(code)); k > 1 && 2*k <= n && (!slices.Contains(t.columns, column) || t.isWhole(column)) {
			candidates, codes, kinds = append(candidates, column), append(codes, code), append(kinds, k)
		}
	}
	for b := range candidates {
		for a := range b {
			count := 0
			for _, column := range t.columns {
				if column != candidates[a] && column != candidates[b] {
					count++
				}
			}
			if count != 1 || kinds[a]*kinds[b] > 2*n {
				continue
			}
			pairs := map[[2]float64]bool{}
			for i := range n {
				pairs[[2]float64{codes[a][i], codes[b][i]}] = true
			}
			if len(pairs) == n {
				return []string{candidates[a] + " and " + candidates[b]}
			}
		}
	}
	return nil
}

// isWhole reports whether a column of X holds whole numbers in the unit of the file.
func (t *noted) isWhole(column string) bool {
	values, err := t.in.Items.Float(column)
	return err == nil && whole(values)
}

// depth returns the columns of counts, at least three, if their sums differ from row to row by a factor of
// minDepthRatio or more, beyond the chance of counting.
func (t *noted) depth() (columns []string) {
	for j, column := range t.columns {
		if t.seen.IsCount(j) {
			columns = append(columns, column)
		}
	}
	if len(columns) < 3 {
		return nil
	}
	if least, _ := t.sums(); least < minDepthRatio {
		return nil
	}
	return columns
}

// minDepthRatio is the least ratio of sums of counts that has a note.
const minDepthRatio = 5

// sums returns the ratio of the largest to the smallest sum of counts of a row above 0, and the least ratio that
// remains if both are off by two standard deviations of counts. Sums of rows with unknown cells are scaled up.
func (t *noted) sums() (least, ratio float64) {
	low, high := math.Inf(1), 0.0
	for _, row := range t.seen.Latent {
		sum, observed, count := 0.0, 0.0, 0.0
		for j := range t.columns {
			if !t.seen.IsCount(j) {
				continue
			}
			if count++; !math.IsNaN(row[j]) {
				sum, observed = sum+t.seen.Count(j, row[j]), observed+1
			}
		}
		if sum > 0 {
			low, high = min(low, sum*count/observed), max(high, sum*count/observed)
		}
	}
	return (high - 2*math.Sqrt(high)) / (low + 2*math.Sqrt(low) + 1), high / low
}

// A column of numbers has few values if it has at most maxFewValues different ones, and at least
// perFewValue items for each.
const (
	maxFewValues = 5
	perFewValue  = 5
)

// Columns of numbers look like counts if they hold whole numbers from 0 on with many zeros, at least this share, or
// with a skewness of at least longTail and a number below smallCount: the logarithms of larger ones are as good.
const (
	manyZeros  = 0.25
	longTail   = 2
	smallCount = 10
)

// A shape says how the cells of a column of numbers look unlike normal ones.
type shape int

const (
	normal    shape = iota
	twoValues       // named by fillBinary
	fewValues
	countLike
	longTailed
)

// Columns that look alike have one shape. A questionnaire is at least minQuestions columns of whole numbers that have at
// most maxLevels different values together, none below 1, or at least half of them have the least and the largest.
// Abundances are whole numbers with one below smallCount in at least half of the columns of numbers, if at least
// minQuestions and half of them look like counts, or are few different values with many zeros.
const (
	minQuestions = 5
	maxLevels    = 10
)

// shapes returns the shapes of the columns and their different numbers in the unit of the file, in ascending order: normal
// and nil for columns that hold categories or counts, and with few items.
func (o *Observed) shapes() (shapes []shape, values [][]float64) {
	shapes, values = make([]shape, len(o.Units)), make([][]float64, len(o.Units))
	if len(o.X) < minAlike {
		return shapes, values
	}
	numbers, like := 0, 0 // columns of numbers, and those that look like counts
	var small, rated []int
	for j, column := range lists.Observed(o.X) {
		if o.Categories[j] != nil || o.IsCount(j) {
			continue
		}
		numbers++
		var zeros bool
		if shapes[j], zeros, values[j] = o.shape(j, column); o.Units.Curve(j) != "" || len(values[j]) < 2 || !whole(values[j]) {
			continue
		}
		if shapes[j] == countLike || shapes[j] == fewValues && zeros {
			like++
		}
		if values[j][0] < smallCount {
			small = append(small, j)
		}
		if n := len(values[j]); n > 2 && n <= maxLevels {
			rated = append(rated, j)
		}
	}
	switch {
	case len(rated) >= minQuestions && o.questions(lists.Pick(values, rated)):
		for _, j := range rated {
			shapes[j] = fewValues
		}
	case like >= minQuestions && 2*like >= len(small) && 2*len(small) >= numbers:
		for _, j := range small {
			shapes[j] = countLike
		}
	}
	return shapes, values
}

// questions reports whether columns with the given values are a questionnaire.
func (o *Observed) questions(values [][]float64) bool {
	levels := slices.Compact(slices.Sorted(slices.Values(slices.Concat(values...))))
	ends := 0
	for _, column := range values {
		if column[0] == levels[0] && column[len(column)-1] == levels[len(levels)-1] {
			ends++
		}
	}
	return len(levels) <= maxLevels && len(o.X) >= perFewValue*len(levels) && (levels[0] >= 1 || 2*ends >= len(values))
}

// shape returns the shape of column j alone, whether its numbers are frequently 0, and the different ones in the unit of the
// file, in ascending order.
func (o *Observed) shape(j int, column []float64) (s shape, frequent bool, values []float64) {
	raw := lists.Map(column, func(x float64) float64 { return o.Units.Undo(j, x) })
	logs := lists.Map(raw, math.Log)
	items, skew, logged := len(raw), stat.Skew(raw, nil), stat.Skew(logs, nil) // NaN if not positive
	zeros := 0
	for _, v := range raw {
		if v == 0 {
			zeros++
		}
	}
	frequent = float64(zeros) >= manyZeros*float64(items)
	slices.Sort(raw)
	values = slices.Compact(raw)
	n := len(values)
	switch isFew := n > 2 && n <= maxFewValues && items >= perFewValue*n; {
	case n == 2:
		s = twoValues
	case n > 2 && whole(values) && !o.Units.Log(j) && (skew >= longTail && raw[0] < smallCount || !isFew && frequent):
		s = countLike
	case isFew:
		s = fewValues
	case !o.Units.Log(j) && skew >= max(longTail, 2*math.Abs(logged)):
		s = longTailed
	}
	return s, frequent, values
}

// whole reports whether all values may be counts or numbers of categories.
func whole(values []float64) bool {
	return !slices.ContainsFunc(values, func(v float64) bool { return v < 0 || v > maxCount || v != math.Trunc(v) })
}

// maxFlag is the max number of characters of a flag with names.
const maxFlag = 1000

// flag returns a flag of aibd fit that names columns in addition to given ones, or "" if that is too long or a name
// would mean several columns. all are the columns of X.
func flag(name string, given, columns, all []string) string {
	if strings.ContainsAny(strings.Join(columns, ""), `,='"*?[\`) {
		return ""
	}
	given = slices.DeleteFunc(slices.Clone(given), func(c string) bool { return c == spec.NoBinary || c == spec.AutoBinary })
	text := fmt.Sprintf("--%s '%s'", name, strings.Join(slices.Concat(given, patterns(columns, all)), ","))
	if len(text) > maxFlag || strings.ContainsAny(strings.Join(given, ""), `'\`) {
		return ""
	}
	return text
}

// Switch returns the flags of aibd fit that take columns of few values as categories, those of whole numbers with
// many zeros or a long tail as counts, and the given ones as what they may be. It returns "" if there are none, or no
// flag does. Flags replace what a spec says, so that they repeat it.
func (o *Observed) Switch(d spec.Data, names []string, must func(j int) bool) string {
	columns, numbers := map[shape][]string{}, 0
	shapes, all := o.shapes()
	for j := range names {
		if o.Categories[j] == nil {
			numbers++
		}
		if o.Categories[j] != nil || o.IsCount(j) || o.Units.Log(j) || o.Units.Named(j, "") != "" {
			continue
		}
		s, values := shapes[j], all[j]
		switch {
		case s == twoValues && !must(j), s == normal && !must(j), s == longTailed && !must(j):
			continue
		case s != twoValues && !whole(values):
			if must(j) {
				return ""
			}
			continue
		case s == normal, s == longTailed:
			s = fewValues // of more, or of few items
		}
		columns[s] = append(columns[s], names[j])
	}
	var flags []string
	for _, s := range []struct {
		shape
		name  string
		given []string
	}{{countLike, "count", d.Count}, {fewValues, "ordinal", d.Ordinal}, {twoValues, "binary", d.Binary}} {
		if columns[s.shape] == nil {
			continue
		}
		text := flag(s.name, s.given, columns[s.shape], names)
		if text == "" {
			return ""
		}
		flags = append(flags, text)
	}
	if len(columns[fewValues])+len(columns[twoValues]) == numbers { // categories do not determine the scale of their noise
		flags = append(flags, "--set data.noise=common --set prior.sigma_x.value=1 --set prior.sigma_x.fixed=true")
	}
	return strings.Join(flags, " ")
}
