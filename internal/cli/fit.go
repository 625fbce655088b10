package cli

// aibd fit: from data to draws of the posterior.

import (
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"aibd/internal/hint"
	"aibd/internal/input"
	"aibd/internal/model"
	"aibd/internal/runs"
	"aibd/internal/spec"
	"aibd/internal/verdict"
)

type fitOptions struct {
	flags     *specFlags
	specFile  string
	again     bool // the spec comes from a run with at most the usual warmup; plan may shorten its first round
	printSpec bool
	out       string
	prepare   bool
	sampling  samplingOptions
	serve     bool
	page      pageOptions
}

func newFit() *cobra.Command {
	var o fitOptions
	c := &cobra.Command{
		Use:   "fit [FILE]",
		Short: "Sample the posterior of a latent feature model",
		Long: `Samples the posterior of the linear-Gaussian latent feature model X = Z A + E, in which near items
share more features. The prior of the allocation Z is the attraction Indian buffet distribution
(AIBD), the distance dependent (dd-IBP) or the plain Indian buffet process (IBP). Writes a run: a
directory with run.json, which determines the draws, and the draws of each chain in Parquet files.

FILE is a CSV file with the items in rows, a header line and maybe a column of ids, or the run.json
of a run, which is then repeated byte for byte. Without a FILE the data are the 50 states of the USA.

The chains are sampled in rounds until they agree (aibd settings sampler.until) or the budget is
used up; --draws fixes the length instead. ^C stops a run and keeps its draws; aibd resume continues it.

Each setting of a spec file is a flag or a KEY of --set; flags override a spec. aibd settings
explains all of them.`,
		Example: `  # The 50 states of the USA; the same under the Indian buffet process, for at most half a minute
  aibd fit
  aibd fit --prior ibp --budget 30s --out ibp-run

  # Your own data; items of similar age attract each other more
  aibd data write twin
  aibd fit twin.csv --side twin_side.csv --distance absolute:age

  # A spec with all settings to edit, the fit to it, and the same run again, byte for byte
  aibd fit --set prior.mass.shape=2 --print-spec > spec.toml
  aibd fit --spec spec.toml --out first
  aibd fit first/run.json --out again`,
		Args: wants(0, 1, "at most one FILE"),
		RunE: func(c *cobra.Command, args []string) error { return makeRun(c, o, args) },
	}
	o.flags = addSpecFlags(c, spec.Settings())
	c.Flags().StringVar(&o.out, "out", "", "New `directory` for the run. Default: aibd-run, aibd-run-2 and so on.")
	o.sampling.add(c)
	c.Flags().StringVar(&o.specFile, "spec", "", "A spec in TOML or a run.json: a `file`.")
	c.Flags().BoolVar(&o.printSpec, "print-spec", false, "Print the complete spec and stop.")
	c.Flags().BoolVar(&o.prepare, "prepare", false, "Write the run only: aibd resume --chain samples its chains, aibd slurm prints a script.")
	c.Flags().BoolVar(&o.serve, "serve", false, "Show the run in a browser, as aibd serve does, until ^C.")
	o.page.add(c)
	putInGroup(c.Flags().Lookup("budget"), mainFlags)
	putInGroup(c.Flags().Lookup("out"), mainFlags)
	inGroup(c.Flags(), "Run")
	return c
}

func makeRun(c *cobra.Command, o fitOptions, args []string) error {
	s, err := o.spec(args, c.ErrOrStderr())
	if err != nil {
		return err
	}
	if err := o.checkPrepare(c, s.Sampler.Until); err != nil {
		return err
	}
	if o.prepare || o.flags.given("sampler.draws") && !o.flags.given("sampler.until") && !c.Flags().Changed("budget") {
		s.Sampler.Until = spec.UntilDraws
	}
	if o.flags.given("sampler.skip") {
		s.Sampler.Round = 1 // not the round of a run.json
	}
	if err := o.sampling.validate(); err != nil {
		return err
	}
	if o.out == "" && c.Flags().Changed("out") {
		return usageError{errors.New("--out: found an empty name, expected a new directory")}
	}
	if !o.serve && (o.page.open || c.Flags().Changed("port")) {
		return usageError{errors.New("--port and --open: expected them with --serve only")}
	}
	if o.printSpec {
		if err := s.Validate(); err != nil {
			return err
		}
		_, err := c.OutOrStdout().Write(s.TOML())
		return err
	}
	// Data and a trial may take long.
	if o.out != "" {
		if err := runs.Absent(o.out); err != nil {
			return err
		}
	}
	var page net.Listener
	if o.serve {
		if page, err = o.page.listen(c); err != nil {
			return err
		}
		defer page.Close()
	}
	o.sampling.rank = s.Complete().Likelihood.HasWeights() && s.Data.Preset == "" && !o.flags.onFile && !o.flags.given("likelihood.features")
	log := o.sampling.log(c)
	done := track(log, "Reading the data")
	problem, err := input.Build(s)
	done()
	if err != nil {
		var unknown hint.UnknownError
		if errors.As(err, &unknown) && unknown.Kind == "column" && len(args) == 0 && o.specFile == "" && !o.flags.given("data.builtin", "data.file", "data.preset") {
			err = fmt.Errorf("%w (no FILE is given, so that the data are the built-in states)", err)
		}
		return err
	}
	short, err := o.plan(log, problem)
	if err != nil {
		return err
	}
	ctx, stop := interruptible() // whoever reads the name of the run can stop it
	defer stop()
	run, err := createRun(o.out, problem)
	if err != nil {
		return err
	}
	fromRun := slices.ContainsFunc(append(args, o.specFile), func(name string) bool { return strings.HasSuffix(name, ".json") })
	if fromRun && !c.Flags().Changed("budget") {
		o.sampling.budget = budget{} // repeat the round of the run
	}
	describeProblem(log, problem, run.Dir)
	if o.sampling.inRounds(c, run) && !o.sampling.budget.IsZero() {
		line := fmt.Sprintf("until the chains agree; budget %v", &o.sampling.budget)
		if short {
			line += "; the first is shorter, to end within a quarter of it (--warmup 1000: full length)"
		}
		fmt.Fprintf(log, "%-10s%s\n", "Rounds", line)
	}
	if o.prepare {
		run.Close()
		fmt.Fprintf(log, "Sample a chain with aibd resume %s --chain K, with K from 1 to %d; aibd slurm %[1]s prints a batch script.\n", verdict.Quoted(run.Dir), s.Sampler.Chains)
		fmt.Fprintln(c.OutOrStdout(), run.Dir)
		return nil
	}
	if page != nil {
		return o.page.sample(ctx, c, page, run, o.sampling)
	}
	return o.sampling.sample(ctx, stop, c, run)
}

// checkPrepare returns an error about flags that --prepare excludes.
func (o fitOptions) checkPrepare(c *cobra.Command, until string) error {
	switch {
	case !o.prepare:
	case c.Flags().Changed("budget") || o.flags.given("sampler.until") && until == spec.UntilAgreed:
		return usageError{errors.New("--prepare: found --budget or sampler.until=agreed, expected neither: rounds need all chains in one process, and a prepared run has a fixed length (--draws)")}
	case o.serve || o.sampling.strict:
		return usageError{errors.New("--prepare: found --serve or --strict, expected neither: it samples nothing")}
	}
	return nil
}

// spec returns the spec of the command line. Notes on it go to log.
func (o fitOptions) spec(args []string, log io.Writer) (s spec.Spec, err error) {
	s = spec.Default()
	specFile := o.specFile
	if len(args) == 1 {
		switch isSpec := strings.HasSuffix(args[0], ".json"); {
		case isSpec && specFile != "":
			return s, usageError{fmt.Errorf("found the specs %s and %s, expected one", specFile, args[0])}
		case isSpec:
			specFile = args[0]
		case o.flags.given("data.file"):
			return s, usageError{fmt.Errorf("found the data file %s beside data.file, expected one data file", args[0])}
		default:
			o.flags.setFile(args[0])
		}
	}
	o.flags.onFile = specFile != ""
	if specFile != "" {
		var notes []string
		if s, notes, err = readSpec(specFile); err != nil {
			return s, err
		}
		writeNotes(log, notes...)
	}
	if o.flags.given("data.", "distance.", "prior.law", "prior.proximity", "prior.permutation", "likelihood.features", "sampler.init") {
		s.Data.Hash = "" // other data than those of the spec
	}
	if o.flags.given("distance.kind") {
		s.Distance = spec.Distance{} // of the spec
	}
	switch file, builtin := o.flags.given("data.file"), o.flags.given("data.builtin"); {
	case file && !builtin:
		s.Data.Builtin = ""
	case builtin && !file:
		s.Data.File, s.Data.Preset = "", ""
	}
	if err := o.flags.apply(&s); err != nil {
		return s, err
	}
	return s, nil
}

// createRun makes the directory of a run: dir, or if that is empty the first of
// aibd-run, aibd-run-2 and so on that does not exist.
func createRun(dir string, problem *model.Problem) (run *runs.Run, err error) {
	err = makeNew(dir, "aibd-run", func(dir string) error {
		run, err = runs.Create(dir, problem, version)
		return err
	})
	return run, err
}
