package collapsed

import (
	"fmt"
	"math"
	"slices"

	"aibd/feature"
	"aibd/internal/vector"
)

// WithNoiseScales returns the data under the model with a noise scale s_j of each column j: noise
// and loadings of the column have standard deviations s_j SigmaX and s_j SigmaA. The likelihood is
// that of the columns over their scales, times s_j^-1 for each row, or for each contrast with an
// intercept. The scales are 1 at first. They stay 1 in columns without an observed cell: limits and
// categories do not tell the scale of latent values.
func (m *Data) WithNoiseScales() *Data {
	p, u := new(Data), new(unknown)
	*p, *u = *m, *m.table
	p.unknown, p.table, p.rank = u, u, u.rank()
	u.scales = slices.Repeat([]float64{1}, u.d)
	gaps := make([]int, u.d)
	for _, at := range u.cells {
		gaps[at[1]]++
	}
	u.free = make([]bool, u.d)
	for j, count := range gaps {
		u.free[j] = count < u.n
	}
	return p.Own()
}

// NoiseScales appends the noise scales by variable to out, nothing if all columns share SigmaX.
func (m *Data) NoiseScales(out []float64) []float64 {
	if m.unknown == nil {
		return out
	}
	return append(out, m.unknown.scales...)
}

// HasNoiseScales reports whether the columns have noise scales.
func (m *Data) HasNoiseScales() bool { return m.unknown != nil && m.unknown.scales != nil }

// FreeNoiseScales reports by variable whether its noise scale is unknown. It is nil if all columns
// share SigmaX. The result must not be changed.
func (m *Data) FreeNoiseScales() []bool {
	if m.unknown == nil {
		return nil
	}
	return m.unknown.free
}

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
			return fmt.Errorf("noise scale of column %d, which has no observed cell: found %v, expected 1", j+1, values[j])
		}
	}
	copy(m.unknown.scales, values)
	m.factor = m.factor[:0] // the rotation is of other values
	m.rotate()
	return nil
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
		for at := j; at < len(u.x); at += u.d {
			m.over[at] = u.x[at] / s
			m.top = max(m.top, math.Abs(m.over[at]))
		}
	}
}

// Noise computes what the law of the noise scales depends on. The zero value is ready for use. A
// Noise belongs to one goroutine. It does not allocate once it has held the largest problem, unless
// r is small.
type Noise struct {
	bounds Bounds
	out    []float64
}

// Quadratics returns x'Hx/SigmaX^2 by variable, with H as for Cells and the values of unknown cells:
// given the rest, the density of a column is proportional to s^-n exp(-x'Hx/(2 s^2 SigmaX^2)) in
// its noise scale s, for n items, or one less with an intercept. It returns nil where r is so small
// that rounding dominates. The result is valid until the next call.
func (c *Noise) Quadratics(own *Data, z *feature.Allocation, scales Scales) []float64 {
	r, u, b := ratio(scales), own.unknown, &c.bounds
	if own.Check(scales) != nil || r < minBoundRatio {
		return nil
	}
	b.place, c.out = vector.Extend(b.place, u.d), vector.Extend(c.out, u.d)
	for j := range b.place {
		b.place[j] = j
	}
	b.project(own, z, r, u.d)
	noise := own.noise(scales)
	for j := range c.out {
		sum, shift := 0.0, 0.0
		if own.ones > 0 {
			shift = u.means[j]
		}
		for i, h := range b.left[j*u.n : (j+1)*u.n] {
			sum += (u.x[i*u.d+j] - shift) / noise * (h / noise)
		}
		c.out[j] = max(0, sum)
	}
	return c.out
}
