package lglfm

import (
	"aibd/draws"
	"aibd/feature"
	"aibd/internal/collapsed"
)

// Loadings is the distribution of the loadings A given X, Z and the scales: matrix normal,
// its rows the features and its columns, independent of each other, the variables.
// With P = (Z'Z + rI)^{-1} and r = SigmaX^2/SigmaA^2,
//
//	mean B = P Z'X,  covariance of two loadings of one variable SigmaX^2 P
//
// and with an intercept, and H = I - 11'/N, P = (Z'HZ + rI)^{-1} and B = P Z'HX.
//
// X may have unknown cells, which are NaN. The distribution is then that given the observed cells, and
// the covariance of the loadings of a variable depends on which of its cells are unknown.
//
// It uses the singular values of Z, so that it is accurate for small r and for more
// features than items too. It takes O(min(N, K)^3 + (N + K) min(N, K) D).
//
// A Loadings belongs to one goroutine. Without an intercept it does not allocate once it has held the largest
// problem. What it returns is valid until the next Reset, before which Z must not
// change.
type Loadings struct {
	distribution *collapsed.Loadings
	first        int       // column of X
	scales       []float64 // noise scales, by column of X; nil: 1
}

// NewLoadings prepares for the loadings of all variables.
func NewLoadings(data *Data) *Loadings { return NewLoadingsFrom(data, data.X(), 0) }

// NewLoadingsFrom prepares for the loadings of consecutive columns of X, from first on, counted from zero. x has
// their N rows, or what takes their place as the data: it is kept, not copied. NewLoadingsFrom
// panics if x has another number of rows, or rows of different lengths.
func NewLoadingsFrom(data *Data, x [][]float64, first int) *Loadings {
	return &Loadings{distribution: collapsed.NewLoadings(data.data, x, first), first: first}
}

// Reset computes the distribution at z. It returns the error of Data.Check, after which the
// other methods must not be called. It panics if z has another number of items.
func (l *Loadings) Reset(z *feature.Allocation, scales Scales) error {
	return l.ResetWeighted(z, nil, scales)
}

// ResetWeighted is Reset for weighted features, with weights as in draws.Draw. It panics if there
// are not as many as ones in Z.
func (l *Loadings) ResetWeighted(z *feature.Allocation, weights []float64, scales Scales) error {
	l.scales = nil
	return l.distribution.Reset(z, weights, scales, nil)
}

// ResetDraw is ResetWeighted at Z, the weights, the scales and the noise scales of a draw, given its
// values of the cells of X that have bounds.
func (l *Loadings) ResetDraw(d *draws.Draw) error {
	l.scales = d.NoiseScales
	return l.distribution.Reset(d.Z, d.Weights, ScalesOf(d), d.Cells)
}

// square returns the squared noise scale of a variable.
func (l *Loadings) square(variable int) float64 {
	if l.scales == nil {
		return 1
	}
	s := l.scales[l.first+variable]
	return s * s
}

// Intercept returns the means of the intercept, by variable. It panics for data without an
// intercept.
func (l *Loadings) Intercept() []float64 { return l.distribution.Intercept() }

// InterceptVariance returns the variance of the intercept of a variable. It is the same for
// all variables whose cells are all observed, except their noise scales.
func (l *Loadings) InterceptVariance(variable int) float64 {
	return l.square(variable) * l.distribution.InterceptVariance(variable)
}

// Mean returns the means of the loadings of feature k, by variable.
func (l *Loadings) Mean(k int) []float64 { return l.distribution.Mean(k) }

// Residual returns x_i less its fitted value, z_i B plus the mean of any intercept, by
// variable, 0 for unknown cells.
func (l *Loadings) Residual(i int) []float64 { return l.distribution.Residual(i) }

// Fitted puts the fitted value of x_i, by variable, into out.
func (l *Loadings) Fitted(i int, out []float64) { l.distribution.Fitted(i, out) }

// Covariance returns the covariance of the loadings of features a and b on a variable whose
// cells are all observed, which is the same for all these variables, over its squared noise scale.
func (l *Loadings) Covariance(a, b int) float64 { return l.distribution.Covariance(a, b) }

// OneMinusLeverage returns 1 - z_i P_O z_i' of row i and a variable d, numbered as the columns
// given to NewLoadings, with P_O as in Cells. It is in (0, 1], but NaN if the cell is unknown.
// With an intercept it is 1 - 1/n - (z_i - m) P_O (z_i - m)' for the mean m of the n rows of Z
// whose cell is observed. Entry x_id given Z, the scales and the other observed entries of its
// column is normal: its mean is x_id minus Residual(i)[d] / OneMinusLeverage(i, d), its variance
// SigmaX^2 / OneMinusLeverage(i, d), times the squared noise scale of the column.
func (l *Loadings) OneMinusLeverage(i, d int) float64 { return l.distribution.OneMinusLeverage(i, d) }

// SignalCovariances puts the centered covariance of the signals of pairs of items into out. With the
// rows g_i of Z, or of the weights of features, their mean m, and the noise scales s_d, it is the
// mean over the D variables
//
//	c_ij = 1/D sum_d E[(g_i - m)A_d (g_j - m)A_d | X, Z] / s_d^2
//
// in which the expectation is over the loadings, not only at their means. It says how alike items
// are whatever features encode it: it does not depend on the order and the signs of features, nor on
// rotations of features of the same items, and under an intercept a feature that all items have alike
// adds nothing.
func (l *Loadings) SignalCovariances(pairs [][2]int, out []float64) {
	var noise []float64
	if l.scales != nil {
		noise = l.scales[l.first:]
	}
	l.distribution.SignalCovariances(pairs, noise, out)
}

// Variance returns the variance of the loading of feature k on a variable, numbered as the
// columns given to NewLoadings. It is Covariance(k, k) if all cells of the variable are
// observed, and larger otherwise, times the squared noise scale of the variable.
func (l *Loadings) Variance(k, variable int) float64 {
	return l.square(variable) * l.distribution.Variance(k, variable)
}
