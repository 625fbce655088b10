// Package baseline has simple models to compare with: factor analysis, and a Gaussian process
// for each column. Like all oracles it serves tests only.
package baseline

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// FactorAnalysis samples the posterior of X = Z A + E where Z, N by rank, is standard normal,
// A_kd ~ N(0, (s_d SigmaA)^2), E_nd ~ N(0, (s_d SigmaX)^2), with SigmaX a tenth of maxX, a
// uniform prior of SigmaA up to its maximum and s_d^2 inverse gamma(1, 1): the model of aibd with
// real features of a chosen number, in place of binary ones of an unknown number. SigmaX is fixed
// because a real feature can fit a column exactly: with SigmaX near 0 and large s_d of the other
// columns the density then has no bound. It returns, by entry of X (row after row) and draw, the
// log density of the entry given Z, the scales and the other entries of its column. Rank 0 is
// noise alone. The sampler does not see the hidden entries: it draws them. Their log densities
// are those given Z, A and the scales.
func FactorAnalysis(x [][]float64, hidden []int, rank int, maxX, maxA float64, warmup, draws int, rng *rand.Rand) [][]float64 {
	return newFactors(x, rank, maxX/10, maxA, rng).sample(x, hidden, warmup, draws)
}

// HiddenFactorAnalysis returns, by hidden entry, the log of the mean over draws of its density
// under FactorAnalysis. Unlike that it is linear in N.
func HiddenFactorAnalysis(x [][]float64, hidden []int, rank int, maxX, maxA float64, warmup, draws int, rng *rand.Rand) map[int]float64 {
	f := newFactors(x, rank, maxX/10, maxA, rng)
	d, logs := len(x[0]), map[int][]float64{}
	for _, p := range hidden {
		f.x.Set(p/d, p%d, 0)
	}
	for t := range warmup + draws {
		fit := f.scan()
		for _, p := range hidden {
			mean := fit.At(p/d, p%d)
			sd := f.sigmaX * f.noise[p%d]
			if t >= warmup {
				logs[p] = append(logs[p], f.log(mean, sd, x[p/d][p%d]))
			}
			f.x.Set(p/d, p%d, mean+sd*f.rng.NormFloat64())
		}
	}
	means := map[int]float64{}
	for p, of := range logs {
		means[p] = LogMean(of)
	}
	return means
}

// BinaryFactorAnalysis is FactorAnalysis of a latent X that is above 0 where x is 1 and below
// where it is 0 (probit). SigmaX and all s_d are 1, and a constant takes the place of one more
// column of Z. The result is of log probabilities.
func BinaryFactorAnalysis(x [][]float64, hidden []int, rank int, maxA float64, warmup, draws int, rng *rand.Rand) [][]float64 {
	f := newFactors(x, rank+1, 1, maxA, rng)
	f.binary = true
	for i, row := range x {
		f.z.Set(i, rank, 1)
		for v, e := range row {
			f.x.Set(i, v, e-0.5)
		}
	}
	return f.sample(x, hidden, warmup, draws)
}

// sample returns the log densities of all entries of draws after warmup.
func (f *factors) sample(x [][]float64, hidden []int, warmup, draws int) [][]float64 {
	n, d := f.x.Dims()
	for _, p := range hidden {
		f.x.Set(p/d, p%d, 0)
	}
	logs, of := make([][]float64, n*d), make([]float64, len(hidden))
	for t := range warmup + draws {
		fit := f.scan()
		for i := range n {
			for v := range d {
				if f.binary {
					f.x.Set(i, v, truncated(f.rng, fit.At(i, v), x[i][v]))
				}
			}
		}
		for h, p := range hidden {
			mean := fit.At(p/d, p%d)
			sd := f.sigmaX * f.noise[p%d]
			of[h] = f.log(mean, sd, x[p/d][p%d])
			f.x.Set(p/d, p%d, mean+sd*f.rng.NormFloat64())
		}
		if t < warmup {
			continue
		}
		now := f.leaveOut(x)
		for h, p := range hidden {
			now[p] = of[h]
		}
		for p, log := range now {
			logs[p] = append(logs[p], log)
		}
	}
	return logs
}

// truncated draws a normal value of variance 1 that is above 0 if x is 1, and below otherwise.
func truncated(rng *rand.Rand, mean, x float64) float64 {
	sign := 2*x - 1
	u := 1 - rng.Float64()
	return mean - sign*distuv.UnitNormal.Quantile(u*distuv.UnitNormal.CDF(sign*mean))
}

// log returns the log density of x under a normal law; if x is binary, the log probability.
func (f *factors) log(mean, sd, x float64) float64 {
	if f.binary {
		return math.Log(math.Max(distuv.UnitNormal.CDF((2*x-1)*mean/sd), 1e-300))
	}
	return distuv.Normal{Mu: mean, Sigma: sd}.LogProb(x)
}

// LogMean returns the log of the mean of the exponentials.
func LogMean(logs []float64) float64 { return floats.LogSumExp(logs) - math.Log(float64(len(logs))) }

// HeldOut returns the log density of each entry of X, row after row, given the entries of the
// other folds, under FactorAnalysis. The folds are drawn at random.
func HeldOut(x [][]float64, rank, folds int, maxX, maxA float64, warmup, draws int, rng *rand.Rand) []float64 {
	held := make([]float64, len(x)*len(x[0]))
	order := rng.Perm(len(held))
	for fold := range folds {
		var hidden []int
		for at := fold; at < len(order); at += folds {
			hidden = append(hidden, order[at])
		}
		logs := FactorAnalysis(x, hidden, rank, maxX, maxA, warmup, draws, rng)
		for _, p := range hidden {
			held[p] = LogMean(logs[p])
		}
	}
	return held
}

// factors is the state of the sampler.
type factors struct {
	x, z           *mat.Dense // z is nil for rank 0
	noise          []float64  // s_d
	sigmaX, sigmaA float64
	maxA           float64
	binary         bool // x is latent, and the last column of z is 1
	rng            *rand.Rand
}

func newFactors(x [][]float64, rank int, sigmaX, maxA float64, rng *rand.Rand) *factors {
	f := &factors{x: mat.NewDense(len(x), len(x[0]), nil), noise: slices.Repeat([]float64{1}, len(x[0])), rng: rng, sigmaX: sigmaX, sigmaA: maxA / 2, maxA: maxA}
	for i, row := range x {
		f.x.SetRow(i, row)
	}
	if rank > 0 {
		f.z = f.normals(len(x), rank)
	}
	return f
}

// scan draws everything but hidden entries of x, and returns Z A.
func (f *factors) scan() *mat.Dense {
	n, d := f.x.Dims()
	y, fit, residual, a := mat.NewDense(n, d, nil), mat.NewDense(n, d, nil), mat.NewDense(n, d, nil), new(mat.Dense)
	y.Apply(func(_, v int, x float64) float64 { return x / f.noise[v] }, f.x)
	if f.z != nil {
		r := f.sigmaX / f.sigmaA
		a = f.regression(f.z, y, r*r, f.sigmaX)
		f.scores(y, a)
		fit.Mul(f.z, a)
		f.sigmaA = f.scale(a, f.maxA)
	}
	residual.Sub(y, fit)
	fit.Apply(func(_, v int, y float64) float64 { return y * f.noise[v] }, fit)
	if !f.binary {
		f.scales(a, residual)
	}
	return fit
}

// scales draws the noise scales given A and the residuals, which are over the scales of before.
func (f *factors) scales(a, residual *mat.Dense) {
	n, d := residual.Dims()
	rank, _ := a.Dims()
	for v := range d {
		square := mat.Norm(residual.ColView(v), 2) / f.sigmaX
		square *= square
		if rank > 0 {
			loadings := mat.Norm(a.ColView(v), 2) / f.sigmaA
			square += loadings * loadings
		}
		square *= f.noise[v] * f.noise[v]
		f.noise[v] = 1 / math.Sqrt(distuv.Gamma{Alpha: float64(2+n+rank) / 2, Beta: (2 + square) / 2, Src: f.rng}.Rand())
	}
}

func (f *factors) normals(rows, columns int) *mat.Dense {
	m := mat.NewDense(rows, columns, nil)
	m.Apply(func(int, int, float64) float64 { return f.rng.NormFloat64() }, m)
	return m
}

// precision returns the Cholesky factors of Y'Y + ridge I.
func precision(y mat.Matrix, ridge float64) *mat.Cholesky {
	var gram mat.SymDense
	gram.SymOuterK(1, y.T())
	for k := range gram.SymmetricDim() {
		gram.SetSym(k, k, gram.At(k, k)+ridge)
	}
	var c mat.Cholesky
	c.Factorize(&gram)
	return &c
}

// regression draws B from N((Y'Y + ridge I)^-1 Y'X, sd^2 (Y'Y + ridge I)^-1), by column.
func (f *factors) regression(y, x mat.Matrix, ridge, sd float64) *mat.Dense {
	c := precision(y, ridge)
	var cross, b, noise mat.Dense
	cross.Mul(y.T(), x)
	_ = c.SolveTo(&b, &cross) // the error only reports a large condition number
	rows, columns := b.Dims()
	var upper mat.TriDense
	c.UTo(&upper)
	_ = noise.Solve(&upper, f.normals(rows, columns))
	noise.Scale(sd, &noise)
	b.Add(&b, &noise)
	return &b
}

// scores draws Z given A, both over the noise scales as y is.
func (f *factors) scores(y, a *mat.Dense) {
	n, d := y.Dims()
	ridge := f.sigmaX * f.sigmaX
	if !f.binary {
		f.z.CloneFrom(f.regression(a.T(), y.T(), ridge, f.sigmaX).T())
		return
	}
	rank, _ := a.Dims()
	if rank--; rank == 0 {
		return
	}
	rest := mat.NewDense(n, d, nil)
	rest.Apply(func(_, v int, x float64) float64 { return x - a.At(rank, v) }, y)
	drawn := f.regression(a.Slice(0, rank, 0, d).T(), rest.T(), ridge, f.sigmaX)
	f.z.Slice(0, n, 0, rank).(*mat.Dense).Copy(drawn.T())
}

// scale draws the standard deviation of the entries of m, which have mean 0.
func (f *factors) scale(m *mat.Dense, limit float64) float64 {
	rows, columns := m.Dims()
	square := mat.Norm(m, 2)
	square *= square
	precision := distuv.Gamma{Alpha: float64(rows*columns-1) / 2, Beta: square / 2, Src: f.rng}
	for range 10_000 {
		if s := 1 / math.Sqrt(precision.Rand()); s < limit {
			return s
		}
	}
	return limit
}

// leaveOut returns the log density of each entry, which has the value in x.
func (f *factors) leaveOut(x [][]float64) []float64 {
	n, d := f.x.Dims()
	left, residual := slices.Repeat([]float64{1}, n), mat.DenseCopyOf(f.x)
	if f.z != nil {
		r := f.sigmaX / f.sigmaA
		c := precision(f.z, r*r)
		var solved, hat, fit mat.Dense
		_ = c.SolveTo(&solved, f.z.T())
		hat.Mul(f.z, &solved)
		fit.Mul(&hat, f.x)
		residual.Sub(f.x, &fit)
		for i := range left {
			left[i] -= hat.At(i, i)
		}
	}
	var logs []float64
	for i := range n {
		for v := range d {
			sd := f.sigmaX * f.noise[v] / math.Sqrt(left[i])
			logs = append(logs, f.log(f.x.At(i, v)-residual.At(i, v)/left[i], sd, x[i][v]))
		}
	}
	return logs
}

// GaussianProcess returns the log density of each entry of X, row after row, given the other
// entries of its column that are not hidden. Columns are independent with covariance
// s^2 (exp(-d/length) + rho I) over the distances d. The posterior of s, length and rho of a
// column is taken on a grid, uniform in their logarithms, also without the entry, so that the
// densities are exact for this grid.
func GaussianProcess(x [][]float64, hidden []int, distance [][]float64) []float64 {
	n, d := len(x), len(x[0])
	var distances []float64
	for i, row := range distance {
		distances = append(distances, row[:i]...)
	}
	slices.Sort(distances)
	middle := distances[len(distances)/2]
	densities := make([]float64, n*d)
	for v := range d {
		var seen, unseen []int
		square := 0.0 // mean over what is seen
		for i, row := range x {
			if slices.Contains(hidden, i*d+v) {
				unseen = append(unseen, i)
				continue
			}
			seen = append(seen, i)
			square += row[v] * row[v]
		}
		square /= float64(len(seen))
		// Of each entry, log sums over the grid: the density of the entry is the ratio.
		above := slices.Repeat([]float64{math.Inf(-1)}, n)
		below := slices.Clone(above)
		for _, length := range floats.LogSpan(make([]float64, 12), middle/16, middle*16) {
			for _, rho := range floats.LogSpan(make([]float64, 13), 1e-3, 1e3) {
				column(x, v, seen, unseen, distance, length, rho, square, above, below)
			}
		}
		for i := range above {
			densities[i*d+v] = above[i] - below[i]
		}
	}
	return densities
}

// column adds the terms of a length and a ratio rho, for a grid of s, to the log sums of column v.
func column(x [][]float64, v int, seen, unseen []int, distance [][]float64, length, rho, square float64, above, below []float64) {
	m := len(seen)
	c, y := mat.NewSymDense(m, nil), mat.NewVecDense(m, nil)
	for a, i := range seen {
		y.SetVec(a, x[i][v])
		for b, j := range seen[:a] {
			c.SetSym(a, b, math.Exp(-distance[i][j]/length))
		}
		c.SetSym(a, a, 1+rho)
	}
	var chol mat.Cholesky
	if !chol.Factorize(c) {
		return
	}
	var inverse mat.SymDense
	_ = chol.InverseTo(&inverse)
	var s mat.VecDense
	s.MulVec(&inverse, y)
	fit := mat.Dot(&s, y)
	means, variances := make([]float64, len(unseen)), make([]float64, len(unseen))
	for h, i := range unseen {
		cross := mat.NewVecDense(m, nil)
		for a, j := range seen {
			cross.SetVec(a, math.Exp(-distance[i][j]/length))
		}
		means[h], variances[h] = mat.Dot(cross, &s), 1+rho-mat.Inner(cross, &inverse, cross)
	}
	for _, total := range floats.LogSpan(make([]float64, 17), square/16, square*16) {
		variance := total / (1 + rho)
		all := -(float64(m)*math.Log(2*math.Pi*variance) + chol.LogDet() + fit/variance) / 2
		for a, i := range seen {
			precision := inverse.At(a, a)
			entry := distuv.Normal{Sigma: math.Sqrt(variance / precision)}.LogProb(s.AtVec(a) / precision)
			above[i], below[i] = logAdd(above[i], all), logAdd(below[i], all-entry)
		}
		for h, i := range unseen {
			entry := distuv.Normal{Mu: means[h], Sigma: math.Sqrt(variance * variances[h])}.LogProb(x[i][v])
			above[i], below[i] = logAdd(above[i], all+entry), logAdd(below[i], all)
		}
	}
}

func logAdd(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	return a + math.Log1p(math.Exp(b-a))
}
