package cli

import (
	"bytes"
	"io"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"aibd/internal/runs"
	"aibd/internal/spec"
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

// If the chains do not agree, those of a fit at a lower power answer, if they do.
func TestCoarserFits(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("x.csv", []byte(degrees), 0o666); err != nil {
		t.Fatal(err)
	}
	c := newFit()
	c.SetContext(t.Context())
	c.SetErr(io.Discard)
	o := samplingOptions{power: 1}
	fit := func(out string, args ...string) *judged {
		t.Helper()
		args = append([]string{"fit", "x.csv", "--warmup", "100", "--draws", "100", "--until", "agreed", "--budget", "0", "--out", out}, args...)
		if err := Run(args, nil, io.Discard, io.Discard); err != nil {
			t.Fatal(err)
		}
		run, _, err := runs.Resume(out, runs.ResumeOptions{Version: version})
		if err != nil {
			t.Fatal(err)
		}
		j, err := o.sampleRounds(c, run, newBudget(0))
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	coarser := func(asked *judged, first spec.Sampler, b budget) *judged {
		t.Helper()
		answer, err := o.coarser(c, asked, first, b)
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	advises := func(j *judged, line string) bool { return strings.Contains(strings.Join(j.Lines(), "\n"), line) }

	asked := fit("run")
	first := asked.Run.Spec.Sampler
	answer := coarser(asked, first, newBudget(time.Hour))
	want := asked.Run.Spec
	want.Likelihood.Power, want.Sampler = 0.5, answer.Run.Spec.Sampler
	if asked.Agreed || !answer.Agreed || answer.Run.Dir != "run-power-0.5" || !reflect.DeepEqual(answer.Run.Spec, want) {
		t.Errorf("agreed %v, then %s agreed %v with\n%+v, expected agreement of run-power-0.5 with\n%+v", asked.Agreed, answer.Run.Dir, answer.Agreed, answer.Run.Spec, want)
	}
	var text bytes.Buffer
	writeAnswer(&text, asked, answer)
	begin := "run-power-0.5\n\nThe chains of run, at power 1 of the likelihood, do not agree in time (aibd summary run).\nThis is a fit at power 0.5, whose chains agree.\n\n"
	if !strings.HasPrefix(text.String(), begin) || !strings.Contains(text.String(), "\nCoarser than the ordinary posterior: the likelihood has power 0.5,") {
		t.Errorf("found %s, expected it to begin with\n%s", &text, begin)
	}

	// No time is left.
	if answer := coarser(asked, first, newBudget(0)); answer != asked {
		t.Errorf("found %s, expected the run that was asked for", answer.Run.Dir)
	}

	// No chains agree, as each power has one short round.
	asked = fit("short", "--draws", "40")
	if advises(asked, "aibd summary") || !advises(asked, "aibd fit short/run.json --power 0.5") {
		t.Errorf("found the advice\n%v, expected a fit at power 0.5", asked.Try)
	}
	first = asked.Run.Spec.Sampler
	first.Until = "draws"
	answer = coarser(asked, first, newBudget(time.Hour))
	if answer.Run.Dir != "short" || answer.Agreed || !advises(answer, "aibd summary short-power-0.5") {
		t.Errorf("found %s, agreed %v, with the advice\n%v, expected short, with aibd summary short-power-0.5", answer.Run.Dir, answer.Agreed, answer.Try)
	}
	for _, power := range []float64{0.25, 0.125} {
		if j, err := judgeAt(runs.CoarserDir("short", power)); err != nil || j.Run.Spec.Likelihood.Power != power {
			t.Errorf("power %v: %v, expected a run", power, err)
		}
	}

	// The run beside it is another fit.
	if err := os.Rename("short-power-0.5", "other-power-0.5"); err != nil {
		t.Fatal(err)
	}
	if other := fit("other", "--draws", "40", "--mass-shape", "2"); !advises(other, "aibd fit other/run.json --power 0.5") {
		t.Errorf("found the advice\n%v, expected a fit at power 0.5", other.Try)
	}
}
