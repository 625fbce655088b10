package mcmc

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/stat"

	"aibd/lglfm"
	"aibd/prior"
	"aibd/similarity"
)

// scattered is a posterior of n items at random places with k neighbours and far items each, in
// 50 variables and about 50 features, and a start at the truth.
func scattered(tb testing.TB, n, k, far int) (*Posterior, Start) {
	tb.Helper()
	const variables, features = 50, 50
	rng := NewStream(1, "scattered").Rand
	places := make([][]float64, n)
	for i := range places {
		places[i] = []float64{rng.Float64(), rng.Float64()}
	}
	points, err := similarity.NewPoints(places)
	if err != nil {
		tb.Fatal(err)
	}
	edges := points.Nearest(k)
	unit := edges.Median()
	if far > 0 {
		edges = points.WithFar(edges, far, 1)
	}
	h := 0.0
	for i := range n {
		h += 1 / float64(i+1)
	}
	law, err := prior.NewAIBD(prior.NewAffinity(edges, similarity.Exponential{}), features/h, 1/unit, rng.Perm(n))
	if err != nil {
		tb.Fatal(err)
	}
	z := law.Rand(rng)
	loadings := make([][]float64, z.K())
	for f := range loadings {
		for range variables {
			loadings[f] = append(loadings[f], rng.NormFloat64())
		}
	}
	const noise = 0.5
	x := make([][]float64, n)
	for i, features := range z.Rows() {
		x[i] = make([]float64, variables)
		for v := range x[i] {
			x[i][v] = noise * rng.NormFloat64()
		}
		for f, has := range features {
			if has == 0 {
				continue
			}
			for v := range x[i] {
				x[i][v] += loadings[f][v]
			}
		}
	}
	data, err := lglfm.NewData(x)
	if err != nil {
		tb.Fatal(err)
	}
	return &Posterior{
		Data: data, Law: law, Permutation: true,
		Mass: &Gamma{1, 1}, Temperature: &Gamma{1, unit},
		SigmaX: ScalePrior{Max: 5}, SigmaA: ScalePrior{Max: 5},
	}, Start{Z: z, Scales: lglfm.Scales{SigmaX: noise, SigmaA: 1}}
}

// TestOthers counts what the other updates of a scan propose.
func TestOthers(t *testing.T) {
	for far, temperatures := range map[int]int{0: 10, 100: 2} {
		post, _ := scattered(t, 1000, 20, far)
		counts := map[string]int{}
		for _, k := range scanOf(post, OptionsFor(post, 0)).kernels {
			counts[k.Name()]++
		}
		if counts["shuffle"] != 40 || counts["temperature"] != temperatures || counts["scales"] != 10 || counts["mass"] != 10 {
			t.Errorf("%d far items: found %v, expected 40 shuffles, %d temperatures, 10 scales and 10 masses", far, counts, temperatures)
		}
	}
	for n, want := range map[int]int{447: 1, 448: 5} {
		law, err := prior.NewAIBD(prior.NewAffinity(similarity.AbsDifference(make([]float64, n)), similarity.Exponential{}), 1, 1, prior.Identity(n))
		if err != nil {
			t.Fatal(err)
		}
		if shuffles, every := others(law); shuffles != 1 || every != want {
			t.Errorf("%d items: found %d shuffles and a temperature every %d updates, expected 1 and %d", n, shuffles, every, want)
		}
	}
}

// BenchmarkMany measures a scan of many items with sparse distances, as in aibd fit, except block
// flips, which only small data have. It reports the exponent of N fitted over the sizes so far.
func BenchmarkMany(b *testing.B) {
	for _, far := range []int{0, 10, 100} {
		var logN, logTime []float64
		for _, n := range []int{1000, 10_000, 100_000} {
			b.Run(fmt.Sprintf("far=%d,N=%d", far, n), func(b *testing.B) {
				post, start := scattered(b, n, 20, far)
				options := OptionsFor(post, 0)
				options.Clusters = 0
				cycle, s, stream := warmed(b, post, options, start, 2)
				b.ReportAllocs()
				features, began := 0.0, cpu()
				for b.Loop() {
					cycle.Step(stream.Rand, s)
					features += float64(s.Z().K())
				}
				seconds := (cpu() - began) / float64(b.N) / 1e9
				logN, logTime = append(logN, math.Log(float64(n))), append(logTime, math.Log(seconds))
				b.ReportMetric(seconds, "cpu-s/op")
				b.ReportMetric(features/float64(b.N), "features")
				if len(logN) > 1 {
					_, exponent := stat.LinearRegression(logN, logTime, nil, false)
					b.ReportMetric(exponent, "exponent")
				}
			})
		}
	}
}
