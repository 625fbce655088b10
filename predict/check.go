package predict

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"

	"aibd/draws"
	"aibd/lglfm"
	"aibd/posterior"
)

// Replicate draws the signal, Z A plus any intercept, given the observed cells of X, Z and the
// scales of a draw, and a replicate of X with the same signal, new noise and the same unknown
// cells; both are N by D. x is X, and data is made of it. Replicate returns the error of data.Check.
func Replicate(data *lglfm.Data, x [][]float64, d *draws.Draw, rng *rand.Rand) (signal, replicate [][]float64, err error) {
	// With loadings A* and X* = Z A* + E* from the prior, A* + B(X - X*) has the law of A
	// given X, where B(Y) is the mean of the loadings given the observed cells of Y. So it is for [1 Z]: with a
	// flat prior of the intercept its value in X* drops out, and is 0 here.
	n, vars := data.N(), data.D()
	loadings := make([][]float64, d.Z.K())
	for k := range loadings {
		loadings[k] = normals(rng, vars, d.SigmaA)
	}
	difference := make([][]float64, n) // X - X*
	signal, replicate = make([][]float64, n), make([][]float64, n)
	for i, row := range x {
		signal[i] = make([]float64, vars)
		for k, a := range loadings {
			if d.Z.Has(i, k) {
				for v := range a {
					signal[i][v] += a[v]
				}
			}
		}
		difference[i] = normals(rng, vars, d.SigmaX)
		for v, e := range difference[i] {
			difference[i][v] = row[v] - signal[i][v] - e
		}
	}
	l := lglfm.NewLoadings(data, difference)
	if err := l.ResetDraw(d); err != nil {
		return nil, nil, err
	}
	fitted := make([]float64, vars)
	for i := range x {
		replicate[i] = normals(rng, vars, d.SigmaX)
		l.Fitted(i, fitted)
		for v, f := range fitted {
			signal[i][v] += f
			if replicate[i][v] += signal[i][v]; math.IsNaN(x[i][v]) {
				replicate[i][v] = math.NaN()
			}
		}
	}
	return signal, replicate, nil
}

func normals(rng *rand.Rand, n int, sd float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = sd * rng.NormFloat64()
	}
	return x
}

// Check compares a test quantity of X with replicates of X.
type Check struct {
	// Of holds the columns of the quantity, or the items.
	Of []int
	// Observed is the quantity of X; its mean over draws if it depends on the draw.
	Observed float64
	Q5, Q95  float64 // of the replicates
	// P is the posterior predictive p-value, the share of draws in which the quantity of the
	// replicate exceeds that of X, equal ones counted half. A value near 0 or 1 shows a
	// misfit; others do not prove a fit.
	P float64
}

// Checks holds the checks of one kind.
type Checks struct {
	Name   string
	Checks []Check
}

// NewChecks draws a replicate of X for each draw, see Replicate, and compares means,
// standard deviations, minima and maxima of columns, correlations of pairs of columns, and
// the mean square of the residuals of each item in units of SigmaX. Only observed cells count,
// in the replicates too. Correlations of constant columns are left out.
//
// Source: Gelman, Meng and Stern (1996), Posterior predictive assessment of model fitness via
// realized discrepancies, Statistica Sinica 6, 733-807.
func NewChecks(data *lglfm.Data, x [][]float64, from []*draws.Draw, rng *rand.Rand) ([]Checks, error) {
	kinds := []*kind{
		{name: "mean", of: columns(func(x []float64) float64 { return stat.Mean(x, nil) })},
		{name: "sd", of: columns(func(x []float64) float64 { return stat.StdDev(x, nil) })},
		{name: "minimum", of: columns(slices.Min[[]float64])},
		{name: "maximum", of: columns(slices.Max[[]float64])},
		{name: "correlation", of: correlations},
		{name: "item residuals", of: residualSquares, realized: true},
	}
	for t, d := range from {
		signal, replicate, err := Replicate(data, x, d, rng)
		if err != nil {
			return nil, fmt.Errorf("draw %d: %w", t+1, err)
		}
		for _, k := range kinds {
			if t == 0 || k.realized {
				k.observed = append(k.observed, k.of(x, signal, d.SigmaX))
			}
			k.replicated = append(k.replicated, k.of(replicate, signal, d.SigmaX))
		}
	}
	var all []Checks
	for _, k := range kinds {
		all = append(all, Checks{k.name, k.checks(data.D())})
	}
	return all, nil
}

// kind is a kind of test quantity.
type kind struct {
	name                 string
	of                   func(x, signal [][]float64, sigmaX float64) []float64
	realized             bool        // depends on the draw, not on X alone
	observed, replicated [][]float64 // by draw; observed once unless realized
}

// checks returns the checks of all quantities.
func (k *kind) checks(variables int) (all []Check) {
	for q := range k.observed[0] {
		c := Check{Of: []int{q}}
		if k.name == "correlation" {
			c.Of = pairOf(q, variables)
		}
		replicated := make([]float64, len(k.replicated))
		for t := range replicated {
			replicated[t] = k.replicated[t][q]
			observed := k.observed[min(t, len(k.observed)-1)][q]
			c.Observed += observed / float64(len(replicated))
			switch {
			case replicated[t] > observed:
				c.P++
			case replicated[t] == observed:
				c.P += 0.5
			}
		}
		if math.IsNaN(c.Observed) { // a correlation of a constant column, an item without observed cells
			continue
		}
		c.P /= float64(len(replicated))
		c.Q5, c.Q95 = posterior.Quantile(replicated, 0.05), posterior.Quantile(replicated, 0.95)
		all = append(all, c)
	}
	return all
}

// columns applies a function to each column.
func columns(of func(x []float64) float64) func(x, signal [][]float64, sigmaX float64) []float64 {
	return func(x, _ [][]float64, _ float64) (values []float64) {
		for _, column := range turned(x) {
			values = append(values, of(slices.DeleteFunc(column, math.IsNaN)))
		}
		return values
	}
}

// turned returns the columns of x.
func turned(x [][]float64) [][]float64 {
	columns := make([][]float64, len(x[0]))
	for v := range columns {
		for _, row := range x {
			columns[v] = append(columns[v], row[v])
		}
	}
	return columns
}

// correlations returns those of columns a < b: (0, 1), (0, 2), (1, 2), (0, 3) and so on.
func correlations(x, _ [][]float64, _ float64) (values []float64) {
	columns := turned(x)
	for b := range columns {
		for a := range b {
			var first, second []float64 // where both are observed
			for i, v := range columns[a] {
				if w := columns[b][i]; !math.IsNaN(v) && !math.IsNaN(w) {
					first, second = append(first, v), append(second, w)
				}
			}
			values = append(values, stat.Correlation(first, second, nil))
		}
	}
	return values
}

// pairOf returns the columns of correlation q.
func pairOf(q, variables int) []int {
	for b := range variables {
		if q < b {
			return []int{q, b}
		}
		q -= b
	}
	panic("predict: no such pair of columns")
}

// residualSquares returns the mean square of the residuals of each item, NaN for an item
// without observed cells.
func residualSquares(x, signal [][]float64, sigmaX float64) (values []float64) {
	for i, row := range x {
		sum, observed := 0.0, 0
		for v, value := range row {
			if e := (value - signal[i][v]) / sigmaX; !math.IsNaN(e) {
				sum += e * e
				observed++
			}
		}
		values = append(values, sum/float64(observed))
	}
	return values
}
