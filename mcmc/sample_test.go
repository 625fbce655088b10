package mcmc

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"aibd/draws"
	"aibd/lglfm"
)

// TestSampleStops: the error of a recorder stops the other chains, and is the one that Sample returns.
func TestSampleStops(t *testing.T) {
	chain := newTestChain(t, Config{Warmup: 1, Draws: 1, Thin: 1})
	post, full := chain.target.post, errors.New("full")
	post.SigmaX, post.SigmaA = ScalePrior{Max: 2}, ScalePrior{Max: 2}
	endless := Config{Draws: math.MaxInt32, Thin: 1}
	silent := draws.RecorderFunc(func(*draws.Draw) error { return nil })
	broken := draws.RecorderFunc(func(d *draws.Draw) error {
		if d.Iteration == 2 {
			return full
		}
		return nil
	})
	if err := Sample(t.Context(), post, DefaultOptions(), endless, 1, silent, broken, silent); !errors.Is(err, full) || !strings.HasPrefix(err.Error(), "chain-2: ") {
		t.Errorf("found %v, expected the error of chain 2", err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stopping := draws.RecorderFunc(func(*draws.Draw) error { stop(); return nil })
	if err := Sample(ctx, post, DefaultOptions(), endless, 1, silent, stopping); err != context.Canceled {
		t.Errorf("found %v, expected that of the context", err)
	}
	for _, recorders := range [][]draws.Recorder{nil, {silent, nil}} {
		if err := Sample(t.Context(), post, DefaultOptions(), endless, 1, recorders...); err == nil {
			t.Errorf("%d recorders, one nil or none: no error", len(recorders))
		}
	}
}

// TestDrawsAlone: a clone of a draw outlives it, and the data have its likelihood.
func TestDrawsAlone(t *testing.T) {
	for _, features := range []Features{Binary, Weighted} {
		cycle, s, stream := warmedStates(t, features, nil, 30)
		var last draws.Draw
		s.Fill(&last)
		kept := draws.Clone(&last)
		got, err := lglfm.LogLikDraw(s.post.Data, kept)
		if err != nil || math.Abs(got-last.LogLik) > 1e-9*math.Abs(got) {
			t.Errorf("%v: found %v, %v, expected %v", features, got, err, last.LogLik)
		}
		for range 30 {
			cycle.Step(stream.Rand, s)
		}
		s.Fill(&last)
		if again, err := lglfm.LogLikDraw(s.post.Data, kept); err != nil || again != got || last.LogLik == kept.LogLik {
			t.Errorf("%v: the clone has the likelihood %v after more scans, %v before", features, again, got)
		}
		for what, damage := range map[string]func(d *draws.Draw){
			"a noise scale too few": func(d *draws.Draw) { d.NoiseScales = d.NoiseScales[1:] },
			"no Z":                  func(d *draws.Draw) { d.Z = nil },
			"a weight too many":     func(d *draws.Draw) { d.Weights = make([]float64, d.Z.Ones()+1) },
			"SigmaX of NaN":         func(d *draws.Draw) { d.SigmaX = math.NaN() },
			"a cutpoint":            func(d *draws.Draw) { d.Cutpoints = []float64{1} },
		} {
			d := draws.Clone(kept)
			damage(d)
			if _, err := lglfm.LogLikDraw(s.post.Data, d); err == nil {
				t.Errorf("%v: %s is accepted", features, what)
			}
		}
	}
}
