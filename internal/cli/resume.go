package cli

// aibd resume: continue a run that was stopped, or lengthen it.

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"aibd/internal/lists"
	"aibd/internal/runs"
	"aibd/internal/spec"
	"aibd/internal/verdict"
)

func newResume() *cobra.Command {
	var (
		o       samplingOptions
		draws   int
		prepare bool
		chain   string
	)
	c := &cobra.Command{
		Use:   "resume RUN...",
		Short: "Continue a run that was stopped, or lengthen it",
		Long: `Continues a run that was stopped, killed or lost in a crash, from the last checkpoint
of each chain. The draws are the same, to the byte, as if it had never been stopped. Run
it in the same working directory: the data files are looked up there.

If the chains of a complete run do not agree, aibd samples further rounds within --budget.
If --draws, sampler.until or --more fixed the length of the run, it does so only with
--budget. It first completes a round that has begun.

--more adds draws to each chain and fixes the length of the run. It is then the same as one
made with that many draws in the first place. --more with --prepare samples nothing.

--chain K samples one chain of a run of fixed length, as aibd fit --prepare makes them, while
other processes sample other chains, on other machines too. The draws are the same, to the
byte, as if one process had sampled all. --chain auto takes K from the first of these variables
that is set: AIBD_CHAIN, SLURM_ARRAY_TASK_ID, and JOB_COMPLETION_INDEX, which counts from 0.
With several RUNs, K counts through the chains of all. A complete chain is left as it is. The
exit status is 75 if another process is sampling the chain, and 130 if a signal stopped this
one.

If a file of a chain is damaged, or belongs to another run or chain, aibd names it and
samples the chain again from its start, with the same draws.

aibd refuses to resume a run of another build of aibd (see "build" in run.json), because its
draws could differ. --other-build resumes it, and run.json records that. aibd also refuses an
edited run.json; aibd fit RUN/run.json makes a new run of it.`,
		Example: `  # Stopped by ^C
  aibd fit --out run
  # continue
  aibd resume run

  # sample further rounds until the chains agree
  aibd resume run --budget 1s

  # 100 more draws of each chain
  aibd resume run --more 100

  # one chain of a prepared run
  aibd fit --draws 500 --prepare --out prepared
  aibd resume prepared --chain 2`,
		Args: wants(1, math.MaxInt, "the directory of a RUN"),
		RunE: func(c *cobra.Command, args []string) error {
			fewest := 0
			if c.Flags().Changed("more") {
				fewest = 1
			}
			if err := cmp.Or(o.validate(), atLeast(fewest, "more", draws)); err != nil {
				return err
			}
			options := runs.ResumeOptions{AddedDraws: draws, Version: version, OtherBuild: o.otherBuild}
			switch {
			case c.Flags().Changed("chain"):
				if prepare || draws > 0 || o.otherBuild || o.strict || c.Flags().Changed("budget") {
					return usageError{errors.New("--chain: found it with --budget, --more, --other-build, --prepare or --strict, which concern all chains")}
				}
				var err error
				if args[0], options.Chain, err = chainOf(args, chain); err != nil {
					return err
				}
			case len(args) > 1:
				return usageError{fmt.Errorf("aibd resume: found %d arguments, expected the directory of a RUN, or --chain", len(args))}
			}
			run, notes, err := runs.Resume(args[0], options)
			if err != nil {
				return err
			}
			writeNotes(c.ErrOrStderr(), notes...)
			if options.Chain > 0 {
				return o.sampleChain(c, run, options.Chain)
			}
			ctx, stop := interruptible()
			defer stop()
			fmt.Fprintln(o.log(c), describeRest(run))
			if prepare {
				run.Close()
				fmt.Fprintln(c.OutOrStdout(), run.Dir)
				return nil
			}
			return o.sample(ctx, stop, c, run)
		},
	}
	c.Flags().IntVar(&draws, "more", 0, "Number of draws to add to each chain.")
	c.Flags().StringVar(&chain, "chain", "", "Sample only chain `K`, from 1; auto: take K from the environment.")
	c.Flags().BoolVar(&prepare, "prepare", false, "Write the longer run without sampling.")
	c.Flags().BoolVar(&o.otherBuild, "other-build", false, "Resume a run that another build of aibd has made.")
	o.add(c)
	return c
}

// describeRest says how many scans are left.
func describeRest(run *runs.Run) string {
	s := run.Spec.Sampler
	scans := run.Scans() * s.Chains
	remaining := scans - lists.Sum(run.Done())
	if remaining == 0 && s.Until == spec.UntilAgreed {
		return fmt.Sprintf("%s: round %d is complete: %s of %s", run.Dir, s.Round, plural(s.Chains, "chain"), plural(s.Draws, "draw"))
	}
	if remaining == 0 {
		return fmt.Sprintf("%s is complete: %s of %s (aibd resume %s --more %d lengthens it)", run.Dir, plural(s.Chains, "chain"), plural(s.Draws, "draw"), verdict.Quoted(run.Dir), s.Draws)
	}
	return fmt.Sprintf("%s: %d of %d scans are left, of %s", run.Dir, remaining, scans, plural(s.Chains, "chain"))
}
