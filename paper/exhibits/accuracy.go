package exhibits

// The accuracy of the update of Z: chains without data must return the prior.

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"
	"gonum.org/v1/plot/vg"

	"aibd/draws"
	"aibd/feature"
	"aibd/internal/figure"
	"aibd/internal/lists"
	"aibd/lglfm"
	"aibd/mcmc"
	"aibd/posterior"
	"aibd/prior"
	"aibd/similarity"
)

// accuracySampler draws allocations of the prior in one of several ways.
type accuracySampler struct {
	name    string
	direct  bool
	divisor float64    // mcmc.Options.Truncation
	printed [2]float64 // the paper's largest error of a probability of the number of features, and error of the mean of the ones; 0: none
}

var accuracySamplers = []accuracySampler{
	{"direct draws", true, 0, [2]float64{0.00024, 0.0030}},
	{"exact update", false, 0, [2]float64{}},
	{"cut at 1/1000", false, 1000, [2]float64{0.00024, 0.0035}},
	{"cut at 1/100", false, 100, [2]float64{0.00052, 0.0102}},
	{"cut at 1/10", false, 10, [2]float64{0.00210, 0.1106}},
	{"cut at 1", false, 1, [2]float64{0.00203, 0.1255}},
}

const (
	accuracyMass        = 1.4
	accuracyTemperature = 2
	accuracyThin        = 10
	accuracyItems       = 10
	accuracyChains      = 8
	printedDraws        = 1_000_000 // the paper's
)

// accuracyQuantity is a function of an allocation with an exact expectation.
type accuracyQuantity struct {
	name  string
	value func(z *feature.Allocation) float64
	want  float64
}

// accuracyQuantities returns the quantities of the exhibit: numbers of features, of
// ones, of features of an item, and of features that a pair shares.
func accuracyQuantities(law prior.Law) []accuracyQuantity {
	n := law.N()
	single, pairs := 0.0, 0.0
	sharing := law.ExpectedSharing()
	for i := range n {
		single += law.Mass() * math.Exp(law.LogIntensity([]uint64{1 << i}))
		for k := range i {
			pairs += sharing[i][k]
		}
	}
	return []accuracyQuantity{
		{"features", func(z *feature.Allocation) float64 { return float64(z.K()) }, law.Mass() * law.TotalIntensity()},
		{"ones of Z", func(z *feature.Allocation) float64 { return float64(z.Ones()) }, law.Mass() * float64(n)},
		{"features of one item only", func(z *feature.Allocation) float64 {
			sum := 0.0
			for k := range z.K() {
				if z.Size(k) == 1 {
					sum++
				}
			}
			return sum
		}, single},
		{"shared features, all pairs", func(z *feature.Allocation) float64 {
			sum := 0.0
			for k := range z.K() {
				m := float64(z.Size(k))
				sum += m * (m - 1) / 2
			}
			return sum
		}, pairs},
	}
}

func makeAccuracy(j *job) error {
	samples := j.size(1_000_000, 800)
	positions := lists.Make(accuracyItems, func(i int) float64 { return float64(i) / accuracyItems })
	affinity := prior.NewAffinity(similarity.AbsDifference(positions), similarity.Exponential{})
	law, err := prior.NewAIBD(affinity, accuracyMass, accuracyTemperature, prior.Identity(accuracyItems))
	must(err)
	quantities := accuracyQuantities(law)
	j.result.About = fmt.Sprintf("Without data, chains of the update of Z must return the prior: AIBD of %d items at distances |i − j|/%d, mass %v, exponential similarity, temperature %v, fixed order, as in the paper. %d draws each, in %d chains, keeping every %dth scan, and as many direct draws. The number of features that a single item has comes from an infinite series. The paper ends it with the first term, of at least two features, that is below 1/1000 of the largest term before it; the term of no feature does not count as one. Here the divisors are also 100, 10 and 1, and one update uses the whole series.",
		accuracyItems, accuracyItems, accuracyMass, accuracyTemperature, samples, accuracyChains, accuracyThin)

	// draws[sampler][quantity][chain][draw]
	draws := make([][][][]float64, len(accuracySamplers))
	for s := range draws {
		draws[s] = make([][][]float64, len(quantities))
		for q := range quantities {
			draws[s][q] = make([][]float64, accuracyChains)
		}
	}
	tick, stop := j.count("draws", len(draws)*samples)
	err = j.parallel(len(draws)*accuracyChains, func(i int) error {
		s, chain := i%len(draws), i/len(draws)
		for q := range quantities {
			draws[s][q][chain] = make([]float64, 0, samples/accuracyChains)
		}
		return j.accuracyChain(accuracySamplers[s], law, chain, samples/accuracyChains, func(z *feature.Allocation) {
			for q := range quantities {
				draws[s][q][chain] = append(draws[s][q][chain], quantities[q].value(z))
			}
			tick(1)
		})
	})
	stop()
	if err != nil {
		return err
	}

	header := []string{"quantity", "sampler", "exact value", "found", "error", "standard error", "in standard errors"}
	rows := make([][]Cell, len(quantities)*len(accuracySamplers))
	var variations [][]Cell
	const limit = 14
	var x, probability, low, high []float64 // the last two: two standard errors of independent draws
	for k := range limit + 1 {
		p := distuv.Poisson{Lambda: quantities[0].want}.Prob(float64(k))
		sd := 2 * math.Sqrt(p*(1-p)/float64(samples))
		x, probability, low, high = append(x, float64(k)), append(probability, p), append(low, -sd), append(high, sd)
	}
	excess := make([][]float64, len(draws)) // frequency less probability
	worst := make([]float64, len(draws))    // error in standard errors
	for s, sampler := range accuracySamplers {
		for q, quantity := range quantities {
			chains := draws[s][q]
			mean, stdErr := meanOf(chains), posterior.MCSEMean(chains)
			off := mean - quantity.want
			worst[s] = max(worst[s], math.Abs(off/stdErr))
			rows[q*len(accuracySamplers)+s] = []Cell{word(quantity.name), word(sampler.name), fixed(quantity.want, 4), fixed(mean, 4), fixed(off, 4), fixed(stdErr, 4), fixed(off/stdErr, 1)}
		}
		excess[s] = make([]float64, limit+1)
		features := slices.Concat(draws[s][0]...)
		for _, k := range features {
			if k <= limit {
				excess[s][int(k)]++
			}
		}
		variation := 0.0
		for k, f := range excess[s] {
			excess[s][k] = f/float64(len(features)) - probability[k]
			variation += math.Abs(excess[s][k]) / 2
		}
		variations = append(variations, []Cell{word(sampler.name), fixed(variation, 5)})
		j.compareAccuracy(sampler, draws[s], excess[s], quantities[1].want)
	}
	j.table("accuracy", "Means over all draws and their errors", header, rows)
	j.table("accuracy-distance", "Total variation between the frequencies of the number of features and its exact distribution", []string{"sampler", "total variation"}, variations)
	for s, sampler := range accuracySamplers {
		verdict := "within Monte Carlo error"
		if worst[s] > 4 { // of four means: by chance once in 4000 times
			verdict = "a bias that these draws detect"
		}
		j.find("%s: off by at most %.1f standard errors in the four means, %s.", strings.ToUpper(sampler.name[:1])+sampler.name[1:], worst[s], verdict)
	}

	g := &grid{columns: 2, margin: 17 * vg.Millimeter, bottom: 11 * vg.Millimeter, high: 50 * vg.Millimeter}
	label := "frequency less probability" // of the first panel
	for _, group := range [][]int{{0, 1, 2}, {3, 4, 5}} {
		top := slices.Max(high)
		for _, s := range group {
			top = max(top, slices.Max(excess[s]), -slices.Min(excess[s]))
		}
		p := axes("number of features", label, 0, limit, -1.1*top, 1.1*top)
		label = ""
		addBand(p, x, low, high, color.Gray{0xd8})
		addCurve(p, []float64{0, limit}, []float64{0, 0}, line(color.Black, 0.5))
		for _, s := range group {
			addCurve(p, x, excess[s], line(figure.Color(s), 1.3))
			g.legend = append(g.legend, entry{accuracySamplers[s].name, line(figure.Color(s), 1.3)})
		}
		g.panels = append(g.panels, panel{plot: p})
	}
	g.add(j, "accuracy", "Relative frequency of each number of features minus its exact (Poisson) probability. Left: direct draws, the exact update and the paper's truncation. Right: coarser truncations, on another scale. Gray: two standard errors of independent draws.")
	return nil
}

// compareAccuracy compares the errors of a sampler with the printed ones: the largest error of
// a probability of the number of features, and that of the mean of the ones. The standard
// errors belong to the difference of two estimates.
func (j *job) compareAccuracy(s accuracySampler, draws [][][]float64, excess []float64, ones float64) {
	if s.printed[0] == 0 {
		return
	}
	worst := 0
	for k, e := range excess {
		if math.Abs(e) > math.Abs(excess[worst]) {
			worst = k
		}
	}
	matches := make([][]float64, len(draws[0])) // whether draws have as many features
	for c, chain := range draws[0] {
		for _, k := range chain {
			value := 0.0
			if int(k) == worst {
				value = 1
			}
			matches[c] = append(matches[c], value)
		}
	}
	both := math.Sqrt(1 + float64(len(matches)*len(matches[0]))/printedDraws)
	j.compare(s.name+": largest error of a probability", s.printed[0], 5, math.Abs(excess[worst]), both*posterior.MCSEMean(matches))
	j.compare(s.name+": error of the mean of the ones", s.printed[1], 4, math.Abs(meanOf(draws[1])-ones), both*posterior.MCSEMean(draws[1]))
}

// accuracyChain calls record with the draws of one chain, which starts at a draw of
// the prior. The allocation is valid during the call.
func (j *job) accuracyChain(s accuracySampler, law prior.Law, chain, n int, record func(*feature.Allocation)) error {
	stream := j.stream(fmt.Sprintf("%s, chain %d", s.name, chain+1))
	if s.direct {
		for i := range n {
			if i%1000 == 0 && j.ctx.Err() != nil {
				return j.ctx.Err()
			}
			record(law.Rand(stream.Rand))
		}
		return nil
	}
	data, err := lglfm.NewData(make([][]float64, law.N()))
	if err != nil {
		return err
	}
	options := mcmc.DefaultOptions()
	options.Clusters, options.Sums, options.Combinations, options.Births, options.OtherUpdates = 0, 0, 0, 0, 0
	options.Truncation = s.divisor
	start := mcmc.Start{Z: law.Rand(stream.Rand), Scales: lglfm.Scales{SigmaX: 1, SigmaA: 1}}
	update, err := mcmc.NewChain(&mcmc.Posterior{Data: data, Law: law}, start, options, mcmc.Config{Draws: n, Thin: accuracyThin}, stream)
	if err != nil {
		return err
	}
	return update.Run(j.ctx, draws.RecorderFunc(func(d *draws.Draw) error {
		record(d.Z)
		return nil
	}))
}
