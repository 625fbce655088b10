package collapsed

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"

	"aibd/feature"
	"aibd/internal/vector"
)

// WithNoiseScales returns the data under the model with a noise scale s_j of each column j: noise
// and loadings of the column have standard deviations s_j SigmaX and s_j SigmaA. The likelihood is
// that of the columns over their scales, times s_j^-1 for each row, or for each contrast with an
// intercept. The scales are 1 at first. They stay 1 in columns with fewer than two distinct observed
// values or intervals: limits, categories and constants do not determine the scale.
//
// The noise of column j has at least the standard deviation lower[j]; nil stands for bounds of 0.
// Given SigmaX, s_j^-2 is exponential with mean 1, truncated to at most (SigmaX/lower[j])^2.
// WithNoiseScales returns an error unless there is a nonnegative finite bound for each column.
func (m *Data) WithNoiseScales(lower []float64) (*Data, error) {
	p, u := new(Data), new(unknown)
	*p, *u = *m, *m.table
	p.unknown, p.table, p.rank = u, u, u.rank()
	u.scales, u.floor, u.free = slices.Repeat([]float64{1}, u.d), make([]float64, u.d), make([]bool, u.d)
	if lower != nil && len(lower) != u.d {
		return nil, fmt.Errorf("found %d lower bounds on noise, expected %d", len(lower), u.d)
	}
	for j, b := range lower {
		if !(b >= 0) || math.IsInf(b, 1) {
			return nil, fmt.Errorf("lower bound on the noise of column %d: found %v, expected a nonnegative finite number", j+1, b)
		}
		u.floor[j] = b
	}
	hidden, first := make([]bool, len(u.x)), slices.Repeat([]float64{math.NaN()}, u.d)
	for _, cell := range u.cells {
		hidden[cell[0]*u.d+cell[1]] = true
	}
	for c, x := range u.x {
		if j := c % u.d; !hidden[c] {
			if math.IsNaN(first[j]) {
				first[j] = x
			}
			u.free[j] = u.free[j] || x != first[j]
		}
	}
	u.freeByIntervals()
	for j, free := range u.free {
		if !free {
			u.floor[j] = 0
		}
	}
	return p.Detach(), nil
}

// freeByIntervals frees the scales of columns with cells in different intervals, one of them with two ends:
// these determine the scale.
func (u *unknown) freeByIntervals() {
	if u.lower == nil {
		return
	}
	first := map[int][2]float64{} // with two ends, by column
	for c, cell := range u.cells {
		if slices.ContainsFunc(u.ordinal, func(o ordinal) bool { return o.Variable == cell[1] }) {
			continue // the scale of latent values and their cutpoints is not identified
		}
		if !math.IsInf(u.lower[c], 0) && !math.IsInf(u.upper[c], 0) {
			if _, ok := first[cell[1]]; !ok {
				first[cell[1]] = [2]float64{u.lower[c], u.upper[c]}
			}
		}
	}
	for c, cell := range u.cells {
		if ends, ok := first[cell[1]]; ok && u.bounded(c) && ends != [2]float64{u.lower[c], u.upper[c]} {
			u.free[cell[1]] = true
		}
	}
}

// NoiseScales appends the noise scales by variable to out, nothing if all columns share SigmaX.
func (m *Data) NoiseScales(out []float64) []float64 { return append(out, m.current().scales...) }

// HasNoiseScales reports whether the columns have noise scales.
func (m *Data) HasNoiseScales() bool { return m.current().scales != nil }

// FreeNoiseScales reports by variable whether its noise scale is unknown. It is nil if all columns
// share SigmaX. The result must not be changed.
func (m *Data) FreeNoiseScales() []bool { return m.current().free }

// SetNoiseScales sets the noise scales. It must not be called on data that are shared, see Own. It
// returns an error unless there is a positive finite one for each variable, or none if all columns
// share SigmaX.
func (m *Data) SetNoiseScales(values []float64) error {
	want := 0
	if m.HasNoiseScales() {
		want = m.d
	}
	if len(values) != want {
		return fmt.Errorf("found %d noise scales, expected %d", len(values), want)
	}
	if want == 0 {
		return nil
	}
	for j, free := range m.unknown.free {
		switch {
		case !(values[j] > 0) || math.IsInf(values[j], 1):
			return fmt.Errorf("noise scale of column %d: found %v, expected a positive finite number", j+1, values[j])
		case !free && values[j] != 1:
			return fmt.Errorf("noise scale of column %d, which has fewer than two distinct observed values: found %v, expected 1", j+1, values[j])
		}
	}
	copy(m.unknown.scales, values)
	m.factor = m.factor[:0] // the rotation is of other values
	m.rotate()
	return nil
}

// NoiseBounds returns the lower bounds on the noise by variable. It is nil if all columns share
// SigmaX. The result must not be changed.
func (m *Data) NoiseBounds() []float64 { return m.current().floor }

// MinNoiseBound returns the min of the lower bounds on the noise of columns with an unknown noise
// scale, 0 if there are none.
func (m *Data) MinNoiseBound() float64 {
	lowest := math.Inf(1)
	for j, free := range m.FreeNoiseScales() {
		if free {
			lowest = min(lowest, m.unknown.floor[j])
		}
	}
	if math.IsInf(lowest, 1) {
		return 0
	}
	return lowest
}

const (
	boundSlack = 1e-9 // relative, by which rounding may take s^-2 beyond its bound
	noBound    = 40   // larger bounds on s^-2 do not change its prior in doubles
)

// A NoisePrior is the prior of the noise scales (see WithNoiseScales). The zero value stands for
// data whose columns share SigmaX.
type NoisePrior struct {
	free  []bool    // whether the scale is unknown, by variable
	floor []float64 // lower bounds on the standard deviation of the noise, by variable
	joint bool      // the bounds truncate the joint prior of SigmaX and the scales
}

// Joint returns the prior whose bounds truncate the joint prior of SigmaX and the noise scales, not the prior of the
// scales given SigmaX. Bounds near the noise then do not pull SigmaX toward 0. Densities and
// integrals lack the normalizer of the joint prior. Draws given SigmaX stay the same, and SigmaX has its own
// prior times the probability LogShare.
func (p NoisePrior) Joint() NoisePrior {
	p.joint = true
	return p
}

// LogShare returns the log probability that scales without bounds respect all bounds, given SigmaX.
func (p NoisePrior) LogShare(scales Scales) (sum float64) {
	for j, free := range p.free {
		if free {
			sum += logShareBelow(p.maxPrecision(j, scales))
		}
	}
	return sum
}

// logNormalizer returns the log of the normalizer of the density of a scale whose inverse square is at most limit.
func (p NoisePrior) logNormalizer(limit float64) float64 {
	if p.joint {
		return 0
	}
	return logShareBelow(limit)
}

// NoisePrior returns the prior of the noise scales.
func (m *Data) NoisePrior() NoisePrior { return m.current().noisePrior() }

func (u *unknown) noisePrior() NoisePrior { return NoisePrior{free: u.free, floor: u.floor} }

// Has reports whether columns have noise scales.
func (p NoisePrior) Has() bool { return p.free != nil }

// Free reports whether the noise scale of a variable is unknown.
func (p NoisePrior) Free(j int) bool { return p.free != nil && p.free[j] }

// Least returns the noise scale that is nearest to 1 among those that the bounds allow.
func (p NoisePrior) Least(j int, scales Scales) float64 {
	if !p.Free(j) {
		return 1
	}
	return max(1, p.floor[j]/scales.SigmaX)
}

// maxPrecision returns the upper bound on s^-2 of a variable given the scales, +Inf without one.
func (p NoisePrior) maxPrecision(j int, scales Scales) float64 {
	root := scales.SigmaX / p.floor[j]
	return root * root
}

// LogDensity returns the log prior density of the unknown ones among the noise scales given the scales.
func (p NoisePrior) LogDensity(noise []float64, scales Scales) (sum float64) {
	for j, s := range noise {
		if !p.free[j] {
			continue
		}
		v, limit := 1/(s*s), p.maxPrecision(j, scales)
		if v > limit*(1+boundSlack) {
			return math.Inf(-1)
		}
		sum += math.Ln2 - v - p.logNormalizer(limit) - 3*math.Log(s)
	}
	return sum
}

// Draw returns a draw of the noise scale of a variable whose inverse square is a gamma variable, truncated
// as the prior is.
func (p NoisePrior) Draw(rng *rand.Rand, j int, shape, rate float64, scales Scales) float64 {
	return drawNoiseScale(rng, shape, rate, p.maxPrecision(j, scales))
}

// LogIntegral returns the log of the integral of v^(shape-1) exp(-(rate-1) v) over the prior of the inverse
// square v of the noise scale of a variable.
func (p NoisePrior) LogIntegral(j int, shape, rate float64, scales Scales) float64 {
	limit := p.maxPrecision(j, scales)
	return logGammaBelow(shape, rate*limit) - shape*math.Log(rate) - p.logNormalizer(limit)
}

// DrawFactor returns a draw of the factor g by which SigmaX and SigmaA, and the cells and cutpoints of
// ordinal columns, can be multiplied, and the noise scales divided, given the rest: neither the
// likelihood nor the bounds change. All other columns must have unknown noise scales. The priors of
// SigmaX and SigmaA are left to the caller: they are taken to be flat. The argument ordinal is the number
// of ordinal columns that have an intercept.
//
// The density of g^2 is then that of a gamma variable with the rate sum(v) and the shape 1 plus the
// number of noise scales, plus 1/2 for each ordinal column with an intercept, whose prior is flat. Unless
// the prior is joint, it is divided by the normalizers 1 - exp(-g^2 w) of the priors of v, truncated to at
// most w. Each normalizer is the inverse of a geometric series in m of exp(-m g^2 w). Given m, drawn at
// g = 1, g^2 is a gamma variable with the rate sum(v + m w).
func (p NoisePrior) DrawFactor(rng *rand.Rand, noise []float64, scales Scales, ordinal int) float64 {
	shape, rate := 1+float64(ordinal)/2, 0.0
	for j, s := range noise {
		if !p.free[j] {
			continue
		}
		shape++
		rate += 1 / (s * s)
		if limit := p.maxPrecision(j, scales); limit < noBound && !p.joint {
			rate += limit * math.Floor(rng.ExpFloat64()/limit)
		}
	}
	return math.Sqrt(distuv.Gamma{Alpha: shape, Beta: rate, Src: rng}.Rand())
}

// logShareBelow returns the log probability that an exponential variable with mean 1 is at most limit,
// the normalizer of the prior of s^-2.
func logShareBelow(limit float64) float64 {
	if limit < noBound {
		return math.Log(-math.Expm1(-limit))
	}
	return 0
}

// LogNoiseScales returns the log prior density of the unknown noise scales given the scales.
func (m *Data) LogNoiseScales(scales Scales) float64 {
	return m.NoisePrior().LogDensity(m.unknown.scales, scales)
}

// DrawPriorNoiseScales draws the noise scales from their prior given the scales, nil if all columns
// share SigmaX.
func (m *Data) DrawPriorNoiseScales(rng *rand.Rand, scales Scales) []float64 {
	noise := m.NoiseScales(nil)
	for j := range noise {
		if m.unknown.free[j] {
			noise[j] = m.unknown.noisePrior().Draw(rng, j, 1, 1, scales)
		}
	}
	return noise
}

// noise returns the noise scale of a variable.
func (u *unknown) noise(j int) float64 {
	if u.scales == nil {
		return 1
	}
	return u.scales[j]
}

// rescale puts X over the noise scales into over.
func (m *Data) rescale() {
	u := m.unknown
	m.logNoise, m.top, m.over = 0, 1, vector.Extend(m.over, len(u.x))
	for j, s := range u.scales {
		m.logNoise += math.Log(s)
		for index := j; index < len(u.x); index += u.d {
			m.over[index] = u.x[index] / s
			m.top = max(m.top, math.Abs(m.over[index]))
		}
	}
}

// Noise draws noise scales. The zero value is ready for use. A Noise belongs to one goroutine. It
// does not allocate once it has held the largest problem.
type Noise struct {
	bounds Bounds
	out    []float64
}

// Draw returns a draw of the noise scales given the rest. It returns nil where r is so small that rounding dominates. The result is valid until the next call.
//
// Given the rest, s^-2 is a truncated gamma variable: the density of a column is proportional to
// s^-n exp(-q/(2 s^2)) for n items, or one less with an intercept, with q from quadratics.
func (c *Noise) Draw(rng *rand.Rand, current *Data, z *feature.Allocation, scales Scales) []float64 {
	q, u := c.quadratics(current, z, scales), current.unknown
	rows := float64(current.n - current.ones)
	for j := range q {
		if !u.free[j] {
			c.out[j] = 1
			continue
		}
		c.out[j] = u.noisePrior().Draw(rng, j, 1+rows/2, 1+q[j]/2, scales)
	}
	return q
}

// logGammaBelow returns the logarithm of the integral of x^(shape-1) exp(-x) from 0 to limit.
func logGammaBelow(shape, limit float64) float64 {
	if limit > shape {
		all, _ := math.Lgamma(shape)
		return all + math.Log(mathext.GammaIncReg(shape, limit))
	}
	sum, term := 0.0, 1/shape // x^shape exp(-x) times a series, as the integral may underflow
	for k := 1.0; term > 1e-17*sum; k++ {
		sum += term
		term *= limit / (shape + k)
	}
	return shape*math.Log(limit) - limit + math.Log(sum)
}

// drawNoiseScale returns a draw of s where s^-2 is a gamma variable truncated to at most limit.
func drawNoiseScale(rng *rand.Rand, shape, rate, limit float64) float64 {
	for {
		if s := 1 / math.Sqrt(drawBelow(rng, shape, rate*limit)/rate); s > 0 && !math.IsInf(s, 1) {
			return s
		}
	}
}

// drawBelow returns a draw of a gamma variable of a shape of at least 1 and rate 1, given that it is
// at most limit. It accepts gamma variables if many are below the limit. Otherwise it draws the
// distance e to the limit, in its units. The log density is concave, hence below its tangent at the
// limit: e is proposed from an exponential distribution truncated to at most 1.
func drawBelow(rng *rand.Rand, shape, limit float64) float64 {
	if limit > shape-math.Sqrt(shape)/2 {
		for {
			if x := (distuv.Gamma{Alpha: shape, Beta: 1, Src: rng}).Rand(); x <= limit {
				return x
			}
		}
	}
	slope := shape - 1 - limit
	for {
		e := rng.Float64()
		if math.Abs(slope) > 1e-9 {
			e = -math.Log1p(e*math.Expm1(-slope)) / slope
		}
		if rng.ExpFloat64() > -(shape-1)*(e+math.Log1p(-e)) {
			return limit * (1 - e)
		}
	}
}

// quadratics returns x'Hx/SigmaX^2 by variable, with H as for Cells and the values of unknown cells.
// It returns nil where r is so small that rounding dominates. The result is c.out.
func (c *Noise) quadratics(current *Data, z *feature.Allocation, scales Scales) []float64 {
	r, u, b := ratio(scales), current.unknown, &c.bounds
	if current.Check(scales) != nil {
		return nil
	}
	b.place, c.out = vector.Extend(b.place, u.d), vector.Extend(c.out, u.d)
	for j := range b.place {
		b.place[j] = j
	}
	b.project(current, z, r, u.d)
	noise := current.noise(scales)
	for j := range c.out {
		sum, shift := 0.0, 0.0
		if current.ones > 0 {
			shift = u.means[j]
		}
		for i, h := range b.residuals[j*u.n : (j+1)*u.n] {
			sum += (u.x[i*u.d+j] - shift) / noise * (h / noise)
		}
		c.out[j] = max(0, sum)
	}
	return c.out
}
