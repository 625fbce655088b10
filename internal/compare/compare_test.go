package compare

import (
	"math"
	"slices"
	"testing"

	"aibd/draws"
	"aibd/internal/results"
	"aibd/internal/runs"
	"aibd/internal/verdict"
)

// rivalOf returns a run with 4000 draws.
func rivalOf(dir, law string) rival {
	run := &runs.Run{Dir: dir}
	run.Spec.Prior.Law, run.Spec.Data.MinNoise = law, new(0.0)
	j := &results.Judged{Verdict: &verdict.Verdict{Agreed: true}, Run: run, Chains: [][]*draws.Draw{make([]*draws.Draw, 4000)}}
	return rival{Judged: j, gap: Gap{MCSE: results.Number(math.NaN())}}
}

func TestOutcome(t *testing.T) {
	best, other, third := rivalOf("a", "aibd"), rivalOf("b", "ibp"), rivalOf("c", "ibp")
	outcome := func() Outcome { return outcomeOf([]rival{best, other, third}) }
	third.gap.Difference, third.gap.Error = -100, 2
	for _, test := range []struct {
		gap  Gap // of b
		want string
	}{
		{Gap{-10, 4.9, 1}, "a (AIBD) is preferred: it predicts hidden cells better than b (IBP) by 10 nats (4.9) and c (IBP) by 100 nats (2.0)."},
		{Gap{-10, 4.9, results.Number(math.NaN())}, "a (AIBD) is preferred: it predicts hidden cells better than b (IBP) by 10 nats (4.9) and c (IBP) by 100 nats (2.0)."},
		{Gap{-10, 5.1, 1}, "The data cannot separate a (AIBD), first by score, from b (IBP), 10 nats (5.1) behind. It is better than c (IBP) by 100 nats (2.0)."},
		{Gap{-10, 1, 5.1}, "The data cannot separate a (AIBD), first by score, from b (IBP), 10 nats (1.0) behind. It is better than c (IBP) by 100 nats (2.0)."},
		{Gap{-3.9, 0.1, 0.1}, "The data cannot separate a (AIBD), first by score, from b (IBP), 3.9 nats (0.10) behind. It is better than c (IBP) by 100 nats (2.0)."},
	} {
		other.gap = test.gap
		o := outcome()
		if o.Sentence != test.want || (o.Preferred == "a") != (test.want[0] == 'a') {
			t.Errorf("%+v:\n%s (preferred %q)\nwant\n%s", test, o.Sentence, o.Preferred, test.want)
		}
	}
	if o := outcome(); !o.Reliable || len(o.Doubts) > 0 {
		t.Errorf("doubts: %v", o.Doubts)
	}
	third.Agreed, third.MinESS, third.Disagree = false, 187, []verdict.Finding{{}}
	third.Try = []verdict.Command{{Line: "aibd fit c/run.json --features weighted", OtherModel: true}, {Line: "aibd resume c --more 500"}}
	third.Run.Spec.Data.MinNoise = new(0.5)
	want := []string{
		"c: too few effective draws: ESS down to 187. Its numbers may change with more draws (aibd resume c --more 500).",
		"The runs differ in the least noise of a column too, data.min_noise: a 0, b 0 and c 0.5.",
	}
	if o := outcome(); o.Reliable || !slices.Equal(o.Doubts, want) {
		t.Errorf("doubts %q, want %q", o.Doubts, want)
	}
	for difference, want := range map[float64]string{
		-3.9: "No model is preferred yet: the chains of c do not agree. So far the data cannot separate a (AIBD), first by score, from b (IBP), 3.9 nats (0.10) behind. It is better than c (IBP) by 100 nats (2.0).",
		-50:  "No model is preferred yet: the chains of c do not agree. So far a (AIBD) predicts hidden cells better than b (IBP) by 50.0 nats (0.10) and c (IBP) by 100 nats (2.0).",
	} {
		other.gap.Difference = results.Number(difference)
		if o := outcome(); o.Sentence != want || o.Preferred != "" {
			t.Errorf("%s (preferred %q)\nwant\n%s", o.Sentence, o.Preferred, want)
		}
	}
}
