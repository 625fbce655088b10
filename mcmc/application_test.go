package mcmc

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"gonum.org/v1/gonum/stat"

	"aibd/dataset"
	"aibd/draws"
	"aibd/internal/oracle/fixture"
	"aibd/lglfm"
	"aibd/prior"
	"aibd/similarity"
)

// application is data of the size of the paper's application: the Alzheimer's
// file where the folder AIBD_DATA holds it, else its synthetic twin.
type application struct {
	x     [][]float64
	ages  []float64
	truth *dataset.Synthetic // nil for the real data
}

func loadApplication(tb testing.TB) application {
	tb.Helper()
	name := filepath.Join(os.Getenv("AIBD_DATA"), "alzheimers.csv")
	f, err := os.Open(name)
	if os.Getenv("AIBD_DATA") == "" || os.IsNotExist(err) {
		tb.Log("AIBD_DATA holds no alzheimers.csv: the synthetic twin stands for it")
		return twin(62, 224)
	}
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	set, err := dataset.ParseAlzheimers(f, name)
	if err != nil {
		tb.Fatal(err)
	}
	x, err := set.X.Floats(set.X.Columns)
	if err != nil {
		tb.Fatal(err)
	}
	if err := set.Transform.Apply(set.X.Columns, x); err != nil {
		tb.Fatal(err)
	}
	ages, err := set.Side.Float("age")
	if err != nil {
		tb.Fatal(err)
	}
	return application{x: x, ages: ages}
}

// twin is the synthetic twin with n rows and d columns.
func twin(n, d int) application {
	s := dataset.Twin(NewStream(1, "twin").Rand, n, d)
	return application{x: s.X, ages: s.Ages, truth: s}
}

// posterior is the paper's: distances |age difference| + 0.00001, exponential
// decay, everything random, all gamma priors gamma(1, 1).
func (a application) posterior(tb testing.TB) *Posterior {
	tb.Helper()
	data, err := lglfm.NewData(a.x)
	if err != nil {
		tb.Fatal(err)
	}
	affinity := prior.NewAffinity(similarity.AbsDifference(a.ages).Shift(0.00001), similarity.Exponential{})
	law, err := prior.NewAIBD(affinity, 1, 0.4, prior.Identity(len(a.x)))
	if err != nil {
		tb.Fatal(err)
	}
	return &Posterior{
		Data: data, Law: law, Permutation: true,
		Mass: &Gamma{1, 1}, Temperature: &Gamma{1, 1},
		SigmaX: ScalePrior{Max: 1}, SigmaA: ScalePrior{Max: 1},
	}
}

// start is an allocation without features and noise that explains everything:
// from there chains add features as they find them.
var start = Start{Scales: lglfm.Scales{SigmaX: 0.95, SigmaA: 0.5}}

// warm returns a chain of the standard scan after the given number of scans.
func (a application) warm(tb testing.TB, start Start, scans int) (*cycle, *target, *Stream) {
	tb.Helper()
	return warm(tb, a.posterior(tb), start, scans)
}

// classic is the standard scan without the moves that the R package lacks: clusters, sums and
// combinations. It is the full update that is timed.
func classic() Options {
	o := DefaultOptions()
	o.Clusters, o.Sums, o.Combinations = 0, 0, 0
	return o
}

func warm(tb testing.TB, post *Posterior, start Start, scans int) (*cycle, *target, *Stream) {
	tb.Helper()
	return warmed(tb, post, classic(), start, scans)
}

func warmed(tb testing.TB, post *Posterior, o Options, start Start, scans int) (*cycle, *target, *Stream) {
	tb.Helper()
	chain, err := NewChain(post, start, o, Config{Warmup: scans, Draws: 1, Thin: 1}, NewStream(2, "warm"))
	if err != nil {
		tb.Fatal(err)
	}
	if err := chain.Run(context.Background(), new(tape)); err != nil {
		tb.Fatal(err)
	}
	chain.tuner.on = false
	return chain.scan, chain.target, chain.stream
}

// TestApplication repeats the run of the R package's samplePosteriorLGLFM that
// the paper reports: everything random, ten other updates a scan. It needs the
// real data. Four chains of 1,000 + 1,000 scans; the bounds are some ten times the
// differences between such chains.
func TestApplication(t *testing.T) {
	a := loadApplication(t)
	if a.truth != nil {
		t.Skip("AIBD_DATA holds no alzheimers.csv, which is not part of this project: the paper's application is not repeated")
	}
	cfg := Config{Warmup: 1000, Draws: 1000, Thin: 1}
	var mu sync.Mutex
	means := map[string]float64{}
	t.Run("chains", func(t *testing.T) {
		for c := range 4 {
			t.Run(fmt.Sprint(c+1), func(t *testing.T) {
				t.Parallel()
				post := a.posterior(t)
				chain, err := NewChain(post, start, DefaultOptions(), cfg, NewStream(1, fmt.Sprintf("chain-%d", c+1)))
				if err != nil {
					t.Fatal(err)
				}
				sum := averager{}
				if err := chain.Run(t.Context(), sum); err != nil {
					t.Fatal(err)
				}
				mu.Lock()
				defer mu.Unlock()
				for name, x := range sum {
					means[name] += x / float64(4*cfg.Draws)
				}
			})
		}
	})
	for _, c := range []struct {
		name      string
		low, high float64
	}{
		{"mass", 12.7, 13.7},
		{"features", 70, 78},
		{"SigmaX", 0.51, 0.53},
		{"SigmaA", 0.33, 0.37},
		{"temperature", 0.36, 0.42},
	} {
		t.Logf("posterior mean of %s: %.4g", c.name, means[c.name])
		if x := means[c.name]; !(x >= c.low && x <= c.high) {
			t.Errorf("posterior mean of %s is %.4g, expected %g to %g", c.name, x, c.low, c.high)
		}
	}
	t.Logf("items a feature %.3g, mean of -2 log likelihood %.0f", means["ones"]/means["features"], -2*means["log likelihood"])
}

// averager sums what the paper reports over the draws.
type averager map[string]float64

func (a averager) Record(d *draws.Draw) error {
	a["mass"] += d.Mass
	a["features"] += float64(d.Z.K())
	a["ones"] += float64(d.Z.Ones())
	a["SigmaX"] += d.SigmaX
	a["SigmaA"] += d.SigmaA
	a["temperature"] += d.Temperature
	a["log likelihood"] += d.LogLik
	return nil
}

// cpu returns the processor time that this process has used, in nanoseconds.
func cpu() float64 { return float64(fixture.ProcessorTime()) }

// BenchmarkScan measures one full update, a scan of Z and ten updates of
// everything else, on the application: with the moves that the R package has a like
// of, and with those that are on by default.
func BenchmarkScan(b *testing.B) {
	for _, c := range []struct {
		name string
		o    Options
	}{{"classic", classic()}, {"default", DefaultOptions()}} {
		b.Run(c.name, func(b *testing.B) {
			cycle, s, stream := warmed(b, loadApplication(b).posterior(b), c.o, start, 300)
			benchmarkSteps(b, cycle, s, stream)
		})
	}
}

// benchmarkSteps measures scans.
func benchmarkSteps(b *testing.B, cycle *cycle, s *target, stream *Stream) {
	b.Helper()
	b.ReportAllocs()
	features, ones, start := 0.0, 0.0, cpu()
	for b.Loop() {
		cycle.Step(stream.Rand, s)
		features += float64(s.Z().K())
		ones += float64(s.Z().Ones())
	}
	b.ReportMetric((cpu()-start)/float64(b.N), "cpu-ns/op")
	b.ReportMetric(features/float64(b.N), "features")
	b.ReportMetric(ones/features, "items/feature")
}

// BenchmarkDense measures a full update where all distances differ, from the true
// allocation.
func BenchmarkDense(b *testing.B) {
	for _, c := range []struct{ n, d int }{{124, 224}, {1000, 100}} {
		b.Run(fmt.Sprintf("N=%d,D=%d", c.n, c.d), func(b *testing.B) {
			a, jitter := twin(c.n, c.d), NewStream(1, "jitter")
			for i := range a.ages {
				a.ages[i] += jitter.Rand.Float64()
			}
			cycle, s, stream := a.warm(b, Start{
				Z: a.truth.Z, Mass: 10, Scales: lglfm.Scales{SigmaX: a.truth.SigmaX, SigmaA: a.truth.SigmaA},
			}, 20)
			benchmarkSteps(b, cycle, s, stream)
		})
	}
}

// BenchmarkLaws measures a full update on the application under each law with
// distances, each in the state of a separate chain after 300 scans.
func BenchmarkLaws(b *testing.B) {
	a := loadApplication(b)
	base := a.posterior(b).Law.(prior.Attraction).Affinity()
	affinity := prior.NewAffinity(base.Distance(0), base.Decay(0))
	sequential, err := prior.NewSequentialDDIBP(affinity, 1, 0.4, prior.Identity(len(a.x)))
	if err != nil {
		b.Fatal(err)
	}
	symmetric, err := prior.NewDDIBP(affinity, 1, 0.4)
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name string
		law  prior.Law
	}{{"AIBD", a.posterior(b).Law}, {"sequential dd-IBP", sequential}, {"symmetric dd-IBP", symmetric}} {
		b.Run(c.name, func(b *testing.B) {
			post := a.posterior(b)
			post.Law = c.law
			post.Permutation = c.law != prior.Law(symmetric)
			cycle, s, stream := warm(b, post, start, 300)
			benchmarkSteps(b, cycle, s, stream)
		})
	}
}

// BenchmarkKernels measures the kernels of the default scan one by one.
func BenchmarkKernels(b *testing.B) {
	cycle, s, stream := warmed(b, loadApplication(b).posterior(b), DefaultOptions(), start, 300)
	seen := map[string]bool{}
	for _, k := range cycle.kernels {
		if seen[k.Name()] {
			continue
		}
		seen[k.Name()] = true
		b.Run(k.Name(), func(b *testing.B) {
			b.ReportAllocs()
			start := cpu()
			for b.Loop() {
				k.Step(stream.Rand, s)
			}
			b.ReportMetric((cpu()-start)/float64(b.N), "cpu-ns/op")
		})
	}
}

// BenchmarkSizes measures a full update on synthetic data of N rows and 224
// columns, from the true allocation. The last one reports the exponent of N fitted over all
// sizes.
func BenchmarkSizes(b *testing.B) {
	var logN, logTime []float64
	for _, n := range []int{31, 62, 124, 250, 500, 1000} {
		b.Run(fmt.Sprintf("N=%d", n), func(b *testing.B) {
			a := twin(n, 224)
			cycle, s, stream := a.warm(b, Start{
				Z: a.truth.Z, Mass: 10, Scales: lglfm.Scales{SigmaX: a.truth.SigmaX, SigmaA: a.truth.SigmaA},
			}, 20)
			b.ReportAllocs()
			features, began := 0.0, cpu()
			for b.Loop() {
				cycle.Step(stream.Rand, s)
				features += float64(s.Z().K())
			}
			logN = append(logN, math.Log(float64(n)))
			logTime = append(logTime, math.Log((cpu()-began)/float64(b.N)))
			b.ReportMetric(features/float64(b.N), "features")
			if n == 1000 {
				_, exponent := stat.LinearRegression(logN, logTime, nil, false)
				b.ReportMetric(exponent, "exponent")
			}
		})
	}
}
