package results

// How the correlation of weights falls with distance.

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"aibd/draws"
	"aibd/internal/describe"
	"aibd/internal/lists"
	"aibd/mcmc"
	"aibd/posterior"
	"aibd/similarity"
)

// A Correlogram is the correlation of the weights of two items about the mean over items, by their distance d:
// s (r(d) - r)/(sum over distances of s (1 - r) + e), with the share s of the variance that follows a distance,
// the own share e, and the correlation r(d) of that part, with the mean r over pairs. At distance 0 it is
// DistanceFinding.Follows.
type Correlogram struct {
	Name             string // of the distance, "distance" if there is only one
	Unit             string // of the distances; "" if there is none
	Group            string // the column by which items are alike or not; distances are then 0 and similarities 1
	Given            bool   // d is a given similarity
	Distances        []float64
	Prior, Posterior [3][]float64 // 5%, 50% and 95% by At
	Classes          []CorrelogramClass
}

// A CorrelogramClass holds pairs of items at similar distances.
type CorrelogramClass struct {
	Distance    float64 // median distance
	Pairs       int
	Correlation float64 // of the fitted values of a pair about the means of columns, the mean over columns
}

// Numbers of points of a curve, and of draws from which it is computed.
const (
	correlogramPoints = 120
	correlogramDraws  = 1000
)

// Correlograms returns the correlogram of each distance that weights follow.
func (j *Judged) Correlograms() (all []Correlogram, err error) {
	fitted, err := j.Fitted(250)
	if err != nil {
		return nil, err
	}
	columns := standardized(fitted)
	near := j.Problem.Posterior.Weights.Near
	apart := dissimilarities(near)
	ds := Thinned(j.Chains, correlogramDraws)
	rng := mcmc.NewStream(j.Run.Spec.Sampler.Seed, "correlogram").Rand
	for k, distance := range j.Run.Data.Weights {
		d, unit := j.Run.Spec.Distances()[distance.Distance], j.Run.Data.Distances()[distance.Distance].Unit
		c := Correlogram{Name: j.distanceName(distance.Distance), Given: distance.MaxRate == 0}
		per := 1.0
		switch {
		case d.Kind == "same":
			c.Group = d.Columns[0]
		case !c.Given && unit != "":
			per, c.Unit = describe.UnitOf(d, unit)
		}
		pairs := somePairs(near[k].Distances)
		for _, b := range bins(pairs) {
			c.Classes = append(c.Classes, CorrelogramClass{per * float64(b.Median), b.Pairs, correlation(columns, b.pairs)})
		}
		far := pairs[len(pairs)*49/50].distance // the last pairs are often at a few far items
		points := floats.Span(make([]float64, correlogramPoints), min(0, pairs[0].distance), max(far, math.SmallestNonzeroFloat64))
		c.Distances = lists.Map(points, func(x float64) float64 { return per * x })
		curve := func(shares []float64, ownShare float64, rates []float64) func(x float64) float64 {
			sum := ownShare
			for m, s := range shares {
				sum += s * apart[m](rates[m])
			}
			mean := 1 - apart[k](rates[k])
			return func(x float64) float64 {
				if !c.Given {
					x = math.Exp(-rates[k] * x)
				}
				return shares[k] * (x - mean) / sum
			}
		}
		prior, after := make([]func(float64) float64, correlogramDraws), make([]func(float64) float64, len(ds))
		for t := range prior {
			prior[t] = curve(randomShares(rng, near))
		}
		for t, d := range ds {
			after[t] = curve(d.Shares[1:], draws.OwnShare(d.Shares), d.Rates)
		}
		c.Prior, c.Posterior = bands(prior, points), bands(after, points)
		all = append(all, c)
	}
	return all, nil
}

// pairedItems is the max number of items whose pairs are compared: of more items, evenly spaced ones.
const pairedItems = 700

// somePairs returns pairs of items with their distances.
func somePairs(d similarity.Pairs) (all []pair) {
	step := (d.N() + pairedItems - 1) / pairedItems
	for i := 0; i < d.N(); i += step {
		for other := 0; other < i; other += step {
			all = append(all, pair{[2]int{other, i}, d.At(i, other)})
		}
	}
	return all
}

// randomShares draws the shares that follow distances, the own share and the rates from their prior.
func randomShares(rng *rand.Rand, near []mcmc.Nearness) (shares []float64, ownShare float64, rates []float64) {
	all := lists.Make(len(near)+2, func(int) float64 { return rng.ExpFloat64() })
	floats.Scale(1/floats.Sum(all), all)
	for _, n := range near {
		rate := n.MinRate
		if n.MaxRate > rate {
			rate *= math.Pow(n.MaxRate/rate, rng.Float64())
		}
		rates = append(rates, rate)
	}
	return all[2:], all[1], rates
}

// bands returns the quantiles of curves at points.
func bands(curves []func(x float64) float64, points []float64) (quantiles [3][]float64) {
	for _, x := range points {
		values := lists.Map(curves, func(curve func(float64) float64) float64 { return curve(x) })
		for b, p := range []float64{0.05, 0.5, 0.95} {
			quantiles[b] = append(quantiles[b], posterior.Quantile(values, p))
		}
	}
	return quantiles
}

// standardized returns the columns of x with mean 0 and variance 1, without constant ones.
func standardized(x [][]float64) (columns [][]float64) {
	for _, column := range lists.Transposed(x) {
		if mean, sd := stat.PopMeanStdDev(column, nil); sd > 1e-9*(1+math.Abs(mean)) {
			columns = append(columns, lists.Map(column, func(v float64) float64 { return (v - mean) / sd }))
		}
	}
	return columns
}

// correlation returns the mean product of two items over pairs and standardized columns.
func correlation(columns [][]float64, pairs [][2]int) (mean float64) {
	for _, column := range columns {
		for _, p := range pairs {
			mean += column[p[0]] * column[p[1]] / float64(len(columns)*len(pairs))
		}
	}
	return mean
}
