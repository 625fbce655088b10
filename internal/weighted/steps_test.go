package weighted

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distmv"
	"gonum.org/v1/gonum/stat/distuv"

	"aibd/feature"
	"aibd/internal/collapsed"
	"aibd/internal/intensity"
	"aibd/internal/lists"
	"aibd/similarity"
)

// The tests of this file take steps alone: the joint tests of package mcmc cannot reject a scan in which a later step
// repairs an earlier one. Draws are compared with the mean and the covariance that dense matrices say. Each comparison
// of a right step fails with probability below 1e-5; there are some 25. A broken twin must be rejected beside it.

const (
	stepDraws = 4000
	stepAlarm = 1e-6 // of the chi-squared approximations, whose tails are somewhat heavier
)

var stepPlaces = []float64{0, 0.3, 1, 1.4, 3, 3.1}

// stepPriors are priors of the weights of six items with shares: a common part alone, with one distance, with two, and
// with two neighbors.
func stepPriors() map[string]Density {
	byPlace := Component{similarity.AbsDifference(stepPlaces), 0.2, 5}
	groups := make([][]float64, len(stepPlaces))
	for i := range groups {
		for j := range groups {
			same := 0.0
			if i%2 == j%2 {
				same = 1
			}
			groups[i] = append(groups[i], same)
		}
	}
	byGroup, err := similarity.NewMatrix(groups)
	if err != nil {
		panic(err)
	}
	z := feature.New(len(stepPlaces))
	for _, items := range [][]int{{0, 2, 3, 5}, {1}, {1, 2}} {
		k := z.Append()
		for _, i := range items {
			z.Flip(i, k)
		}
	}
	weights := []float64{1.2, -0.4, 0.3, 2, -1.5, 0.8, 0.1}
	all := map[string]Density{}
	for name, test := range map[string]struct {
		near      []Component
		shares    Shares
		neighbors int
	}{
		"common part":                {nil, Shares{[]float64{0.6}, nil}, 0},
		"one distance":               {[]Component{byPlace}, Shares{[]float64{0.2, 0.5}, []float64{0.7}}, 0},
		"two distances":              {[]Component{byPlace, {byGroup, 0, 0}}, Shares{[]float64{0.1, 0.4, 0.3}, []float64{1.1, 0}}, 0},
		"neighbors":                  {[]Component{byPlace}, Shares{[]float64{0.2, 0.5}, []float64{0.7}}, 2},
		"neighbors by two distances": {[]Component{byPlace, {byGroup, 0, 0}}, Shares{[]float64{0.1, 0.4, 0.3}, []float64{1.1, 0}}, 2},
		"as many neighbors as items": {[]Component{byPlace}, Shares{[]float64{0.2, 0.5}, []float64{0.7}}, 6},
	} {
		m := &Model{n: z.N(), d: 2, z: z.Clone(), features: make([][]int32, z.N()), missing: make([][]int, z.N())}
		m.prior = &Prior{Near: test.near, Neighbors: test.neighbors}
		m.prior.Prepare(z.N())
		m.SetZ(weights, test.shares)
		m.prepare()
		all[name] = Density{m}
	}
	return all
}

// prepare computes what drawColumns computes for all columns.
func (m *Model) prepare() {
	if m.near() && m.net() == nil {
		m.factorC()
	}
}

// dense returns the covariance of the items as the formulas say.
func (p *Prior) dense(s Shares, items []int) *mat.SymDense {
	if p.network == nil {
		return p.exact(s, items)
	}
	// Node by node: the regression of each on its neighbors under C gives its covariances with all earlier ones.
	g := p.network
	between := func(a, b int) float64 { // nodes, under C
		if a == 0 || b == 0 {
			return s.Shares[0]
		}
		if a == b {
			return 1
		}
		return p.exact(s, []int{int(g.item[a]), int(g.item[b])}).At(0, 1)
	}
	all := mat.NewSymDense(g.n+1, nil)
	all.SetSym(0, 0, s.Shares[0])
	for a := 1; a <= g.n; a++ {
		neighbors := g.neighbors[g.start[a]:g.start[a+1]]
		c, right, gain := mat.NewSymDense(len(neighbors), nil), mat.NewVecDense(len(neighbors), nil), mat.NewVecDense(len(neighbors), nil)
		for x, b := range neighbors {
			for y, d := range neighbors[:x+1] {
				c.SetSym(x, y, between(int(b), int(d)))
			}
			right.SetVec(x, between(a, int(b)))
		}
		var factor mat.Cholesky
		if !factor.Factorize(c) || factor.SolveVecTo(gain, right) != nil {
			panic("neighbors have no covariance")
		}
		for d := range a {
			sum := 0.0
			for x, b := range neighbors {
				sum += gain.AtVec(x) * all.At(int(b), d)
			}
			all.SetSym(a, d, sum)
		}
		variance := 1 - mat.Dot(gain, right)
		for x, b := range neighbors {
			variance += gain.AtVec(x) * all.At(int(b), a)
		}
		all.SetSym(a, a, variance)
	}
	out := mat.NewSymDense(len(items), nil)
	for x, i := range items {
		for y, j := range items[:x+1] {
			out.SetSym(x, y, all.At(g.nodeOf(i), g.nodeOf(j)))
		}
	}
	return out
}

// common stands for the common part among the items of stepPriors.
var common = len(stepPlaces)

// nodeOf returns the node of an item or, for their number, of the common part.
func (g *network) nodeOf(i int) int {
	if i == g.n {
		return 0
	}
	return int(g.node[i])
}

// withCommon returns all items, and with a network the common part.
func (m *Model) withCommon() []int {
	if m.net() == nil {
		return slices.Clone(everyone)
	}
	return append(slices.Clone(everyone), common)
}

// tracedItems returns the items among the traced nodes of feature k, and the common part.
func (m *Model) tracedItems(k int) []int {
	return lists.Map(m.links.traced[k], func(a int32) int {
		if a == 0 {
			return common
		}
		return int(m.net().item[a])
	})
}

// weightsAt returns the weights of feature k of items, and its common part.
func (m *Model) weightsAt(k int, items []int) (x []float64) {
	for _, i := range items {
		if i == common {
			x = append(x, m.common[k])
		} else {
			x = append(x, m.column(k)[i])
		}
	}
	return x
}

// exact returns C of the items as the formula says.
func (p *Prior) exact(s Shares, items []int) *mat.SymDense {
	c := mat.NewSymDense(len(items), nil)
	for a, i := range items {
		for b, j := range items[:a] {
			x := s.Shares[0]
			for m, near := range p.Near {
				r := near.Distances.At(i, j)
				if near.MaxRate > 0 {
					r = math.Exp(-s.Rates[m] * r)
				}
				x += s.Shares[1+m] * r
			}
			c.SetSym(a, b, x)
		}
		c.SetSym(a, a, 1)
	}
	return c
}

// otherShares have twice the own share.
func otherShares(s Shares) Shares {
	s = s.Clone()
	for m := range s.Shares {
		s.Shares[m] *= (1 - 2*s.OwnShare()) / (1 - s.OwnShare())
	}
	return s
}

var everyone = []int{0, 1, 2, 3, 4, 5}

// posteriorOf returns the mean and the covariance of normal numbers with covariance c and mean 0, given observations
// of some with precisions q and products h of precision and value. An infinite precision fixes a number at h.
func posteriorOf(c *mat.SymDense, items []int, q, h []float64) (mean *mat.VecDense, covariance *mat.SymDense) {
	n := c.SymmetricDim()
	seen, cross := mat.NewSymDense(len(items), nil), mat.NewDense(n, len(items), nil)
	y := mat.NewVecDense(len(items), nil)
	for a, i := range items {
		for b, j := range items[:a+1] {
			seen.SetSym(a, b, c.At(i, j))
		}
		value := h[a]
		if !math.IsInf(q[a], 1) {
			seen.SetSym(a, a, seen.At(a, a)+1/q[a])
			value /= q[a]
		}
		y.SetVec(a, value)
		for j := range n {
			cross.Set(j, a, c.At(i, j))
		}
	}
	var gain, explained mat.Dense
	if err := gain.Solve(seen, cross.T()); err != nil {
		panic(err)
	}
	mean = mat.NewVecDense(n, nil)
	mean.MulVec(gain.T(), y)
	explained.Mul(cross, &gain)
	covariance = mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			covariance.SetSym(i, j, c.At(i, j)-explained.At(i, j))
		}
	}
	return mean, covariance
}

// only returns the part of a normal distribution that belongs to some items.
func only(mean *mat.VecDense, covariance *mat.SymDense, items []int) (*mat.VecDense, *mat.SymDense) {
	m, c := mat.NewVecDense(len(items), nil), mat.NewSymDense(len(items), nil)
	for a, i := range items {
		m.SetVec(a, mean.AtVec(i))
		for b, j := range items[:a+1] {
			c.SetSym(a, b, covariance.At(i, j))
		}
	}
	return m, c
}

// normalP returns a p value of draws from a normal distribution: the smaller one of a test of the mean and one of the
// covariance, doubled.
func normalP(t *testing.T, mean *mat.VecDense, covariance *mat.SymDense, draw func() []float64) float64 {
	t.Helper()
	var factor mat.Cholesky
	if !factor.Factorize(covariance) {
		t.Fatal("the expected covariance is not positive definite")
	}
	var root mat.TriDense
	factor.LTo(&root)
	n := mean.Len()
	sums, products := mat.NewVecDense(n, nil), mat.NewSymDense(n, nil)
	for range stepDraws {
		z := mat.NewVecDense(n, draw())
		z.SubVec(z, mean)
		if err := z.SolveVec(&root, z); err != nil {
			t.Fatal(err)
		}
		sums.AddVec(sums, z)
		products.SymRankOne(products, 1, z)
	}
	first, second := mat.Dot(sums, sums)/stepDraws, 0.0
	for a := range n {
		for b := range a + 1 {
			x, variance := products.At(a, b), 1.0
			if a == b {
				x, variance = x-stepDraws, 2
			}
			second += x * x / (stepDraws * variance)
		}
	}
	tail := func(x float64, k int) float64 { return distuv.ChiSquared{K: float64(k)}.Survival(x) }
	return min(1, 2*min(tail(first, n), tail(second, n*(n+1)/2)))
}

// complementOf returns the items that are not among some.
func complementOf(items []int) (complement []int) {
	for _, i := range everyone {
		if !slices.Contains(items, i) {
			complement = append(complement, i)
		}
	}
	return complement
}

func pick(w []float64, items []int) (x []float64) {
	for _, i := range items {
		x = append(x, w[i])
	}
	return x
}

// The weights of the items without a feature follow the prior given those of its members.
func TestDrawOthers(t *testing.T) {
	for name, density := range stepPriors() {
		m, rng := density.m, rand.New(rand.NewPCG(1, 1))
		draw := m.drawOthersExchangeable
		if m.near() {
			draw = m.drawOthers
		}
		for k := range m.z.K() {
			members := feature.Members(nil, m.z.Column(k))
			complement, values := complementOf(members), pick(m.column(k), members)
			mean, covariance := posteriorOf(m.prior.dense(m.now, everyone), members, slices.Repeat([]float64{math.Inf(1)}, len(members)), values)
			mean, covariance = only(mean, covariance, complement)
			test := func(draw func()) float64 {
				return normalP(t, mean, covariance, func() []float64 {
					draw()
					return pick(m.column(k), complement)
				})
			}
			if p := test(func() { draw(rng, k) }); p < stepAlarm {
				t.Errorf("%s, feature %d: p value %.2g", name, k, p)
			}
			if got := pick(m.column(k), members); !slices.Equal(got, values) {
				t.Errorf("%s, feature %d: found weights of members %v, expected %v", name, k, got, values)
			}
			free := func() {
				root, normal := mat.NewTriDense(m.n, mat.Lower, rootOf(m.prior.dense(m.now, everyone))), mat.NewVecDense(m.n, nil)
				for i := range m.n {
					normal.SetVec(i, rng.NormFloat64())
				}
				normal.MulVec(root, normal)
				copy(m.column(k), normal.RawVector().Data)
				copyTo(m.column(k), members, values)
			}
			if p := test(free); p > stepAlarm {
				t.Errorf("%s, feature %d: p value %.2g of weights that are not conditioned on the members", name, k, p)
			}
			// The members had other weights when the others were drawn, as after a change of a singleton.
			stale := func() {
				for _, i := range members {
					m.column(k)[i] *= -0.5
				}
				draw(rng, k)
				for e, i := range members {
					m.column(k)[i] = values[e]
				}
			}
			if p := test(stale); p > stepAlarm {
				t.Errorf("%s, feature %d: p value %.2g of weights that were not drawn again", name, k, p)
			}
			average := func() {
				sum := make([]float64, m.n)
				for range 4 {
					draw(rng, k)
					for i, w := range m.column(k) {
						sum[i] += w / 4
					}
				}
				copy(m.column(k), sum)
				copyTo(m.column(k), members, values)
			}
			if p := test(average); p > stepAlarm {
				t.Errorf("%s, feature %d: p value %.2g of weights that vary too little", name, k, p)
			}
		}
	}
}

func copyTo(w []float64, items []int, values []float64) {
	for e, i := range items {
		w[i] = values[e]
	}
}

// rootOf returns the Cholesky factor, row after row.
func rootOf(c *mat.SymDense) []float64 {
	var factor mat.Cholesky
	if !factor.Factorize(c) {
		panic("a covariance is not positive definite")
	}
	var root mat.TriDense
	factor.LTo(&root)
	return mat.DenseCopyOf(&root).RawMatrix().Data
}

// A whole column of weights is drawn given what the cells of its members say, one of them nothing.
func TestDrawColumnWeights(t *testing.T) {
	q, h := []float64{0.5, 4, 1e-12, 2}, []float64{1, -3, 0, 2.5}
	for name, density := range stepPriors() {
		m, rng := density.m, rand.New(rand.NewPCG(2, 1))
		items, draw := everyone, func() { m.drawNear(rng, 0) }
		if !m.near() {
			items, draw = feature.Members(nil, m.z.Column(0)), func() { m.drawExchangeable(rng, m.column(0)) }
		}
		members := feature.Members(nil, m.z.Column(0))
		mean, covariance := posteriorOf(m.prior.dense(m.now, everyone), members, q, h)
		mean, covariance = only(mean, covariance, items)
		test := func(q, h []float64) float64 {
			return normalP(t, mean, covariance, func() []float64 {
				m.gather(0)
				m.obs, m.columnDraws.sum = append(m.obs[:0], q...), append(m.columnDraws.sum[:0], h...)
				m.obs[2] = 0
				draw()
				return pick(m.column(0), items)
			})
		}
		if p := test(q, h); p < stepAlarm {
			t.Errorf("%s: p value %.2g", name, p)
		}
		if p := test([]float64{0.5, 4, 0, 1}, h); p > stepAlarm {
			t.Errorf("%s: p value %.2g at another precision", name, p)
		}
		if p := test(q, []float64{1, -3, 0, 1.5}); p > stepAlarm {
			t.Errorf("%s: p value %.2g with other products", name, p)
		}
		now := m.now.Clone()
		m.setShares(otherShares(now))
		m.prepare()
		if p := test(q, h); p > stepAlarm {
			t.Errorf("%s: p value %.2g at other shares", name, p)
		}
	}
}

// The weight of an item given those of the others, of the members or of all.
func TestPredict(t *testing.T) {
	for name, density := range stepPriors() {
		m, r := density.m, &density.m.rows
		k := m.z.K()
		r.prior, r.precision, r.sums = make([]float64, k), make([]float64, k), make([]float64, k)
		for f := range k {
			for i := range everyone {
				if m.near() && !m.z.Has(i, f) {
					m.column(f)[i] = float64(i)/3 - 1
				}
			}
		}
		m.common = []float64{0.4, -1, 0.3}
		worst, twin := 0.0, 0.0
		for i := range everyone {
			for f := range k {
				r.sums[f] = 0
				for j := range feature.Items(m.z.Column(f)) {
					r.sums[f] += m.column(f)[j]
				}
			}
			m.predict(i)
			for f := range k {
				members := feature.Members(nil, m.z.Column(f))
				if m.near() {
					members = m.withCommon()
				}
				members = slices.DeleteFunc(members, func(j int) bool { return j == i })
				difference := func(s Shares) float64 {
					mean, covariance := mat.NewVecDense(m.n, nil), m.prior.dense(s, m.withCommon())
					if len(members) > 0 {
						mean, covariance = posteriorOf(covariance, members, slices.Repeat([]float64{math.Inf(1)}, len(members)), m.weightsAt(f, members))
					}
					return max(math.Abs(r.prior[f]-mean.AtVec(i)), math.Abs(1/r.precision[f]-covariance.At(i, i)))
				}
				worst, twin = max(worst, difference(m.now)), max(twin, difference(otherShares(m.now)))
			}
		}
		if worst > 1e-12 || !(twin > 1e-3) {
			t.Errorf("%s: found a difference of %g, expected none; %g at other shares", name, worst, twin)
		}
	}
}

// Weights that move along with the shares have the new covariance: the map is linear, one for each feature.
func TestCarry(t *testing.T) {
	for name, density := range stepPriors() {
		m := density.m
		m.next = otherShares(m.now)
		m.setNext()
		if m.net() != nil {
			m.drawInner(rand.New(rand.NewPCG(5, 1)))
		}
		m.common = make([]float64, m.z.K())
		for k := range m.z.K() {
			moving := feature.Members(nil, m.z.Column(k))
			if m.net() != nil && !m.single(k) {
				moving = m.tracedItems(k)
			}
			n := len(moving)
			product := mat.NewDense(n, n, nil)
			for a := range n {
				for b, i := range moving {
					x := 0.0
					if a == b {
						x = 1
					}
					if i == common {
						m.common[k] = x
					} else {
						m.column(k)[i] = x
					}
				}
				m.carry()
				swap := func() {
					m.w, m.otherW, m.common, m.links.common = m.otherW, m.w, m.links.common, m.common
				}
				swap()
				product.SetCol(a, m.weightsAt(k, moving))
				swap()
			}
			var moved mat.Dense
			moved.Product(product, m.prior.dense(m.now, moving), product.T())
			if !mat.EqualApprox(&moved, m.prior.dense(m.next, moving), 1e-12) {
				t.Errorf("%s, feature %d: found the covariance %v", name, k, mat.Formatted(&moved))
			}
			if n > 1 && mat.EqualApprox(&moved, m.prior.dense(m.now, moving), 1e-3) {
				t.Errorf("%s, feature %d: the weights did not move", name, k)
			}
		}
	}
}

// w'C^-1 w, log |C|, C^-1 v and the density of the weights, against dense matrices.
func TestQuadratic(t *testing.T) {
	for name, density := range stepPriors() {
		m, total, otherTotal := density.m, 0.0, 0.0
		other := otherShares(m.now)
		for k := range m.z.K() {
			members := feature.Members(nil, m.z.Column(k))
			n := len(members)
			w := mat.NewVecDense(n, pick(m.column(k), members))
			dense := func(s Shares) (square, logDet float64, solved mat.VecDense) {
				var factor mat.Cholesky
				factor.Factorize(m.prior.dense(s, members))
				if err := factor.SolveVecTo(&solved, w); err != nil {
					t.Fatal(err)
				}
				return mat.Dot(w, &solved), factor.LogDet(), solved
			}
			square, logDet, solved := dense(m.now)
			total -= (square + logDet + float64(n)*math.Log(2*math.Pi)) / 2
			if s, l := m.quadratic(k, false); math.Abs(s-square) > 1e-12 || math.Abs(l-logDet) > 1e-12 {
				t.Errorf("%s, feature %d: found %v and %v, expected %v and %v", name, k, s, l, square, logDet)
			}
			v := pick(m.column(k), members)
			if m.gather(k); m.net() == nil {
				m.inverseTimes(k, v)
			} else {
				copy(v, solved.RawVector().Data) // moves use the weights of all items, see TestAllWeights
			}
			if !mat.EqualApprox(mat.NewVecDense(n, v), &solved, 1e-12) {
				t.Errorf("%s, feature %d: found the product %v, expected %v", name, k, v, solved.RawVector().Data)
			}
			square, logDet, solved = dense(other)
			otherTotal -= (square + logDet + float64(n)*math.Log(2*math.Pi)) / 2
			if n > 1 && mat.EqualApprox(mat.NewVecDense(n, v), &solved, 1e-3) {
				t.Errorf("%s, feature %d: the product does not depend on the shares", name, k)
			}
		}
		if got := m.LogWeights(); math.Abs(got-total) > 1e-12 {
			t.Errorf("%s: found the log density %v, expected %v", name, got, total)
		}
		if got := density.Log(other); math.Abs(got-otherTotal) > 1e-12 || math.Abs(total-otherTotal) < 1e-3 {
			t.Errorf("%s: found the log density %v at other shares, expected %v", name, got, otherTotal)
		}
	}
}

// The log density of the weights changes with the two variances as the dense covariance matrix says, and the changes are
// not near 0.
func TestVariances(t *testing.T) {
	for name, density := range stepPriors() {
		m, rng := density.m, rand.New(rand.NewPCG(8, 1))
		m.common = make([]float64, m.z.K())
		if m.net() != nil {
			m.drawInner(rng)
		}
		m.sumVariances()
		dense := func(c, b float64) (sum float64) {
			total := c + b
			shares := m.now.Clone()
			for a := range shares.Shares {
				shares.Shares[a] *= b / total / (1 - m.now.Shares[0])
			}
			shares.Shares[0] = c / total
			for k := range m.z.K() {
				items := feature.Members(nil, m.z.Column(k))
				if m.net() != nil && !m.single(k) {
					items = m.tracedItems(k)
				}
				covariance := m.prior.dense(shares, items)
				covariance.ScaleSym(total, covariance)
				normal, ok := distmv.NewNormal(make([]float64, len(items)), covariance, nil)
				if !ok {
					t.Fatal("a covariance is not positive definite")
				}
				sum += normal.LogProb(m.weightsAt(k, items))
			}
			return sum
		}
		c, b := m.now.Shares[0], 1-m.now.Shares[0]
		for _, point := range [][2]float64{{2 * c, b}, {c / 5, b}, {c, 3 * b}, {1.7 * c, 1.7 * b}} {
			want := dense(point[0], point[1]) - dense(c, b)
			if got := m.variances.log(point[0], point[1]) - m.variances.log(c, b); math.Abs(got-want) > 1e-9 || math.Abs(want) < 1e-3 {
				t.Errorf("%s: found the log ratio %v, expected %v, not near 0", name, got, want)
			}
		}
	}
}

// With a network moves use w'Qw and v'Qw of the weights of all items and the common part: against the inverse of the dense
// covariance, which other shares do not give. The weights of traced nodes have the density that the dense matrix gives.
func TestAllWeights(t *testing.T) {
	fewer := false
	defer func() {
		if !fewer {
			t.Error("found features that depend on all nodes, expected some of fewer")
		}
	}()
	for name, density := range stepPriors() {
		m, rng := density.m, rand.New(rand.NewPCG(6, 1))
		if m.net() == nil {
			continue
		}
		all := m.withCommon()
		dense := m.prior.dense(m.now, all)
		var factor mat.Cholesky
		factor.Factorize(dense)
		times := func(x []float64) *mat.VecDense {
			var solved mat.VecDense
			if err := factor.SolveVecTo(&solved, mat.NewVecDense(len(x), x)); err != nil {
				t.Fatal(err)
			}
			return &solved
		}
		m.next = otherShares(m.now)
		m.setNext()
		m.common = make([]float64, m.z.K())
		m.drawInner(rng)
		total, otherTotal := 0.0, 0.0
		for l := range m.z.K() {
			if m.common[l] = rng.NormFloat64(); m.single(l) {
				continue
			}
			for i := range m.column(l) {
				if !m.z.Has(i, l) {
					m.column(l)[i] = rng.NormFloat64()
				}
			}
			w := m.weightsAt(l, all)
			traced := m.tracedItems(l)
			var inner mat.Cholesky
			var solved mat.VecDense
			some := mat.NewVecDense(len(traced), m.weightsAt(l, traced))
			if !inner.Factorize(m.prior.dense(m.now, traced)) || inner.SolveVecTo(&solved, some) != nil {
				t.Fatal("no factor")
			}
			total -= (mat.Dot(some, &solved) + inner.LogDet()) / 2
			fewer = fewer || len(traced) < len(all)
			v := make([]float64, len(all))
			for _, i := range feature.Members(nil, m.z.Column(2)) {
				v[i] = m.column(2)[i]
			}
			precision, sum := m.shearLinked(2, l)
			want, wantSum := mat.Dot(mat.NewVecDense(len(v), v), times(v)), mat.Dot(mat.NewVecDense(len(v), v), times(w))
			if math.Abs(precision-want) > 1e-9 || math.Abs(sum-wantSum) > 1e-9 {
				t.Errorf("%s, feature %d: found %v and %v, expected %v and %v", name, l, precision, sum, want, wantSum)
			}
		}
		if got := m.logInner(&m.conditional); math.Abs(got-total) > 1e-9 {
			t.Errorf("%s: found the log density %v, expected %v", name, got, total)
		}
		if otherTotal = m.logInner(&m.proposedConditional); math.Abs(otherTotal-total) < 1e-3 {
			t.Errorf("%s: found the log density %v at other shares too", name, total)
		}
	}
}

// Features of few of many items depend on some of the nodes. Their density, their weights given the cells of the members, and
// the weights of all others are those of the dense matrix, not those at other shares.
func TestFewMembers(t *testing.T) {
	const n, neighbors = 40, 3
	rng := rand.New(rand.NewPCG(7, 1))
	rows, z := make([][]float64, n), feature.New(n)
	for i := range rows {
		rows[i] = []float64{rng.Float64(), rng.Float64()}
	}
	points, err := similarity.NewPoints(rows)
	if err != nil {
		t.Fatal(err)
	}
	var weights []float64
	for _, members := range [][]int{{7, 30}, {2, 11, 12, 38}} {
		k := z.Append()
		for _, i := range members {
			z.Flip(i, k)
			weights = append(weights, rng.NormFloat64())
		}
	}
	m := &Model{n: n, d: 2, z: z, features: make([][]int32, n), missing: make([][]int, n)}
	m.prior = &Prior{Near: []Component{{points, 0.5, 20}}, Neighbors: neighbors}
	m.prior.Prepare(n)
	shares := Shares{[]float64{0.2, 0.7}, []float64{3}}
	m.SetZ(weights, shares)
	items := lists.Make(n, func(i int) int { return i })
	right, wrong := m.prior.dense(shares, items), m.prior.dense(otherShares(shares), items)
	for k := range z.K() {
		members := feature.Members(nil, z.Column(k))
		values := pick(m.column(k), members)
		if m.gather(k); len(m.trace(k).nodes) > n/2 {
			t.Fatalf("feature %d depends on %d of %d nodes, expected fewer", k, len(m.links.nodes), n)
		}
		density := func(c *mat.SymDense) (square, logDet float64) {
			some := mat.NewSymDense(len(members), nil)
			for a, i := range members {
				for b, j := range members[:a+1] {
					some.SetSym(a, b, c.At(i, j))
				}
			}
			var factor mat.Cholesky
			var solved mat.VecDense
			w := mat.NewVecDense(len(values), values)
			if !factor.Factorize(some) || factor.SolveVecTo(&solved, w) != nil {
				t.Fatal("no factor")
			}
			return mat.Dot(w, &solved), factor.LogDet()
		}
		square, logDet := density(right)
		otherSquare, otherLogDet := density(wrong)
		if s, l := m.quadratic(k, false); math.Abs(s-square) > 1e-10 || math.Abs(l-logDet) > 1e-10 || math.Abs(s-otherSquare) < 1e-3 || math.Abs(l-otherLogDet) < 1e-3 {
			t.Errorf("feature %d: found %v and %v, expected %v and %v", k, s, l, square, logDet)
		}

		complement := slices.DeleteFunc(slices.Clone(items), func(i int) bool { return slices.Contains(members, i) })
		check := func(what string, items []int, q, h []float64, draw func()) {
			t.Helper()
			p := func(c *mat.SymDense) float64 {
				mean, covariance := posteriorOf(c, members, q, h)
				mean, covariance = only(mean, covariance, items)
				return normalP(t, mean, covariance, func() []float64 {
					draw()
					return pick(m.column(k), items)
				})
			}
			if p := p(right); p < stepAlarm {
				t.Errorf("feature %d, %s: p value %.2g", k, what, p)
			}
			if p := p(wrong); p > stepAlarm {
				t.Errorf("feature %d, %s: p value %.2g at other shares", k, what, p)
			}
		}
		check("others", complement, slices.Repeat([]float64{math.Inf(1)}, len(members)), values, func() { m.drawOthers(rng, k) })
		q, h := slices.Repeat([]float64{2}, len(members)), lists.Make(len(members), func(e int) float64 { return float64(e) - 1.5 })
		check("column", items, q, h, func() {
			m.gather(k)
			m.obs, m.columnDraws.sum = append(m.obs[:0], q...), append(m.columnDraws.sum[:0], h...)
			m.drawNear(rng, k)
		})
	}
}

// Flips of a column given the weights of all items leave the distribution of who has the feature, among the sets of at least
// two items: the prior times the density of the residuals, with the loadings integrated out. Cells are missing or not, and
// singletons of other precision are noise.
func TestFlipColumn(t *testing.T) {
	testFlipColumn(t, [][]int{nil, {1}, nil, {0}})
	testFlipColumn(t, make([][]int, 4))
}

func testFlipColumn(t *testing.T, missing [][]int) {
	const n, d, rho, size = 4, 2, 2.25, 5 * stepDraws
	law, err := intensity.NewIBP(n, 1)
	if err != nil {
		t.Fatal(err)
	}
	z := feature.New(n)
	z.Append()
	z.Flip(0, 0)
	z.Flip(1, 0)
	m := &Model{n: n, d: d, z: z, tracker: law.Tracker(), scales: &collapsed.Scales{SigmaX: 0.8, SigmaA: 1.2}, features: make([][]int32, n), missing: missing, gaps: len(missing[1]) > 0}
	m.SetZ([]float64{1, 1}, Shares{})
	m.tracker.Reset(z)
	copy(m.w, []float64{0.9, -0.7, 1.1, 0.4})
	m.share, m.resid = []float64{1, 0.6, 0.3, 1}, []float64{1, -0.5, -1.2, 0, 0.6, -1, 0, 0.8}
	var sets []uint64
	for set := range uint64(1 << n) {
		if bits.OnesCount64(set) > 1 {
			sets = append(sets, set)
		}
	}
	// probabilities of the sets, with the precisions of the items' residuals.
	probabilities := func(share []float64) (p []float64) {
		for _, set := range sets {
			log := law.LogIntensity([]uint64{set})
			for j := range d {
				var x, g, noise []float64
				for i := range n {
					if !slices.Contains(m.missing[i], j) {
						x, noise = append(x, m.resid[i*d+j]), append(noise, 1/share[i])
						g = append(g, m.w[i]*float64(set>>i&1))
					}
				}
				c := mat.NewSymDense(len(x), nil)
				c.SymOuterK(rho, mat.NewDense(len(x), 1, g))
				for a, v := range noise {
					c.SetSym(a, a, c.At(a, a)+v)
				}
				normal, ok := distmv.NewNormal(make([]float64, len(x)), c, nil)
				if !ok {
					t.Fatal("a covariance is not positive definite")
				}
				log += normal.LogProb(x)
			}
			p = append(p, math.Exp(log))
		}
		floats.Scale(1/floats.Sum(p), p)
		return p
	}
	rng, counts := rand.New(rand.NewPCG(4, 1)), make([]float64, len(sets))
	for range size {
		for range 8 {
			m.flipColumn(rng, 0)
		}
		counts[slices.Index(sets, z.Column(0)[0])]++
	}
	test := func(p []float64) float64 {
		expected := slices.Clone(p)
		floats.Scale(size, expected)
		return distuv.ChiSquared{K: float64(len(sets) - 1)}.Survival(stat.ChiSquare(counts, expected))
	}
	if p := test(probabilities(m.share)); p < stepAlarm {
		t.Errorf("p value %.2g: found %v, expected shares %.3f", p, counts, probabilities(m.share))
	}
	if p := test(probabilities([]float64{1, 1, 1, 1})); p > stepAlarm {
		t.Errorf("p value %.2g as if singletons were no noise", p)
	}
	m.missing = make([][]int, n)
	if p := test(probabilities(m.share)); p > stepAlarm && m.gaps {
		t.Errorf("p value %.2g as if missing cells were observed", p)
	}
}
