package mcmc

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat"

	"aibd/draws"
	"aibd/internal/collapsed"
	"aibd/lglfm"
)

// likelihoods records log likelihoods of draws of the prior, less the log density of the reference law
// from which their cells between bounds come.
type likelihoods struct {
	data *collapsed.Data
	logs []float64
}

func (l *likelihoods) Record(d *draws.Draw) error {
	log := d.LogLik
	if len(d.Cells) > 0 {
		if err := l.data.SetCutpoints(d.Cutpoints); err != nil {
			return err
		}
		if err := l.data.SetValues(d.Cells); err != nil {
			return err
		}
		log -= l.data.LogReference()
	}
	l.logs = append(l.logs, log)
	return nil
}

// TestPopulationWeighted compares the evidence of features with weights with the mean likelihood of draws
// of the prior, for three items with missing cells, cells between bounds, ordinal columns, an intercept and
// noise scales. With a schedule,
// estimates of p(X) are unbiased. The test fails at 4.5 standard errors (false alarms: 7e-6 each), and finds a scan at
// another power than that of the stage.
func TestPopulationWeighted(t *testing.T) {
	x := [][]float64{{1.9, -0.8, 2.4, 0.2}, {1.7, nan, 2.2, 0.5}, {-1.2, 1.5, nan, 0.1}}
	gaps := must(must(must(lglfm.NewData(x)).WithNoiseScales([]float64{0, 0.1, 0, 0})).WithIntercept())
	inf := math.Inf(1)
	bounds := []lglfm.Bound{{Item: 0, Variable: 0, Lower: 1.5, Upper: inf}, {Item: 2, Variable: 1, Lower: 1, Upper: 2}}
	limits := must(must(must(lglfm.NewBounded([][]float64{{nan, -0.8, 2.4, 0.2}, {1.7, -0.9, 2.2, 0.5}, {-1.2, nan, 0.7, 0.1}}, bounds)).WithNoiseScales([]float64{0, 0.1, 0, 0})).WithIntercept())
	levels := []lglfm.Ordinal{{Variable: 1, Levels: 2, Level: []int{0, 0, 1}}, {Variable: 2, Levels: 3, Level: []int{2, 1, 0}}}
	ordinal := must(must(lglfm.NewBounded([][]float64{{1.9, nan, nan}, {1.7, nan, nan}, {-1.2, nan, nan}}, nil, levels...)).WithNoiseScales(nil))
	for name, law := range populationLaws(t) {
		if name != "ibp" && name != "aibd" {
			continue
		}
		for _, f := range []Features{Weighted, Graded} {
			if f == Graded && name == "ibp" {
				continue
			}
			for _, data := range []*lglfm.Data{law.Data, gaps, limits, ordinal} {
				post := *law
				post.Data, post.Features = data, f
				start := Start{Scales: lglfm.Scales{SigmaX: 1, SigmaA: 1}}
				of := fmt.Sprintf("%s, %s, %d missing cells", name, f, data.Unknown())
				if data.Bounded() > 0 {
					of = fmt.Sprintf("%s, %s, %d cells between bounds, %d cutpoints", name, f, data.Bounded(), data.FreeCutpoints())
				}
				liks := likelihoods{data: collapsed.Of(data).Own()}
				if err := post.DrawPrior(NewStream(1, of).Rand, start, 60_000, &liks); err != nil {
					t.Fatal(err)
				}
				want, error2 := meanExp(liks.logs)
				for _, broken := range []bool{false, true} {
					if broken && name != "ibp" {
						continue
					}
					var logs []float64
					for label := range 16 {
						log, err := evidenceOf(&post, start, fmt.Sprint(of, label), broken)
						if err != nil && broken {
							logs = nil // noticed
							break
						}
						if err != nil {
							t.Fatal(err)
						}
						logs = append(logs, log)
					}
					if logs == nil {
						continue
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

// evidenceOf returns the estimate of a population that has the schedule of another one. Both scan at power
// 1 if they are broken. The powers of a broken population may never reach 1, which is an error.
func evidenceOf(post *Posterior, start Start, label string, broken bool) (float64, error) {
	cfg := PopulationConfig{Members: 20, Scans: 20}
	log := 0.0
	for _, part := range []string{"pilot", "population"} {
		p, err := NewPopulation(post, start, populationOptions(), cfg, 1, label+part)
		if err != nil {
			return 0, err
		}
		if broken {
			p.scan = func(post *Posterior, t *tuner) *cycle {
				return newCycle(atFullPower(p, p.options.scan(post, t).kernels)...)
			}
		}
		for !p.Done() {
			if err := p.Next(context.Background()); err != nil {
				return 0, err
			}
			if p.Stage() > 100 {
				return 0, fmt.Errorf("found power %g after 100 stages, expected 1", p.Power())
			}
		}
		cfg.Schedule, log = p.Schedule(), p.LogEvidence()
	}
	return log, nil
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
