package model

// Whether columns have noise scales.

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"aibd/internal/hint"
	"aibd/internal/spec"
)

// maxValues is the max number of values of a column that counts as one of few values.
const maxValues = 16

// fillNoise fills in whether columns have noise scales: by default those of at least two columns of
// numbers, unless there is a preset, SigmaX is fixed, or columns have so few values that the
// posterior would be improper. The note names these.
func (o *Observed) fillNoise(s *spec.Spec, columns []string) (note string) {
	numbers := 0 // columns with an observed number
	var few []string
	var features []int
	for j, column := range columns {
		values, observed := map[float64]bool{}, 0
		for _, row := range o.X {
			if x := row[j]; !math.IsNaN(x) {
				values[x] = true
				observed++
			}
		}
		if observed > 0 {
			numbers++
		}
		if n := len(values); n > 1 && n <= maxValues && 2*n <= observed {
			few, features = append(few, column), append(features, bits.Len(uint(n-1)))
		}
	}
	open := s.Data.Noise == ""
	if open {
		s.Data.Noise = spec.NoiseCommon
		if s.Data.Preset == "" && !s.Prior.SigmaX.Fixed && numbers > 1 {
			s.Data.Noise = spec.NoiseColumns
		}
	}
	if s.Data.Noise == spec.NoiseCommon || !improper(len(o.X), len(columns), features) {
		return ""
	}
	note = fmt.Sprintf("few values: %s; a few features can fit such columns exactly", hint.Listed(few, 3))
	if open {
		s.Data.Noise = spec.NoiseCommon
		return note + ", so all columns share SigmaX (--noise columns; --binary, --ordinal for categories)"
	}
	return note + ", and their noise may tend to 0 (--noise common; --binary, --ordinal for categories)"
}

// improper reports whether the posterior of d noise scales is improper if some columns can be fitted
// exactly, each by the given number of features: k features have 2^k sums, so that they fit 2^k
// equidistant values. As SigmaX tends to 0 with the noise of m such columns, and the noise of the
// others stays, the density of n items and k features grows like
//
//	SigmaX^(-m (n-1-k) + (d-m) (k+2))
//
// by the likelihood of the m columns, and by the loadings and the prior of the noise scales of the
// others. If all columns are fitted exactly, a common SigmaX tends to 0 too.
func improper(n, d int, features []int) bool {
	sum := 0
	for i, k := range slices.Sorted(slices.Values(features)) {
		m := i + 1
		if sum += k; m < d && m*(n-1-sum) > (d-m)*(sum+2) {
			return true
		}
	}
	return false
}
