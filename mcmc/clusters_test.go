package mcmc

import (
	"testing"

	"aibd/lglfm"
)

// BenchmarkClusters measures the move by itself, on the application in the state that
// a chain has reached after 300 scans, and on synthetic data of 1,000 items from the
// allocation that they were made with.
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
