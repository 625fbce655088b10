package model

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"aibd/internal/hint"
	"aibd/internal/lists"
	"aibd/internal/spec"
)

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

// shape returns the shape of column j and its different numbers in the unit of the file, in ascending order.
func (o *Observed) shape(j int, column []float64) (of shape, values []float64) {
	raw := lists.Of(column, func(x float64) float64 { return o.Units.Undo(j, x) })
	logs := lists.Of(raw, math.Log)
	items, skew, logged := len(raw), stat.Skew(raw, nil), stat.Skew(logs, nil) // NaN if not positive
	zeros := 0
	for _, v := range raw {
		if v == 0 {
			zeros++
		}
	}
	slices.Sort(raw)
	values = slices.Compact(raw)
	n := len(values)
	switch isFew := n > 2 && n <= maxFewValues && items >= perFewValue*n; {
	case n == 2:
		return twoValues, values
	case n > 2 && whole(values) && !o.Units.Log(j) && (skew >= longTail && raw[0] < smallCount || !isFew && float64(zeros) >= manyZeros*float64(items)):
		return countLike, values
	case isFew:
		return fewValues, values
	case !o.Units.Log(j) && skew >= max(longTail, 2*math.Abs(logged)):
		return longTailed, values
	}
	return normal, values
}

// whole reports whether all values may be counts or numbers of categories.
func whole(values []float64) bool {
	return !slices.ContainsFunc(values, func(v float64) bool { return v < 0 || v > maxCount || v != math.Trunc(v) })
}

// shapes returns notes on columns of numbers whose cells look unlike normal ones, or "" in place
// of each: long tails, of columns of positive numbers that are skewed to the right while their
// logarithms are not, few different values, and counts. With few items none has a meaning. A column is in one note.
func shapes(names []string, o Observed, d spec.Data) (tails, values, counts string) {
	var long, few, categories, counted []string
	coded := true // --ordinal takes all of few
	for j, column := range lists.Observed(o.X) {
		if len(o.X) < minAlike || o.Categories[j] != nil || o.IsCount(j) {
			continue
		}
		switch of, different := o.shape(j, column); of {
		case countLike:
			counted = append(counted, names[j])
		case fewValues:
			few, categories = append(few, fmt.Sprintf("%s (%d)", names[j], len(different))), append(categories, names[j])
			coded = coded && whole(different)
		case longTailed:
			long = append(long, names[j])
		}
	}
	if counted != nil {
		counts = fmt.Sprintf("whole numbers with many zeros or a long tail: %s; features may fit the zeros (%s takes counts)", hint.Listed(counted, 3), cmp.Or(flag("count", d.Count, counted, names), "--count"))
	}
	if long != nil {
		tails = fmt.Sprintf("long tails to the right: %s; few items may decide the features (%s takes logarithms)", hint.Listed(long, 3), cmp.Or(flag("log", d.Log, long, names), "--log"))
	}
	if few != nil {
		take := "--binary and --ordinal take categories"
		if named := flag("ordinal", d.Ordinal, categories, names); coded && named != "" {
			take = named + " takes categories"
		}
		values = fmt.Sprintf("few different values: %s; features may fit them exactly (%s)", hint.Listed(few, 3), take)
	}
	return tails, values, counts
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
	for j, column := range lists.Observed(o.X) {
		if o.Categories[j] == nil {
			numbers++
		}
		if o.Categories[j] != nil || o.IsCount(j) || o.Units.Log(j) || o.Units.Named(j, "") != "" {
			continue
		}
		of, values := o.shape(j, column)
		switch {
		case of == twoValues && !must(j), of == normal && !must(j), of == longTailed && !must(j):
			continue
		case of != twoValues && !whole(values):
			if must(j) {
				return ""
			}
			continue
		case of == normal, of == longTailed:
			of = fewValues // of more, or of few items
		}
		columns[of] = append(columns[of], names[j])
	}
	var flags []string
	for _, of := range []struct {
		shape
		name  string
		given []string
	}{{countLike, "count", d.Count}, {fewValues, "ordinal", d.Ordinal}, {twoValues, "binary", d.Binary}} {
		if columns[of.shape] == nil {
			continue
		}
		text := flag(of.name, of.given, columns[of.shape], names)
		if text == "" {
			return ""
		}
		flags = append(flags, text)
	}
	if len(columns[fewValues])+len(columns[twoValues]) == numbers { // categories do not tell the scale of their noise
		flags = append(flags, "--set data.noise=common --set prior.sigma_x.value=1 --set prior.sigma_x.fixed=true")
	}
	return strings.Join(flags, " ")
}
