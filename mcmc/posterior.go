package mcmc

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"aibd/internal/intensity"
	"aibd/internal/lists"
	"aibd/lglfm"
	"aibd/prior"
	"aibd/similarity"
)

// Posterior is what a chain samples: data, the law of the allocation, and the
// priors of the other unknowns. What has no prior is fixed at its starting value.
type Posterior struct {
	Data *lglfm.Data
	// Law is the prior of Z. Its parameters are where chains start unless Start
	// says otherwise.
	Law         prior.Law
	Mass        *Gamma // nil: fixed
	Temperature *Gamma // nil: fixed; must be nil if the law has no temperature
	// TemperatureUnits holds a distance for each temperature. The product of the two has the prior. The
	// products are independent. nil: all are 1.
	TemperatureUnits []float64
	// FurtherTemperatures are the priors of the temperatures of the distances after the first, an entry of nil for a
	// fixed one. nil: Temperature is the prior of each.
	FurtherTemperatures []*Gamma
	Permutation         bool // uniform over all orders; false: fixed
	SigmaX              ScalePrior
	SigmaA              ScalePrior
	Features            Features     // how items have features; the empty name: Binary
	Weights             *WeightPrior // of features with weights; nil: they are independent. Binary features have none
}

// NewPosterior returns the default posterior of aibd fit for data x, N rows of D numbers with NaN for
// unknown cells, under a law. Features are DefaultFeatures; their weights follow the distances of the law. It
// has an intercept and noise scales of the columns
// (DefaultNoiseScales), and everything is unknown. The priors are DefaultGamma for mass and for
// temperature times TemperatureUnit (of each of M distances with M times its rate), a uniform permutation, and exponential scales with the means of
// DefaultScales. With OptionsFor, and the columns of x centered by dataset.Transform, Sample returns the draws of aibd fit.
func NewPosterior(x [][]float64, law prior.Law) (*Posterior, error) {
	data, err := lglfm.NewData(x)
	if err != nil {
		return nil, err
	}
	if lower := MinNoise(x, DefaultFeatures); DefaultNoiseScales(lower, slices.Contains(lower, 0)) {
		data, err = data.WithNoiseScales(lower)
	}
	if err == nil {
		data, err = data.WithIntercept()
	}
	if err != nil {
		return nil, err
	}
	mean := DefaultScales(x, true, data.HasNoiseScales())
	if err := mean.Valid(); err != nil {
		return nil, fmt.Errorf("standard deviations of the data: %w", err)
	}
	p := PosteriorOf(data, law, mean)
	p.Weights = defaultWeights(law)
	return p, p.Validate()
}

// PosteriorOf returns the posterior of NewPosterior for data of any kind, with independent weights, given the means of
// the priors of SigmaX and SigmaA. Callers change its fields and validate it.
func PosteriorOf(data *lglfm.Data, law prior.Law, mean lglfm.Scales) *Posterior {
	gamma := DefaultGamma()
	p := &Posterior{
		Data: data, Law: law, Mass: &gamma,
		SigmaX: ScalePrior{Mean: mean.SigmaX}, SigmaA: ScalePrior{Mean: mean.SigmaA},
		Features: DefaultFeatures,
	}
	if a, ok := law.(prior.Attraction); ok {
		p.Permutation = a.Permutation() != nil
		if count := a.Affinity().Count(); count > 1 {
			p.Temperature = &Gamma{Shape: gamma.Shape, Rate: gamma.Rate * float64(count)}
			for m := range count {
				p.TemperatureUnits = append(p.TemperatureUnits, TemperatureUnit(a.Affinity().Distance(m), a.Affinity().Decay(m)))
			}
		} else {
			rate := TemperatureUnit(a.Affinity().Distance(0), a.Affinity().Decay(0))
			p.Temperature = &Gamma{Shape: gamma.Shape, Rate: gamma.Rate * rate}
		}
	}
	return p
}

// TemperatureUnit returns the distance by which a default prior multiplies the temperature,
// so that it does not depend on the unit of distance: their median under the exponential decay, and that divided by the
// width under the window decay. It is 1 under other decays, whose temperature has no unit, and without distances above 0.
func TemperatureUnit(distances *similarity.Matrix, decay similarity.Decay) float64 {
	switch decay := decay.(type) {
	case similarity.Exponential:
		return cmp.Or(distances.Median(), 1)
	case similarity.Window:
		return cmp.Or(distances.Median(), 1) / cmp.Or(decay.Width, 1)
	}
	return 1
}

// perUnit returns the prior of the temperature of distance m times its unit, nil if the temperature is fixed.
func (p *Posterior) perUnit(m int) *Gamma {
	if m > 0 && p.FurtherTemperatures != nil {
		return p.FurtherTemperatures[m-1]
	}
	return p.Temperature
}

// temperaturePrior returns the prior of the temperature of distance m, which must not be fixed.
func (p *Posterior) temperaturePrior(m int) Gamma {
	g := *p.perUnit(m)
	if p.TemperatureUnits != nil {
		g.Rate *= p.TemperatureUnits[m]
	}
	return g
}

// randomTemperatures returns the distances whose temperatures have a prior.
func (p *Posterior) randomTemperatures() (distances []int) {
	for m := range 1 + furtherOf(p.Law) {
		if p.perUnit(m) != nil {
			distances = append(distances, m)
		}
	}
	return distances
}

// drawTemperatures draws the temperatures of a start from their priors, if they have one: those that are 0, or all.
func (p *Posterior) drawTemperatures(rng *rand.Rand, s *Start, all bool) {
	t := intensity.Temperatures{First: s.Temperature, Tail: slices.Clone(s.FurtherTemperatures)}
	random := p.randomTemperatures()
	if count := furtherOf(p.Law); t.Tail == nil && count > 0 && len(random) > 0 {
		t.Tail = make([]float64, count)
	}
	for _, m := range random {
		if m > len(t.Tail) { // of another law, which unknowns reports
			break
		}
		if x := t.At(m); all || *x == 0 {
			*x = p.temperaturePrior(m).rand(rng)
		}
	}
	s.Temperature, s.FurtherTemperatures = t.First, t.Tail
}

// furtherOf returns the number of distances of a law after the first.
func furtherOf(law prior.Law) int {
	if a, ok := law.(prior.Attraction); ok {
		return a.Affinity().Count() - 1
	}
	return 0
}

// DefaultScales returns the means of the default priors of SigmaX and SigmaA, which are exponential. NaN
// marks an unknown cell of x, which does not count. Both means are 0 if no column has two entries.
//
// With noise scales both are the median standard deviation of a column: the scale of this column is
// probably near 1, and other columns may have any unit. Without noise scales SigmaX is the standard
// deviation of the entries of x about the means of their columns, over all columns, and SigmaA the
// largest standard deviation of a column. These are the maxima of the paper's uniform priors if the
// columns are centered or there is an intercept.
//
// Without an intercept features must carry the means of columns that are not centered. SigmaA then
// takes the root of variance plus squared mean in place of the standard deviation of a column.
func DefaultScales(x [][]float64, intercept, noiseScales bool) lglfm.Scales {
	var residuals, sds, roots []float64
	for _, column := range lists.Observed(x) {
		if len(column) < 2 {
			continue
		}
		mean, sd := stat.MeanStdDev(column, nil)
		for _, v := range column {
			residuals = append(residuals, v-mean)
		}
		if intercept {
			mean = 0
		}
		sds, roots = append(sds, sd), append(roots, math.Hypot(mean, sd))
	}
	switch {
	case len(sds) == 0:
		return lglfm.Scales{}
	case noiseScales:
		return lglfm.Scales{SigmaX: median(sds), SigmaA: median(roots)}
	}
	return lglfm.Scales{SigmaX: stat.StdDev(residuals, nil), SigmaA: slices.Max(roots)}
}

// median returns the median of values, which it sorts.
func median(values []float64) float64 {
	slices.Sort(values)
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}

// Gamma is the gamma distribution with mean Shape/Rate.
type Gamma struct{ Shape, Rate float64 }

// LogDensity returns the log density at x > 0, -Inf elsewhere.
func (g Gamma) LogDensity(x float64) float64 {
	if !(x > 0) {
		return math.Inf(-1)
	}
	return distuv.Gamma{Alpha: g.Shape, Beta: g.Rate}.LogProb(x)
}

// sd returns the standard deviation, 1 if g is nil.
func (g *Gamma) sd() float64 {
	if g == nil {
		return 1
	}
	return math.Sqrt(g.Shape) / g.Rate
}

// logRatio returns the log density at x less that at y, both above 0. Unlike a difference
// of log densities it rounds in the same way in every unit that is a power of 2.
func (g Gamma) logRatio(x, y float64) float64 {
	return (g.Shape-1)*math.Log(x/y) - g.Rate*(x-y)
}

// valid returns an error unless g is nil or its parameters are positive and finite.
func (g *Gamma) valid(name string) error {
	if g == nil {
		return nil
	}
	return cmp.Or(positive("prior of "+name+": found shape", g.Shape), positive("prior of "+name+": found rate", g.Rate))
}

// ScalePrior is the prior of a standard deviation: uniform on (0, Max), as in the
// paper, if Max is not 0, else exponential if Mean is not 0, else Gamma, else none: the
// scale is fixed.
type ScalePrior struct {
	Max   float64
	Mean  float64
	Gamma *Gamma
}

// Random reports whether the scale is unknown.
func (p ScalePrior) Random() bool { return p.Max != 0 || p.Mean != 0 || p.Gamma != nil }

// noise returns the maximum of a uniform prior or the mean of an exponential one: with a larger scale
// X is likely to be noise alone. It is 0 for other priors.
func (p ScalePrior) noise() float64 { return cmp.Or(p.Max, p.Mean) }

// LogDensity returns the log density at x, 0 for a fixed scale.
func (p ScalePrior) LogDensity(x float64) float64 {
	switch {
	case p.Max != 0:
		if !(x > 0 && x < p.Max) {
			return math.Inf(-1)
		}
		return -math.Log(p.Max)
	case p.Mean != 0:
		if !(x > 0) {
			return math.Inf(-1)
		}
		return -x/p.Mean - math.Log(p.Mean)
	case p.Gamma != nil:
		return p.Gamma.LogDensity(x)
	}
	return 0
}

// logRatio returns the log density at x minus the log density at y, both above 0. For an exponential prior it
// rounds in the same way in every unit that is a power of 2.
func (p ScalePrior) logRatio(x, y float64) float64 {
	if p.Max == 0 && p.Mean != 0 {
		return (y - x) / p.Mean
	}
	return p.LogDensity(x) - p.LogDensity(y)
}

func (p ScalePrior) valid(name string) error {
	switch {
	case p.Max != 0:
		return positive("prior of "+name+": found maximum", p.Max)
	case p.Mean != 0:
		return positive("prior of "+name+": found mean", p.Mean)
	}
	return p.Gamma.valid(name)
}

// Validate reports what does not fit together.
func (p *Posterior) Validate() error {
	if p.Law == nil || p.Data == nil {
		return errors.New("found no law of Z or no data")
	}
	if p.Data.N() != p.Law.N() {
		return fmt.Errorf("the data have %d rows and the law of Z is of %d items", p.Data.N(), p.Law.N())
	}
	if p.Data.N() == 0 {
		return fmt.Errorf("the data have no rows")
	}
	law, ok := p.Law.(prior.Attraction)
	if p.Temperature != nil && !ok {
		return fmt.Errorf("the prior of Z has no temperature that could be random")
	}
	if count, expected := len(p.TemperatureUnits), 1+furtherOf(p.Law); p.TemperatureUnits != nil && count != expected {
		return fmt.Errorf("units of temperatures: found %d, expected %d", count, expected)
	}
	if count, expected := len(p.FurtherTemperatures), furtherOf(p.Law); p.FurtherTemperatures != nil && count != expected {
		return fmt.Errorf("priors of further temperatures: found %d, expected %d", count, expected)
	}
	for _, g := range p.FurtherTemperatures {
		if err := g.valid("temperature"); err != nil {
			return err
		}
	}
	for _, unit := range p.TemperatureUnits {
		if err := positive("unit of a temperature: found", unit); err != nil {
			return err
		}
	}
	if p.Permutation && (!ok || law.Permutation() == nil) {
		return fmt.Errorf("the prior of Z has no permutation that could be random")
	}
	return cmp.Or(p.Features.valid(), p.Weights.valid(p.Data.N(), p.Features), p.Mass.valid("mass"), p.Temperature.valid("temperature"), p.SigmaX.valid("SigmaX"), p.SigmaA.valid("SigmaA"))
}
