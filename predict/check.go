package predict

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"aibd/draws"
	"aibd/internal/lists"
	"aibd/lglfm"
	"aibd/posterior"
)

// A Quantity is a test quantity of the user's choice: a function of the rows of X, in which missing
// cells are NaN.
type Quantity struct {
	Name  string
	Value func(x [][]float64) float64
	// Rounding returns by how much rounding may change Of at x. If it is nil, that is 1e-13 times the
	// largest absolute value in x.
	Rounding func(x [][]float64) float64
}

// Check compares a test quantity of X with replicates of X.
type Check struct {
	// Indices holds the columns or the item of the quantity; for a Quantity, its index.
	Indices []int
	// Distance is the name of the Near of NearResiduals.
	Distance string
	// Observed is the quantity of X; its mean over draws if it depends on the draw.
	Observed float64
	Q5, Q95  float64 // of the replicates
	// P is the predictive p-value, the share of draws in which the quantity of the replicate exceeds
	// that of X. Quantities that are equal up to rounding count half. A value near 0 or 1 shows a
	// misfit; others do not prove a fit.
	P float64
	// Undefined is the number of replicates whose quantity is not finite. They do not count. Q5, Q95
	// and P are NaN if all are.
	Undefined int
}

// Checks holds the checks of one kind.
type Checks struct {
	Name   string
	Checks []Check
	// P is the probability that a replicate stands out from the others as much as X does: the lesser of the
	// shares with a quantity as far out, and with as many of extreme ranks, times two. Under the prior it is at
	// most p in a share p of tables. Under the posterior X stands out less than a replicate.
	P float64
}

// ExtremeP is the p below which, and above 1 less which, a check is extreme.
const ExtremeP = 0.01

// Names of kinds of checks. Of is a pair of columns for correlations, an item for residuals, and a column for
// the kinds before them. Moran's I is the correlation of the residuals of near items in a column.
const (
	Means          = "mean"
	SDs            = "sd"
	Minima         = "minimum"
	Maxima         = "maximum"
	Zeros          = "share of zeros"
	Dispersions    = "variance over mean"
	Correlations   = "correlation"
	ItemResiduals  = "item residuals"
	NearResiduals  = "Moran's I of residuals"
	YourQuantities = "your quantity"
)

// Checker compares X with replicates: means, standard deviations, minima and maxima of columns,
// correlations of pairs of columns, or of 10,000 evenly spaced ones if there are more, the share of zeros and the variance over the mean of columns of counts,
// the mean square of the residuals of each item in units of the noise, Moran's I of the residuals of each column, and Quantities. Missing cells of X are
// left out of X and of the replicates. Binary and ordinal cells have the number of their category, from zero,
// and cells beyond a limit have the limit. The residuals of these cells and of counts are residuals of the latent
// values. Correlations of constant columns are left out.
//
// Under the prior it leaves out residuals, as loadings are then independent of X, and with an
// intercept the means, which replicates share with X.
//
// Source: Gelman, Meng and Stern (1996), Posterior predictive assessment of model fitness via
// realized discrepancies, Statistica Sinica 6, 733-807; under the prior Box (1980), Sampling and
// Bayes' inference in scientific modelling and robustness, JRSS A 143, 383-430; Moran (1950), Notes on continuous
// stochastic phenomena, Biometrika 37, 17-23.
type Checker struct {
	replicator *Replicator
	quantities []Quantity
	observed   [][]float64 // X with categories and limits
	kinds      []*kind
	pairs      [][]int // of columns, that have correlations
}

// NewChecker returns a Checker without replicates.
func NewChecker(r *Replicator, quantities ...Quantity) *Checker {
	c := &Checker{replicator: r, quantities: quantities, pairs: pairsOf(r.data.D())}
	if !r.Prior || !r.data.Intercept() {
		c.kinds = append(c.kinds, &kind{name: Means, values: columns(func(x []float64) float64 { return stat.Mean(x, nil) })})
	}
	c.kinds = append(c.kinds,
		&kind{name: SDs, values: columns(func(x []float64) float64 { return stat.StdDev(x, nil) })},
		&kind{name: Minima, values: columns(slices.Min[[]float64])},
		&kind{name: Maxima, values: columns(slices.Max[[]float64])},
		&kind{name: Correlations, values: c.correlations})
	if r.Counts != nil {
		c.kinds = append(c.kinds,
			&kind{name: Zeros, values: r.ofCounts(zeros)},
			&kind{name: Dispersions, values: r.ofCounts(func(x []float64) float64 {
				mean, variance := stat.MeanVariance(x, nil)
				return variance / mean
			})})
	}
	if !r.Prior {
		c.kinds = append(c.kinds, &kind{name: ItemResiduals, values: residualSquares, realized: true})
		if len(r.Near) > 0 {
			c.kinds = append(c.kinds, &kind{name: NearResiduals, values: r.nearResiduals, realized: true})
		}
	}
	if len(quantities) > 0 {
		c.kinds = append(c.kinds, &kind{name: YourQuantities, values: func(x, _ [][]float64, _ *draws.Draw) []float64 {
			return lists.Map(quantities, func(q Quantity) float64 { return q.Value(x) })
		}})
	}
	return c
}

// Add adds a replicate that the Replicator drew for a draw.
func (c *Checker) Add(d *draws.Draw, y Replicate) {
	for _, k := range c.kinds {
		switch {
		case k.realized:
			k.observed = append(k.observed, k.values(y.Complete, y.Signal, d))
			k.replicated = append(k.replicated, k.values(y.Latent, y.Signal, d))
			continue
		case k.observed == nil: // any draw has the categories
			c.observed = c.replicator.Observed(d)
			k.observed = append(k.observed, k.values(c.observed, nil, nil))
		}
		k.replicated = append(k.replicated, k.values(y.X, nil, nil))
	}
}

// Checks returns the checks. It returns nil before the first replicate.
func (c *Checker) Checks() (all []Checks) {
	for _, k := range c.kinds {
		if k.observed != nil {
			all = append(all, Checks{k.name, k.checks(c.pairs, c.replicator.Near, c.rounding), k.jointP()})
		}
	}
	return all
}

// rounding returns by how much rounding may change a quantity of X.
func (c *Checker) rounding(quantity int) (largest float64) {
	if rounding := c.quantities[quantity].Rounding; rounding != nil {
		return rounding(c.observed)
	}
	for _, x := range slices.Concat(c.observed...) {
		if !math.IsNaN(x) {
			largest = max(largest, 1e-13*math.Abs(x))
		}
	}
	return largest
}

// kind is a kind of test quantity.
type kind struct {
	name                 string
	values               func(x, signal [][]float64, d *draws.Draw) []float64
	realized             bool        // depends on the draw, not on X alone
	observed, replicated [][]float64 // by draw; observed once unless realized
}

// checks returns the checks of all quantities. The P of a Quantity is 0.5 if the replicates differ from
// X by rounding alone, as means do under the prior with an intercept.
func (k *kind) checks(pairs [][]int, near []Near, rounding func(quantity int) float64) (all []Check) {
	for q := range k.observed[0] {
		c := Check{Indices: []int{q}}
		switch k.name {
		case Correlations:
			c.Indices = pairs[q]
		case NearResiduals:
			variables := len(k.observed[0]) / len(near)
			c.Indices[0], c.Distance = q%variables, near[q/variables].Name
		}
		for _, observed := range k.observed {
			c.Observed += observed[q] / float64(len(k.observed))
		}
		var replicated []float64
		largest := 0.0
		for t := range k.replicated {
			y, observed := k.replicated[t][q], k.observed[min(t, len(k.observed)-1)][q]
			if undefined(y) { // such as a correlation of a column that is constant in the replicate
				c.Undefined++
				continue
			}
			replicated = append(replicated, y)
			gap := y - observed
			largest = max(largest, math.Abs(gap))
			switch {
			case math.Abs(gap) <= 1e-12*math.Abs(observed):
				c.P += 0.5
			case gap > 0:
				c.P++
			}
		}
		none := undefined(c.Observed) || len(replicated) == 0
		if none && k.name != YourQuantities { // a correlation of a constant column, an item without observed cells
			continue
		}
		switch c.P /= float64(len(replicated)); {
		case none:
			c.P = math.NaN()
		case k.name == YourQuantities && largest <= rounding(q):
			c.P = 0.5
		}
		c.Q5, c.Q95 = posterior.Quantile(replicated, 0.05), posterior.Quantile(replicated, 0.95)
		all = append(all, c)
	}
	return all
}

// undefined reports whether a quantity is not finite.
func undefined(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }

// jointP returns Checks.P. Replicates whose quantity is not finite do not stand out in it.
func (k *kind) jointP() float64 {
	replicates := len(k.replicated)
	far, extreme := make([]float64, replicates+1), make([]float64, replicates+1) // X is the last
	values, order := make([]float64, replicates+1), make([]int, 0, replicates+1)
	for q := range k.observed[0] {
		for t := range values {
			if values[t] = 0; t < replicates {
				values[t] = k.replicated[t][q]
			}
		}
		for _, observed := range k.observed {
			values[replicates] += observed[q] / float64(len(k.observed))
		}
		if undefined(values[replicates]) {
			continue
		}
		order = order[:0]
		for t, x := range values {
			if !undefined(x) {
				order = append(order, t)
			}
		}
		last := len(order) - 1
		slices.SortFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
		middle, low, high := values[order[last/2]], values[order[last/20]], values[order[last-last/20]]
		outer := int(math.Ceil(ExtremeP * float64(last)))
		for _, t := range order {
			x, side := values[t], high-middle
			if x < middle {
				side = middle - low
			}
			if gap := math.Abs(x - middle); gap > 1e-9*max(math.Abs(middle), math.Abs(x)) {
				far[t] = max(far[t], gap/side) // infinite if nearly all are equal
			}
			if x < values[order[min(outer, last)]] || x > values[order[max(last-outer, 0)]] {
				extreme[t]++
			}
		}
	}
	share := func(draws []float64) (p float64) {
		for _, x := range draws {
			if x >= draws[replicates] {
				p += 1 / float64(replicates+1)
			}
		}
		return p
	}
	return min(1, 2*min(share(far), share(extreme)))
}

// columns applies a function to each column.
func columns(f func(x []float64) float64) func(x, signal [][]float64, d *draws.Draw) []float64 {
	return func(x, _ [][]float64, _ *draws.Draw) []float64 {
		return lists.Map(lists.Transposed(x), func(column []float64) float64 { return f(slices.DeleteFunc(column, math.IsNaN)) })
	}
}

// ofCounts applies a function to each column of counts. It is NaN for others.
func (r *Replicator) ofCounts(f func(x []float64) float64) func(x, signal [][]float64, d *draws.Draw) []float64 {
	all := columns(f)
	return func(x, signal [][]float64, d *draws.Draw) []float64 {
		values := all(x, signal, d)
		for v := range values {
			if !r.isCount(v) {
				values[v] = math.NaN()
			}
		}
		return values
	}
}

// zeros returns the share of zeros.
func zeros(x []float64) (share float64) {
	for _, y := range x {
		if y == 0 {
			share += 1 / float64(len(x))
		}
	}
	return share
}

// maxPairs is the max number of pairs of columns whose correlations are compared.
const maxPairs = 10_000

// pairsOf returns the pairs of columns a < b, evenly spaced ones of many: (0, 1), (0, 2), (1, 2), (0, 3) and so on.
func pairsOf(variables int) [][]int {
	all := variables * (variables - 1) / 2
	few := min(all, maxPairs)
	return lists.Make(few, func(i int) []int {
		q := i * all / few
		b := int((1 + math.Sqrt(float64(1+8*q))) / 2) // b(b-1)/2 pairs come before (0, b)
		return []int{q - b*(b-1)/2, b}
	})
}

// correlations returns those of the pairs.
func (c *Checker) correlations(x, _ [][]float64, _ *draws.Draw) []float64 {
	columns := lists.Transposed(x)
	return lists.Map(c.pairs, func(p []int) float64 { return Correlation(columns[p[0]], columns[p[1]]) })
}

// Correlation returns the correlation of two columns over the rows in which neither is NaN.
func Correlation(a, b []float64) float64 {
	if !floats.HasNaN(a) && !floats.HasNaN(b) {
		return stat.Correlation(a, b, nil)
	}
	var x, y []float64
	for i := range a {
		if !math.IsNaN(a[i]) && !math.IsNaN(b[i]) {
			x, y = append(x, a[i]), append(y, b[i])
		}
	}
	return stat.Correlation(x, y, nil)
}

// residualSquares returns the mean square of the residuals of each item, NaN for an item
// without observed cells.
func residualSquares(x, signal [][]float64, d *draws.Draw) (values []float64) {
	for i, row := range x {
		sum, observed := 0.0, 0
		for v, value := range row {
			if e := (value - signal[i][v]) / (d.SigmaX * lglfm.NoiseScale(d, v)); !math.IsNaN(e) {
				sum += e * e
				observed++
			}
		}
		values = append(values, sum/float64(observed))
	}
	return values
}
