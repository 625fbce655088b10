package results

// How much the data prefer a law in which a distance has influence.

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/interp"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"aibd/draws"
	"aibd/internal/intensity"
	"aibd/internal/lists"
	"aibd/internal/parallel"
	"aibd/internal/verdict"
	"aibd/mcmc"
	"aibd/posterior"
	"aibd/predict"
	"aibd/prior"
	"aibd/similarity"
)

// Influence is the Bayes factor for a distance: of the model against the same model without an influence of the
// distance, where its temperature is 0, or its share of the variance of the weights, or both.
type Influence struct {
	Log     float64 // natural logarithm
	StdErr  float64 // Monte Carlo standard error of Log
	AtLeast bool    // the Bayes factor is at least this: no draws are near 0
}

// Sizes of the computation of an Influence. A node takes N^2 operations, or N^3 under the dd-IBP without
// permutation, and all nodes together take at most influenceWork.
const (
	influenceDraws    = 1000
	weightDraws       = 600 // of which the density of the weights is computed, a hundred times each
	influenceMinDraws = 50
	influenceNodes    = 25 // temperatures at which the law is computed
	influenceCells    = 16 // from one of them to the next
	influenceWork     = 1e9
)

// leastBound is the least bound of a Bayes factor that is worth a sentence.
const leastBound = 3

// Evidence has the Influences of a distance: on who has a feature, through its temperature; on the weights, through
// its share of their variance; and on either. One is nil if the model lacks it, it is fixed, or the draws do not determine it.
type Evidence struct{ Sharing, Weights, Joint *Influence }

// Influences returns the Evidence of each distance. It computes them once. Sharing is nil if the temperature has no
// influence, and if similarities are not continuous at temperature 0. All are nil with very many items and with
// few draws, or when Within is done. The error says why the distances cannot be read.
func (j *Judged) Influences() ([]Evidence, error) {
	j.weighing.Do(func() { j.influences, j.unweighed = j.weigh() })
	return j.influences, j.unweighed
}

func (j *Judged) weigh() ([]Evidence, error) {
	all := make([]Evidence, len(j.Run.Data.Distances()))
	n, random := float64(j.Run.Data.N), j.Run.Spec.RandomTemperatures()
	work := n * n
	if !j.Run.Spec.Prior.HasPermutation() { // determinants
		work *= n
	}
	limit := influenceDraws
	if len(random) > 0 {
		limit = min(limit, int(influenceWork/(influenceNodes*work*float64(len(all)))))
	}
	if near := j.Run.Data.Weights; len(near) > 0 {
		cost := n * min(n, 400) // a factor of the covariance, or a sparse one
		limit = min(limit, weightDraws, int(influenceWork/(float64(len(turnNodes)*rateNodes)*cost*float64(len(near)))))
	} else if len(random) == 0 {
		return all, nil
	}
	if min(limit, j.Size()) < influenceMinDraws {
		return all, nil
	}
	step := min(len(j.Chains[0]), (j.Size()+limit-1)/limit)
	thinned := make([][]*draws.Draw, len(j.Chains))
	for c, chain := range j.Chains {
		for t := step - 1; t < len(chain); t += step {
			thinned[c] = append(thinned[c], chain[t])
		}
	}
	within := j.Within
	if within == nil {
		within = context.Background()
	}
	for m := range all {
		var sharing, weights logRatios
		if law, ok := j.Problem.Posterior.Law.(prior.Attraction); ok && slices.Contains(random, m) && continuous(law.Affinity(), m) {
			sharing = sharingRatios(within, law, thinned, m, j.temperaturePrior(m))
			all[m].Sharing = sharing.influence()
		}
		for k, near := range j.Run.Data.Weights {
			if near.Distance == m {
				weights = weightRatios(within, j.Problem.Posterior, thinned, k)
				all[m].Weights = weights.influence()
			}
		}
		all[m].Joint = joint(sharing, weights).influence()
	}
	if within.Err() != nil {
		j.AddNotes(fmt.Sprintf("There was no time for the Bayes factors of distances: aibd summary %s computes them.", verdict.Quoted(j.Run.Dir)))
		return make([]Evidence, len(all)), nil
	}
	return all, nil
}

// continuous reports whether all similarities are continuous functions of the temperature of distance m, 0 included.
func continuous(a *prior.Affinity, m int) bool {
	decay, ok := a.Decay(m).(similarity.PowerDecay)
	if !ok {
		return false
	}
	d := a.Several()[m]
	for i := range d.N() {
		for j, x := range d.Row(i) {
			if i != j && math.IsInf(decay.Exponent(x), 0) {
				return false
			}
		}
	}
	return true
}

// logRatios are, by node, chain and draw, the log of the posterior probability that an influence is below the node,
// given the rest of the draw, over the prior probability. At the first node, which stands for no influence, they are of densities.
type logRatios [][][]float64

// newLogRatios returns the log ratios of draws, some of them 0 if ctx is done before.
func newLogRatios(ctx context.Context, nodes int, chains [][]*draws.Draw, values func(d *draws.Draw) []float64) logRatios {
	logs := make(logRatios, nodes)
	for g := range logs {
		logs[g] = make([][]float64, len(chains))
		for c := range chains {
			logs[g][c] = make([]float64, len(chains[c]))
		}
	}
	length := len(chains[0])
	_ = parallel.Each(ctx, len(chains)*length, func(i int) error { // ctx has the error
		c, t := i/length, i%length
		for g, x := range values(chains[c][t]) {
			logs[g][c][t] = x
		}
		return nil
	})
	return logs
}

// influence returns the Influence, nil if the draws do not even give a bound above leastBound, or without ratios.
//
// The density of the temperature, or of a share, given all else, over its prior density, can be computed up to a
// constant. The constant is an integral over the prior. The mean of the ratio over the draws is that of the
// likelihood there, all else integrated out, to the evidence; at 0 it is one over the
// Bayes factor. If the draws do not determine it at 0, they determine its mean below some larger
// node. Up to there the likelihood rises, since the draws are beyond, so that it is less at 0.
func (r logRatios) influence() *Influence {
	for g := range r {
		log, stdErr, ok := logMean(r[g])
		switch {
		case ok && g == 0:
			return &Influence{-log, stdErr, false}
		case ok && -log-2*stdErr > math.Log(leastBound):
			return &Influence{-log - 2*stdErr, stdErr, true}
		}
	}
	return nil
}

// joint returns the ratios of both influences together, which are independent given Z and the weights. Either may be nil.
func joint(sharing, weights logRatios) logRatios {
	if sharing == nil || weights == nil {
		return slices.Concat(sharing, weights)
	}
	both := make(logRatios, len(weights))
	for g := range both {
		ratios := sharing[g*(len(sharing)-1)/(len(weights)-1)]
		for c, chain := range weights[g] {
			both[g] = append(both[g], lists.Make(len(chain), func(t int) float64 { return chain[t] + ratios[c][t] }))
		}
	}
	return both
}

// sharingRatios returns the ratios of the temperature of distance m.
func sharingRatios(ctx context.Context, law prior.Attraction, chains [][]*draws.Draw, m int, gamma distuv.Gamma) logRatios {
	grid := newTemperatureGrid(gamma, chains, m)
	return newLogRatios(ctx, len(grid.roots), chains, func(d *draws.Draw) []float64 { return grid.logRatios(law, d, m) })
}

// rateNodes is the number of rates at which the density of the weights is computed.
const rateNodes = 6

// turnNodes are the ends of cells of the part of a share in its sum with the own share, whose prior is uniform. Weights
// that follow a smooth surface have little of their own.
var turnNodes = []float64{1. / 11, 2. / 11, 3. / 11, 4. / 11, 5. / 11, 6. / 11, 7. / 11, 8. / 11, 9. / 11, 10. / 11, 21. / 22, 43. / 44, 87. / 88, 175. / 176, 351. / 352, 1}

// weightRatios returns the ratios of the share of component k of the weights, with its rate integrated out, given the
// other shares and its sum with the own share. At no influence all of the sum is the items' own. So the null has the
// same prior of the common share: where weights hardly differ between items, they say nothing of distances.
func weightRatios(ctx context.Context, post *mcmc.Posterior, chains [][]*draws.Draw, k int) logRatios {
	near := post.Weights.Near[k]
	rates := []float64{near.MinRate}
	if near.MaxRate > near.MinRate {
		width := math.Log(near.MaxRate / near.MinRate)
		rates = lists.Make(rateNodes, func(i int) float64 { return near.MinRate * math.Exp(width*(float64(i)+0.5)/rateNodes) })
	}
	return newLogRatios(ctx, 1+len(turnNodes), chains, func(d *draws.Draw) []float64 {
		density, whole := post.WeightDensity(d), d.Shares[1+k]+draws.OwnShare(d.Shares)
		shares, drawRates := slices.Clone(d.Shares), slices.Clone(d.Rates)
		log := func(part, rate float64) float64 {
			shares[1+k], drawRates[k] = part*whole, rate
			return density(shares, drawRates)
		}
		logs, sums, begin := make([]float64, 1+len(turnNodes)), []float64(nil), 0.0 // sums of the cells so far
		for g, end := range turnNodes {
			for _, rate := range rates {
				sums = append(sums, math.Log((end-begin)/float64(len(rates)))+log((begin+end)/2, rate))
			}
			logs[1+g], begin = floats.LogSumExp(sums), end
		}
		total := logs[len(turnNodes)]
		for g, end := range turnNodes {
			logs[1+g] -= total + math.Log(end)
		}
		logs[0] = log(0, rates[0]) - total
		return logs
	})
}

// logMean returns the log of the mean of exp(x), its standard error, and whether both are reliable: the tail
// of exp(x) is not too heavy, and the standard error is at most a half.
func logMean(x [][]float64) (log, stdErr float64, ok bool) {
	all := slices.Concat(x...)
	largest := floats.Max(all)
	terms := lists.MapRows(x, func(v float64) float64 { return math.Exp(v - largest) })
	log = floats.LogSumExp(all) - math.Log(float64(len(all)))
	stdErr = posterior.MCSEMean(terms) / math.Exp(log-largest)
	_, k := predict.PSIS(all, posterior.RelativeEfficiency(x))
	return log, stdErr, k <= predict.MaxParetoK(len(all)) && stdErr <= 0.5
}

// temperatureGrid has temperatures by their square roots, since the law changes most near 0: nodes, where the
// law is computed, and cells of the prior between them, for which it is interpolated.
type temperatureGrid struct {
	roots  []float64 // of the nodes, from 0
	middle []float64 // of the cells
	mass   []float64 // log prior probability of the cells
	below  []float64 // the same up to each node
}

// newTemperatureGrid returns a grid that covers the prior and the draws of temperature m.
func newTemperatureGrid(gamma distuv.Gamma, chains [][]*draws.Draw, m int) *temperatureGrid {
	end := gamma.Quantile(0.999)
	for _, chain := range chains {
		for _, d := range chain {
			end = max(end, 2*temperaturesOf(d).Value(m))
		}
	}
	end = math.Sqrt(end)
	grid := &temperatureGrid{roots: floats.Span(make([]float64, influenceNodes), 0, end)}
	const cells = influenceCells * (influenceNodes - 1)
	for cell := range cells {
		low, right := end*float64(cell)/cells, end*float64(cell+1)/cells
		middle := (low + right) / 2
		mass := gamma.LogProb(middle*middle) + math.Log(right*right-low*low)
		if cell == 0 { // the density may be infinite at 0
			mass = math.Log(gamma.CDF(right * right))
		}
		grid.middle, grid.mass = append(grid.middle, middle), append(grid.mass, mass)
	}
	grid.below = cumulated(grid.mass)
	return grid
}

// cumulated returns the logs of the sums of exp(x) up to each node, with -Inf for the first.
func cumulated(x []float64) []float64 {
	sums := []float64{math.Inf(-1)}
	for begin := 0; begin < len(x); begin += influenceCells {
		sums = append(sums, floats.LogSumExp(append([]float64{sums[len(sums)-1]}, x[begin:begin+influenceCells]...)))
	}
	return sums
}

// logRatios returns, for each node, the log of the probability that temperature m is below it, given the rest
// of a draw, over the prior probability; at 0, of the densities.
func (g *temperatureGrid) logRatios(law prior.Law, d *draws.Draw, m int) []float64 {
	conditional := prior.WithDraw(law, d)
	tracker, temperatures := intensity.Unwrap(conditional).Tracker(), temperaturesOf(d).Clone()
	tracker.Reset(d.Z)
	permutation := conditional.(prior.Attraction).Permutation()
	logs := make([]float64, len(g.roots))
	for i, root := range g.roots {
		*temperatures.At(m) = root * root
		sum, h := tracker.Propose(temperatures, permutation)
		logs[i] = sum - d.Mass*h
	}
	// The spline is in shares of the largest root, as its matrix is singular in very small units.
	var spline interp.NotAKnotCubic
	end := g.roots[len(g.roots)-1]
	if err := spline.Fit(lists.Map(g.roots, func(root float64) float64 { return root / end }), logs); err != nil {
		panic("results: " + err.Error()) // the roots ascend
	}
	ratios := cumulated(lists.Make(len(g.middle), func(cell int) float64 { return g.mass[cell] + spline.Predict(g.middle[cell]/end) }))
	total := ratios[len(ratios)-1]
	for i, below := range g.below[1:] {
		ratios[i+1] -= total + below
	}
	ratios[0] = logs[0] - total
	return ratios
}

// temperaturesOf returns the temperatures of a draw.
func temperaturesOf(d *draws.Draw) intensity.Temperatures {
	return intensity.Temperatures{First: d.Temperature, Tail: d.FurtherTemperatures}
}

// Entangled are two distances that the data cannot separate: they go together over pairs of items, and in
// the draws one temperature makes up for the other.
type Entangled struct {
	First        string  `json:"first"` // their names
	Second       string  `json:"second"`
	Distances    float64 `json:"distances"`    // correlation over pairs of items
	Temperatures float64 `json:"temperatures"` // correlation over draws
}

// Entangled returns the distances that the data cannot separate.
func (j *Judged) Entangled() (all []Entangled) {
	if len(j.Run.Spec.RandomTemperatures()) < 2 {
		return nil
	}
	names := lists.Make(len(j.Run.Data.Distances()), j.distanceName)
	return entangled(names, j.Problem.Posterior.Law.(prior.Attraction).Affinity().Several(), slices.Concat(j.Chains...))
}

func entangled(names []string, distances similarity.Several, ds []*draws.Draw) (all []Entangled) {
	pairs, temperatures := make([][]float64, len(distances)), make([][]float64, len(distances))
	for m, d := range distances {
		for i := range d.N() {
			pairs[m] = append(append(pairs[m], d.Row(i)[:i]...), d.Row(i)[i+1:]...)
		}
		for _, d := range ds {
			temperatures[m] = append(temperatures[m], temperaturesOf(d).Value(m))
		}
		for first := range m {
			e := Entangled{names[first], names[m], stat.Correlation(pairs[first], pairs[m], nil), stat.Correlation(temperatures[first], temperatures[m], nil)}
			if min(math.Abs(e.Distances), math.Abs(e.Temperatures)) >= verdict.Together && e.Distances*e.Temperatures < 0 {
				all = append(all, e)
			}
		}
	}
	return all
}
