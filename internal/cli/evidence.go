package cli

// aibd evidence: the log evidence of the data under several priors.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"aibd/internal/compare"
	"aibd/internal/describe"
	"aibd/internal/input"
	"aibd/internal/model"
	"aibd/internal/results"
	"aibd/internal/runs"
	"aibd/internal/spec"
	"aibd/internal/words"
	"aibd/mcmc"
)

// A rival is a prior that another one is compared with. A field that is "" comes from the spec.
type rival struct{ law, proximity, decay string }

// rivals are the priors that --against and --priors know, by name.
var rivals = map[string]rival{
	"ibp": {"ibp", "sequential", ""}, "aibd": {"aibd", "sequential", ""},
	"ddibp": {"ddibp", "sequential", ""}, "symmetric": {"ddibp", "symmetric", ""},
	"exponential": {decay: "exponential"}, "reciprocal": {decay: "reciprocal"}, "window": {decay: "window"},
}

const rivalNames = "aibd, ddibp, exponential, ibp, reciprocal, symmetric and window"

// of reports whether a prior is the rival.
func (r rival) of(p spec.Prior) bool {
	return (r.law == "" || r.law == p.Law && r.proximity == p.Proximity) && (r.decay == "" || r.decay == p.Decay)
}

type evidenceOptions struct {
	fit     fitOptions
	against string
	size    compare.Size
	budget  time.Duration // 0: none
	quiet   bool
	json    bool
}

func newEvidence() *cobra.Command {
	o := &evidenceOptions{}
	c := &cobra.Command{
		Use:   "evidence [FILE | RUN]",
		Short: "Estimate how much the data prefer one prior to another",
		Long: `Estimates the log evidence, log p(X), of the prior of the spec and of others, and says
which prior the data prefer: with the IBP among them, whether distance matters. The
priors of mass, SigmaX and SigmaA are the same for all. The evidence of a prior with
distances also averages over its temperature and over the order of the items. X are the
observed cells: missing and hidden cells are integrated out.

Each estimate combines those of several independent populations (waste-free sequential Monte
Carlo). Its error is the standard error of their mean, from their spread. If populations find
different modes, the spread is large and the estimate is not reliable; more --scans help.
With binary features a pilot runs before each population if X has unknown cells, and finds the
powers of the likelihood. If X has more than 20 columns, it finds SigmaX and the noise of
each column, which the population holds while the power of the likelihood grows.

FILE, or a RUN, names the data and the spec, as for aibd fit; scans have sampler.clusters 5 and
sampler.other_updates 3 by default. RUN/evidence.json keeps the log
evidence of a RUN with its own prior, and aibd compare prints it. The numbers depend on the
spec and the seed, not on the number of cores.`,
		Example: `  # Does distance matter for the 50 states?
  aibd evidence

  # Does it matter how similarity falls with distance?
  aibd evidence --against ibp,reciprocal,window --populations 3 --members 4 --scans 8

  # Smaller populations: seconds, for a first look
  aibd evidence --populations 3 --members 4 --scans 8

  # Without distances, as JSON
  aibd data write bars --items 12
  aibd evidence bars.csv --prior ibp --members 6 --scans 8 --json`,
		Args: wants(0, 1, "at most one FILE or RUN"),
		RunE: func(c *cobra.Command, args []string) error { return o.run(c, args) },
	}
	o.fit.flags = addSpecFlags(c, modelSettings("seed", "blocks", "clusters", "sums", "combinations", "births", "other_updates", "shuffle_size", "insertions"))
	c.Flags().StringVar(&o.against, "against", "", "Other `priors`: none, or a list of laws (ibp, aibd, ddibp: sequential, symmetric: dd-IBP) with the decay of the spec, and of decays (exponential, reciprocal, window) of the law of the spec. Default: ibp if the prior knows distances.")
	addEvidenceSize(c, &o.size)
	c.Flags().StringVar(&o.fit.specFile, "spec", "", "A spec in TOML or a run.json: a `file`. Flags override it.")
	c.Flags().DurationVar(&o.budget, "budget", 0, "Stop after this `time`, of which each prior has the same share. The estimates rest on the populations that are done, at least two for each prior. 0: no limit.")
	addCores(c, "Estimates do")
	c.Flags().BoolVar(&o.json, "json", false, "Print JSON.")
	c.Flags().BoolVar(&o.quiet, "quiet", false, "Print no progress.")
	inGroup(c.Flags(), "Evidence")
	return c
}

// modelSettings are all settings of the model, and the named ones of the sampler.
func modelSettings(sampler ...string) []spec.Setting {
	return slices.DeleteFunc(spec.Settings(), func(s spec.Setting) bool {
		name, ok := strings.CutPrefix(string(s.Key), "sampler.")
		return ok && !slices.Contains(sampler, name)
	})
}

func (o *evidenceOptions) run(c *cobra.Command, args []string) error {
	if err := validateEvidenceSize(o.size); err != nil {
		return err
	}
	if o.budget < 0 {
		return usageError{fmt.Errorf("--budget: found %s, expected a time of at least 0", o.budget)}
	}
	log := logOf(c, o.quiet)
	var run *runs.Run // that keeps the log evidence
	if dir := runIn(args); dir != "" {
		var err error
		if run, err = runs.Open(dir); err != nil {
			return err
		}
	}
	problems, err := o.problems(args, c.ErrOrStderr())
	if err != nil {
		return err
	}
	lines := describe.Model(problems[0])
	lines.Add("Evidence", fmt.Sprintf("%d populations of %d members and %d scans, seed %d", o.size.Populations, o.size.Members, o.size.Scans, problems[0].Spec.Sampler.Seed))
	writeLines(log, lines)
	estimates, err := o.estimate(problems, log)
	if err != nil {
		return err
	}
	if run != nil {
		if err := keepEvidence(run, problems[0], estimates[0], o.size); err != nil {
			return err
		}
	}
	found := compare.NewPriors(problems[0], o.size, estimates)
	return show(c, o.json, found, func(w io.Writer) { writePriors(w, found) })
}

// keepEvidence keeps a log evidence in a run. A signal waits for it.
func keepEvidence(run *runs.Run, p *model.Problem, e *compare.Evidence, size compare.Size) error {
	return uninterrupted(func(context.Context) error { return compare.Keep(run, p, e, size) })
}

// addEvidenceSize registers the flags of the size of an estimate.
func addEvidenceSize(c *cobra.Command, size *compare.Size) {
	c.Flags().IntVar(&size.Populations, "populations", 4, "Independent populations for each prior.")
	c.Flags().IntVar(&size.Members, "members", 8, "Members of a population.")
	c.Flags().IntVar(&size.Scans, "scans", 60, "Scans of a member at each power of the likelihood.")
}

func validateEvidenceSize(size compare.Size) error {
	for _, f := range []struct {
		flag  string
		value int
	}{{"--populations", size.Populations}, {"--members", size.Members}, {"--scans", size.Scans}} {
		if f.value < 2 || f.value > compare.MaxSize {
			return usageError{fmt.Errorf("%s: found %d, expected 2 to %d", f.flag, f.value, compare.MaxSize)}
		}
	}
	return nil
}

// runIn returns the argument if it is the directory of a run, and "" otherwise.
func runIn(args []string) string {
	if len(args) == 1 && isDir(args[0]) {
		return args[0]
	}
	return ""
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// setEvidenceDefaults sets the settings of a scan that differ from those of aibd fit; the help names them.
func setEvidenceDefaults(s *spec.Spec, flags *specFlags) {
	if !flags.given("sampler.clusters") {
		s.Sampler.Clusters = new(5)
	}
	if !flags.given("sampler.other_updates") {
		s.Sampler.OtherUpdates = new(3)
	}
}

// problems returns the problem of the spec and those that it is compared with.
func (o *evidenceOptions) problems(args []string, log io.Writer) ([]*model.Problem, error) {
	if dir := runIn(args); dir != "" {
		args = []string{filepath.Join(dir, "run.json")}
	}
	s, err := o.fit.spec(args, log)
	if err != nil {
		return nil, err
	}
	setEvidenceDefaults(&s, o.fit.flags)
	files := input.New()
	p, err := files.Build(s)
	if err != nil {
		return nil, err
	}
	problems, prior, seen := []*model.Problem{p}, p.Spec.Prior, map[string]bool{}
	if o.against == "" && (prior.HasDistances() || prior.ProximityFile() != "") {
		o.against = "ibp"
	}
	for name := range strings.SplitSeq(o.against, ",") {
		name = strings.TrimSpace(name)
		r, ok := rivals[name]
		switch {
		case seen[name]:
			return nil, usageError{fmt.Errorf("--against: found %s twice, expected it once", name)}
		case !ok && o.against != "" && o.against != "none":
			return nil, usageError{fmt.Errorf("--against: found %q, expected none or a list of %s", name, rivalNames)}
		}
		seen[name] = true
		if !ok || r.of(prior) {
			continue
		}
		var other *model.Problem
		under, err := p.Under(r.law, r.proximity, r.decay)
		if err == nil {
			other, err = files.Build(under)
		}
		if err != nil {
			return nil, fmt.Errorf("--against %s: %w", name, err)
		}
		problems = append(problems, other)
	}
	return problems, nil
}

// estimate runs the populations of all problems. A signal stops them, and so does the budget of each.
func (o *evidenceOptions) estimate(problems []*model.Problem, log io.Writer) (all []*compare.Evidence, err error) {
	ctx, stop := interruptible()
	defer stop()
	began := time.Now()
	for i, p := range problems {
		within, cancel := ctx, func() {}
		if o.budget > 0 {
			within, cancel = context.WithDeadline(ctx, began.Add(o.budget*time.Duration(i+1)/time.Duration(len(problems))))
		}
		e, err := estimateEvidence(within, p, o.size, log, o.size.Populations*(len(problems)-i-1))
		cancel()
		if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
			done := fmt.Sprintf("%d of %s of %s", len(e.Logs), plural(o.size.Populations, "population"), e.Name)
			if len(e.Logs) < 2 {
				return all, fmt.Errorf("--budget: found %s, in which %s ended, expected time for two (a longer --budget, or fewer --members or --scans)", o.budget, done)
			}
			fmt.Fprintf(log, "Note      the budget of %s is used up: the estimate rests on %s\n", o.budget, done)
			err = nil
		}
		all = append(all, e)
		if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
			return all, fmt.Errorf("%w: %s", errInterrupted, populationsDone(all, o.size.Populations*len(problems)))
		}
		if err != nil {
			return all, err
		}
	}
	return all, nil
}

// estimateEvidence estimates the log evidence of a problem and shows its progress, and the time
// that is left with the given number of populations of others.
func estimateEvidence(ctx context.Context, p *model.Problem, size compare.Size, log io.Writer, others int) (*compare.Evidence, error) {
	show := newProgress(log, "", 0, 0)
	next := show.start.Add(show.every())
	defer show.clear()
	return compare.Estimate(ctx, p, size, func(population int, pilot bool, at *mcmc.Population) {
		name, now := fmt.Sprintf("%s, population %d of %d", p.Spec.LawName(), population+1, size.Populations), time.Now()
		if pilot {
			name = fmt.Sprintf("%s, pilot %d of %d", p.Spec.LawName(), population+1, size.Populations)
		}
		switch {
		case at.Done():
			show.clear()
			took, left := now.Sub(show.start), ""
			more := size.Populations - population - 1 + others
			if p.HoldsSigmaX() || p.NeedsSchedule() {
				more *= 2 // each has a pilot
			}
			if pilot {
				more++
			}
			if more > 0 {
				left = fmt.Sprintf("; about %s left", roughly(took*time.Duration(more)))
			}
			fmt.Fprintf(log, "%s: log evidence %s, %s, %s%s\n", name, words.Fixed(at.LogEvidence(), 2), plural(at.Stage(), "stage"), roughly(took), left)
			show = newProgress(log, "", 0, 0)
			next = show.start.Add(show.every())
		case now.After(next):
			show.state(fmt.Sprintf("%s: stage %d, power %s", name, at.Stage(), words.Significant(at.Power(), 2)))
			next = now.Add(show.every())
		}
	})
}

// writePriors writes a table and sentences.
func writePriors(w io.Writer, e *compare.Priors) {
	t := table{{"prior", "log evidence", "error", "spread", "features", "seconds"}}
	for _, x := range e.Priors {
		t.add(x.Spec().LawName(), words.Fixed(x.Log, 2), words.Significant(x.StdErr(), 2), words.Significant(x.Spread, 2), words.Significant(x.Features, 3), words.Significant(x.Seconds, 2))
	}
	t.write(w)
	fmt.Fprintln(w)
	for _, c := range e.Comparisons {
		paragraphs(w, c.Sentence)
	}
	if len(e.Priors) == 1 {
		if x := e.Priors[0]; x.Disagree() {
			paragraphs(w, fmt.Sprintf("The populations disagree: their log evidence has standard deviation %s. It is not reliable.", words.Significant(x.Spread, 2))+compare.MoreScans)
		}
	}
	paragraphs(w, e.Terms())
}

// populationsDone says which populations are done.
func populationsDone(estimates []*compare.Evidence, all int) string {
	finished, parts := 0, []string{}
	for _, x := range estimates {
		if n := len(x.Logs); n > 0 {
			parts = append(parts, fmt.Sprintf("%s %s from %d", x.Spec().LawName(), words.Fixed(x.Log, 2), n))
			finished += n
		}
	}
	s := fmt.Sprintf("%d of %d populations done", finished, all)
	if len(parts) > 0 {
		s += ": log evidence of the " + strings.Join(parts, ", ")
	}
	return s
}

// estimateMissing estimates the log evidence of each run that keeps none, and keeps it in the run.
// A signal stops it; the runs that are done keep theirs.
func (o *compareOptions) estimateMissing(all []*results.Judged, log io.Writer) error {
	ctx, stop := interruptible()
	defer stop()
	for _, j := range all {
		if e, err := compare.Saved(j.Run); err != nil || e != nil {
			if err != nil {
				return err
			}
			continue
		}
		if err := o.estimateOne(ctx, j, log); err != nil {
			if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
				return fmt.Errorf("%w: aibd compare --evidence with the directories of the runs continues", errInterrupted)
			}
			return err
		}
	}
	return nil
}

// estimateOne estimates the log evidence of a run and keeps it in the run.
func (o *compareOptions) estimateOne(ctx context.Context, j *results.Judged, log io.Writer) error {
	s := j.Run.Spec
	setEvidenceDefaults(&s, &specFlags{})
	p, err := j.Run.Input().Build(s)
	if err != nil {
		return fmt.Errorf("%s: %w", j.Run.Dir, err)
	}
	size, took := o.size, ""
	stages, populations := size.Usual(p)
	if scan := j.Run.SecondsPerScan(); scan > 0 {
		all := scan * float64(stages*populations*size.Members*size.Scans)
		took = fmt.Sprintf(", about %s of one core at the rate of the chains", roughly(time.Duration(all*float64(time.Second))))
	}
	fmt.Fprintf(log, "%s: log evidence from %d populations of %d members and %d scans at each of some %d powers%s\n",
		j.Run.Dir, size.Populations, size.Members, size.Scans, stages, took)
	e, err := estimateEvidence(ctx, p, size, log, 0)
	if err != nil {
		return err
	}
	return keepEvidence(j.Run, p, e, size)
}
