package verdict

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"aibd/draws"
	"aibd/internal/oracle/fixture"
)

var testRun = Run{Dir: "run", Next: "run-2", Chains: 4, Warmup: 1000, Draws: 1000, Thin: 1, Seconds: 120}

// simulated returns autoregressive chains of unit variance about the given means.
func simulated(seed uint64, means []float64, draws int, correlation float64) [][]float64 {
	rng := rand.New(rand.NewPCG(seed, 7))
	chains := make([][]float64, len(means))
	for c, mean := range means {
		x := rng.NormFloat64()
		for range draws {
			x = correlation*x + math.Sqrt(1-correlation*correlation)*rng.NormFloat64()
			chains[c] = append(chains[c], mean+x)
		}
	}
	return chains
}

func input(chains ...[][]float64) Input {
	in := Input{Run: testRun}
	for i, c := range chains {
		in.Quantities = append(in.Quantities, Quantity{Key: "q" + string(rune('0'+i)), Name: "quantity " + string(rune('0'+i)), Chains: c})
	}
	return in
}

// features returns chains of the number of features near the given means.
func features(seed uint64, means []float64, length int) Quantity {
	chains := simulated(seed, means, length, 0.5)
	for _, chain := range chains {
		for t := range chain {
			chain[t] = math.Round(chain[t])
		}
	}
	return Quantity{Key: draws.KeyFeatures, Name: "number of features", Kind: Discrete, Chains: chains}
}

var zeros = []float64{0, 0, 0, 0}

// shifted returns autoregressive chains whose halves have the given means.
func shifted(seed uint64, means []float64, draws int, correlation float64) [][]float64 {
	chains := simulated(seed, zeros, draws, correlation)
	for c, chain := range chains {
		for _, half := range [][]float64{chain[:draws/2], chain[draws/2:]} {
			mean := stat.Mean(half, nil)
			for t := range half {
				half[t] += means[c] - mean
			}
		}
	}
	return chains
}

func TestPatterns(t *testing.T) {
	drift := simulated(3, zeros, 1000, 0.5)
	for _, chain := range drift {
		for i := range chain {
			chain[i] += 10 * math.Exp(-float64(i)/300)
		}
	}
	wide := simulated(5, zeros, 1000, 0)
	for i := range wide[0] {
		wide[0][i] *= 9
	}
	still := [][]float64{make([]float64, 100), make([]float64, 100)}
	tests := map[string]struct {
		in      Input
		pattern Pattern
		says    []string
	}{
		"agreed": {input(simulated(1, zeros, 1000, 0.3), simulated(2, zeros, 1000, 0)), "", []string{"The chains agree: R-hat is at most 1.00"}},
		"means": {
			Input{Quantities: []Quantity{features(1, []float64{7, 10, 10, 11}, 1000)}, Run: testRun}, Places,
			[]string{"in different places (medians of number of features: 7, 10, 10 and 11)", "aibd fit run/run.json --warmup 4000 --draws 1000 --chains 8 --out run-2"},
		},
		"one chain apart":       {input(simulated(1, []float64{0, 0, -30, 0}, 1000, 0.3)), Places, []string{"(medians of quantity 0: ", ", -30 and "}},
		"widths":                {input(wide), Places, []string{"(of different width in quantity 0)"}},
		"drift":                 {input(drift), Short, []string{"still drift: the mean of quantity 0 is ", "aibd fit run/run.json --warmup 8000", "aibd resume run --more 4000   # keeps the draws of the drift"}},
		"drift of one chain":    {input(drift[:1]), Short, []string{"still drift"}},
		"slow chain":            {input(simulated(4, zeros[:1], 2000, 0.9)), Slow, []string{"The chain moves slowly: it needs about "}},
		"slow":                  {input(simulated(1, zeros, 1000, 0.95)), Slow, []string{"times as many draws", "aibd resume run --more"}},
		"slow, means of halves": {input(shifted(1, []float64{0, 0.2, 0.4, 0.6}, 1000, 0.99)), Slow, []string{"through the same range: they need about 8 times as many draws, which takes about 16 minutes on one core."}},
		"places": {
			input(shifted(1, []float64{0, 0.5, 1, 2}, 1000, 0.99), simulated(1, zeros, 1000, 0.95)), Places,
			[]string{"The chains are in different places (medians of quantity 0: ", "These draws do not show whether more time brings them together.",
				"Try, in this order:\n  aibd fit run/run.json --warmup 4000 --draws 1000 --chains 8 --out run-2 ", "  aibd resume run --more 4000 "},
		},
		"places in rounds": {
			Input{Quantities: input(shifted(1, []float64{0, 0.5, 1, 1.5}, 1000, 0.99)).Quantities, Run: Run{Dir: "run", Next: "run-2", Chains: 4, Warmup: 1000, Skip: 5000, Draws: 1000, Thin: 8, Seconds: 120, Rounds: true, Weigh: true}}, Places,
			[]string{"aibd resume run --budget", "aibd fit run/run.json --features weighted --set sampler.skip=0 --thin 1 --draws 1000 --budget 5m --out run-2"},
		},
		"still": {input(still), Short, []string{"All draws of quantity 0 are equal: the chains do not move.", "--chains 4"}},
		"short": {input(simulated(1, zeros, 3, 0)), Short, []string{"too few draws", "aibd resume run --more"}},
	}
	for name, test := range tests {
		v := Judge(test.in)
		text := strings.Join(v.Lines(), "\n")
		if v.Pattern != test.pattern || v.Agreed != (test.pattern == "") {
			t.Errorf("%s: found the pattern %q, expected %q:\n%s", name, v.Pattern, test.pattern, text)
		}
		for _, says := range test.says {
			if !strings.Contains(text, says) {
				t.Errorf("%s: found no %q in\n%s", name, says, text)
			}
		}
		t.Logf("%s:\n%s", name, text)
	}

	// Rounds continue for as long as it takes, and leave out the beginning: no other command is proposed.
	rounds := input(shifted(1, []float64{0, 0.2, 0.4, 0.6}, 1000, 0.99))
	rounds.Run = Run{Dir: "run", Next: "run-2", Chains: 4, Draws: 1000, Thin: 8, Rounds: true}
	drifting := input(drift)
	drifting.Run = rounds.Run
	for _, in := range []Input{rounds, drifting} {
		if v := Judge(in); len(v.Try) != 1 || !strings.HasPrefix(v.Try[0].Line, "aibd resume run --budget") {
			t.Errorf("found the commands %v, expected aibd resume", v.Try)
		}
	}
}

// Chains of one distribution that are slow for their length, but visit each other's ranges often, are never said
// to be in different places. Those with an ESS of 10 each may be.
func TestPlaces(t *testing.T) {
	runs := 40
	if *fixture.Long {
		runs = 100
	}
	for _, test := range []struct {
		means           []float64
		correlation     float64
		atLeast, atMost int // percent
	}{{zeros, 0.9, 0, 0}, {zeros, 0.95, 0, 0}, {zeros, 0.98, 0, 25}, {[]float64{0, 0, 0, 2}, 0.98, 90, 100}, {[]float64{-2, 0, 0, 2}, 0.99, 90, 100}} {
		places := 0
		for seed := range uint64(runs) {
			v := Judge(input(simulated(seed, test.means, 1000, test.correlation)))
			text := strings.Join(v.Lines(), "\n")
			if v.Pattern != Slow {
				places++
			}
			if strings.Contains(text, "through the same range") != (v.Pattern == Slow) || v.Pattern == Places && strings.Contains(text, "times as many") {
				t.Fatalf("found %q of the pattern %s", text, v.Pattern)
			}
		}
		t.Logf("means %v, correlation %v: %d of %d", test.means, test.correlation, places, runs)
		if percent := 100 * places / runs; percent < test.atLeast || percent > test.atMost {
			t.Errorf("means %v, correlation %v: found %d percent of the runs not in one range, expected %d to %d", test.means, test.correlation, percent, test.atLeast, test.atMost)
		}
	}
}

// Pairs of which most differ by more than chains of one range do place the chains, when all else agrees.
func TestPlacesOfPairs(t *testing.T) {
	f := Family{Key: "sharing", Name: "pairs of items", n: 100, Label: func(int) string { return "a - b" }}
	for _, mean := range []float64{0, 5, 4, 9, 2, 6, 1, 9} { // by half
		f.mean = append(f.mean, []float64{mean, mean, 0})
		f.variance = append(f.variance, []float64{4, 4, 4})
	}
	v := Judge(Input{Quantities: input(simulated(1, zeros, 1000, 0)).Quantities, Families: []Family{f}, Run: testRun})
	if v.Pattern == Slow || strings.Contains(v.Looks, "same range") {
		t.Errorf("found %q", v.Lines())
	}
}

// A discrete quantity that is constant, or has too few values for a tail ESS, is a remark. A
// fixed quantity is not judged.
func TestRemarks(t *testing.T) {
	binary := simulated(1, zeros, 1000, 0)
	for _, chain := range binary {
		for t, x := range chain {
			chain[t] = 0
			if x > 0 {
				chain[t] = 1
			}
		}
	}
	equal := [][]float64{make([]float64, 1000), make([]float64, 1000), make([]float64, 1000), make([]float64, 1000)}
	v := Judge(Input{Quantities: []Quantity{
		{Key: "a", Name: "a", Kind: Discrete, Chains: binary},
		{Key: "b", Name: "b", Kind: Discrete, Chains: equal},
		{Key: "c", Name: "c", Kind: Fixed, Chains: equal},
	}})
	if want := []string{"All draws of b are equal", "Too few distinct draws for the tail ESS of a"}; !v.Agreed || !slices.Equal(v.Remarks, want) {
		t.Errorf("found %v with %q, expected agreement with %q", v.Agreed, v.Remarks, want)
	}
}

// Chains of one stationary distribution that are too slow for their length are seldom said
// to drift. The rates grow with the correlation of the halves.
func TestFalseAlarms(t *testing.T) {
	const runs = 100
	for _, test := range []struct {
		correlation float64
		max         float64 // share of the runs
	}{{0.95, 0.01}, {0.99, 0.05}, {0.995, 0.08}} {
		wrong := 0
		for seed := range uint64(runs) {
			if Judge(input(simulated(seed, zeros, 1000, test.correlation))).Pattern == Short {
				wrong++
			}
		}
		t.Logf("correlation %v: %d of %d", test.correlation, wrong, runs)
		if float64(wrong) > test.max*runs {
			t.Errorf("correlation %v: found %d false alarms in %d runs, expected at most %v of them", test.correlation, wrong, runs, test.max)
		}
	}
}

// TestCode: what depends on the code of the signals changes neither agreement nor what to do. It has a
// line if chains differ in it.
func TestCode(t *testing.T) {
	counts := features(1, []float64{7, 10, 10, 11}, 1000)
	counts.Code = true
	sharing := NewSharing(items, allocations(4, 2000, 2))
	sharing.Code = true
	for name, decides := range map[string]Input{
		"agreed": input(simulated(1, zeros, 1000, 0)), "means": input(simulated(1, []float64{0, 3, 6, 9}, 1000, 0.3)),
		"slow": input(simulated(1, zeros, 1000, 0.95)), "short": input(simulated(1, zeros, 3, 0)),
	} {
		want := Judge(decides)
		decides.Quantities = append(decides.Quantities, counts)
		decides.Families = append(decides.Families, sharing)
		v := Judge(decides)
		line := len(v.Reasons()) > 0 && strings.Contains(strings.Join(v.Reasons(), "\n"), "number of features (R-hat") &&
			strings.Contains(strings.Join(v.Reasons(), "\n"), "the features that items share (9 of 15 pairs of items")
		if line == (v.Pattern == Short) || len(v.Undetermined) != 1 {
			t.Errorf("%s: found %q", name, v.Lines())
		}
		if v.Looks != want.Looks || v.Agreed != want.Agreed || v.Line() != want.Line() || v.Short() != want.Short() || v.Pattern != want.Pattern ||
			v.MaxRHat != want.MaxRHat || v.MinESS != want.MinESS || v.Needed() != want.Needed() || !slices.Equal(v.Try, want.Try) || !slices.Equal(v.Disagree, want.Disagree) {
			t.Errorf("%s: found %q, without the counts %q", name, v.Lines(), want.Lines())
		}
	}
	same := features(1, zeros, 1000)
	same.Code = true
	if v := Judge(Input{Quantities: append(input(simulated(1, zeros, 1000, 0)).Quantities, same)}); !v.Agreed || len(v.Lines()) != 1 {
		t.Errorf("found %q, expected one line", v.Lines())
	}
}

// Independent draws in sufficient number agree, nearly always.
func TestAgreesOnIndependentDraws(t *testing.T) {
	const runs = 100
	wrong := 0
	for seed := range uint64(runs) {
		if !Judge(input(simulated(seed, zeros, 1000, 0), simulated(seed+1000, zeros, 1000, 0.3))).Agreed {
			wrong++
		}
	}
	if wrong > runs/100 {
		t.Errorf("found %d of %d runs that do not agree", wrong, runs)
	}
}

// Commands on a run of a further round count the scans that it skips. While the next round is
// not complete they do not lengthen the run, which resume refuses.
func TestCommandsInRounds(t *testing.T) {
	in := input(simulated(1, zeros, 1000, 0.95))
	in.Run.Skip, in.Run.Thin = 7000, 8
	for pattern, want := range map[Pattern]string{
		Short:  "aibd fit run/run.json --warmup 70000 --set sampler.skip=0 --draws 1000 --chains 4 --out run-2",
		Places: "aibd fit run/run.json --warmup 40000 --set sampler.skip=0 --draws 1000 --chains 8 --out run-2",
	} {
		v := Verdict{Pattern: pattern}
		if v.advise(in.Run); v.Try[0].Line != want {
			t.Errorf("%s: found %s, expected %s", pattern, v.Try[0].Line, want)
		}
	}
	in.Run.Rounds, in.Run.Seconds = true, 3600
	in.Run.Weigh = true
	v := Verdict{Pattern: Places}
	if v.advise(in.Run); v.Try[0].Line != "aibd fit run/run.json --features weighted --set sampler.skip=0 --thin 1 --draws 1000 --budget 60m --out run-2" || len(v.Try) != 3 {
		t.Errorf("found %v, expected weights of the features first", v.Try)
	}
	v = Verdict{Pattern: Slow}
	if v.advise(in.Run); v.Try[0].Line != "aibd resume run --budget 144m" {
		t.Errorf("found %s, expected a budget for the next round, which takes 2 hours", v.Try[0].Line)
	}
	in.Run.Seconds = 60
	if v.advise(in.Run); v.Try[0].Line != "aibd resume run --budget 5m" {
		t.Errorf("found %s, expected the default budget for the next round, which takes 2 minutes", v.Try[0].Line)
	}
	in.Run.Sample = 1000
	if v.advise(in.Run); v.Try[0].Line != "aibd fit run/run.json --set data.sample=1000 --set sampler.skip=0 --thin 1 --warmup 1000 --draws 1000 --budget 5m --out run-2" {
		t.Errorf("found %s, expected a sample of the items", v.Try[0].Line)
	}
	in.Run.Begun = true
	if v := Judge(in); v.Pattern != Slow || v.Try[0] != (Command{"aibd resume run", "samples the draws that are missing", false}) {
		t.Errorf("%s: found %v, expected to complete the run", v.Pattern, v.Try)
	}
}

// The short form names what disagrees.
func TestShort(t *testing.T) {
	fine := simulated(1, zeros, 1000, 0)
	still := [][]float64{make([]float64, 100), make([]float64, 100)}
	apart := input(fine)
	apart.Families = []Family{NewSharing(items, allocations(4, 2000, 2))}
	for want, in := range map[string]Input{
		"":                                       input(fine),
		"The chains disagree: R-hat up to 1.":    input(simulated(1, []float64{0, 0, 1, 0}, 1000, 0)),
		"The chains disagree on ":                apart,
		"The chains do not move":                 input(fine, still),
		"Too few draws to judge":                 input(simulated(1, zeros, 3, 0)),
		"Too few effective draws: ESS down to 2": input(simulated(3, zeros, 70, 0)),
	} {
		if got := Judge(in).Short(); !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("found %q, expected %q", got, want)
		}
	}
}

// Diagnostics that are not defined are null in JSON: here the tail ESS of a quantity that is mostly 0.
func TestUnknownDiagnosticsAreNull(t *testing.T) {
	chains := simulated(1, []float64{0, 0, 3, 0}, 1000, 0.9)
	for _, chain := range chains {
		for i, x := range chain {
			chain[i] = min(max(0, math.Round(x-3)), 1)
		}
	}
	got, err := json.Marshal(Judge(input(chains)).Disagree)
	if text := string(got); err != nil || !strings.Contains(text, `"ess_tail":null`) || strings.Contains(text, `"ess_bulk":null`) || strings.Contains(text, `:0`) || !strings.Contains(text, `"key":"q0"`) {
		t.Errorf("found %s, %v", got, err)
	}
}

func BenchmarkJudge(b *testing.B) {
	var chains [][][]float64
	for q := range uint64(10) {
		chains = append(chains, simulated(q, make([]float64, 8), 4000, 0.5))
	}
	in := input(chains...)
	for b.Loop() {
		Judge(in)
	}
}

// TestRoundedAwayFromAgreement tests that a printed number never looks better than it is.
func TestRoundedAwayFromAgreement(t *testing.T) {
	for x, want := range map[float64]string{1: "1.000", 1.002: "1.002", MaxRHat: "1.010", 1.0100001: "1.011", 12.34: "12.340", 1e9: "infinite", math.NaN(): "-"} {
		if got := RHat(x); got != want {
			t.Errorf("R-hat %v: found %s, expected %s", x, got, want)
		}
	}
	for x, want := range map[float64]string{MinESS - 0.1: "399", MinESS: "400", 12345.6: "12,345", math.NaN(): "-"} {
		if got := ESS(x); got != want {
			t.Errorf("ESS %v: found %s, expected %s", x, got, want)
		}
	}
}
