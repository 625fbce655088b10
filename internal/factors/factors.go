package factors

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"aibd/internal/lists"
	"aibd/internal/parallel"
)

// A Distribution is the predicted distribution of a cell: Student's t.
type Distribution struct {
	Mean, Scale float64
	Degrees     float64 // of freedom
}

// LogDensity returns the log density at x.
func (d Distribution) LogDensity(x float64) float64 { return d.t().LogProb(x) }

// LogProbability returns the log probability of the values between two bounds, which may be infinite.
func (d Distribution) LogProbability(lower, upper float64) float64 {
	if lower > d.Mean { // differences of small tails keep their digits
		lower, upper = 2*d.Mean-upper, 2*d.Mean-lower
	}
	return math.Log(max(d.t().CDF(upper)-d.t().CDF(lower), math.SmallestNonzeroFloat64))
}

func (d Distribution) t() distuv.StudentsT {
	return distuv.StudentsT{Mu: d.Mean, Sigma: d.Scale, Nu: d.Degrees}
}

// A Prediction is what a model predicts of hidden cells.
type Prediction struct {
	Rank          int
	Distributions []Distribution // by cell
}

// Factors predicts the given cells of x, rows by columns, by factor analysis. Cells that are not seen are NaN, the
// given cells among them. Inner masks of the seen cells choose the rank, which may be 0, and the degrees of freedom of
// the distributions: those that predict each fifth of the seen cells best from the others. If ctx is done first, the
// prediction is of no use.
func Factors(ctx context.Context, x [][]float64, cells [][2]int) Prediction {
	return chosen(ctx, x, cells, false)
}

// Components is Factors with the same noise variance in all columns, each divided by its standard deviation:
// principal components in their probabilistic form, which impute the hidden cells.
func Components(ctx context.Context, x [][]float64, cells [][2]int) Prediction {
	return chosen(ctx, x, cells, true)
}

// Alone returns the distribution of each cell by the other cells of its column: normal with unknown mean and variance.
func Alone(x [][]float64, cells [][2]int) (distributions []Distribution) {
	_, units := standardized(x)
	for _, c := range cells {
		u := units[c[1]]
		n := float64(u.count)
		distributions = append(distributions, Distribution{u.mean, u.sd * math.Sqrt(1+1/n), max(1, n-1)})
	}
	return distributions
}

const (
	folds    = 5
	maxRank  = 20
	patience = 3 // ranks that predict no better, after which no further are tried
)

// tails are the degrees of freedom that are tried.
var tails = []float64{3, 5, 10, 30, 1000}

// chosen fits ranks to inner masks, and the best to x.
func chosen(ctx context.Context, x [][]float64, cells [][2]int, common bool) Prediction {
	z, units := standardized(x)
	masks := masksOf(z)
	rank, degrees, maximum := 0, 0.0, math.Inf(-1)
	for r := 0; r <= max(0, min(maxRank, len(x)-2, len(x[0])-1)) && r <= rank+patience && ctx.Err() == nil; r++ {
		scores := make([][]float64, folds) // by fold and tail
		parallel.Do(folds, func(k int) { scores[k] = innerScores(ctx, z, masks[k], r, common) })
		for t, nu := range tails {
			sum := 0.0
			for _, s := range scores {
				sum += s[t]
			}
			if sum > maximum {
				rank, degrees, maximum = r, nu, sum
			}
		}
	}
	f, p := em(ctx, z, rank, common), Prediction{Rank: rank}
	for c, d := range f.predict(z, cells) {
		u := units[cells[c][1]]
		p.Distributions = append(p.Distributions, Distribution{u.mean + u.sd*d.Mean, u.sd * d.Scale, degrees})
	}
	return p
}

// predict returns the distributions of cells given the seen cells of their rows, without degrees of freedom.
func (f *estimate) predict(rows [][]float64, cells [][2]int) []Distribution {
	conditional := make([]func(column int) (mean, variance float64), len(rows)) // of cells given the seen cells of a row
	return lists.Map(cells, func(c [2]int) Distribution {
		if conditional[c[0]] == nil {
			conditional[c[0]] = f.cell(rows[c[0]])
		}
		mean, variance := conditional[c[0]](c[1])
		return Distribution{Mean: mean, Scale: math.Sqrt(variance)}
	})
}

// innerScores returns, for each of tails, the log density of the cells of a mask given the other seen ones.
func innerScores(ctx context.Context, z [][]float64, mask [][2]int, rank int, common bool) []float64 {
	y := lists.Map(z, slices.Clone)
	for _, c := range mask {
		y[c[0]][c[1]] = math.NaN()
	}
	f, scores := em(ctx, y, rank, common), make([]float64, len(tails))
	for c, d := range f.predict(y, mask) {
		for t := range tails {
			d.Degrees = tails[t]
			scores[t] += d.LogDensity(z[mask[c][0]][mask[c][1]])
		}
	}
	return scores
}

// masksOf returns the folds of the seen cells, at random but always the same.
func masksOf(z [][]float64) [][][2]int {
	var seen [][2]int
	for i, row := range z {
		for v, e := range row {
			if !math.IsNaN(e) {
				seen = append(seen, [2]int{i, v})
			}
		}
	}
	masks := make([][][2]int, folds)
	for place, p := range rand.New(rand.NewPCG(1, 1)).Perm(len(seen)) {
		masks[place%folds] = append(masks[place%folds], seen[p])
	}
	return masks
}

// unit has the mean and the standard deviation that standardize a column.
type unit struct {
	mean, sd float64
	count    int // of seen cells
}

// standardized returns x with columns of mean 0 and standard deviation 1, a constant column with zeros.
func standardized(x [][]float64) (z [][]float64, units []unit) {
	z = make([][]float64, len(x))
	for v, seen := range lists.Observed(x) {
		mean, sd := stat.MeanStdDev(seen, nil)
		if !(sd > 0) {
			sd = 1
		}
		if len(seen) == 0 {
			mean = 0
		}
		units = append(units, unit{mean, sd, len(seen)})
		for i, row := range x {
			z[i] = append(z[i], (row[v]-mean)/sd)
		}
	}
	return z, units
}
