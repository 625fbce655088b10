package mcmc

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"aibd/internal/collapsed"
	"aibd/internal/state"
)

// cellsCopy draws the unknown cells by dense matrices, with places for faults: first the
// loadings of a column given its observed cells, then its unknown cells given the loadings.
type cellsCopy struct {
	allRows  bool // the unknown rows count in (Z'Z + rI)^{-1}
	loadings bool // means in place of draws of the loadings
	noise    bool // z_i A in place of z_i A + E
	once     bool // one draw of the noise for all cells of a column
}

func (cellsCopy) Name() string { return "mutant" }

func (k cellsCopy) Step(rng *rand.Rand, s *target) Info {
	u := s.Unknowns()
	k.cells(rng, s, &u, -1)
	s.Load(u)
	return Info{1, 1}
}

// cells draws the unknown cells of u, of item only unless it is -1.
func (k cellsCopy) cells(rng *rand.Rand, s *target, u *state.Unknowns, only int) {
	current := collapsed.Unwrap(s.post.Data).Detach()
	if err := current.SetValues(u.Cells); err != nil {
		panic(err)
	}
	x := current.Completed()
	gaps := make([]map[int]bool, s.N())
	for _, cell := range current.UnknownCells() {
		if only >= 0 && cell[0] != only {
			continue
		}
		if gaps[cell[0]] == nil {
			gaps[cell[0]] = map[int]bool{}
		}
		gaps[cell[0]][cell[1]] = true
	}
	for j := range x[0] {
		k.column(rng, s, x, j, func(i int) bool { return gaps[i][j] })
	}
	for c, cell := range current.UnknownCells() {
		u.Cells[c] = x[cell[0]][cell[1]]
	}
}

// column draws the unknown cells of column j of x.
func (k cellsCopy) column(rng *rand.Rand, s *target, x [][]float64, j int, gap func(i int) bool) {
	scales, features := s.Scales(), s.K()
	a := make([]float64, features) // loadings
	if features > 0 {
		r := scales.SigmaX * scales.SigmaX / (scales.SigmaA * scales.SigmaA)
		gram, sum := mat.NewSymDense(features, nil), mat.NewVecDense(features, nil)
		for b := range features {
			gram.SetSym(b, b, r)
		}
		for i := range x {
			row := mat.NewVecDense(features, nil)
			for b := range features {
				row.SetVec(b, indicator(s.Z().Has(i, b)))
			}
			if !gap(i) || k.allRows {
				gram.SymRankOne(gram, 1, row)
			}
			if !gap(i) {
				sum.AddScaledVec(sum, x[i][j], row)
			}
		}
		var chol mat.Cholesky
		if !chol.Factorize(gram) {
			panic("a matrix is singular")
		}
		mean, noise := mat.NewVecDense(features, nil), mat.NewVecDense(features, nil)
		if err := chol.SolveVecTo(mean, sum); err != nil {
			panic(err)
		}
		for b := range features {
			noise.SetVec(b, scales.SigmaX*rng.NormFloat64())
		}
		var upper mat.TriDense
		chol.UTo(&upper)
		if err := noise.SolveVec(&upper, noise); err != nil {
			panic(err)
		}
		for b := range a {
			if a[b] = mean.AtVec(b); !k.loadings {
				a[b] += noise.AtVec(b)
			}
		}
	}
	e := rng.NormFloat64()
	for i := range x {
		if !gap(i) {
			continue
		}
		x[i][j] = 0
		for b := range a {
			if s.Z().Has(i, b) {
				x[i][j] += a[b]
			}
		}
		switch {
		case k.noise:
		case k.once:
			x[i][j] += scales.SigmaX * e
		default:
			x[i][j] += scales.SigmaX * rng.NormFloat64()
		}
	}
}

// plugIn sets the unknown cells to their means.
func plugIn() kernel { return cellsCopy{loadings: true, noise: true} }

var cellControls = []mutant{
	{"cells", "a copy without a fault", ofGaps, func() kernel { return cellsCopy{} }},
	{"bounded", "a copy without a fault", ofBinary, func() kernel { return boundedCopy{} }},
	{"cutpoints", "a copy without a fault", ofOrdinal, func() kernel { return cutpointsCopy{} }},
	{"rows", "a copy without a fault, missing cells", ofWideGaps, func() kernel { return &gapsCopy{} }},
}

// gapsCopy is rows with places for faults of the missing cells of a row.
type gapsCopy struct {
	old     bool // the cells stay as they are
	means   bool // of the cells in place of draws
	prior   bool // under no likelihood
	swapped bool // under the likelihood of the missing cells, at their values, not of the others
	single  exactSingletons
	passage passage
}

func (*gapsCopy) Name() string { return "mutant" }

func (k *gapsCopy) Step(rng *rand.Rand, s *target) Info {
	s.Refresh()
	for i := range s.N() {
		before := s.Unknowns().Cells
		whole := k.whole(s, i)
		s.Open(i)
		switch {
		case k.prior, k.swapped:
			for a := range s.K() {
				if !s.Shared(a) {
					continue
				}
				log := s.Law().LogFlip(i, a)
				if k.swapped {
					log += whole.LogFlip(a) - s.LogFlip(a)
				}
				if accept(rng, log) {
					s.Flip(a)
					whole.Flip(a)
				}
			}
		default:
			k.passage.run(rng, s, i)
			s.SetSingletons(k.single.draw(rng, s, i))
		}
		s.Close(rng)
		u := s.Unknowns()
		if k.old {
			u.Cells = before
		}
		if k.means {
			cellsCopy{loadings: true, noise: true}.cells(rng, s, &u, i)
		}
		s.Load(u)
	}
	return Info{1, 1}
}

// whole returns a cache of X with its unknown cells as they are, with row i open.
func (k *gapsCopy) whole(s *target, i int) *collapsed.Cache {
	u, current := s.Unknowns(), collapsed.Unwrap(s.post.Data).Detach()
	if err := current.SetValues(u.Cells); err != nil {
		panic(err)
	}
	c := collapsed.NewCache(must(collapsed.NewData(current.Completed())), u.Z, u.Scales)
	c.Open(u.Z, i)
	return c
}

// boundedCopy draws the cells with bounds by dense matrices, with places for faults.
type boundedCopy struct {
	means bool // in place of draws
	unit  bool // variance SigmaX^2 in place of SigmaX^2/H_ii
	zero  bool // the mean is 0, as without Z and other cells
}

func (boundedCopy) Name() string { return "mutant" }

func (k boundedCopy) Step(rng *rand.Rand, s *target) Info {
	u, n := s.Unknowns(), s.N()
	current := collapsed.Unwrap(s.post.Data).Detach()
	if err := current.SetValues(u.Cells); err != nil {
		panic(err)
	}
	x, scales := current.Completed(), s.Scales()
	covariance := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			covariance.SetSym(i, j, scales.SigmaA*scales.SigmaA*float64(s.Z().Shared(i, j)))
		}
		covariance.SetSym(i, i, scales.SigmaA*scales.SigmaA*float64(s.Z().RowSum(i))+scales.SigmaX*scales.SigmaX)
	}
	var precision mat.Dense
	if err := precision.Inverse(covariance); err != nil {
		panic(err)
	}
	bounds := collapsed.Unwrap(s.post.Data).BoundsOf()
	for c, cell := range current.UnknownCells() {
		b, ok := bounds[cell]
		if !ok {
			continue
		}
		i, j := cell[0], cell[1]
		remainder := 0.0
		for m := range n {
			remainder += precision.At(i, m) * x[m][j]
		}
		mean, sd := x[i][j]-remainder/precision.At(i, i), 1/math.Sqrt(precision.At(i, i))
		if k.unit {
			sd = scales.SigmaX
		}
		if k.zero {
			mean = 0
		}
		draw := math.NaN()
		for range 10_000 {
			if v := mean + sd*rng.NormFloat64(); v > b[0] && v < b[1] {
				draw = v
				break
			}
		}
		switch {
		case math.IsNaN(draw):
			continue
		case k.means:
			draw = min(max(mean, b[0]), b[1])
		}
		u.Cells[c], x[i][j] = draw, draw
	}
	s.Load(u)
	return Info{1, 1}
}

// cutpointsCopy draws each cutpoint given the cells and the other cutpoints (Albert and Chib, 1993),
// with places for faults.
type cutpointsCopy struct {
	middle bool // in place of draws
	flat   bool // prior, up to SigmaX above the cells
	factor bool // also multiplies cutpoints and cells by a factor, without the Jacobian
}

func (cutpointsCopy) Name() string { return "mutant" }

func (k cutpointsCopy) Step(rng *rand.Rand, s *target) Info {
	u, cells := s.Unknowns(), collapsed.Unwrap(s.post.Data).UnknownCells()
	index := 0
	for _, o := range s.post.Data.Ordinal() {
		cuts := u.Cutpoints[index : index+o.Levels-2]
		for j := range cuts {
			low, high := 0.0, math.Inf(1)
			if j > 0 {
				low = cuts[j-1]
			}
			if j+1 < len(cuts) {
				high = cuts[j+1]
			}
			for c, cell := range cells {
				if cell[1] == o.Variable {
					switch o.Level[cell[0]] {
					case j + 1:
						low = max(low, u.Cells[c])
					case j + 2:
						high = min(high, u.Cells[c])
					}
				}
			}
			share, last := rng.Float64(), j+1 == len(cuts)
			if k.middle {
				share = 0.5
			}
			switch {
			case last && !k.flat: // exponential
				cuts[j] = low - u.Scales.SigmaX*math.Log1p(share*math.Expm1(-(high-low)/u.Scales.SigmaX))
			default:
				cuts[j] = low + share*(min(high, low+10*u.Scales.SigmaX)-low)
			}
		}
		index += len(cuts)
	}
	s.Load(u)
	if k.factor {
		g := math.Exp(0.4 * rng.NormFloat64())
		before := s.LogLik() + s.LogPrior()
		old := s.Unknowns()
		for _, v := range [][]float64{u.Cells, u.Cutpoints} {
			for i := range v {
				v[i] *= g
			}
		}
		if s.Load(u); !accept(rng, s.LogLik()+s.LogPrior()-before) {
			s.Load(old)
		}
	}
	return Info{1, 1}
}

var cellMutants = []mutant{
	{"cutpoints", "middles in place of draws", ofOrdinal, func() kernel { return cutpointsCopy{middle: true} }},
	{"cutpoints", "flat prior of the largest", ofOrdinal, func() kernel { return cutpointsCopy{flat: true} }},
	{"cutpoints", "a factor of the cells without its Jacobian", ofOrdinal, func() kernel { return cutpointsCopy{factor: true} }},
	{"bounded", "conditional means in place of draws", ofBinary, func() kernel { return boundedCopy{means: true} }},
	{"bounded", "variance of the noise", ofEnds, func() kernel { return boundedCopy{unit: true} }},
	{"bounded", "means of 0", ofEnds, func() kernel { return boundedCopy{zero: true} }},
	{"bounded", "counts for the next or the one after", ofTally, func() kernel { return otherCounts(afterNext) }},
	{"bounded", "intervals of the next count", ofTally, func() kernel { return otherCounts(nextCount) }},
	{"rows", "missing cells left at their old values", ofGaps, func() kernel { return &gapsCopy{old: true} }},
	{"rows", "means of missing cells in place of draws", ofGaps, func() kernel { return &gapsCopy{means: true} }},
	{"rows", "without the observed cells", ofGaps, func() kernel { return &gapsCopy{prior: true} }},
	{"rows", "missing cells for the observed ones", ofGaps, func() kernel { return &gapsCopy{swapped: true} }},
	{"cells", "means in place of draws", ofGaps, plugIn},
	{"cells", "mean loadings in place of draws", ofGaps, func() kernel { return cellsCopy{loadings: true} }},
	{"cells", "no noise", ofGaps, func() kernel { return cellsCopy{noise: true} }},
	{"cells", "one noise for all cells of a column", ofGaps, func() kernel { return cellsCopy{once: true} }},
	{"cells", "unknown rows in the covariance of the loadings", ofGaps, func() kernel { return cellsCopy{allRows: true} }},
	{"cells", "no intercept", ofInterceptGaps, func() kernel { return cellsCopy{} }},
	{"cells", "unit variance in place of SigmaX", ofGaps, func() kernel {
		return step(func(rng *rand.Rand, s *target) Info {
			old := s.Unknowns()
			unit := old
			unit.Scales.SigmaX, unit.Scales.SigmaA = 1, old.Scales.SigmaA/old.Scales.SigmaX
			s.Load(unit)
			info := cells.Step(rng, s)
			unit = s.Unknowns()
			unit.Scales = old.Scales
			s.Load(unit)
			return info
		})
	}},
}
