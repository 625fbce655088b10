package fit

import (
	"testing"

	"aibd/mcmc"
)

// A round skips a quarter of the draws of the one before. Its window is as many times as long as it says.
func TestNext(t *testing.T) {
	s := Round{Number: 1, Chains: 16, Length: mcmc.Config{Warmup: 10, Skip: 40, Draws: 100, Thin: 3}}
	for _, c := range []struct {
		growth float64
		want   Round
	}{
		{2, Round{Number: 2, Chains: 16, Length: mcmc.Config{Warmup: 10, Skip: 115, Draws: 100, Thin: 6}}},
		{1.5, Round{Number: 3, Chains: 16, Length: mcmc.Config{Warmup: 10, Skip: 265, Draws: 150, Thin: 6}}},
		{4, Round{Number: 4, Chains: 16, Length: mcmc.Config{Warmup: 10, Skip: 487, Draws: 150, Thin: 24}}},
	} {
		s = s.Next(c.growth)
		if s != c.want {
			t.Errorf("growth %v: found %+v, expected %+v", c.growth, s, c.want)
		}
	}
	// Few draws become more, and rounds of all growths differ in what they skip or how they thin.
	few := Round{Number: 1, Chains: 2, Length: mcmc.Config{Warmup: 10, Draws: 100, Thin: 3}}
	if s, want := few.Next(4), (Round{Number: 2, Chains: 2, Length: mcmc.Config{Warmup: 10, Skip: 87, Draws: 400, Thin: 3}}); s != want {
		t.Errorf("few draws: found %+v, expected %+v", s, want)
	}
	if s, want := few.Next(6), (Round{Number: 2, Chains: 2, Length: mcmc.Config{Warmup: 10, Skip: 93, Draws: 600, Thin: 3}}); s != want {
		t.Errorf("few draws: found %+v, expected %+v", s, want)
	}
	nearly := Round{Number: 1, Chains: 16, Length: mcmc.Config{Warmup: 10, Draws: 90, Thin: 3}}
	if s, want := nearly.Next(6), (Round{Number: 2, Chains: 16, Length: mcmc.Config{Warmup: 10, Skip: 84, Draws: 180, Thin: 9}}); s != want {
		t.Errorf("nearly enough draws: found %+v, expected %+v", s, want)
	}
	seen := map[[2]int]bool{}
	for _, growth := range Growths {
		next := few.Next(growth)
		seen[[2]int{next.Length.Skip, next.Length.Thin}] = true
	}
	if len(seen) != len(Growths) {
		t.Errorf("found %d different rounds, expected %d", len(seen), len(Growths))
	}
	if s := (Round{Length: mcmc.Config{Draws: 1, Thin: 1}}).Next(1.5); s.Length.Draws != 2 || s.Length.Skip != 1 {
		t.Errorf("found %d draws after %d scans, expected 2 after 1", s.Length.Draws, s.Length.Skip)
	}
}
