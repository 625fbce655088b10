package quantity

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"aibd/dataset"
)

var nan = math.NaN()

// sample is X with the columns a, b, "Life Exp", mean, a.b.c and x.2. The nearest items are ties for
// the first item, and there are none for the last.
var sample = [][]float64{
	{1, 2, 0, 5, 3, 1},
	{2, nan, 1, 5, nan, 2},
	{4, 1, 1, 6, 3, 3},
	{nan, 7, 0, 7, 3, 4},
	{-3, 4, 1, 9, 4, 5},
}

func sampleTable() Table {
	return Table{
		Columns: []string{"a", "b", "Life Exp", "mean", "a.b.c", "x.2"},
		Units:   slices.Repeat(dataset.Units{dataset.Identity}, 6),
		Nearest: func() ([][]int, error) { return [][]int{{1, 2}, {0}, {3}, {2}, nil}, nil },
	}
}

func TestValues(t *testing.T) {
	a, life := []float64{1, 2, 4, -3}, []float64{0, 1, 1, 0, 1}
	both := [2][]float64{{1, 4, -3}, {2, 1, 4}} // where a and b are there
	mean := func(x []float64) float64 { return stat.Mean(x, nil) }
	for expression, want := range map[string]float64{
		"1":                             1,
		"-2 ^ 2 + 3 * 4 / 8":            -4 + 1.5,
		"mean(a)":                       mean(a),
		"sd(a)":                         stat.StdDev(a, nil),
		"var(a)":                        stat.Variance(a, nil),
		"min(a) + 10 * max(a)":          37,
		"median(a)":                     1.5,
		"quantile(a, 1/3)":              1,
		"quantile(a, 2)":                nan,
		"sum(a) / count(a)":             1,
		"count(a + b)":                  3,
		"skewness(a)":                   stat.Skew(a, nil),
		"kurtosis(a)":                   stat.ExKurtosis(a, nil),
		"cor(a, b)":                     stat.Correlation(both[0], both[1], nil),
		"cor(a, -3 * a)":                -1,
		`mean(column("Life Exp"))`:      mean(life),
		`mean(column("mean"))`:          6.4,
		"mean(mean)":                    6.4,
		`mean(column('Life Exp'))`:      mean(life),
		"2 ^ 3 ^ 2 - -1":                513,
		"(1 < 2 < 3) + (3 > 2 > 2) * 2": 1,
		"1 - 2 - 3 * -2 / 4 ** .5":      2,
		"not 1 + 1 || 0":                1,
		"mean(a.b.c)":                   3.25,
		`sum(x.2) + max(column("x.2"))`: 20,
		"mean(1 < x.2 <= 4)":            0.6,
		"mean(not (a == 2))":            0.75,
		"split = \n mean(x.2) +\n 1.5":  4.5,
		"mean(a > 1)":                   0.5,
		"mean(a >= 1 and not (a == 2))": 0.5,
		"mean(a < 2 or a > 3)":          0.75,
		"mean(a != 1 && a <= 4)":        0.75,
		"sum((a > 1) * a)":              6,
		"mean(abs(a))":                  2.5,
		"sum(exp(log(a ** 2)))":         30,
		"sd(sqrt(abs(a)))":              stat.StdDev([]float64{1, math.Sqrt2, 2, math.Sqrt(3)}, nil),
		"near(a)":                       stat.Correlation([]float64{1, 2}, []float64{3, 1}, nil),
		`near(column("Life Exp"))`:      stat.Correlation([]float64{0, 1, 1, 0}, []float64{1, 0, 0, 1}, nil),
		"low = quantile(a, 0.1) - quantile(a, 0.1)": 0,
		"1 / 0":                              math.Inf(1),
		"mean(log(a - 10))":                  nan,
		"mean(log(a))":                       nan, // of the cells that are there, one is negative
		"count(log(b - 4))":                  nan,
		"sum(a > log(-1))":                   nan,
		"sum(b / b)":                         4,
		"count(a > min(b) / quantile(a, 2))": nan,
	} {
		q, err := Parse(expression, sampleTable())
		if err != nil {
			t.Error(err)
			continue
		}
		if got := q.Value(sample); math.Abs(got-want) > 1e-12 || math.IsNaN(got) != math.IsNaN(want) {
			t.Errorf("%s: got %v, want %v", expression, got, want)
		}
	}
	// Nothing is there.
	for _, expression := range []string{"mean(a)", "min(a)", "median(a)", "cor(a, b)", "near(a)"} {
		q, err := Parse(expression, sampleTable())
		if err != nil {
			t.Fatal(err)
		}
		gone := []float64{nan, nan, nan, nan, nan}
		if got := q.Value([][]float64{gone, gone, gone, gone, gone}); !math.IsNaN(got) {
			t.Errorf("%s of missing cells: got %v, want NaN", expression, got)
		}
	}
}

// Columns are in the units of the file, to the digit if they have six decimals.
func TestUnits(t *testing.T) {
	raw := [][]float64{{3098, 0.1, 1e-14, -0.3}, {4100.25, 20.7, 3e-14, 0.3}, {6315, 300.123456, -2e-14, 0}, {nan, nan, nan, nan}}
	columns := []string{"a", "b", "c", "d"}
	for _, scale := range []bool{true, false} {
		var x [][]float64
		for _, row := range raw {
			x = append(x, slices.Clone(row))
		}
		logs, err := dataset.Transform{Log: []string{"b"}}.Fit(columns, x)
		if err != nil {
			t.Fatal(err)
		}
		scaled, err := dataset.Transform{Center: scale, Scale: scale}.Fit(columns, x)
		if err != nil {
			t.Fatal(err)
		}
		for expression, want := range map[string]float64{
			"sum(a == 3098) + sum(a == 4100.25) + sum(a == 6315)":   3,
			"sum(b == 0.1) + sum(b == 20.7) + sum(b == 300.123456)": 3,
			"sum(d == -0.3) + sum(d >= 0.3) + sum(d <= 0) + sum(c)": 4 + 2e-14,
			"count(log(a))": 3,
		} {
			q, err := Parse(expression, Table{Columns: columns, Units: logs.Then(scaled)})
			if err != nil {
				t.Fatal(err)
			}
			if got := q.Value(x); math.Abs(got-want) > 1e-15 {
				t.Errorf("%s: got %v, want %v (scaled: %v)", expression, got, want, scale)
			}
		}
		for expression, limits := range map[string][2]float64{ // of what rounding may change
			"mean(a) - 4500":     {4e-10, 5e-10},
			"var(c)":             {1e-41, 1e-39},
			"1e20 * max(c)":      {2e-7, 4e-7},
			"cor(a, b)":          {1e-15, 1e-12},
			"mean(a > 3500)":     {0, 0},
			"mean(log(a - 1e6))": {0, 0}, // undefined
		} {
			q, err := Parse(expression, Table{Columns: columns, Units: logs.Then(scaled)})
			if err != nil {
				t.Fatal(err)
			}
			if got := q.Rounding(x); !(got >= limits[0] && got <= limits[1]) {
				t.Errorf("%s: rounding may change it by %v, want %v to %v (scaled: %v)", expression, got, limits[0], limits[1], scale)
			}
		}
	}
}

func TestNames(t *testing.T) {
	for text, want := range map[string]string{
		" mean(a) ":             "mean(a)",
		"centre = mean(a)":      "centre",
		"low - high=min(a)":     "low - high",
		"größte.1 = max(a)":     "größte.1",
		"mean(a) == 1":          "mean(a) == 1",
		"mean(a) >= 1":          "mean(a) >= 1",
		"same = mean(a) == 1":   "same",
		`sum(column("a") != 1)`: `sum(column("a") != 1)`,
	} {
		if q, err := Parse(text, sampleTable()); err != nil || q.Name != want {
			t.Errorf("%s: name %q, error %v, want %q", text, q.Name, err, want)
		}
	}
}

func TestErrors(t *testing.T) {
	alone := sampleTable()
	alone.Nearest = func() ([][]int, error) { return nil, errors.New("the law ibp has no distances") }
	for text, want := range map[string]string{
		"":                  `character 1: found its end`,
		"mean(a":            `character 6: found its end`,
		"x = mean(a))":      `character 12: found ")"`,
		"a":                 `character 1: found a column, expected a number, such as its mean(...)`,
		"m=mean(a) + b":     `character 11: found a column, expected a number, such as its mean(...)`,
		"mean(lifeexp)":     `character 6: unknown column "lifeexp", did you mean "Life Exp"?`,
		`mean(column("B"))`: `character 13: unknown column "B", did you mean "b"?`,
		"column(a)":         `character 8: found "a", expected a name in quotation marks: column("Life Exp")`,
		"medain(a)":         `character 1: unknown function "medain", did you mean "median"?`,
		"cor(a)":            `character 1: arguments of cor: found 1, expected 2`,
		"sqrt(1, 2)":        `character 1: arguments of sqrt: found 2, expected 1`,
		"mean(3)":           `character 6: found a number in mean, expected a column`,
		"quantile(a, b)":    `character 13: found a column in quantile, expected a number`,
		"mean(a) % 2":       `character 9: found the operator %`,
		"near(a)":           `character 1: near: the law ibp has no distances`,
		`"a"`:               `character 1: found "\"a\""`,
		"a[0]":              `character 2: found "a[0]"`,
		"1e999":             `character 5: invalid float literal: strconv.ParseFloat: parsing "1e999": value out of range`,
		"mean(a.b.2)":       `character 6: unknown column "a.b.2", did you mean "a.b.c"?`,
		"a.b.c c.1":         `character 7: found "c.1"`,
		"mean(not a == 1)":  `character 6: found not before the left side of ==, expected parentheses: not (a == b)`,
		"map(a, # + 1)":     `character 1: found "map(a, # + 1)"`,
		"mean(a) ? 1 : 2":   `character 15: found "mean(a) ? 1 : 2"`,
		"(mean(a":           `character 7: found its end`,
		"(1":                `character 2: found its end`,
		`mean(column("a))`:  `character 17: literal not terminated`,
		"1e+ + 2":           `character 5: invalid float literal: strconv.ParseFloat: parsing "1e+": invalid syntax`,
		"1 < max(a) < b":    `character 12: found a column, expected a number, such as its mean(...)`,
		"ü":                 `character 1: unknown column "ü"`,
		"1 + 'ü' ":          `character 5: found "\"ü\""`,
		"len(a)":            `character 1: unknown function "len"`,
	} {
		if _, err := Parse(text, alone); err == nil || !strings.HasPrefix(err.Error(), strconv.Quote(text)+", "+want) {
			t.Errorf("%s: got %v\nwant %s", text, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"mean(a)", "x = quantile(b, .5) * 2", "near(a) < 1", `column("Life Exp")`, "map(a, #)", "1 in [a]"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if q, err := Parse(text, sampleTable()); err == nil {
			q.Value(sample)
		}
	})
}
