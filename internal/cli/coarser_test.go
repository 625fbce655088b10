package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"aibd/internal/input"
	"aibd/internal/model"
	"aibd/internal/results"
	"aibd/internal/runs"
	"aibd/internal/verdict"
)

// degrees is a table of items that differ by degrees.
const degrees = `id,a,b,c,d,e,f
i1,-1.46,-1.46,-0.05,0.84,1.02,-0.03
i2,-0.23,-0.04,0.03,0.29,0.09,-0.02
i3,1.61,1.88,0.05,-0.92,-1.24,0.11
i4,0.06,0.23,0.02,-0.03,-0.12,0.11
i5,-0.05,-0.01,-0.11,-0.00,0.01,0.20
i6,-0.05,-0.07,-0.03,-0.08,0.20,-0.04
i7,0.79,1.00,0.17,-0.41,-0.91,-0.11
i8,0.02,-0.05,0.03,-0.07,0.11,0.11
`

// sampledRound samples the first round of a fit of x.csv.
func sampledRound(t *testing.T, out string, args ...string) (*judged, *model.Problem) {
	t.Helper()
	args = append([]string{"fit", "x.csv", "--warmup", "100", "--until", "agreed", "--budget", "0", "--out", out}, args...)
	if err := Run(args, nil, io.Discard, io.Discard); err != nil {
		t.Fatal(err)
	}
	run, _, err := runs.Resume(out, runs.ResumeOptions{Version: version})
	if err != nil {
		t.Fatal(err)
	}
	j, err := samplingOptions{}.sampleRounds(t.Context(), newFit(), run, newBudget(limit{}))
	if err != nil {
		t.Fatal(err)
	}
	problem, err := input.Build(run.Spec)
	if err != nil {
		t.Fatal(err)
	}
	return j, problem
}

// If the chains do not agree, those of a fit at a lower power answer, if they do.
func TestCoarserFits(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("x.csv", []byte(degrees), 0o666); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	c := newFit()
	c.SetErr(&log)
	coarser := func(ctx context.Context, asked *judged, problem *model.Problem, b budget) (answer *judged, text string, err error) {
		log.Reset()
		answer, tried, err := samplingOptions{coarsen: problem, quiet: true}.coarser(ctx, c, asked, b)
		if err != nil {
			return nil, "", err
		}
		var out strings.Builder
		writeAnswer(&out, asked, answer, tried)
		return answer, out.String(), nil
	}
	advises := func(j *judged, line string) bool { return strings.Contains(strings.Join(j.Lines(), "\n"), line) }

	asked, problem := sampledRound(t, "run", "--draws", "100")
	if asked.Agreed || advises(asked, "power-") { // there is no coarser fit yet
		t.Fatalf("agreed %v, with the advice %v", asked.Agreed, asked.Try)
	}
	answer, text, err := coarser(t.Context(), asked, problem, newBudget(limit{total: time.Hour}))
	if err != nil {
		t.Fatal(err)
	}
	want := problem.Spec
	want.Likelihood.Power, want.Sampler = 0.5, answer.Run.Spec.Sampler
	if !answer.Agreed || answer.Run.Dir != filepath.Join("run", "power-0.5") || !reflect.DeepEqual(answer.Run.Spec, want) {
		t.Errorf("found %s, agreed %v, with\n%+v, expected agreement of run/power-0.5 with\n%+v", answer.Run.Dir, answer.Agreed, answer.Run.Spec, want)
	}
	begins := answer.Run.Dir + "\n\nThe chains at power 1 of the likelihood do not agree in time (aibd summary run).\nThis is a coarser fit, at power 0.5, and its chains agree.\n\n"
	if !strings.HasPrefix(text, begins) || !strings.Contains(text, "\nCoarser than the ordinary posterior: the likelihood has power 0.5,") {
		t.Errorf("found %s, expected it to begin with\n%s", text, begins)
	}
	if again, err := judgeAt("run"); err != nil || !advises(again, "order:\n  aibd summary run/power-0.5 ") {
		t.Errorf("found %v, %v, expected it to name the coarser fit first", again.Try, err)
	}

	// A coarser fit that cannot be made leaves the run that was asked for. This one exists.
	answer, _, err = coarser(t.Context(), asked, problem, newBudget(limit{total: time.Hour}))
	if answer != asked || err != nil || !strings.HasPrefix(log.String(), "aibd: no fit at power 0.5: ") {
		t.Errorf("found %v, %v, %q, expected the run that was asked for and a note", answer, err, &log)
	}

	// No time is left, or nobody waits.
	asked, problem = sampledRound(t, "short", "--draws", "40")
	if answer, _, err := coarser(t.Context(), asked, problem, newBudget(limit{})); answer != asked || err != nil {
		t.Errorf("found %v, %v, expected the run that was asked for", answer, err)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, _, err := coarser(stopped, asked, problem, newBudget(limit{total: time.Hour})); !errors.Is(err, errInterrupted) || !strings.Contains(err.Error(), "aibd summary short shows it") {
		t.Errorf("found %v, expected an interrupt that names the run", err)
	}

	// Each power has one short round, after which no chains agree.
	problem.Spec.Sampler.Until = "draws"
	answer, text, err = coarser(t.Context(), asked, problem, newBudget(limit{total: time.Hour}))
	if err != nil || answer.Run.Dir != "short" || answer.Agreed || !advises(answer, "order:\n  aibd summary short/power-0.125 ") {
		t.Errorf("found %+v, %v, expected short, with aibd summary short/power-0.125", answer, err)
	}
	if begins := "short\n\nThe chains agree at no power of the likelihood: 1, 0.5, 0.25 and 0.125 were tried.\n\n"; !strings.HasPrefix(text, begins) {
		t.Errorf("found %s, expected it to begin with\n%s", text, begins)
	}
}

// Chains that nearly agree spare no time, and no coarser fit follows them.
func TestSpare(t *testing.T) {
	at := func(power float64, pattern verdict.Pattern, rHat float64) *judged {
		v := &verdict.Verdict{Pattern: pattern, Coarser: power / 2}
		if rHat > 0 {
			v.Disagree = []verdict.Finding{{RHat: rHat}}
		}
		run := &runs.Run{}
		run.Spec.Likelihood.Power = power
		return &judged{&results.Judged{Run: run, Verdict: v}}
	}
	problem := &model.Problem{}
	problem.Spec.Likelihood.Power = 1
	o := samplingOptions{coarsen: problem}
	for _, test := range []struct {
		j     *judged
		spare time.Duration
	}{
		{at(1, verdict.Slow, 1.2), 20},
		{at(1, verdict.Slow, 1.03), 0},
		{at(1, verdict.Slow, 0), 0}, // only pairs or fitted values disagree
		{at(1, verdict.Levels, 0), 20},
		{at(1, verdict.Stuck, 0), 20},
		{at(0.5, verdict.Slow, 1.03), 3},
		{at(0, verdict.Slow, 1.2), 0}, // no lower power
	} {
		if found := o.spare(test.j, newBudget(limit{total: 60})); found != test.spare {
			t.Errorf("power %v, %s, %v: found %v, expected %v", test.j.Run.Spec.Likelihood.Power, test.j.Pattern, test.j.Disagree, found, test.spare)
		}
	}
	if found := (samplingOptions{}).spare(at(1, verdict.Levels, 2), newBudget(limit{total: 60})); found != 0 {
		t.Errorf("without coarser fits: found %v", found)
	}
}
