package cli

import (
	"math"
	"slices"
	"testing"

	"aibd/draws"
	"aibd/internal/results"
	"aibd/internal/runs"
	"aibd/internal/verdict"
	"aibd/predict"
)

// contenderOf returns a run with 4000 draws and the given elpd of each of 100 entries.
func contenderOf(dir, law string, elpd float64) *contender {
	run := &runs.Run{Dir: dir}
	run.Spec.Prior.Law, run.Spec.Likelihood.Power = law, 1
	r := &contender{judged: &judged{&results.Judged{Verdict: &verdict.Verdict{Agreed: true}, Run: run, Chains: [][]*draws.Draw{make([]*draws.Draw, 4000)}}}, mcse: math.NaN()}
	points := make([]predict.LOOPoint, 100)
	for p := range points {
		points[p] = predict.LOOPoint{ELPD: elpd, K: 0.3}
	}
	r.loo = &predict.CellLOO{LOO: predict.NewLOO(points)}
	return r
}

func TestCompareSentence(t *testing.T) {
	best, other, third := contenderOf("a", "aibd", -1), contenderOf("b", "ibp", -1.1), contenderOf("c", "ibp", -2)
	c := &runComparison{runs: []*contender{best, other, third}}
	for _, test := range []struct {
		difference, error, mcse float64 // of b
		want                    string
	}{
		{-10, 4.9, 1, "a (AIBD) is preferred: it predicts entries that are left out better than b (IBP) by 10 nats (4.9) and c (IBP) by 100 nats (2.0)."},
		{-10, 4.9, math.NaN(), "a (AIBD) is preferred: it predicts entries that are left out better than b (IBP) by 10 nats (4.9) and c (IBP) by 100 nats (2.0)."},
		{-10, 5.1, 1, "The data do not tell a (AIBD), the best, from b (IBP): the difference is 10 nats (5.1). It is better than c (IBP) by 100 nats (2.0)."},
		{-10, 1, 5.1, "The data do not tell a (AIBD), the best, from b (IBP): the difference is 10 nats (1.0). It is better than c (IBP) by 100 nats (2.0)."},
		{-3.9, 0.1, 0.1, "The data do not tell a (AIBD), the best, from b (IBP): the difference is 3.9 nats (0.10). It is better than c (IBP) by 100 nats (2.0)."},
	} {
		other.difference, other.error, other.mcse = test.difference, test.error, test.mcse
		third.difference, third.error = -100, 2
		if got := c.sentence(); got != test.want {
			t.Errorf("%+v:\n%s\nwant\n%s", test, got, test.want)
		}
	}
	if len(c.doubts()) > 0 {
		t.Errorf("doubts: %v", c.doubts())
	}
	third.loo.Points[7].K = 0.8 // one of 100
	if !c.reliable() || len(c.doubts()) != 1 {
		t.Error("one bad k: not reliable, or no doubt")
	}
	third.loo.Points[8].K = math.NaN()
	if c.reliable() || third.bad() != 2 {
		t.Error("two bad k: reliable")
	}
	third.loo.Points = other.loo.Points
	third.Agreed, third.Pattern = false, verdict.Stuck
	third.Try = []verdict.Command{{Line: "aibd resume c --more 500"}}
	want := []string{"c: the chains do not move. Its numbers may change with more draws (aibd resume c --more 500)."}
	if got := c.doubts(); c.reliable() || !slices.Equal(got, want) {
		t.Errorf("doubts %q, want %q", got, want)
	}
}
