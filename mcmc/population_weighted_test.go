package mcmc

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat"

	"aibd/draws"
	"aibd/lglfm"
)

// logLiks records log likelihoods.
type logLiks []float64

func (l *logLiks) Record(d *draws.Draw) error {
	*l = append(*l, d.LogLik)
	return nil
}

// TestPopulationWeighted compares the evidence of features with weights with the mean likelihood of draws
// of the prior, for three items with missing cells, an intercept and noise scales. Estimates of p(X) are
// nearly unbiased. The test fails at 4.5 standard errors (false alarms: 7e-6 each), and finds a scan at
// another power than that of the stage.
func TestPopulationWeighted(t *testing.T) {
	x := [][]float64{{1.9, -0.8, 2.4, 0.2}, {1.7, nan, 2.2, 0.5}, {-1.2, 1.5, nan, 0.1}}
	gaps := must(must(must(lglfm.NewData(x)).WithNoiseScales([]float64{0, 0.1, 0, 0})).WithIntercept())
	for name, law := range populationLaws(t) {
		if name != "ibp" && name != "aibd" {
			continue
		}
		for _, f := range []Features{Weighted, Graded} {
			for _, data := range []*lglfm.Data{law.Data, gaps} {
				post := *law
				post.Data, post.Features = data, f
				start := Start{Scales: lglfm.Scales{SigmaX: 1, SigmaA: 1}}
				of := fmt.Sprintf("%s, %s, %d missing cells", name, f, data.Unknown())
				var liks logLiks
				if err := post.DrawPrior(NewStream(1, of).Rand, start, 60_000, &liks); err != nil {
					t.Fatal(err)
				}
				want, error2 := meanExp(liks)
				for _, broken := range []bool{false, true} {
					if broken && (f != Weighted || name != "ibp") {
						continue
					}
					var logs []float64
					for label := range 30 {
						p := must(NewPopulation(&post, start, populationOptions(), PopulationConfig{Members: 20, Scans: 20}, 1, fmt.Sprint(of, label)))
						if broken {
							p.scan = func(post *Posterior, t *tuner) *cycle {
								return newCycle(atFullPower(p, p.options.scan(post, t).kernels)...)
							}
						}
						for !p.Done() {
							if err := p.Next(context.Background(), 2); err != nil {
								t.Fatal(err)
							}
						}
						logs = append(logs, p.LogEvidence())
					}
					found, error1 := meanExp(logs)
					z := (found - want) / math.Hypot(error1, error2)
					if (math.Abs(z) > 4.5) != broken {
						t.Errorf("%s, broken %v: log evidence %.4f (%.4f), of the prior %.4f (%.4f), z %.1f", of, broken, found, error1, want, error2, z)
					}
				}
			}
		}
	}
}

// atFullPower returns kernels that move at power 1, whatever the power of the stage.
func atFullPower(p *Population, kernels []kernel) []kernel {
	set := func(power func() float64) kernel {
		return step(func(_ *rand.Rand, s *target) Info { s.Weighted().SetPower(power()); return Info{} })
	}
	all := append([]kernel{set(func() float64 { return 1 })}, kernels...)
	return append(all, set(func() float64 { return p.power }))
}

// meanExp returns the logarithm of the mean of exp(x), and its standard error.
func meanExp(logs []float64) (log, se float64) {
	top := math.Inf(-1)
	for _, l := range logs {
		top = max(top, l)
	}
	values := make([]float64, len(logs))
	for i, l := range logs {
		values[i] = math.Exp(l - top)
	}
	mean, sd := stat.MeanStdDev(values, nil)
	return top + math.Log(mean), sd / mean / math.Sqrt(float64(len(values)))
}
