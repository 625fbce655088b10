package collapsed

import (
	"math"

	"aibd/feature"
)

// LogLik is LogLikWeighted of features without weights.
func LogLik(data *Data, z *feature.Allocation, scales Scales) float64 {
	return LogLikWeighted(data, z, nil, scales)
}

// LogLikWeighted is lglfm.LogLikWeighted, with the weights of any ones: see WithOnesWeighted.
func LogLikWeighted(data *Data, z *feature.Allocation, weights []float64, scales Scales) float64 {
	if data.unknown == nil || len(data.unknown.patterns) == 0 {
		return logLik(data, z, weights, scales)
	}
	var c Cells
	if !c.ResetWeighted(data, z, weights, scales) {
		return math.NaN()
	}
	return c.logLik()
}

// mustFit panics if Z has another number of items than the data, or of ones than there are weights.
func mustFit(data *Data, z *feature.Allocation, weights []float64) {
	if z.N() != data.n {
		panic("collapsed: an allocation with another number of items than the data")
	}
	if weights != nil && len(weights) != z.Ones() {
		panic("collapsed: another number of weights than ones of Z")
	}
}

// logLik is LogLikWeighted of data without missing cells.
func logLik(data *Data, z *feature.Allocation, weights []float64, scales Scales) float64 {
	mustFit(data, z, weights)
	if data.Check(scales) != nil {
		return math.NaN()
	}
	k, r, noise := z.K(), ratio(scales), data.noise(scales)
	var w work
	w.setZ(z, weights, -1)
	p := make([]float64, k*k)
	logDet, ok := w.invertGram(p, k, k, data.ones, r)
	if !ok {
		return math.NaN()
	}
	w.regress(data, p, k, k)
	return data.constant(k-data.ones, scales) - data.half*logDet - w.penalized(data, r)/(2*noise*noise)
}
