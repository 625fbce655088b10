package mcmc

import (
	"cmp"
	"slices"

	"aibd/internal/collapsed"
	"aibd/lglfm"
)

// The defaults of the library and of the program. DefaultScales and TemperatureUnit are elsewhere.

// DefaultGamma returns the prior of the mass, and of the temperature times TemperatureUnit.
func DefaultGamma() Gamma { return Gamma{Shape: 1, Rate: 1} }

// DefaultNoiseScales reports whether columns of data have noise scales, given the bounds of
// lglfm.MinNoise: columns of numbers have them, unless one of these is constant. A constant
// column fits exactly whatever SigmaX is, so that with noise scales SigmaX would tend to 0. The bounds keep
// the posterior proper, even of one column, whose equal values would otherwise fit exactly.
func DefaultNoiseScales(minNoise []float64, constant bool) bool {
	return !constant && slices.ContainsFunc(minNoise, func(r float64) bool { return r > 0 })
}

// DefaultMinNoise is the least noise of a column as a share of what the other columns leave of it
// (lglfm.Unexplained), if features have weights.
const DefaultMinNoise = 0.5

// MinNoise returns the default lower bounds on the noise of the columns of x: those of lglfm.MinNoise, and if
// features have weights at least DefaultMinNoise of what the other columns leave (lglfm.Unexplained).
func MinNoise(x [][]float64, features Features) []float64 {
	lower := lglfm.MinNoise(x)
	if features.weights() {
		for j, residual := range lglfm.Unexplained(x) {
			lower[j] = max(lower[j], DefaultMinNoise*residual)
		}
	}
	return lower
}

// DefaultConfig returns the length of a chain.
func DefaultConfig() Config { return Config{Warmup: 1000, Draws: 1000, Thin: 1} }

// DefaultAnneal is the share of warmup over which the likelihood is annealed.
const DefaultAnneal = 0.5

// MaxClustered is the max number of items for which a scan flips clusters by default. With more items
// these moves cost more time than they save. It is 2,000.
const MaxClustered = collapsed.MaxLinked

// MaxNarrow is the max number of columns of X for which a scan draws blocks by default, since the
// loadings of features overlap in few columns. With at most MaxClustered items it then makes fewer
// other moves.
const MaxNarrow = 20

// DefaultOptions returns the settings for data of unit variance with many columns. OptionsFor adapts
// them to a posterior.
func DefaultOptions() Options {
	return Options{
		Clusters: 30, Sums: 200, Combinations: 100, Births: 1, OtherUpdates: 10, ShuffleSize: 4, Insertions: 1,
		StepTemperature: 0.2, StepX: 0.02, StepA: 0.02, Correlation: -0.3, Tune: true,
	}
}

// OptionsFor returns the defaults of aibd fit for a posterior and chains with the given warmup: DefaultOptions with numbers
// of moves that suit the data, annealed over half of warmup if features are binary, and with steps in proportion to the
// priors. Callers change fields of the result.
func OptionsFor(post *Posterior, warmup int) Options {
	o, narrow := DefaultOptions(), post.Data.D() <= MaxNarrow
	if narrow {
		o.Blocks = 6
	}
	switch {
	case post.Data.N() > MaxClustered:
		o.Clusters = 0
	case narrow:
		o.Clusters, o.OtherUpdates = 5, 3
	}
	if post.Features.weights() {
		o.Births = 40
	} else {
		o.Anneal = int(DefaultAnneal * float64(warmup))
	}
	temperature := post.Temperature
	if temperature != nil && post.TemperatureUnits != nil {
		temperature = &Gamma{Shape: temperature.Shape, Rate: temperature.Rate * post.TemperatureUnits[0]}
	}
	o.StepTemperature *= temperature.sd()
	o.StepX *= cmp.Or(post.SigmaX.noise(), post.SigmaX.Gamma.sd())
	o.StepA *= cmp.Or(post.SigmaA.noise(), post.SigmaA.Gamma.sd())
	return o
}
