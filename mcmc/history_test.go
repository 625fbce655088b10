package mcmc

import (
	"math"
	"strings"
	"testing"

	"aibd/draws"
)

// A history has every nth scan, also after it was thinned, and the values of these scans.
func TestHistory(t *testing.T) {
	o := DefaultOptions()
	o.Anneal = 90
	chain := newTestChainOf(t, Config{Warmup: 100, Draws: 2*maxHistory + 10, Thin: 1}, o)
	mass, logLik := map[int]float64{}, map[int]float64{} // by scan
	for chain.Done() < chain.cfg.Scans() {
		chain.step()
		chain.count()
		chain.target.SetPower(1)
		mass[chain.Done()], logLik[chain.Done()] = chain.target.Mass, chain.target.LogLik()
	}
	h := chain.history
	if h.Every != 4 || h.Len() != chain.Done()/4 {
		t.Fatalf("found %d entries of each of %d scans after %d, expected each of 4", h.Len(), h.Every, chain.Done())
	}
	for i, x := range h.Values[draws.KeyMass] {
		if scan := 4 * (i + 1); x != mass[scan] || math.Abs(h.Values[draws.KeyLogLik][i]-logLik[scan]) > 1e-8 {
			t.Errorf("scan %d: found mass %v and log likelihood %v, expected %v and %v", scan, x, h.Values[draws.KeyLogLik][i], mass[scan], logLik[scan])
		}
	}
	if err := h.check(chain.Done(), chain.scalars); err != nil {
		t.Error(err)
	}
	h.Values[draws.KeySigmaX] = h.Values[draws.KeySigmaX][1:]
	if err := h.check(chain.Done(), chain.scalars); err == nil || !strings.Contains(err.Error(), "history") {
		t.Errorf("found %v for a column that is too short, expected an error", err)
	}
	delete(h.Values, draws.KeySigmaX)
	if err := h.check(chain.Done(), chain.scalars); err == nil || !strings.Contains(err.Error(), "history") {
		t.Errorf("found %v for a column that is missing, expected an error", err)
	}
	if err := new(History).check(100, chain.scalars); err != nil {
		t.Errorf("a checkpoint without history: %v", err)
	}
}
