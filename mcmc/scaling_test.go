package mcmc

import (
	"math"
	"testing"

	"aibd/lglfm"
)

// The time of a full update grows no faster than the square of the number of items. It
// grows about linearly, see BenchmarkSizes; the bound leaves room for a busy machine.
func TestScaling(t *testing.T) {
	time := func(n int) float64 {
		a := twin(n, 224)
		cycle, s, stream := a.warm(t, Start{
			Z: a.truth.Z, Mass: 10, Scales: lglfm.Scales{SigmaX: a.truth.SigmaX, SigmaA: a.truth.SigmaA},
		}, 10)
		least := math.Inf(1)
		for range 8 {
			began := cpu()
			for range 5 {
				cycle.Step(stream.Rand, s)
			}
			least = min(least, cpu()-began)
		}
		return least
	}
	const factor = 8
	exponent := math.Log(time(31*factor)/time(31)) / math.Log(factor)
	t.Logf("exponent %.2f", exponent)
	if !(exponent < 2) {
		t.Errorf("the time of a full update grows with the power %.2f of the number of items, expected at most 2", exponent)
	}
}
