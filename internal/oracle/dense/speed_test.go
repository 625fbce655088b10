package dense

// The speed of the project beside that of the formulas as printed.

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"aibd/dataset"
	"aibd/draws"
	"aibd/internal/oracle/fixture"
	"aibd/lglfm"
	"aibd/mcmc"
	"aibd/prior"
	"aibd/similarity"
)

// application returns the data and the ages of the paper's application if the folder AIBD_DATA has
// them, and otherwise of their synthetic twin.
func application(b *testing.B) (x [][]float64, ages []float64) {
	b.Helper()
	name := filepath.Join(os.Getenv("AIBD_DATA"), "alzheimers.csv")
	f, err := os.Open(name)
	if os.Getenv("AIBD_DATA") == "" || os.IsNotExist(err) {
		s := dataset.Twin(mcmc.NewStream(1, "twin").Rand, 62, 224)
		return s.X, s.Ages
	}
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	set, err := dataset.ParseAlzheimers(f, name)
	if err == nil {
		x, err = set.X.Floats(set.X.Columns)
	}
	if err == nil {
		err = set.Transform.Apply(set.X.Columns, x)
	}
	if err == nil {
		ages, err = set.Side.Float("age")
	}
	if err != nil {
		b.Fatal(err)
	}
	return x, ages
}

// BenchmarkAgainstDense measures a full update beside one of the sampler here, which computes the
// formulas as printed at every flip, from a state of the same chain. One of the latter takes most of
// a minute.
func BenchmarkAgainstDense(b *testing.B) {
	const warmup, scans = 300, 100
	x, ages := application(b)
	distances := similarity.AbsDifference(ages).Shift(0.00001)
	law, err := prior.NewAIBD(prior.NewAffinity(distances, similarity.Exponential{}), 1, 0.4, prior.Identity(len(x)))
	if err != nil {
		b.Fatal(err)
	}
	data, err := lglfm.NewData(x)
	if err != nil {
		b.Fatal(err)
	}
	unit := &mcmc.Gamma{Shape: 1, Rate: 1}
	post := &mcmc.Posterior{
		Data: data, Law: law, Permutation: true, Mass: unit, Temperature: unit,
		SigmaX: mcmc.ScalePrior{Max: 1}, SigmaA: mcmc.ScalePrior{Max: 1},
	}
	o := mcmc.DefaultOptions()
	o.Clusters, o.Sums, o.Combinations = 0, 0, 0 // moves that the sampler here does not have
	slow, fast := 0.0, 0.0
	for b.Loop() {
		chain, err := mcmc.NewChain(post, mcmc.Start{Scales: lglfm.Scales{SigmaX: 0.95, SigmaA: 0.5}}, o, mcmc.Config{Warmup: warmup, Draws: scans + 1, Thin: 1}, mcmc.NewStream(2, "warm"))
		if err != nil {
			b.Fatal(err)
		}
		began := fixture.ProcessorTime()
		if err := chain.Run(b.Context(), draws.RecorderFunc(func(d *draws.Draw) error {
			if d.Iteration == 0 {
				began = fixture.ProcessorTime()
			}
			return nil
		})); err != nil {
			b.Fatal(err)
		}
		fast += float64(fixture.ProcessorTime()-began) / scans
		d := chain.State()
		rows := make([][]float64, len(x))
		for i := range rows {
			rows[i] = slices.Clone(distances.Row(i))
			rows[i][i] = math.NaN() // never read
		}
		reference := NewSampler(x, rows, State{Z: d.Z.Rows(), Mass: d.Mass, Temperature: d.Temperature, Perm: d.Permutation, SigmaX: d.SigmaX, SigmaA: d.SigmaA})
		began = fixture.ProcessorTime()
		reference.Scan(mcmc.NewStream(3, "reference").Rand)
		slow += float64(fixture.ProcessorTime() - began)
	}
	b.ReportMetric(slow/float64(b.N)/1e9, "dense-s/op")
	b.ReportMetric(fast/float64(b.N)/1e6, "scan-ms/op")
	b.ReportMetric(slow/fast, "ratio")
}
