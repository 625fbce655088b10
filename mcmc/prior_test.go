package mcmc

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat"

	"aibd/draws"
)

// TestDrawPrior compares moments of draws with the exact ones. A twin whose Z has another mass is
// noticed.
func TestDrawPrior(t *testing.T) {
	const size, twinSize = 20_000, 2000
	for _, m := range withoutData() {
		rng := NewStream(1, "prior, "+m.name).Rand
		right := m.draw(rng)
		worst := func(s *target, size int) (worst float64) {
			t.Helper()
			qs := quantities(right.post)
			values := make2(len(qs), size)
			start := Start{Scales: s.Scales()}
			for i := range size {
				if err := s.drawPrior(rng, start); err != nil {
					t.Fatal(err)
				}
				if s.post.Mass == nil {
					s.Mass = massPrior.rand(rng)
				}
				for q := range qs {
					values[q][i] = qs[q].f(s)
				}
			}
			for q := range qs {
				mean, sd := stat.MeanStdDev(values[q], nil)
				worst = max(worst, math.Abs(mean-qs[q].mean)*math.Sqrt(float64(size))/sd)
			}
			return worst
		}
		if z := worst(right, size); !(z < limit) {
			t.Errorf("%s: |z| = %.2f, want below %v", m.name, z, limit)
		}
		post := *right.post
		post.Mass = nil
		if z := worst(must(newTarget(&post, Start{Scales: right.Scales()}, true, MaxFeatures)), twinSize); z < limit {
			t.Errorf("%s: Z of another mass passes with |z| = %.2f", m.name, z)
		}
	}
}

// TestDrawPriorRecords: draws are numbered, fixed unknowns keep their values, and noise is at
// least its bound.
func TestDrawPriorRecords(t *testing.T) {
	m := withScales(ofNoise, "noise", ScalePrior{Max: 2}, ScalePrior{})
	rng := NewStream(1, "records").Rand
	s := m.draw(rng)
	start, count := Start{Scales: s.Scales()}, 0
	err := s.post.DrawPrior(rng, start, 200, draws.RecorderFunc(func(d *draws.Draw) error {
		if d.Iteration != count || d.SigmaA != start.Scales.SigmaA || math.IsInf(d.LogPrior, 0) || math.IsNaN(d.LogLik) {
			t.Errorf("draw %d: found iteration %d, SigmaA %v, log prior %v, log likelihood %v", count, d.Iteration, d.SigmaA, d.LogPrior, d.LogLik)
		}
		for j, bound := range m.lower {
			if d.SigmaX*d.NoiseScales[j] < bound {
				t.Errorf("draw %d: noise %v of column %d, want at least %v", count, d.SigmaX*d.NoiseScales[j], j, bound)
			}
		}
		count++
		return nil
	}))
	if err != nil || count != 200 {
		t.Errorf("found %d draws, error %v", count, err)
	}
	if err := s.post.DrawPrior(rng, Start{}, 1, nil); err == nil {
		t.Error("no error for scales of 0")
	}
}
