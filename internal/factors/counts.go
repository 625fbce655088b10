package factors

import "math"

// A NegativeBinomial is the distribution of counts with a mean and a variance of mean + mean^2/Size.
type NegativeBinomial struct{ Mean, Size float64 }

// sizes are the sizes that are tried: from nearly all zeros to nearly a Poisson distribution.
var sizes = func() (all []float64) {
	for size := 0.01; size < 1e6; size *= 1.1 {
		all = append(all, size)
	}
	return all
}()

// FitCounts returns the distribution of counts by the likelihood of some of them. Half a count in one more item keeps the
// mean above 0.
func FitCounts(counts []float64) (best NegativeBinomial) {
	sum, maximum := 0.5, math.Inf(-1)
	for _, y := range counts {
		sum += y
	}
	for _, size := range sizes {
		d, log := NegativeBinomial{sum / float64(len(counts)+1), size}, 0.0
		for _, y := range counts {
			log += d.LogProbability(y)
		}
		if log > maximum {
			best, maximum = d, log
		}
	}
	return best
}

// LogProbability returns the log probability of a count.
func (d NegativeBinomial) LogProbability(y float64) float64 {
	a, _ := math.Lgamma(y + d.Size)
	b, _ := math.Lgamma(d.Size)
	factorial, _ := math.Lgamma(y + 1)
	return a - b - factorial - d.Size*math.Log1p(d.Mean/d.Size) - y*math.Log1p(d.Size/d.Mean)
}
