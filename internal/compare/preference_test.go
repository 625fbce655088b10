package compare

import (
	"math"
	"testing"
)

// TestCompare: what counts as a preference.
func TestCompare(t *testing.T) {
	of := func(log, spread float64) *Evidence {
		return &Evidence{Log: log, Spread: spread, Logs: make([]float64, 4)}
	}
	aibd, ibp := of(-100, 0.3), of(-110, 0.4)
	aibd.Prior.Law, ibp.Prior.Law, aibd.Name, ibp.Name = "aibd", "ibp", "the AIBD", "the IBP"
	for _, c := range []struct {
		log, spread float64 // of the IBP
		outcome     Finding
		sentence    string
	}{
		{-110, 0.4, Preferred, "The AIBD is preferred to the IBP by 10.0 nats (0.25), very strong evidence: distance matters."},
		{-103, 0.4, Preferred, "The AIBD is preferred to the IBP by 3.0 nats (0.25), positive evidence: distance matters."},
		{-110, 2, Preferred, "The AIBD is preferred to the IBP by 10 nats (1.0), strong evidence: distance matters. The sign is clear, the size is uncertain: populations differ by about 2.0 nats."},
		{-101.2, 0.4, Equal, "The data do not tell the AIBD and the IBP apart: the difference is 1.2 nats (0.25)."},
		{-101, 2.4, Unreliable, "The populations of the IBP disagree: their log evidence has standard deviation 2.4. The difference from the AIBD, 1 nat (1.2), is not reliable."},
		{-110, 8, Unreliable, "The populations of the IBP disagree: their log evidence has standard deviation 8.0. The difference from the AIBD, 10 nats (4.0), is not reliable."},
		{-300, 12, Unreliable, "The populations of the IBP disagree: their log evidence has standard deviation 12. The difference from the AIBD, 200 nats (6.0), is not reliable."},
		{-90, 0.4, Preferred, "The IBP is preferred to the AIBD by 10.0 nats (0.25), very strong evidence: distance as this prior uses it does not help."},
	} {
		ibp.Log, ibp.Spread = c.log, c.spread
		got := Compare(aibd, ibp)
		if got.Finding != c.outcome || got.Sentence != c.sentence {
			t.Errorf("%v, %v: found %s: %s\nexpected %s: %s", c.log, c.spread, got.Finding, got.Sentence, c.outcome, c.sentence)
		}
	}
}

// Distance matters only if nothing but its use differs.
func TestCompareOtherModels(t *testing.T) {
	for name, change := range map[string]func(better, worse *Evidence){
		"two IBPs": func(better, worse *Evidence) { better.Prior.Law = "ibp" },
		"mass":     func(better, worse *Evidence) { worse.Prior.Mass.Rate = 10 },
		"SigmaX":   func(better, worse *Evidence) { worse.Prior.SigmaX.Max = 10 },
		"noise":    func(better, worse *Evidence) { worse.Noise = "common" },
	} {
		better := &Evidence{Name: "a", Log: -100, Noise: "columns", Logs: make([]float64, 4)}
		worse := &Evidence{Name: "b", Log: -110, Noise: "columns", Logs: better.Logs}
		better.Prior.Law, worse.Prior.Law = "aibd", "ibp"
		change(better, worse)
		const expected = "a is preferred to b by 10.0 nats (0), very strong evidence."
		if found := Compare(better, worse).Sentence; found != expected {
			t.Errorf("%s: found %q, expected %q", name, found, expected)
		}
	}
}

// Two populations hardly tell their spread, so that a difference must be large.
func TestCompareFew(t *testing.T) {
	for n, least := range map[int]float64{2: 22.75, 3: 4.96, 4: 3, 10: 3} {
		if found := spreads(n); math.Abs(found-least) > 0.1 {
			t.Errorf("%d populations: found %.3f, expected %v", n, found, least)
		}
		near, far := (least-0.2)*0.5, (least+0.2)*0.5
		for d, want := range map[float64]Finding{near: Equal, far: Preferred} {
			first := &Evidence{Log: -100, Spread: 0.3, Logs: make([]float64, n)}
			other := &Evidence{Log: -100 - d, Spread: 0.4, Logs: first.Logs}
			if c := Compare(first, other); c.Finding != want {
				t.Errorf("%d populations, difference %v: found %s, expected %s", n, d, c.Finding, want)
			}
		}
	}
}
