package mcmc

import (
	"testing"
)

func TestTmp(t *testing.T) {
	a := loadApplication(t)
	cycle, s, stream := a.warm(t, 500)
	cycle.ResetTotals()
	var sm, st, sx, sa, sk, so float64
	n := 1500
	for range n {
		cycle.Step(stream.Rand, s)
		sm += s.Mass
		st += s.Temperature
		sx += s.Scales.SigmaX
		sa += s.Scales.SigmaA
		sk += float64(s.Z.K())
		so += float64(s.Z.Ones())
	}
	f := float64(n)
	t.Log(sm/f, st/f, sx/f, sa/f, sk/f, so/sk, s.LogLik())
	for _, x := range cycle.Totals() {
		t.Log(x.Name, x.Proposed/n, float64(x.Accepted)/float64(x.Proposed))
	}
	for _, x := range cycle.adapters {
		t.Log(x.Name(), x.Tuning())
	}
}
