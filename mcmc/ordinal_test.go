package mcmc

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"aibd/feature"
	"aibd/internal/collapsed"
	"aibd/internal/oracle/fixture"
	"aibd/lglfm"
)

// threeWithLevels is three items with an ordinal column, whose cells are of three different
// categories, beside one of numbers, without and with an intercept.
func threeWithLevels() []enumerated {
	c := threeItems
	c.x = [][]float64{{nan, -0.3}, {nan, 0.4}, {nan, 1.1}}
	c.ordinal = []lglfm.Ordinal{{Variable: 0, Levels: 3, Level: []int{1, 0, 2}}}
	c.scales, c.maxK = lglfm.Scales{SigmaX: 0.7, SigmaA: 1.3}, 5
	with := c
	with.x = slices.Clone(c.x)
	with.intercept = true
	return []enumerated{c, with}
}

// precision returns the precision of a column of X and the log of the constant of its density,
// with an intercept of the density of contrasts. Features without weights have weights of 1.
func (c enumerated) precision(z *feature.Allocation, weights ...float64) (*mat.SymDense, float64) {
	n, k, g := z.N(), z.K(), z.Weighted(nil, weights)
	covariance := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			covariance.SetSym(i, j, c.scales.SigmaA*c.scales.SigmaA*floats.Dot(g[i*k:(i+1)*k], g[j*k:(j+1)*k]))
		}
		covariance.SetSym(i, i, covariance.At(i, i)+c.scales.SigmaX*c.scales.SigmaX)
	}
	var chol mat.Cholesky
	if !chol.Factorize(covariance) {
		panic("a matrix is singular")
	}
	precision := new(mat.SymDense)
	if err := chol.InverseTo(precision); err != nil {
		panic(err)
	}
	log := -(float64(n)*math.Log(2*math.Pi) + chol.LogDet()) / 2
	if c.intercept {
		ones := mat.NewVecDense(n, slices.Repeat([]float64{1}, n))
		sums := mat.NewVecDense(n, nil)
		sums.MulVec(precision, ones)
		total := mat.Sum(sums)
		precision.SymRankOne(precision, -1/total, sums)
		log += math.Log(2*math.Pi*float64(n)/total) / 2
	}
	return precision, log
}

// ordinalMoments returns the probability of the categories of threeWithLevels given Z, and the mean
// of the cutpoint and of its square times this, by quadrature over the two cells above 0. The cell
// below 0 and the cutpoint are integrated out.
func (c enumerated) ordinalMoments(z *feature.Allocation) (moments [3]float64) {
	const size, end = 32, 12.0
	points, weight := make([]float64, size), make([]float64, size)
	quad.Legendre{}.FixedLocations(points, weight, 0, 1)
	for i, u := range points {
		points[i], weight[i] = end*u*u, weight[i]*2*end*u
	}
	p, log := c.precision(z)
	s := c.scales.SigmaX
	integral := func(c float64) [3]float64 { // of 1, c and c^2 times the prior density
		e := math.Exp(-c / s)
		return [3]float64{-e, -(c + s) * e, -(c*c + 2*s*c + 2*s*s) * e}
	}
	log += math.Log(2*math.Pi/p.At(1, 1)) / 2
	for b, x0 := range points { // between 0 and the cutpoint
		below := integral(x0)
		for d, gap := range points {
			x2 := x0 + gap // above the cutpoint
			above := integral(x2)
			x1 := -(p.At(0, 1)*x0 + p.At(1, 2)*x2) / p.At(1, 1) // mean of the cell below 0
			square := p.At(0, 0)*x0*x0 + p.At(2, 2)*x2*x2 + 2*p.At(0, 2)*x0*x2 - p.At(1, 1)*x1*x1
			density := math.Exp(log-square/2) * math.Erfc(x1*math.Sqrt(p.At(1, 1)/2)) / 2 * weight[b] * weight[d]
			for k := range moments {
				moments[k] += density * (above[k] - below[k])
			}
		}
	}
	return moments
}

// logOrdinal returns the log probability of the categories given Z, 0 without ordinal columns.
func (c enumerated) logOrdinal(z *feature.Allocation) float64 {
	if len(c.ordinal) == 0 {
		return 0
	}
	return math.Log(c.momentsOf(z)[0])
}

// ordinalKnown keeps what was integrated, by the sharing of the items.
var ordinalKnown = map[string][3]float64{}

func (c enumerated) momentsOf(z *feature.Allocation) [3]float64 {
	key := fmt.Sprint(c.intercept, c.scales)
	for i := range 3 {
		for j := range i + 1 {
			key += fmt.Sprint(" ", z.Shared(i, j))
		}
	}
	moments, ok := ordinalKnown[key]
	if !ok {
		moments = c.ordinalMoments(z)
		ordinalKnown[key] = moments
	}
	return moments
}

// TestExactPosteriorOrdinal compares chains with enumeration, by the rules of TestExactPosterior.
// Chains whose cutpoints or whose cells stay where they start are noticed.
func TestExactPosteriorOrdinal(t *testing.T) {
	cycles := []*cycle{newCycle(bounded, cutpoints, exactRows()), newCycle(cutpoints, exactRows())}
	for i, c := range threeWithLevels() {
		if z := c.worst(t, fmt.Sprint("ordinal ", i), length(scans/10), cycles[i], nil); !(z < limit) {
			t.Errorf("data %d: |z| = %.2f, want below %v", i+1, z, limit)
		}
	}
	c := threeWithLevels()[0]
	z := c.worst(t, "no cutpoints", length(scans/10), newCycle(bounded, exactRows()), nil)
	t.Logf("cutpoints that stay: |z| = %.1f", z)
	if z < limit {
		t.Errorf("cutpoints that stay pass with |z| = %.2f", z)
	}
}

// TestExactCutpoints compares the mean of the cutpoint and of its square over a chain with their
// exact posterior means.
func TestExactCutpoints(t *testing.T) {
	for i, c := range threeWithLevels() {
		probs := c.exact(t)
		want := make([]float64, 2)
		feature.Enumerate(3, c.maxK, func(z *feature.Allocation) bool {
			m := c.momentsOf(z)
			for k := range want {
				want[k] += probs[code(z)] * m[k+1] / m[0]
			}
			return true
		})
		c.compareMeans(t, "cutpoints", newCycle(bounded, cutpoints, exactRows()), want, func(s *target, values []float64) {
			cut := s.Unknowns().Cutpoints[0]
			values[0], values[1] = cut, cut*cut
		}, fmt.Sprintf("data %d, moment", i+1))
	}
}

// compareMeans compares the means of quantities over a chain with the exact ones. The chain draws
// from the stream of the given name. Its errors come from 200 batches, of which it leaves out the
// second half if no |z| is above halfway. States with more than maxK features are left out on both sides.
func (c enumerated) compareMeans(t *testing.T, stream string, scan *cycle, want []float64, quantities func(s *target, values []float64), label string) {
	t.Helper()
	const batches = 200
	s, rng, size := must(newState(c.posterior(t), Start{Scales: c.scales})), NewStream(1, stream), length(1000)
	means, values := make2(len(want), batches), make([]float64, len(want))
	for b := range batches {
		for range size {
			for scan.Step(rng.Rand, s); s.K() > c.maxK; scan.Step(rng.Rand, s) {
			}
			quantities(s, values)
			for k, v := range values {
				means[k][b] += v / float64(size)
			}
		}
		if done := b + 1; done == batches/2 || done == batches {
			worst := 0.0
			for k := range want {
				mean, sd := stat.MeanStdDev(means[k][:done], nil)
				z := math.Abs(mean-want[k]) / (sd / math.Sqrt(float64(done)))
				if done == batches && !(z < limit) {
					t.Errorf("%s %d: %.4f, want %.4f, |z| = %.2f", label, k+1, mean, want[k], z)
				}
				worst = max(worst, z)
			}
			if worst < halfway {
				return
			}
		}
	}
}

// squaresOf returns x'Hx/SigmaX^2 of the cells of each ordinal column, and its largest cutpoint over SigmaX.
func squaresOf(s *target) (squares, largest []float64) {
	u := s.Unknowns()
	precision, _ := enumerated{scales: u.Scales, intercept: s.post.Data.Intercept()}.precision(u.Z, u.Weights...)
	free := 0
	for _, o := range s.post.Data.Ordinal() {
		x := mat.NewVecDense(s.N(), nil)
		for c, cell := range collapsed.Unwrap(s.post.Data).UnknownCells() {
			if cell[1] == o.Variable {
				x.SetVec(cell[0], u.Cells[c])
			}
		}
		cut := 0.0
		if free += o.Levels - 2; o.Levels > 2 {
			cut = u.Cutpoints[free-1] / u.Scales.SigmaX
		}
		squares, largest = append(squares, mat.Inner(x, precision, x)), append(largest, cut)
	}
	return squares, largest
}

// factorCopy multiplies the cells and the cutpoints of each ordinal column by a factor that is drawn given
// everything up to it, by dense matrices.
type factorCopy struct {
	deficit float64 // than the exponent should be
}

func (factorCopy) Name() string { return "mutant" }

func (k factorCopy) Step(rng *rand.Rand, s *target) Info {
	u, free := s.Unknowns(), 0
	squares, largest := squaresOf(s)
	for j, o := range s.post.Data.Ordinal() {
		size := float64(s.N()+o.Levels-2) - k.deficit
		g := math.Exp(collapsed.Slice(rng, 0, math.Inf(-1), math.Inf(1), 1/math.Sqrt(size), func(t float64) float64 {
			g := math.Exp(t)
			return size*t - (squares[j]*g/2+largest[j])*g
		}))
		for c, cell := range collapsed.Unwrap(s.post.Data).UnknownCells() {
			if cell[1] == o.Variable {
				u.Cells[c] *= g
			}
		}
		for range o.Levels - 2 {
			u.Cutpoints[free] *= g
			free++
		}
	}
	s.Load(u)
	return Info{1, 1}
}

// TestScaleOfCategories: given all else, a common factor of the n cells x and the cutpoints of a column of C categories
// keeps the categories. Hence E[x'Hx/SigmaX^2 + c/SigmaX] = n + C - 2 with the largest cutpoint c, whatever the data
// are. This holds with an intercept too, although H then has rank n - 1.
//
// A z test compares means over default scans, of a binary and an ordinal column, with errors from 100 batches. Over
// 100 seeds z of the slowest scan has a standard deviation of 1.1. So a correct scan fails one of the 14 comparisons
// with probability below 1e-4. The seed is fixed. A factor whose exponent is too small by one, as with the rank of H in
// place of n, is noticed in each column, with |z| above 13. Without this fault it passes. The short form has two of the
// four models.
func TestScaleOfCategories(t *testing.T) {
	const batches, size = 100, 40
	x := make2(6, 3)
	for i, number := range []float64{0.3, -0.9, 1.4, 0.2, -1.3, nan} {
		x[i] = []float64{nan, number, nan}
	}
	columns := []lglfm.Ordinal{{Variable: 0, Levels: 2, Level: []int{1, 0, 1, 1, 0, -1}}, {Variable: 2, Levels: 4, Level: []int{0, 2, 3, -1, 1, 2}}}
	scan := func(post *Posterior, name string, after ...kernel) (worst, least float64) {
		c, s, rng := scanOf(post, DefaultOptions()), must(newState(post, Start{Scales: lglfm.Scales{SigmaX: 0.8, SigmaA: 0.8}})), NewStream(1, name).Rand
		index := slices.IndexFunc(c.kernels, func(k kernel) bool { return k.Name() == "cutpoints" })
		c = newCycle(slices.Insert(c.kernels, index+1, after...)...)
		means := make2(len(columns), batches)
		for step := -size; step < batches*size; step++ {
			c.Step(rng, s)
			if step < 0 {
				continue
			}
			squares, largest := squaresOf(s)
			for k := range columns {
				means[k][step/size] += (squares[k] + largest[k]) / size
			}
		}
		least = math.Inf(1)
		for k, o := range columns {
			mean, sd := stat.MeanStdDev(means[k], nil)
			z := (mean - float64(s.N()+o.Levels-2)) / (sd / math.Sqrt(batches))
			t.Logf("%s, %d categories: mean %.3f, z %.1f", name, o.Levels, mean, z)
			worst, least = max(worst, math.Abs(z)), min(least, math.Abs(z))
		}
		return worst, least
	}
	for _, features := range []Features{Binary, Weighted} {
		for _, intercept := range []bool{false, true} {
			if !*fixture.Long && intercept != (features == Weighted) {
				continue
			}
			post := &Posterior{Data: must(lglfm.NewBounded(x, nil, columns...)), Law: ofIBP.post.Law, Mass: massPrior, SigmaX: gammaScale, SigmaA: gammaScale, Features: features}
			name := string(features) + " features"
			if intercept { // and noise scales
				post.Data, name = must(must(post.Data.WithNoiseScales(nil)).WithIntercept()), name+" with an intercept"
			}
			if z, _ := scan(post, name); !(z < limit) {
				t.Errorf("%s: |z| = %.1f, want below %v", name, z, limit)
			}
			if _, z := scan(post, name+", with a fault", factorCopy{deficit: 1}); !(z > limit) {
				t.Errorf("%s: a fault passes with |z| = %.1f", name, z)
			}
			if features == Weighted && intercept {
				if z, _ := scan(post, name+", a copy without a fault", factorCopy{}); !(z < limit) {
					t.Errorf("%s: a copy without a fault fails with |z| = %.1f", name, z)
				}
			}
		}
	}
}
