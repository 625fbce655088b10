package prospect

// The number of features.

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/combin"
	"gonum.org/v1/gonum/stat/distuv"

	"aibd/internal/model"
	"aibd/mcmc"
	"aibd/prior"
)

// MaxOrders is the max number of items for which NewFeatures averages over all orders:
// 8! = 40320.
const MaxOrders = 8

// Features is the distribution of the number of features.
type Features struct {
	Law         string    `json:"law"`
	Averaged    bool      `json:"averaged_over_permutations"`
	Method      string    `json:"method"`          // exact or Monte Carlo
	Draws       int       `json:"draws,omitempty"` // permutations of Monte Carlo
	Mean        float64   `json:"mean"`
	MeanStdErr  float64   `json:"mean_std_err,omitempty"` // of Monte Carlo
	Variance    float64   `json:"variance"`
	Probability []float64 `json:"probability"`       // of 0, 1, 2, ... features
	StdErr      []float64 `json:"std_err,omitempty"` // of Monte Carlo
}

// NewFeatures returns the distribution under p's law. It depends on the permutation,
// over which it is then averaged if that is random, under the sequential dd-IBP only.
func NewFeatures(p *model.PriorProblem, draws int, seed uint64) *Features {
	f := &Features{Law: LawLine(p), Method: "exact"}
	var means []float64 // of the Poisson distributions
	add := func(law prior.Law) { means = append(means, law.Mass()*law.TotalIntensity()) }
	law, ok := Averaged(p).(*prior.SequentialDDIBP)
	switch n := p.Law.N(); {
	case !ok:
		add(p.Law)
	case n <= MaxOrders:
		f.Averaged = true
		for g, perm := combin.NewPermutationGenerator(n, n), make([]int, n); g.Next(); {
			add(law.With(law.Temperature(), g.Permutation(perm)))
		}
	default:
		f.Averaged, f.Method, f.Draws = true, "Monte Carlo", draws
		stream := mcmc.NewStream(seed, "permutations")
		for range draws {
			add(law.With(law.Temperature(), stream.Rand.Perm(n)))
		}
	}
	stdErr := func(variance float64) float64 { return math.Sqrt(variance / float64(len(means)-1)) }
	mean, between := stat.PopMeanVariance(means, nil)
	f.Mean, f.Variance = mean, mean+between
	if f.Draws > 0 {
		f.MeanStdErr = stdErr(between)
	}
	// The tail beyond is below 1e-15 for every mean.
	largest := slices.Max(means)
	values := make([]float64, len(means))
	for k := range int(math.Ceil(largest+9*math.Sqrt(largest)+25)) + 1 {
		for i, m := range means {
			values[i] = distuv.Poisson{Lambda: m}.Prob(float64(k))
		}
		mean, variance := stat.PopMeanVariance(values, nil)
		f.Probability = append(f.Probability, mean)
		if f.Draws > 0 {
			f.StdErr = append(f.StdErr, stdErr(variance))
		}
	}
	return f
}

// Range returns the range of the numbers of features with a notable probability.
func (f *Features) Range() (begin, end int) {
	begin, end = -1, 0
	for k, p := range f.Probability {
		if p >= 5e-5 {
			if begin < 0 {
				begin = k
			}
			end = k + 1
		}
	}
	return max(begin, 0), end
}
