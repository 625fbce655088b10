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

	"aibd/internal/input"
	"aibd/internal/model"
	"aibd/internal/runs"
	"aibd/internal/spec"
	"aibd/internal/verdict"
	"aibd/mcmc"
)

type fitOptions struct {
	flags     *specFlags
	specFile  string
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
		Long: `Samples the posterior of the linear-Gaussian latent feature model X = Z A + E whose
allocation Z has the attraction Indian buffet distribution (AIBD), the distance
dependent Indian buffet process (dd-IBP) or the Indian buffet process (IBP) as prior.
Writes a run: a directory with run.json, which determines the draws, and the draws of
each chain in Parquet files.

FILE is a CSV file with the items in rows, a header line and maybe a column of ids,
or the run.json of a run, which is then repeated byte for byte. A note says if another
build of aibd made the run or if the file was edited. Without a FILE the data are the
built-in 50 states of the USA. Columns are centred unless --center=false, and scaled if
their standard deviations differ much, or as --scale or --scale=false says.

By default the chains are sampled in rounds until they agree: see aibd summary. Each round
continues the chains. It drops the first quarter of the scans that the draws of the round
before are from, and keeps at least 1000 draws of each chain from 1.5, 2 or 4 times as many.
The effective sample size, R-hat and the time left decide which. A round only begins if it
probably ends within --budget. A round that then takes much longer is cut, and aibd resume
continues it. What can be sampled in a time depends on the machine; --budget 20000scans, of
each chain, ends at the same draws everywhere. --draws fixes the length instead. A run.json repeats its round, and samples
further ones only with --budget. With many items the first round is shorter, so
that it roughly keeps to the budget: with 1000 items and 5 minutes, 600 scans of warmup and
600 draws. --warmup, --draws, --thin and a spec fix them instead. With more than 2000 items a
line says what the run will take.

--prepare writes the run and samples nothing: aibd resume RUN --chain K samples one chain, on
any machine. Such a run has a fixed length: --draws draws of each chain.

Every flag that is not below "Run" stands for a setting of a spec file. --print-spec
prints one with all defaults. Flags override a spec. Below "Priors of the other unknowns" are
the hyperparameters: the parameters of the priors of mass, temperature, SigmaX and SigmaA,
such as --mass-shape. The temperature is in units of one over the unit of the distances.
^C stops a run and keeps its draws; aibd resume continues it.`,
		Example: `  # The 50 states of the USA; distances along the surface of the Earth
  aibd fit

  # At most half a minute; add --strict for exit status 3 if the chains do not agree by then
  aibd fit --budget 30s --out quick

  # The same under the Indian buffet process, which has no distances
  aibd fit --prior ibp --out ibp-run

  # Under the distance dependent IBP, to which the paper compares the AIBD
  aibd fit --prior ddibp --out ddibp-run

  # Your own data; items of similar age attract each other more
  aibd data write twin
  aibd fit twin.csv --side twin_side.csv --distance absolute --distance-columns age

  # Distances from a file, a fixed temperature, items arriving in the order of the rows
  printf '0,1,2,3,9\n1,0,1,2,8\n2,1,0,1,7\n3,2,1,0,6\n9,8,7,6,0\n' > d.csv
  aibd data write bars --items 5
  aibd fit bars.csv --distance matrix --distance-file d.csv --temperature 2 --fix-temperature --permutation fixed

  # The dd-IBP with proximities from a file; any item may link to any other
  printf '1,0.5,0.1,0,0\n0.5,1,0.4,0,0\n0.1,0.4,1,0,0\n0,0,0,1,0.8\n0,0,0,0.8,1\n' > p.csv
  aibd fit bars.csv --prior ddibp --proximity p.csv

  # The paper's application, with the file that it is published in
  aibd fit --preset alzheimers alzheimers.csv

  # A spec to edit, the fit to it, and the same run again, byte for byte
  aibd fit --print-spec > spec.toml
  aibd fit --spec spec.toml --out first
  aibd fit first/run.json --out again`,
		Args: wants(0, 1, "at most one FILE"),
		RunE: func(c *cobra.Command, args []string) error { return fit(c, o, args) },
	}
	o.flags = addSpecFlags(c, spec.Settings())
	inGroup(c.Flags(), "Run", func() {
		c.Flags().StringVar(&o.specFile, "spec", "", "A spec in TOML or a run.json: a `file`. Flags override it.")
		c.Flags().BoolVar(&o.printSpec, "print-spec", false, "Print the complete spec and stop.")
		c.Flags().StringVar(&o.out, "out", "", "New `directory` for the run. Default: aibd-run, aibd-run-2 and so on.")
		c.Flags().BoolVar(&o.prepare, "prepare", false, "Write the run without sampling: aibd resume --chain samples its chains, and aibd slurm prints a script that does.")
		o.sampling.add(c)
		c.Flags().BoolVar(&o.serve, "serve", false, "Show the run in a browser, as aibd serve does, until ^C.")
		o.page.add(c)
	})
	return c
}

func fit(c *cobra.Command, o fitOptions, args []string) error {
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
	if !o.serve && (o.page.open || c.Flags().Changed("port")) {
		return usageError{errors.New("--port and --open: expected them with --serve only")}
	}
	o.sampling.prepare()
	if o.printSpec {
		if err := s.Validate(); err != nil {
			return err
		}
		_, err := c.OutOrStdout().Write(s.TOML())
		return err
	}
	problem, err := input.Build(s)
	if err != nil {
		return err
	}
	short := o.shorten(problem)
	var page net.Listener
	if o.serve {
		if page, err = o.page.listen(c); err != nil {
			return err
		}
		defer page.Close()
	}
	run, err := createRun(o.out, problem)
	if err != nil {
		return err
	}
	fromRun := slices.ContainsFunc(append(args, o.specFile), func(name string) bool { return strings.HasSuffix(name, ".json") })
	if fromRun && !c.Flags().Changed("budget") {
		o.sampling.budget.total = 0 // repeat the round of the run
	}
	log := o.sampling.log(c)
	describeProblem(log, problem, run.Dir)
	if o.sampling.inRounds(c, run) && o.sampling.budget.total > 0 {
		line := fmt.Sprintf("until the chains agree; budget %v", &o.sampling.budget)
		if short {
			line += fmt.Sprintf("; the first is shorter, with %s (--warmup 1000: full length)", plural(len(problem.IDs), "item"))
		}
		fmt.Fprintf(log, "%-10s%s\n", "Rounds", line)
	}
	if o.prepare {
		run.Close()
		fmt.Fprintf(log, "Sample a chain with aibd resume %s --chain K, with K from 1 to %d; aibd slurm %[1]s prints a batch script.\n", verdict.Quoted(run.Dir), s.Sampler.Chains)
		fmt.Fprintln(c.OutOrStdout(), run.Dir)
		return nil
	}
	if err := o.sampling.try(log, problem, run.Dir, trialTime); err != nil {
		run.Close()
		return err
	}
	if page != nil {
		return o.page.sample(c, page, run, o.sampling)
	}
	return o.sampling.sample(c, run)
}

// checkPrepare returns an error about flags that --prepare excludes.
func (o fitOptions) checkPrepare(c *cobra.Command, until string) error {
	switch {
	case !o.prepare:
	case c.Flags().Changed("budget") || o.flags.given("sampler.until") && until == spec.UntilAgreed:
		return usageError{errors.New("--prepare: found --budget or --until agreed, expected neither: rounds need all chains in one process, and a prepared run has a fixed length (--draws)")}
	case o.serve || o.sampling.strict:
		return usageError{errors.New("--prepare: found --serve or --strict, expected neither: it samples nothing")}
	}
	return nil
}

// spec returns the spec of the command line. Notes on it go to log.
func (o fitOptions) spec(args []string, log io.Writer) (s spec.Spec, err error) {
	s = spec.Default()
	specFile, dataFile := o.specFile, ""
	if len(args) == 1 {
		switch {
		case !strings.HasSuffix(args[0], ".json"):
			dataFile = args[0]
		case specFile != "":
			return s, usageError{fmt.Errorf("found the specs %s and %s, expected one", specFile, args[0])}
		default:
			specFile = args[0]
		}
	}
	if dataFile != "" && o.flags.given("data.file") {
		return s, usageError{fmt.Errorf("found the data file %s beside --file, expected one data file", dataFile)}
	}
	parsedRun := strings.HasSuffix(specFile, ".json")
	o.flags.onFile = specFile != ""
	if specFile != "" {
		var notes []string
		if s, notes, err = readSpec(specFile); err != nil {
			return s, err
		}
		tell(log, notes...)
	}
	if o.flags.given("data.", "distance.", "prior.law", "prior.proximity", "prior.permutation", "sampler.init") || dataFile != "" {
		s.Data.Hash = "" // other data than those of the spec
	}
	if parsedRun && (o.flags.given("data.") || dataFile != "") {
		// What a run noted of its own data is no default for others.
		s.Forget()
	}
	if parsedRun {
		s.Release(o.flags.given)
	}
	if (dataFile != "" || o.flags.given("data.file")) && !o.flags.given("data.builtin") {
		s.Data.Builtin = ""
	}
	if o.flags.given("data.builtin") && dataFile == "" && !o.flags.given("data.file") {
		s.Data.File, s.Data.Preset = "", ""
	}
	if err := o.flags.apply(&s); err != nil {
		return s, err
	}
	if dataFile != "" {
		s.Data.File = dataFile
	}
	if specFile == "" && s.Data.Preset == "" && !o.flags.given("likelihood.features") {
		if s.Likelihood.Features = spec.AutoFeatures; o.flags.given(ofBinary...) {
			s.Likelihood.Features = string(mcmc.Binary)
			tell(log, "features are binary, because a flag is given that only binary features have (--features)")
		}
	}
	return s, nil
}

// ofBinary are settings that only binary features have.
var ofBinary = []string{
	"sampler.truncation", "sampler.anneal", "sampler.blocks", "sampler.clusters", "sampler.sums", "sampler.combinations", "sampler.births",
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
