package mcmc

import (
	"math"
	"math/rand/v2"
	"testing"

	"aibd/feature"
	"aibd/lglfm"
	"aibd/prior"
)

// runs is an intensity of one's own over runs of consecutive items. Each further item of a run
// multiplies its intensity by share. A born column is too often short if hasty is set.
type runs struct {
	n     int
	share float64
	hasty bool
}

func (r runs) N() int { return r.n }

func (r runs) LogIntensity(column []uint64) float64 {
	length, last := 0, -1
	for i := range feature.Items(column) {
		if last >= 0 && i != last+1 {
			return math.Inf(-1)
		}
		length, last = length+1, i
	}
	return float64(length-1) * math.Log(r.share)
}

func (r runs) of(length int) float64 {
	return float64(r.n-length+1) * math.Pow(r.share, float64(length-1))
}

func (r runs) TotalIntensity() (sum float64) {
	for length := 1; length <= r.n; length++ {
		sum += r.of(length)
	}
	return sum
}

func (r runs) DrawColumn(rng *rand.Rand, column []uint64) {
	u, length := rng.Float64()*r.TotalIntensity(), 1
	for ; length < r.n && u >= r.of(length); length++ {
		u -= r.of(length)
	}
	if r.hasty && length > 1 {
		length--
	}
	clear(column)
	first := rng.IntN(r.n - length + 1)
	for i := first; i < first+length; i++ {
		column[0] |= 1 << i
	}
}

// ofRuns is a small posterior under a law of one's own.
func ofRuns(r runs) enumerated {
	return enumerated{
		x:      [][]float64{{0.8, 0.1}, {1.1, -0.4}, {0.3, 0.9}, {-0.5, 0.6}},
		law:    must(prior.NewLaw(r, 0.4)),
		scales: lglfm.Scales{SigmaX: 0.7, SigmaA: 1},
		maxK:   5,
	}
}

// TestOwnLaw: the default scan under a law of one's own has the posterior of enumeration, and does
// not if the law draws columns that are not of its intensity.
func TestOwnLaw(t *testing.T) {
	for _, c := range []struct {
		name string
		law  runs
		good bool
	}{{"runs", runs{4, 0.8, false}, true}, {"hasty runs", runs{4, 0.8, true}, false}} {
		e := ofRuns(c.law)
		post := e.posterior(t)
		worst := e.worst(t, c.name, length(200_000), scanOf(post, DefaultOptions().For(post, 0)), nil)
		if t.Logf("%s: worst |z| %.2f", c.name, worst); (worst < limit) != c.good {
			t.Errorf("%s: worst |z| %.2f against a limit of %v", c.name, worst, limit)
		}
	}
}
