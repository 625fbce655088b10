// Package lglfm is the linear-Gaussian latent feature model: X = Z A + E with
// A_kd ~ N(0, SigmaA^2) and E_nd ~ N(0, SigmaX^2). It computes the likelihood of Z with
// the loadings A integrated out, and the distribution of the loadings given Z.
//
// The collapsed likelihood, all constants kept, with r = SigmaX^2/SigmaA^2, is
//
//	log p(X|Z) = -(ND/2) log(2 pi) - (N-K) D log SigmaX - K D log SigmaA
//	             - (D/2) log det(Z'Z + rI) - [tr(X'X) - tr(X'Z (Z'Z + rI)^{-1} Z'X)] / (2 SigmaX^2)
//
// (Griffiths and Ghahramani, 2011, equation 26). X enters through X X' and D
// only, so that D columns are replaced by at most N.
//
// # Accuracy
//
// Log likelihoods have a relative error of about 1e-12 (absolute below 1) for SigmaX at
// least 1e-8 of the largest entry of X, and 1e-5 between 1e-10 and 1e-8 of it. This
// holds for any Z whose nonzero singular values are above 3e-6 of the largest, and for weighted
// features if they are above 3e-6 of the largest or below SigmaX/SigmaA. Outside
// the range of Data.Check the likelihood is NaN.
//
// # Weighted features
//
// If items have features by degrees, each one of Z has a weight, and the matrix G of weights takes
// the place of Z in all formulas of this package: X = G A + E. Weights are given as in draws.Draw:
// feature by feature, items ascending. Without weights they are 1, and G is Z.
package lglfm

import (
	"cmp"
	"fmt"
	"math"

	"aibd/draws"
	"aibd/feature"
	"aibd/internal/collapsed"
	"aibd/internal/lists"
)

// Data is an N x D matrix X of observations, prepared for the likelihood. It is
// immutable and safe for concurrent use.
type Data struct{ data *collapsed.Data }

func init() { collapsed.Unwrap = func(m any) *collapsed.Data { return m.(*Data).data } }

// NewData prepares the rows of X, all of one length D >= 0. Without columns the
// likelihood is 1. A cell that is NaN is unknown. NewData returns an error, counting from
// one, if the rows differ in length or an entry is infinite.
func NewData(x [][]float64) (*Data, error) {
	d, err := collapsed.NewData(x)
	if err != nil {
		return nil, err
	}
	return &Data{d}, nil
}

// Bound says that an unknown cell is between Lower and Upper, one of which may be infinite: a
// value beyond a detection limit, or the sign of a latent value. Item and Variable count from
// zero.
type Bound struct {
	Item, Variable int
	Lower, Upper   float64
}

// Ordinal is a column of X in which each cell is one of some ordered categories, or missing. The
// cells of X are latent: a cell of category c is between cutpoints c and c+1. The first cutpoint is
// below all values, the second is 0, and the last is above all values. The others are unknown:
// their number is Levels - 2. With two categories this is a probit model.
type Ordinal struct {
	Variable int   // from zero
	Levels   int   // number of categories, at least 2
	Level    []int // category of each item, from zero; -1 if the cell is missing
}

// NewBounded is NewData for X with bounds of some unknown cells, and with ordinal columns, which
// ascend and are NaN in x. A sampler draws both as unknowns between their bounds, and the
// cutpoints. LogLik and Cells condition on values between the bounds, and
// integrate out the other unknown cells. NewBounded returns an error too for a bound that is not
// of one unknown cell, or empty, and for a category that is not of an unknown cell.
func NewBounded(x [][]float64, bounds []Bound, ordinal ...Ordinal) (*Data, error) {
	ends := lists.Map(bounds, func(b Bound) collapsed.Bound { return collapsed.Bound(b) })
	columns := lists.Map(ordinal, func(o Ordinal) collapsed.Ordinal { return collapsed.Ordinal(o) })
	d, err := collapsed.NewBounded(x, ends, columns...)
	if err != nil {
		return nil, err
	}
	return &Data{d}, nil
}

// Bounded returns the number of unknown cells that have bounds.
func (m *Data) Bounded() int { return m.data.Bounded() }

// Bounds returns the bounds of the unknown cells that have any, by item and variable.
func (m *Data) Bounds() map[[2]int][2]float64 { return m.data.BoundsOf() }

// Ordinal returns the ordinal columns.
func (m *Data) Ordinal() []Ordinal {
	return lists.Map(m.data.Ordinal(), func(o collapsed.Ordinal) Ordinal { return Ordinal(o) })
}

// FreeCutpoints returns the number of unknown cutpoints of all ordinal columns.
func (m *Data) FreeCutpoints() int { return m.data.FreeCutpoints() }

// X returns X as the data hold it, N by D, NaN for unknown cells. Numbers below 1e-300 of the largest may be lost.
func (m *Data) X() [][]float64 { return m.data.X() }

// N returns the number of observations.
func (m *Data) N() int { return m.data.N() }

// D returns the number of variables.
func (m *Data) D() int { return m.data.D() }

// Check returns an error if the likelihood of the data cannot be computed at valid
// scales: SigmaX is below 1e-10 of the largest entry of X, or SigmaX/SigmaA is not
// between 1/316 and 1e100. Every likelihood is NaN there.
func (m *Data) Check(s Scales) error { return m.data.Check(s) }

// Unknown returns the number of unknown cells.
func (m *Data) Unknown() int { return m.data.Unknown() }

// WithIntercept returns the data under the model X = 1 mu' + Z A + E with a flat prior of mu. With
// H = I - 11'/N the likelihood is
//
//	log p(X|Z) = -((N-1)D/2) log(2 pi) - (N-1-K) D log SigmaX - K D log SigmaA
//	             - (D/2) log det(Z'HZ + rI) - [tr(X'HX) - tr(X'HZ (Z'HZ + rI)^{-1} Z'HX)] / (2 SigmaX^2)
//
// which is the density of N - 1 orthonormal contrasts of the rows. It does not depend on the
// means of the columns of X, nor on which of a column of Z and its complement is a feature. It
// cannot be compared with a likelihood without an intercept, which is the density of N rows. If
// cells of a column are unknown, its likelihood is the density of contrasts of its observed rows.
//
// WithIntercept returns an error for a single observation and for a variable with fewer than two observed cells.
func (m *Data) WithIntercept() (*Data, error) {
	d, err := m.data.WithIntercept()
	if err != nil {
		return nil, err
	}
	return &Data{d}, nil
}

// WithNoiseScales returns the data under the model with a noise scale s_j of each column j of X:
// e_ij ~ N(0, (s_j SigmaX)^2) and a_kj ~ N(0, (s_j SigmaA)^2). Given SigmaX, s_j^-2 is exponential with
// mean 1, truncated such that the noise s_j SigmaX is at least lower[j] (see MinNoise); if features have
// weights, the bounds truncate the joint prior of SigmaX and the scales. nil stands for bounds of 0, under
// which the posterior may be improper. Columns with fewer than two
// distinct observed values or intervals keep the scale 1: limits, categories and constants do not determine the scale.
// The scales are unknowns of a chain; LogLik, and Reset of Cells and Loadings, take them to be 1.
// WithNoiseScales returns an error unless there is a nonnegative finite bound for each column.
func (m *Data) WithNoiseScales(lower []float64) (*Data, error) {
	d, err := m.data.WithNoiseScales(lower)
	if err != nil {
		return nil, err
	}
	return &Data{d}, nil
}

// HasNoiseScales reports whether the columns have noise scales.
func (m *Data) HasNoiseScales() bool { return m.data.HasNoiseScales() }

// FreeNoiseScales reports for each column whether its noise scale is unknown. It is nil if the
// columns have none. The result must not be changed.
func (m *Data) FreeNoiseScales() []bool { return m.data.FreeNoiseScales() }

// Intercept reports whether the model has an intercept.
func (m *Data) Intercept() bool { return m.data.Intercept() }

// Power returns data with the likelihood of m raised to a power. It
// panics unless power is positive and finite, and if m has unknown cells.
func (m *Data) Power(power float64) *Data {
	if m.Unknown() > 0 {
		panic("lglfm: Power of data with unknown cells")
	}
	return &Data{m.data.Power(power)}
}

// Scales are the standard deviations of the model.
type Scales struct {
	SigmaX float64 // of the noise, positive
	SigmaA float64 // of the loadings, positive
}

// NoiseScale returns the noise scale of a column of X in a draw, 1 if the columns have none: the
// noise of the column has the standard deviation SigmaX times it.
func NoiseScale(d *draws.Draw, column int) float64 {
	if d.NoiseScales == nil {
		return 1
	}
	return d.NoiseScales[column]
}

// ScalesOf returns the scales of a draw.
func ScalesOf(d *draws.Draw) Scales { return Scales{SigmaX: d.SigmaX, SigmaA: d.SigmaA} }

// Valid returns an error unless both are positive and finite.
func (s Scales) Valid() error {
	for _, v := range []struct {
		name string
		x    float64
	}{{"SigmaX", s.SigmaX}, {"SigmaA", s.SigmaA}} {
		if !(v.x > 0) || math.IsInf(v.x, 1) {
			return fmt.Errorf("%s: found %g, expected a positive finite number", v.name, v.x)
		}
	}
	return nil
}

// LogLik returns log p(X | Z, scales) of the collapsed model for the observed cells of X,
// NaN where Data.Check returns an error. It panics if z has another number of items than the data.
func LogLik(data *Data, z *feature.Allocation, scales Scales) float64 {
	return LogLikWeighted(data, z, nil, scales)
}

// LogLikWeighted is LogLik for weighted features. The weights belong to the ones of Z, as in
// draws.Draw; nil stands for ones. It panics if their number is another.
func LogLikWeighted(data *Data, z *feature.Allocation, weights []float64, scales Scales) float64 {
	if data.Intercept() {
		z, weights = collapsed.WithOnesWeighted(z, weights)
	}
	return collapsed.LogLikWeighted(data.data, z, weights, scales)
}

// LogLikDraw is LogLikWeighted at Z, the weights, the scales and the noise scales of a draw, given its values of the
// cells of X that have bounds: the LogLik of a draw of these data. It returns an error if the draw does not fit them, or
// Data.Check fails for its scales.
func LogLikDraw(data *Data, d *draws.Draw) (float64, error) {
	if d.Z == nil || d.Z.N() != data.N() {
		return math.NaN(), fmt.Errorf("found no Z of %d items", data.N())
	}
	if count, want := len(d.Weights), d.Z.Ones(); d.Weights != nil && count != want {
		return math.NaN(), fmt.Errorf("found %d weights, expected %d", count, want)
	}
	if err := cmp.Or(data.Check(ScalesOf(d)), data.checkCutpoints(d)); err != nil {
		return math.NaN(), err
	}
	current := &Data{data.data.Detach()}
	if err := current.data.SetNoiseScales(d.NoiseScales); err != nil {
		return math.NaN(), err
	}
	if err := current.data.SetBounded(d.Cells); err != nil {
		return math.NaN(), err
	}
	return LogLikWeighted(current, d.Z, d.Weights, ScalesOf(d)), nil
}
