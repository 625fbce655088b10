package mcmc

import (
	"math"
	"testing"

	"aibd/lglfm"
	"aibd/prior"
)

// BenchmarkClusters measures the move by itself, on the application in the state that
// a chain has reached after 300 scans, and on synthetic data of 1,000 items from the
// true allocation.
func BenchmarkClusters(b *testing.B) {
	post := loadApplication(b).posterior(b)
	large := twin(1000, 100)
	for _, c := range []struct {
		name  string
		post  *Posterior
		start Start
		scans int
	}{
		{"application", post, start, 300},
		{"N=1000,D=100", large.posterior(b), Start{
			Z: large.truth.Z, Mass: 10, Scales: lglfm.Scales{SigmaX: large.truth.SigmaX, SigmaA: large.truth.SigmaA},
		}, 5},
	} {
		b.Run(c.name, func(b *testing.B) {
			_, s, stream := warmed(b, c.post, DefaultOptions(), c.start, c.scans)
			k := newClusters(c.post.Data, DefaultOptions().Clusters)
			k.Step(stream.Rand, s)
			var info Info
			b.ReportAllocs()
			start := cpu()
			for b.Loop() {
				info.add(k.Step(stream.Rand, s))
			}
			b.ReportMetric((cpu()-start)/float64(info.Proposed), "cpu-ns/proposal")
			b.ReportMetric(float64(info.Proposed)/float64(b.N), "proposals")
			b.ReportMetric(float64(info.Accepted)/float64(b.N), "accepted")
		})
	}
}

// TestClustersOfMany: with more than MaxClustered items the move keeps what is derived from the
// unknowns.
func TestClustersOfMany(t *testing.T) {
	const n = MaxClustered + 1
	rng := NewStream(1, "many")
	law := must(prior.NewIBP(n, 0.5))
	x := make2(n, 3)
	for i := range x {
		for j := range x[i] {
			x[i][j] = rng.Rand.NormFloat64()
		}
	}
	post := &Posterior{Data: must(lglfm.NewData(x)), Law: law}
	s, err := newState(post, Start{Z: law.Rand(rng.Rand), Scales: lglfm.Scales{SigmaX: 1, SigmaA: 0.1}})
	if err != nil {
		t.Fatal(err)
	}
	if info := newClusters(post.Data, 30).Step(rng.Rand, s); info.Accepted < 5 {
		t.Fatalf("%d of %d moves, too few to see anything", info.Accepted, info.Proposed)
	}
	logLik, logPrior := s.LogLik(), s.LogPrior()
	s.Refresh()
	if d := max(math.Abs(s.LogLik()-logLik), math.Abs(s.LogPrior()-logPrior)); !(d < 1e-7) {
		t.Errorf("the log joint is off by %g", d)
	}
}
