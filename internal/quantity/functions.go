package quantity

import (
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"aibd/internal/lists"
	"aibd/posterior"
	"aibd/predict"
)

type operator = func(a ...float64) float64

// binary holds the operators between two cells.
var binary = map[string]operator{
	"+":   func(a ...float64) float64 { return a[0] + a[1] },
	"-":   func(a ...float64) float64 { return a[0] - a[1] },
	"*":   func(a ...float64) float64 { return a[0] * a[1] },
	"/":   func(a ...float64) float64 { return a[0] / a[1] },
	"^":   func(a ...float64) float64 { return math.Pow(a[0], a[1]) },
	"**":  func(a ...float64) float64 { return math.Pow(a[0], a[1]) },
	"<":   func(a ...float64) float64 { return truth(a[0] < a[1]) },
	"<=":  func(a ...float64) float64 { return truth(a[0] <= a[1]) },
	">":   func(a ...float64) float64 { return truth(a[0] > a[1]) },
	">=":  func(a ...float64) float64 { return truth(a[0] >= a[1]) },
	"==":  func(a ...float64) float64 { return truth(a[0] == a[1]) },
	"!=":  func(a ...float64) float64 { return truth(a[0] != a[1]) },
	"and": both, "&&": both,
	"or": either, "||": either,
}

// unary holds the operators before a cell.
var unary = map[string]operator{
	"+": func(a ...float64) float64 { return a[0] },
	"-": func(a ...float64) float64 { return -a[0] },
	"!": not, "not": not,
}

// cellwise holds the functions of a cell.
var cellwise = map[string]operator{
	"abs":  func(a ...float64) float64 { return math.Abs(a[0]) },
	"sqrt": func(a ...float64) float64 { return math.Sqrt(a[0]) },
	"log":  func(a ...float64) float64 { return math.Log(a[0]) },
	"exp":  func(a ...float64) float64 { return math.Exp(a[0]) },
}

func both(a ...float64) float64   { return truth(a[0] != 0 && a[1] != 0) }
func either(a ...float64) float64 { return truth(a[0] != 0 || a[1] != 0) }
func not(a ...float64) float64    { return truth(a[0] == 0) }

func truth(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}

// function turns columns and numbers into a number.
type function struct {
	arguments []bool // true: a column
	value     func(a ...[]float64) float64
}

// functions holds all functions but near, which needs distances.
var functions = map[string]function{
	"mean":     summary(func(x []float64) float64 { return stat.Mean(x, nil) }),
	"sd":       summary(func(x []float64) float64 { return stat.StdDev(x, nil) }),
	"var":      summary(func(x []float64) float64 { return stat.Variance(x, nil) }),
	"min":      summary(slices.Min[[]float64]),
	"max":      summary(slices.Max[[]float64]),
	"median":   summary(func(x []float64) float64 { return posterior.Quantile(x, 0.5) }),
	"skewness": summary(func(x []float64) float64 { return stat.Skew(x, nil) }),
	"kurtosis": summary(func(x []float64) float64 { return stat.ExKurtosis(x, nil) }),
	"count":    {[]bool{true}, func(a ...[]float64) float64 { return float64(len(present(a[0]))) }},
	"sum":      {[]bool{true}, func(a ...[]float64) float64 { return floats.Sum(present(a[0])) }},
	"quantile": {[]bool{true, false}, func(a ...[]float64) float64 {
		if p := a[1][0]; 0 <= p && p <= 1 {
			return posterior.Quantile(present(a[0]), p)
		}
		return math.NaN()
	}},
	"cor": {[]bool{true, true}, func(a ...[]float64) float64 { return predict.Correlation(a[0], a[1]) }},
}

// functionNames returns the names of all functions.
func functionNames() []string {
	names := append(slices.Collect(maps.Keys(functions)), slices.Collect(maps.Keys(cellwise))...)
	return slices.Sorted(slices.Values(append(names, "near", "column")))
}

// summary returns a function of the cells of a column that are not missing, NaN if all are.
func summary(f func([]float64) float64) function {
	return function{[]bool{true}, func(a ...[]float64) float64 {
		if x := present(a[0]); len(x) > 0 {
			return f(x)
		}
		return math.NaN()
	}}
}

// present returns the cells that are not missing.
func present(x []float64) []float64 { return slices.DeleteFunc(slices.Clone(x), math.IsNaN) }

// neighborMeans returns the mean of a column over the given neighbors of each item, NaN if all are
// missing.
func neighborMeans(x []float64, neighbors [][]int) []float64 {
	means := make([]float64, len(x))
	for i, near := range neighbors {
		values := present(lists.Pick(x, near))
		means[i] = floats.Sum(values) / float64(len(values))
	}
	return means
}
