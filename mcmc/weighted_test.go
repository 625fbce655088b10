package mcmc

import (
	"testing"

	"aibd/lglfm"
)

// TestWeightedDoesNotAllocate: a scan of features with weights does not allocate once it has held the
// largest problem.
func TestWeightedDoesNotAllocate(t *testing.T) {
	for _, features := range []Features{Weighted, Graded} {
		cycle, s, stream := warmedStates(t, features, 300)
		if n := testing.AllocsPerRun(50, func() { cycle.Step(stream.Rand, s) }); n > 0 {
			t.Errorf("%s: %v allocations a scan", features, n)
		}
	}
}

// BenchmarkFeatures measures a default scan of the 50 states, with a noise scale for each column and an
// intercept, for each kind of features.
func BenchmarkFeatures(b *testing.B) {
	for _, features := range []Features{Binary, Weighted, Graded} {
		b.Run(string(features), func(b *testing.B) {
			cycle, s, stream := warmedStates(b, features, 1000)
			benchmarkSteps(b, cycle, s, stream)
		})
	}
}

// warmedStates returns a chain of the built-in states after some scans.
func warmedStates(tb testing.TB, features Features, scans int) (*cycle, *target, *Stream) {
	tb.Helper()
	post := mixedStates(tb).post
	data, err := post.Data.WithNoiseScales(nil)
	if err == nil {
		data, err = data.WithIntercept()
	}
	if err != nil {
		tb.Fatal(err)
	}
	post.Data, post.Features = data, features
	s, err := newState(post, Start{Scales: lglfm.Scales{SigmaX: 0.9, SigmaA: 0.6}})
	if err != nil {
		tb.Fatal(err)
	}
	stream := NewStream(1, "warmed states")
	o := DefaultOptions().For(post, 1000)
	cycle := newCycle(o.scan(post, &tuner{Tuning: newTuning(o), on: true}).kernels...)
	for range scans {
		cycle.Step(stream.Rand, s)
	}
	return cycle, s, stream
}
