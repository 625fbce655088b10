package factors

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"aibd/internal/parallel"
)

// Kriging returns the distribution of each cell by the other cells of its column and the distances between items,
// a row of distance for each: a Gaussian process with an unknown mean and a nugget,
//
//	cov(x_i, x_j) = v (s exp(-rate d(i, j)) + (1 - s) [i = j])
//
// Rate and s maximize the restricted likelihood of the column on a grid. Mean and variance are integrated out, so
// that the distribution is Student's (Cressie, 1993, section 3.4). If ctx is done before,
// it returns nil.
func Kriging(ctx context.Context, x [][]float64, distance func(i, j int) float64, cells [][2]int) []Distribution {
	columns := map[int]*process{}
	var order []int
	for _, c := range cells {
		if columns[c[1]] == nil {
			columns[c[1]] = new(process)
			order = append(order, c[1])
		}
	}
	rates := ratesOf(len(x), distance)
	if err := parallel.Each(ctx, len(order), func(k int) error {
		columns[order[k]].fit(x, distance, order[k], rates)
		return nil
	}); err != nil {
		return nil
	}
	var distributions []Distribution
	for _, c := range cells {
		distributions = append(distributions, columns[c[1]].predict(func(j int) float64 { return distance(c[0], j) }))
	}
	return distributions
}

// Nearest returns the distribution of each cell by the mean of its column over the nearest items that have the cell,
// near of them: Student's, with the variance of the errors of the same prediction of observed cells.
func Nearest(x [][]float64, distance func(i, j int) float64, cells [][2]int, near int) (distributions []Distribution) {
	_, units := standardized(x)
	mean := func(i, v int) float64 {
		var items []int
		for j, row := range x {
			if j != i && !math.IsNaN(row[v]) {
				items = append(items, j)
			}
		}
		slices.SortStableFunc(items, func(a, b int) int { return cmp.Compare(distance(i, a), distance(i, b)) })
		items = items[:min(near, len(items))]
		if len(items) == 0 {
			return units[v].mean
		}
		sum := 0.0
		for _, j := range items {
			sum += x[j][v]
		}
		return sum / float64(len(items))
	}
	sds, counts := map[int]float64{}, map[int]float64{}
	for _, c := range cells {
		v := c[1]
		if counts[v] == 0 {
			squares := 0.0
			for i, row := range x {
				if !math.IsNaN(row[v]) {
					e := row[v] - mean(i, v)
					squares, counts[v] = squares+e*e, counts[v]+1
				}
			}
			if sds[v] = math.Sqrt(squares / counts[v]); !(sds[v] > 0) { // a constant column
				sds[v] = units[v].sd
			}
		}
		distributions = append(distributions, Distribution{mean(c[0], v), sds[v], max(1, counts[v]-1)})
	}
	return distributions
}

// Grid of a process.
const (
	gridRates  = 10
	gridShares = 8
	fitItems   = 300 // max number of items that choose rate and share
)

// ratesOf returns rates from half of one over the median distance to one over the median distance to the nearest item elsewhere.
func ratesOf(n int, distance func(i, j int) float64) (rates []float64) {
	var all, nearest []float64
	step := max(1, n/fitItems)
	for i := 0; i < n; i += step {
		least := math.Inf(1)
		for j := range n {
			if d := distance(i, j); j != i && d > 0 {
				all, least = append(all, d), min(least, d)
			}
		}
		if !math.IsInf(least, 1) {
			nearest = append(nearest, least)
		}
	}
	if len(all) == 0 {
		return []float64{1}
	}
	middle := func(x []float64) float64 {
		slices.Sort(x)
		return x[len(x)/2]
	}
	low := 0.5 / middle(all)
	high := max(1/middle(nearest), 2*low)
	for g := range gridRates {
		rates = append(rates, low*math.Pow(high/low, float64(g)/(gridRates-1)))
	}
	return rates
}

// process is the Gaussian process of a column.
type process struct {
	items       []int
	rate, share float64
	factor      mat.Cholesky
	solved      *mat.VecDense // inverse covariance times (y - mean)
	ones        *mat.VecDense // inverse covariance times 1
	mean, total float64       // estimate of the mean, and 1' inverse covariance 1
	variance    float64
}

// fit fits column v.
func (p *process) fit(x [][]float64, distance func(i, j int) float64, v int, rates []float64) {
	for i, row := range x {
		if !math.IsNaN(row[v]) {
			p.items = append(p.items, i)
		}
	}
	all, best := p.items, math.Inf(-1)
	if step := (len(all) + fitItems - 1) / fitItems; step > 1 {
		p.items = nil
		for i := 0; i < len(all); i += step {
			p.items = append(p.items, all[i])
		}
	}
	rate, share := rates[0], 0.0
	for _, r := range rates {
		for s := range gridShares {
			p.rate, p.share = r, float64(s)/(gridShares-1)*0.999
			if log := p.factorize(x, distance, v); log > best {
				best, rate, share = log, r, p.share
			}
		}
	}
	p.items, p.rate, p.share = all, rate, share
	p.factorize(x, distance, v)
}

// factorize computes the process at its rate and share, and returns the log restricted likelihood up to a constant.
func (p *process) factorize(x [][]float64, distance func(i, j int) float64, v int) float64 {
	if !p.relate(distance) {
		return math.Inf(-1)
	}
	n := len(p.items)
	y := mat.NewVecDense(n, nil)
	for a, i := range p.items {
		y.SetVec(a, x[i][v])
	}
	p.center(y)
	degrees := float64(max(1, n-1))
	if p.variance = mat.Dot(y, p.solved) / degrees; !(p.variance > 0) { // a constant column
		p.variance = 1
	}
	return -(p.factor.LogDet() + math.Log(p.total) + degrees*math.Log(p.variance)) / 2
}

// relate computes what does not depend on the values of the items, and reports whether the covariance is definite.
func (p *process) relate(distance func(i, j int) float64) bool {
	n := len(p.items)
	covariance, one := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
	for a, i := range p.items {
		for b, j := range p.items[:a] {
			covariance.SetSym(a, b, p.share*math.Exp(-p.rate*distance(i, j)))
		}
		covariance.SetSym(a, a, 1)
		one.SetVec(a, 1)
	}
	if !p.factor.Factorize(covariance) {
		return false
	}
	p.ones = new(mat.VecDense)
	_ = p.factor.SolveVecTo(p.ones, one) // a condition
	p.total = mat.Dot(one, p.ones)
	return true
}

// center subtracts the mean of the process from the values of the items, and computes solved.
func (p *process) center(y *mat.VecDense) {
	p.mean = mat.Dot(y, p.ones) / p.total
	for a := range y.Len() {
		y.SetVec(a, y.AtVec(a)-p.mean)
	}
	p.solved = new(mat.VecDense)
	_ = p.factor.SolveVecTo(p.solved, y)
}

// predict returns the distribution of the cell of another item, given its distances.
func (p *process) predict(distance func(j int) float64) Distribution {
	n := len(p.items)
	k, solved := p.correlations(distance), new(mat.VecDense)
	_ = p.factor.SolveVecTo(solved, k) // a condition
	residual := 1 - mat.Dot(k, p.ones)
	variance := p.variance * (1 - mat.Dot(k, solved) + residual*residual/p.total)
	return Distribution{p.mean + mat.Dot(k, p.solved), math.Sqrt(max(variance, 0)), float64(max(1, n-1))}
}

// correlations returns those of another item with the items of the process.
func (p *process) correlations(distance func(j int) float64) *mat.VecDense {
	k := mat.NewVecDense(len(p.items), nil)
	for a, j := range p.items {
		k.SetVec(a, p.share*math.Exp(-p.rate*distance(j)))
	}
	return k
}

// An Interpolator interpolates values of n items by the mean of the process of Kriging, at a fixed rate and share.
type Interpolator struct{ p process }

// NewInterpolator returns the interpolator of n items, nil if their covariance is singular beyond rounding.
func NewInterpolator(n int, distance func(i, j int) float64, rate, share float64) *Interpolator {
	var p Interpolator
	p.p.rate, p.p.share = rate, share
	for i := range n {
		p.p.items = append(p.p.items, i)
	}
	if !p.p.relate(distance) {
		return nil
	}
	return &p
}

// Values returns the values of count other places given those of the items and the distances to item j.
func (p *Interpolator) Values(values []float64, count int, distance func(other, j int) float64) []float64 {
	p.p.center(mat.NewVecDense(len(values), slices.Clone(values)))
	all := make([]float64, count)
	for i := range all {
		all[i] = p.p.mean + mat.Dot(p.p.correlations(func(j int) float64 { return distance(i, j) }), p.p.solved)
	}
	return all
}
