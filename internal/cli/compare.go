package cli

// aibd compare: which of several runs predicts the data best.

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"aibd/fit"
	"aibd/internal/compare"
	"aibd/internal/files"
	"aibd/internal/input"
	"aibd/internal/lists"
	"aibd/internal/model"
	"aibd/internal/results"
	"aibd/internal/runs"
	"aibd/internal/spec"
	"aibd/internal/words"
)

type compareOptions struct {
	fit      fitOptions
	priors   string
	features string
	baseline bool
	json     bool
	csv      string
}

func newCompare() *cobra.Command {
	o := &compareOptions{}
	c := &cobra.Command{
		Use:   "compare {RUN RUN... | --priors LIST [FILE | RUN] | --features LIST [FILE | RUN] | --baseline [FILE | RUN]}",
		Short: "Find which of several runs predicts the data best",
		Long: `Compares runs of the same data that hide the same cells (aibd fit --holdout) by the log densities of
these cells, in nats; larger is better. A difference counts if it is more than 4 nats, and more than 2
of its standard errors over cells and over items, of paired differences, and of its Monte Carlo errors,
which come from each chain alone. No model is preferred while the chains of a run do not agree.

With --priors the runs are made first, with the same settings: a list of ibp, aibd, ddibp (sequential)
and symmetric (dd-IBP). With a list of --features (binary, weighted, graded) a run is made for each
kind, or each kind and prior. --budget is for all runs together, and for the comparison. A tenth of the cells is hidden from all runs; --holdout hides another share, --holdout-unit
whole items or halves of them, and --seed selects them. All other flags of aibd fit apply. Data and settings can be those of a RUN. The runs stay in the directory given by --out.

--baseline compares the hidden cells of the runs with factor analysis by EM, imputation by principal
components, and columns alone (of counts also by a negative binomial distribution), and with distances kriging of
each column and the mean of the 5 nearest items, which take seconds. Inner masks of the cells that are not hidden choose
the numbers of factors and components. A RUN that hides no cells is made again, with a tenth hidden.`,
		Example: `  # Does distance help to predict the 50 states? (half a minute)
  aibd compare --priors ibp,aibd --warmup 200 --draws 400 --budget 30s --out states

  # Are features of states on or off, or by degrees? (twenty seconds)
  aibd compare --features binary,weighted --priors aibd --warmup 100 --draws 200 --budget 20s --out kinds

  # Would factor analysis predict better? (ten seconds)
  aibd compare --baseline --warmup 100 --draws 200 --budget 10s --out hidden

  # The same runs again, with the score of each cell
  aibd compare states/ibp states/aibd --csv cells.csv

  # For programs
  aibd compare states/ibp states/aibd --json`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error { return o.run(c, args) },
	}
	c.Flags().StringVar(&o.priors, "priors", "", "Fit the data under these `priors` first: a list of ibp, aibd, ddibp and symmetric.")
	c.Flags().StringVar(&o.features, "features", "", "Fit the data with these `kinds` of features first, a list of binary, weighted and graded. One kind is the kind of all runs.")
	c.Flags().BoolVar(&o.baseline, "baseline", false, "Compare with factor analysis, principal components, columns alone and near items too.")
	c.Flags().BoolVar(&o.json, "json", false, "Print JSON.")
	outputFlag(c, &o.csv, "csv", "Write the log density of each hidden cell and run to a CSV `file`.")
	inGroup(c.Flags(), "Comparison")
	o.fit.flags = addSpecFlags(c, slices.DeleteFunc(spec.Settings(), func(s spec.Setting) bool { return s.Flag == "features" }))
	c.Flags().StringVar(&o.fit.specFile, "spec", "", "A spec in TOML or a run.json: a `file`. Flags override it.")
	c.Flags().StringVar(&o.fit.out, "out", "", "New `directory` for the runs of --priors. Default: aibd-compare, aibd-compare-2 and so on.")
	o.fit.sampling.add(c)
	inGroup(c.Flags(), "Run")
	return c
}

func (o *compareOptions) run(c *cobra.Command, args []string) error {
	if err := o.fit.sampling.validate(); err != nil {
		return err
	}
	contest, err := o.contest(c, args)
	if err != nil {
		return err
	}
	held, err := compare.Compare(contest.data.Spec.Data.Source(), contest.runs, contest.baselines)
	if err != nil {
		return err
	}
	held.Doubts = append(held.Doubts, contest.without...)
	if err := writeOutputs(tableOutput(o.csv, func() table { return heldEntries(held, contest.data) })); err != nil {
		return err
	}
	if err := show(c, o.json, held, func(w io.Writer) { writeHeld(w, held, contest.data) }); err != nil {
		return err
	}
	return eachStrictly(o.fit.sampling.strict, lists.Map(contest.runs, func(p compare.Predicted) *results.Judged { return p.Judged }))
}

// contest is what is compared.
type contest struct {
	data      *runs.Run // that has the data: one of the runs
	runs      []compare.Predicted
	baselines []compare.Baseline
	without   []string // a line for each run without draws
}

// eachStrictly returns an error if strict is set and the chains of a run do not agree.
func eachStrictly(strict bool, all []*results.Judged) error {
	for _, j := range all {
		if err := strictly(strict, j.Verdict); err != nil {
			return fmt.Errorf("%s: %w", j.Run.Dir, err)
		}
	}
	return nil
}

// kinds reports whether kinds of features are compared.
func (o *compareOptions) kinds() bool { return strings.Contains(o.features, ",") }

// contest returns what is to be compared.
func (o *compareOptions) contest(c *cobra.Command, args []string) (contest, error) {
	if o.priors != "" || o.kinds() {
		return o.fitAll(c, args)
	}
	if o.baseline {
		return o.beside(c, args)
	}
	if o.features != "" {
		return contest{}, usageError{fmt.Errorf("--features: found the one kind %q, expected several, such as binary,weighted, or --priors", o.features)}
	}
	for _, flag := range []string{"spec", "out", "budget"} {
		if c.Flags().Changed(flag) {
			return contest{}, usageError{fmt.Errorf("--%s: expected --priors, which makes runs", flag)}
		}
	}
	if len(o.fit.flags.set) > 0 {
		return contest{}, usageError{fmt.Errorf("%s: expected --priors, which makes runs", o.fit.flags.name(o.fit.flags.set[0].key))}
	}
	if len(args) < 2 {
		return contest{}, usageError{fmt.Errorf("aibd compare: found %s, expected the directories of at least two RUNs, or --priors", plural(len(args), "argument"))}
	}
	all, err := judgeEach(c, args)
	if err != nil {
		return contest{}, err
	}
	return o.predicted(c, all)
}

// beside returns the runs to compare with baselines: those given, or a new one if the only one hides
// no cells or a setting is given.
func (o *compareOptions) beside(c *cobra.Command, args []string) (contest, error) {
	if len(args) < 2 && (runIn(args) == "" || len(o.fit.flags.set) > 0) {
		return o.fitAll(c, args)
	}
	all, err := judgeEach(c, args)
	if err != nil {
		return contest{}, err
	}
	switch hides := func(j *results.Judged) bool { return j.Run.Spec.Data.Hides() }; {
	case !slices.ContainsFunc(all, func(j *results.Judged) bool { return !hides(j) }):
		return o.predicted(c, all)
	case len(all) > 1:
		return contest{}, usageError{errors.New("--baseline: expected runs that hide the same cells (aibd fit --holdout 0.1), or one RUN or FILE")}
	}
	return o.fitAll(c, args)
}

// predicted returns runs with their predictions of the hidden cells, and maybe those of baselines.
func (o *compareOptions) predicted(c *cobra.Command, all []*results.Judged) (contest, error) {
	defer doing(c, "Predicting hidden cells")()
	result := contest{data: all[0].Run}
	if err := compare.SameX(all...); err != nil {
		return result, err
	}
	for _, j := range all {
		p, err := compare.Predict(j)
		if err != nil {
			return result, err
		}
		result.runs = append(result.runs, p)
	}
	if o.baseline {
		result.baselines = compare.Baselines(all[0])
	}
	return result, nil
}

// fitAll makes a run for each prior and kind of features. The baselines come first: they take seconds, and are there
// if the budget ends before a run has draws.
func (o *compareOptions) fitAll(c *cobra.Command, args []string) (result contest, err error) {
	data := input.New()
	problems, names, err := o.problems(c, args, data)
	if err != nil {
		return result, err
	}
	dir, err := newDirectory(o.fit.out, "aibd-compare")
	if err != nil {
		return result, err
	}
	defer func() {
		if result.data == nil {
			os.Remove(dir) // if it is empty
		}
	}()
	log := o.fit.sampling.log(c)
	ctx, stop := interruptible()
	defer stop()
	if o.baseline {
		var late []string
		done := track(log, "Baselines")
		within, end := o.fit.sampling.within(ctx, 2)
		result.baselines, late = compare.BaselinesOf(within, &problems[0].Observed, problems[0].Several())
		end()
		done()
		if ctx.Err() != nil {
			return result, fmt.Errorf("%w: nothing is drawn", errInterrupted)
		}
		if len(late) > 0 {
			result.without = append(result.without, fmt.Sprintf("Half of the budget was too short for %s.", words.And(late)))
		}
	}
	var failed error
	for i, p := range problems {
		options := o.fit
		options.sampling = o.fit.sampling.share(i, len(problems))
		if _, err := options.plan(log, p); err != nil {
			return result, err
		}
		run, err := runs.Create(filepath.Join(dir, names[i]), p, version)
		if err != nil {
			return result, err
		}
		result.data = run
		run.Share(data)
		describeProblem(log, p, run.Dir)
		var predicted compare.Predicted
		_, _, err = options.sampling.fit(ctx, c, run, func(j *results.Judged) (err error) {
			predicted, err = compare.Predict(j)
			return err
		})
		switch {
		case errors.Is(err, fit.ErrNoDraws):
			failed = cmp.Or(failed, err)
			result.without = append(result.without, fmt.Sprintf("%s has no draws: %v.", run.Dir, err))
		case err != nil:
			return result, err
		default:
			result.runs = append(result.runs, predicted)
		}
	}
	if len(result.runs)+len(result.baselines) == 0 {
		return result, failed
	}
	return result, nil
}

// newDirectory makes a directory: dir, or if that is empty the first of base, base-2 and so on
// that does not exist.
func newDirectory(dir, base string) (made string, err error) {
	err = makeNew(dir, base, func(dir string) error {
		made = dir
		return files.Named(dir, os.Mkdir(dir, 0o777))
	})
	return made, err
}

// problems returns a problem for each of --priors and --features, with its name. All hide the same cells.
func (o *compareOptions) problems(c *cobra.Command, args []string, data *input.Files) (problems []*model.Problem, names []string, err error) {
	if len(args) > 1 {
		return nil, nil, usageError{fmt.Errorf("aibd compare: found %d arguments, expected at most one FILE or RUN with --priors or --features", len(args))}
	}
	for _, key := range []string{"prior.law", "prior.proximity"} {
		if o.priors != "" && o.fit.flags.given(key) {
			return nil, nil, usageError{fmt.Errorf("found --priors and %s, expected one of them", o.fit.flags.name(spec.Key(key)))}
		}
	}
	priors, err := listed("--priors", "prior", o.priors, func(name string) bool { return priorsByName[name].Law != "" }, "aibd, ddibp, ibp and symmetric")
	if err != nil {
		return nil, nil, err
	}
	kinds, err := listed("--features", "kind", o.features, func(name string) bool { return slices.Contains(compare.Kinds, name) }, "binary, weighted and graded")
	if err != nil {
		return nil, nil, err
	}
	run := runIn(args)
	if run != "" {
		args = []string{filepath.Join(run, "run.json")}
	}
	s, err := o.fit.spec(args, c.ErrOrStderr())
	if err != nil {
		return nil, nil, err
	}
	if run != "" {
		resolved, err := runs.Resolved(args[0])
		if err != nil {
			return nil, nil, err
		}
		s.Data.Keep(resolved)
		o.reopen(&s)
	}
	if o.kinds() && s.Data.Preset == "" { // all kinds have the same X
		s.Data.Keep(spec.Data{Log: []string{spec.AutoLog}, Binary: []string{spec.AutoBinary}})
	}
	if len(kinds) == 1 && kinds[0] != "" {
		s.Likelihood.Features = kinds[0]
	}
	if o.fit.flags.given("sampler.draws") && !c.Flags().Changed("budget") {
		s.Sampler.Until = spec.UntilDraws
	}
	if !o.kinds() && len(priors) < 2 && !o.baseline {
		return nil, nil, usageError{errors.New("--priors: found one prior, expected at least two")}
	}
	if !s.Data.Hides() {
		s.Data.Holdout, s.Data.Hash = compare.HeldShare, ""
	}
	for _, name := range priors {
		for _, kind := range kinds {
			under, parts := s, []string{}
			if name != "" {
				under.Prior.Law, under.Prior.Proximity = priorsByName[name].Law, priorsByName[name].Proximity
				parts = append(parts, name)
			}
			if o.kinds() {
				under.Likelihood.Features = kind
				parts = append(parts, kind)
			}
			p, err := data.Build(under)
			switch {
			case err != nil && name != "":
				return nil, nil, fmt.Errorf("--priors %s: %w", name, err)
			case err != nil && o.kinds():
				return nil, nil, fmt.Errorf("--features %s: %w", kind, err)
			case err != nil:
				return nil, nil, err
			}
			problems, names = append(problems, p), append(names, cmp.Or(strings.Join(parts, "-"), "hidden"))
		}
	}
	return problems, names, nil
}

// reopen leaves open what the spec of a run holds only for its kind of features and its last round.
func (o *compareOptions) reopen(s *spec.Spec) {
	if o.features != "" {
		s.Data.Hash = ""
	}
	o.fit.again = s.Sampler.Warmup <= spec.Default().Sampler.Warmup
	if s.Sampler.Round > 1 {
		s.Sampler.Restart()
		s.Sampler.Draws = min(s.Sampler.Draws, 1000)
	}
}

// listed returns the names in the list that a flag was given, each of which must be valid and there
// once. Without a list it returns one empty name.
func listed(flag, what, list string, valid func(name string) bool, expected string) (names []string, err error) {
	if list == "" {
		return []string{""}, nil
	}
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimSpace(name)
		switch {
		case !valid(name):
			return nil, usageError{fmt.Errorf("%s: found %q, expected a list of %s", flag, name, expected)}
		case slices.Contains(names, name):
			return nil, usageError{fmt.Errorf("%s: found %s twice, expected each %s once", flag, name, what)}
		}
		names = append(names, name)
	}
	return names, nil
}

// priorsByName are the priors of --priors.
var priorsByName = map[string]spec.Prior{
	"ibp": {Law: "ibp", Proximity: "sequential"}, "aibd": {Law: "aibd", Proximity: "sequential"},
	"ddibp": {Law: "ddibp", Proximity: "sequential"}, "symmetric": {Law: "ddibp", Proximity: "symmetric"},
}
