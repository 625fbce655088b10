package mcmc

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"

	"aibd/lglfm"
	"aibd/prior"
	"aibd/similarity"
)

// model is a joint distribution of unknowns and data. Independent draws of it need no Markov
// chain.
type model struct {
	name string
	n, d int // items, variables
	post Posterior
	gaps func(i, j int) bool // missing cells; nil: none
	// The ends that divide the real line. A cell is between two of them. nil: cells are
	// observed.
	ends   func(i, j int) []float64
	levels func(j int) int // categories of an ordinal column, 0 of others; nil: no column is ordinal

	intercept bool
	noise     func(j int) bool // columns with an unknown noise scale; nil: all columns share SigmaX
	lower     []float64        // bounds on the noise, by column
}

// The priors of the models are narrow enough for a rank among few draws to see a
// shift, and wide enough for each part of a kernel to matter.
var (
	massPrior        = &Gamma{Shape: 6, Rate: 5}
	temperaturePrior = &Gamma{Shape: 3, Rate: 3}
	gammaScale       = ScalePrior{Gamma: &Gamma{Shape: 8, Rate: 10}}
	uniformScale     = ScalePrior{Max: 2}
)

// places are the items: some near one another, some far.
var places = []float64{0, 0.3, 1.2, 1.4, 3, 3.1}

// newModel returns the model of a law with everything random that it has.
func newModel(name string, d int, law prior.Law) model {
	m := model{name: name, n: law.N(), d: d, post: Posterior{
		Law: law, Mass: massPrior, SigmaX: gammaScale, SigmaA: gammaScale,
	}}
	if a, ok := law.(prior.Attraction); ok {
		m.post.Temperature, m.post.Permutation = temperaturePrior, a.Permutation() != nil
	}
	return m
}

// The five laws, each with its default scan.
var (
	ofIBP        = newModel("IBP", 2, must(prior.NewIBP(len(places), 1)))
	ofAIBD       = newModel("AIBD, random permutation", 2, must(prior.NewAIBD(nearness(places), 1, 1, prior.Identity(len(places)))))
	ofAIBDFixed  = fixedPermutation(ofAIBD)
	ofSequential = newModel("dd-IBP, sequential", 2, must(prior.NewSequentialDDIBP(nearness(places), 1, 1, prior.Identity(len(places)))))
	ofSymmetric  = newModel("dd-IBP, symmetric", 2, must(prior.NewDDIBP(nearness(places), 1, 1)))
	// Two distances, each with a temperature.
	ofTwo           = withUnits(newModel("AIBD, two distances", 2, must(prior.NewAIBD(twoDistances(similarity.Exponential{}), 1, 1, prior.Identity(len(places))))))
	ofTwoSequential = withUnits(newModel("dd-IBP, sequential, two distances", 2, must(prior.NewSequentialDDIBP(twoDistances(similarity.Exponential{}), 1, 1, prior.Identity(len(places))))))
	ofTwoSymmetric  = withUnits(newModel("dd-IBP, symmetric, two distances", 2, must(prior.NewDDIBP(twoDistances(similarity.Exponential{}), 1, 1))))
	// The same distances, each with a decay and a prior of its own.
	ofDecays    = withPriors(newModel("AIBD, reciprocal and exponential decay", 2, must(prior.NewAIBD(twoDistances(similarity.Reciprocal{Shift: 0.1}, similarity.Exponential{}), 1, 1, prior.Identity(len(places))))))
	ofGaps      = withGaps(ofIBP)
	ofIntercept = withIntercept(ofAIBDFixed)
	// An intercept and unknown cells.
	ofInterceptGaps = withIntercept(ofGaps)
	// A binary column beside one with missing cells, and binary and ordinal columns alone.
	ofBinary = withEnds(ofGaps, "a binary column and missing cells", func(_, j int) []float64 { return [][]float64{{0}, nil}[j] })
	ofEnds   = withEnds(ofWide, "binary columns and columns with limits", func(_, j int) []float64 { return [][]float64{{0}, {-0.5, 0.5}}[j%2] })
	// An ordinal column, one of numbers and a binary one, all with missing cells.
	ofOrdinal = withLevels(withGaps(newModel("IBP", 3, must(prior.NewIBP(len(places), 1)))), func(j int) int { return []int{4, 0, 2}[j] })
	// A noise scale for each column: with missing cells, with more variables than items and an
	// intercept, with limits, and beside a binary column.
	ofNoise       = withNoise(ofGaps)
	ofNoiseWide   = withNoise(withIntercept(ofWide))
	ofNoiseLimits = withNoise(withEnds(ofIBP, "limits", func(i, _ int) []float64 { return [][]float64{{-0.5, 0.5}, nil}[i%2] }))
	// Every cell is in an interval, as counts are. With noise scales every other item has numbers: a scale is
	// unknown only if two cells of its column differ, which must not depend on the data that are drawn.
	ofTally       = withEnds(ofIBP, "counts", everywhere(math.Log))
	ofRoots       = withEnds(ofIBP, "counts by roots", everywhere(math.Sqrt))
	ofCounts      = withNoise(withEnds(ofIBP, "narrow intervals and numbers", func(i, _ int) []float64 { return [][]float64{intervals, nil}[i%2] }))
	ofNoiseBinary = noisy(ofBinary, func(j int) bool { return j > 0 })
	// An ordinal column, whose latent values move with SigmaX.
	ofNoiseOrdinal = noisy(ofOrdinal, func(j int) bool { return j == 1 })
	scanModels     = append([]model{ofIBP, ofAIBDFixed, ofAIBD, ofSequential, ofSymmetric, ofTwo, ofDecays, ofGaps, ofIntercept, ofInterceptGaps, ofBinary, ofOrdinal, ofTally, ofNoise, ofNoiseWide}, weightedModels...)
	// Those of the short form: of two models of which one has all unknowns of the other, the larger one.
	shortScanModels = []model{ofAIBD, ofSequential, ofSymmetric, ofDecays, ofInterceptGaps, ofOrdinal, ofTally, ofNoiseWide, ofWeightedCounts, ofWeightedWide, ofCommonLimits, ofNearTwo, ofLinkedGaps, ofWeightedOrdinal}
)

// intervals are ends near each other.
var intervals = func() (ends []float64) {
	for e := -3.0; e <= 3; e += 0.05 {
		ends = append(ends, e)
	}
	return ends
}()

// everywhere returns the ends between counts up to 40, for every cell.
func everywhere(transform func(float64) float64) func(i, j int) []float64 {
	var ends []float64
	for y := range 40 {
		ends = append(ends, transform(float64(y+1)))
	}
	return func(int, int) []float64 { return ends }
}

// Variants that change the path through a kernel.
var (
	// Nothing but Z is random, and three items are few enough for columns to meet.
	ofThree = fixedAll(newModel("AIBD of three items, all else fixed", 2,
		must(prior.NewAIBD(nearness([]float64{0, 0.4, 2}), 1.5, 1.5, []int{2, 0, 1}))))
	// Items beyond the window of others: intensities of 0.
	ofWindow = fixedTemperature(newModel("AIBD, window", 2,
		must(prior.NewAIBD(prior.NewAffinity(similarity.AbsDifference(places), similarity.Window{}), 1, 1, prior.Identity(len(places))))))
	// Everything but Z is fixed, and the data say much.
	ofThreeIntercept = withIntercept(ofThree)
	// More variables than items: the data are rotated.
	ofWide = newModel("AIBD, more variables than items", 5,
		must(prior.NewAIBD(nearness(places[:4]), 1, 1, prior.Identity(4))))
	// Many columns, and one item near all the others, which are far apart: much
	// depends on when it arrives.
	ofOrder = fixedMassTemperature(newModel("AIBD around a hub, mass 5", 2,
		must(prior.NewAIBD(hub(6), 5, 1, prior.Identity(6)))))
	ofOrderSequential = fixedMassTemperature(newModel("dd-IBP, sequential, around a hub, mass 5", 2,
		must(prior.NewSequentialDDIBP(hub(6), 5, 1, prior.Identity(6)))))
	// Columns come and go all the time, and the data say which.
	ofBusy = fixedAll(newModel("IBP, mass 4, 20 variables, all else fixed", 20, must(prior.NewIBP(4, 4))))
	// Many columns of few items, equal and nested ones, and data that say little.
	ofMany = fixedMassTemperature(newModel("IBP, mass 4", 2, must(prior.NewIBP(4, 4))))
	// More variables than items, and unknown cells.
	ofWideGaps = withGaps(ofWide)
	ofUniform  = withScales(ofIBP, "IBP, uniform scales", uniformScale, uniformScale)
	ofXAlone   = withScales(ofIBP, "IBP, SigmaA fixed", gammaScale, ScalePrior{})
	ofAAlone   = withScales(ofIBP, "IBP, SigmaX fixed", ScalePrior{}, gammaScale)
)

// twoDistances are distances by place and by a label in which most near items differ.
func twoDistances(decays ...similarity.Decay) *prior.Affinity {
	return prior.NewAffinity(similarity.Several{similarity.AbsDifference(places), similarity.Same([]int{0, 1, 0, 1, 0, 1})}, decays...)
}

// withUnits returns a model of two distances with temperatures in units, of prior means 1 and 2.
func withUnits(m model) model {
	m.post.TemperatureUnits = []float64{1, 0.5}
	return m
}

// withPriors returns a model of two distances whose temperatures have different priors.
func withPriors(m model) model {
	m.post.TemperatureUnits, m.post.FurtherTemperatures = []float64{1, 2}, []*Gamma{{Shape: 6, Rate: 4}}
	return m
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func nearness(x []float64) *prior.Affinity {
	return prior.NewAffinity(similarity.AbsDifference(x), similarity.Exponential{})
}

// hub is n items. The first is near all others, which are far apart.
func hub(n int) *prior.Affinity {
	d := make2(n, n)
	for i := range d {
		for j := range d[i] {
			switch {
			case i == j:
			case i == 0 || j == 0:
				d[i][j] = 0.2
			default:
				d[i][j] = 5
			}
		}
	}
	return prior.NewAffinity(must(similarity.NewMatrix(d)), similarity.Exponential{})
}

func withIntercept(m model) model {
	m.name += ", with an intercept"
	m.intercept = true
	return m
}

func fixedPermutation(m model) model {
	m.name, m.post.Permutation = "AIBD, fixed permutation", false
	return m
}

func fixedTemperature(m model) model {
	m.post.Temperature = nil
	return m
}

func fixedMassTemperature(m model) model {
	m.post.Mass, m.post.Temperature = nil, nil
	return m
}

func fixedAll(m model) model {
	m.post.Mass, m.post.Temperature, m.post.Permutation = nil, nil, false
	m.post.SigmaX, m.post.SigmaA = ScalePrior{}, ScalePrior{}
	return m
}

func withScales(m model, name string, x, a ScalePrior) model {
	m.name, m.post.SigmaX, m.post.SigmaA = name, x, a
	return m
}

// withGaps returns the model with an item of which nothing is observed, and other unknown
// cells in two patterns.
func withGaps(m model) model {
	m.name += ", unknown cells"
	m.gaps = func(i, j int) bool { return i == 1 || i == 2+j || i == 5 && j > 0 }
	return m
}

func withEnds(m model, name string, ends func(i, j int) []float64) model {
	m.name += ", " + name
	m.ends = ends
	return m
}

func withLevels(m model, levels func(j int) int) model {
	m.name += ", ordinal columns"
	m.levels = levels
	return m
}

// withFeatures returns the model with features of a kind.
func withFeatures(m model, f Features) model {
	m.name += ", " + string(f)
	m.post.Features = f
	return m
}

// withWeights returns the model with dependent weights.
func withWeights(m model, name string, near ...Nearness) model {
	m = withFeatures(m, Weighted)
	m.name += ", " + name
	m.post.Weights = &WeightPrior{Near: near}
	return m
}

// withNeighbors returns the model with weights that depend on two neighbors each.
func withNeighbors(m model) model {
	m.name += ", two neighbors"
	m.post.Weights = &WeightPrior{Near: m.post.Weights.Near, Neighbors: 2}
	return m
}

// withNoise returns the model with a noise scale for each column. Every other column has a bound.
func withNoise(m model) model { return noisy(m, func(int) bool { return true }) }

func noisy(m model, free func(j int) bool) model {
	m.name += ", noise scales"
	m.noise = free
	for j := range m.d {
		m.lower = append(m.lower, 0.7*float64(j%2))
	}
	return m
}

// draw returns a state whose unknowns are a draw from the prior and whose data are
// a draw given them. Where the likelihood of the draw is refused, as for SigmaX far
// below SigmaA under the uniform priors (once in some thousand), it draws again:
// chains do not go there either. It panics if all of many draws are refused.
func (m model) draw(rng *rand.Rand) *target {
	gamma := func(g *Gamma) float64 { return distuv.Gamma{Alpha: g.Shape, Beta: g.Rate, Src: rng}.Rand() }
	scale := func(p ScalePrior) float64 {
		switch {
		case p.Max != 0:
			return p.Max * (1 - rng.Float64())
		case p.Gamma != nil:
			return gamma(p.Gamma)
		}
		return 0.8
	}
	for tries := 1; ; tries++ {
		post := m.post
		law := post.Law
		if a, ok := law.(prior.Attraction); ok {
			temperature, perm := a.Temperature(), a.Permutation()
			if post.Temperature != nil {
				temperature = gamma(post.Temperature)
			}
			if post.Permutation {
				perm = rng.Perm(m.n)
			}
			if post.Temperature != nil && post.TemperatureUnits != nil {
				var temperatures []float64
				for d, unit := range post.TemperatureUnits[1:] {
					temperaturePrior := post.Temperature
					if post.FurtherTemperatures != nil {
						temperaturePrior = post.FurtherTemperatures[d]
					}
					temperatures = append(temperatures, gamma(temperaturePrior)/unit)
				}
				a = a.WithFurtherTemperatures(temperatures)
				temperature /= post.TemperatureUnits[0]
			}
			law = a.With(temperature, perm)
		}
		if post.Mass != nil {
			law = law.WithMass(gamma(post.Mass))
		}
		start := Start{Z: law.Rand(rng), Mass: law.Mass(), Scales: lglfm.Scales{SigmaX: scale(post.SigmaX), SigmaA: scale(post.SigmaA)}}
		if a, ok := law.(prior.Attraction); ok {
			start.Temperature, start.FurtherTemperatures, start.Permutation = a.Temperature(), a.FurtherTemperatures(), a.Permutation()
		}
		if post.Features.weights() {
			start.Shares, start.Rates, start.Weights = drawWeights(rng, post.Weights, start.Z)
		}
		for j := range m.d {
			cut := 0.0
			for range m.free(j) {
				cut += start.Scales.SigmaX * rng.ExpFloat64()
				start.Cutpoints = append(start.Cutpoints, cut)
			}
		}
		respected := true // the bounds, by all scales at once
		for j := range m.d {
			if m.noise == nil {
				break
			}
			start.NoiseScales = append(start.NoiseScales, 1)
			if m.noise(j) {
				v := rng.ExpFloat64()
				for v > math.Pow(start.Scales.SigmaX/m.lower[j], 2) {
					respected = false
					v = rng.ExpFloat64()
				}
				start.NoiseScales[j] = 1 / math.Sqrt(v)
			}
		}
		if post.Features.weights() && !respected {
			continue
		}
		post.Data, start.Cells = m.data(rng, start)
		s, err := newState(&post, start)
		if err == nil {
			return s
		}
		if tries == 1000 {
			panic(fmt.Sprintf("draws from %s: %v", m.name, err))
		}
	}
}

// free returns the number of unknown cutpoints of column j.
func (m model) free(j int) int { return max(0, m.categories(j)-2) }

func (m model) categories(j int) int {
	if m.levels == nil {
		return 0
	}
	return m.levels(j)
}

// data returns data drawn given the unknowns, with loadings and any intercept, and their unknown
// cells. The prior of the intercept is improper, and the likelihood does not depend on it.
func (m model) data(rng *rand.Rand, u Start) (*lglfm.Data, []float64) {
	x := make2(m.n, m.d)
	for i := range x {
		for j := range x[i] {
			x[i][j] = u.Scales.SigmaX * rng.NormFloat64()
			if m.intercept {
				x[i][j] += float64(3 * j)
			}
		}
	}
	var g []float64
	if m.post.Features.weights() {
		g = u.Z.Weighted(nil, u.Weights)
	} else {
		g = u.Z.Weighted(nil, nil)
	}
	for k := range u.Z.K() {
		for j := range m.d {
			a := u.Scales.SigmaA * rng.NormFloat64()
			for i := range x {
				x[i][j] += g[i*u.Z.K()+k] * a
			}
		}
	}
	if u.NoiseScales != nil {
		for _, row := range x {
			for j, s := range u.NoiseScales {
				row[j] *= s
			}
		}
	}
	var cells []float64
	var bounds []lglfm.Bound
	var ordinal []lglfm.Ordinal
	cutpoints := u.Cutpoints
	for j := range m.d {
		if m.categories(j) == 0 {
			continue
		}
		o := lglfm.Ordinal{Variable: j, Levels: m.categories(j)}
		for i := range x {
			level := -1
			if m.gaps == nil || !m.gaps(i, j) {
				level = btoi(x[i][j] > 0)
				for _, cut := range cutpoints[:m.free(j)] {
					level += btoi(x[i][j] > cut)
				}
			}
			o.Level = append(o.Level, level)
		}
		ordinal, cutpoints = append(ordinal, o), cutpoints[m.free(j):]
	}
	for i := range x {
		for j := range x[i] {
			switch v := x[i][j]; {
			case m.gaps != nil && m.gaps(i, j), m.categories(j) > 0:
			case m.ends != nil && m.ends(i, j) != nil:
				b := lglfm.Bound{Item: i, Variable: j, Lower: math.Inf(-1), Upper: math.Inf(1)}
				for _, end := range m.ends(i, j) {
					if v > end {
						b.Lower = end
					} else {
						b.Upper = min(b.Upper, end)
					}
				}
				bounds = append(bounds, b)
			default:
				continue
			}
			cells, x[i][j] = append(cells, x[i][j]), math.NaN()
		}
	}
	data, err := lglfm.NewBounded(x, bounds, ordinal...)
	if err == nil && m.noise != nil {
		data, err = data.WithNoiseScales(m.lower)
	}
	if err == nil && m.intercept {
		data, err = data.WithIntercept()
	}
	if err != nil {
		panic(fmt.Sprint("data drawn from the model: ", err))
	}
	return data, cells
}

// redraw replaces the data of a state by a draw given its unknowns.
func (m model) redraw(rng *rand.Rand, s *target) {
	u := s.Unknowns()
	s.post.Data, u.Cells = m.data(rng, Start{Z: u.Z, Scales: u.Scales, Cutpoints: u.Cutpoints, NoiseScales: u.NoiseScales, Weights: u.Weights})
	s.move(s.law(), u)
}
