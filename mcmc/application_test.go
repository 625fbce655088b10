package mcmc

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"aibd/dataset"
	"aibd/lglfm"
	"aibd/prior"
	"aibd/similarity"
)

// application is data of the size of the paper's application: the Alzheimer's
// file where the folder AIBD_DATA holds it, else its synthetic twin.
type application struct {
	x    [][]float64
	ages []float64
	real bool
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
	return application{x, ages, true}
}

// twin is the synthetic twin with n rows and d columns.
func twin(n, d int) application {
	s := dataset.Twin(NewStream(1, "twin").Rand, n, d)
	return application{x: s.X, ages: s.Ages}
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

// warm returns a chain of the standard scan after the given number of scans.
func (a application) warm(tb testing.TB, scans int) (*Cycle, *State, *Stream) {
	tb.Helper()
	post := a.posterior(tb)
	s, err := NewState(post, Start{Scales: lglfm.Scales{SigmaX: 0.6, SigmaA: 0.4}, Mass: 5})
	if err != nil {
		tb.Fatal(err)
	}
	cycle, err := NewScan(post, DefaultOptions())
	if err != nil {
		tb.Fatal(err)
	}
	stream := NewStream(2, "warm")
	for _, k := range cycle.adapters {
		k.Adapt(true)
	}
	for range scans {
		cycle.Step(stream.Rand, s)
	}
	for _, k := range cycle.adapters {
		k.Adapt(false)
	}
	return cycle, s, stream
}

// cpu returns the processor time that this process has used, in nanoseconds:
// other work on the machine lengthens the time of a benchmark, but hardly this.
func cpu() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return float64(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkScan measures one full update, a scan of Z and ten updates of
// everything else, on the application.
func BenchmarkScan(b *testing.B) {
	cycle, s, stream := loadApplication(b).warm(b, 300)
	b.ReportAllocs()
	features, start := 0.0, cpu()
	for b.Loop() {
		cycle.Step(stream.Rand, s)
		features += float64(s.Z.K())
	}
	b.ReportMetric((cpu()-start)/float64(b.N), "cpu-ns/op")
	b.ReportMetric(features/float64(b.N), "features")
}

// BenchmarkKernels measures the kernels of the scan one by one.
func BenchmarkKernels(b *testing.B) {
	cycle, s, stream := loadApplication(b).warm(b, 300)
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
