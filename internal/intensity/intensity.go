package intensity

import (
	"math"
	"math/bits"

	"aibd/feature"
)

// log nu of columns that a tracker does not follow.

func (t *ibpTracker) LogIntensity(column []uint64) float64 {
	size := 0
	for _, w := range column {
		size += bits.OnesCount64(w)
	}
	return t.law.nu[size]
}

func (t *ibpTracker) IntensityBound(column []uint64, _ float64) float64 {
	return t.LogIntensity(column)
}

func (t *arrivalTracker) LogIntensity(column []uint64) float64 {
	t.fresh()
	prod := newProduct()
	t.now.multiply(&prod, column, t.trial)
	return prod.logValue()
}

func (t *networkTracker) LogIntensity(column []uint64) float64 {
	t.trial.members = feature.Members(t.trial.members[:0], column)
	t.fill(&t.trial, t.now)
	return t.trial.logNu
}

// IntensityBound has no bound to offer.
func (t *networkTracker) IntensityBound([]uint64, float64) float64 { return math.Inf(1) }
