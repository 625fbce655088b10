package cli

// aibd resume: on with a run that was stopped, or is to be longer.

import (
	"fmt"

	"github.com/spf13/cobra"

	"aibd/internal/runs"
)

func newResume() *cobra.Command {
	var (
		o          samplingOptions
		more       int
		otherBuild bool
	)
	c := &cobra.Command{
		Use:   "resume RUN",
		Short: "Go on with a run that was stopped, or make one longer",
		Long: `Goes on with a run that was stopped by ^C, killed, or lost its machine, from the last
checkpoint of each chain. The draws are the same, to the byte, as if it had never been
stopped. The data files must be where they were, seen from the working directory.

With --more a run gets that many draws in each chain beyond those planned; it is then
what it would be had it been made with as many in the first place.

A chain with a damaged file is named and sampled again from its start, with the same
draws. A run that another version of aibd, or another kind of processor, has made is
refused unless --other-build is given: its draws could then differ in their last bits,
and run.json says so.`,
		Example: `  # After ^C in the middle of this
  aibd fit --out run
  # this goes on
  aibd resume run

  # 100 draws more of each chain
  aibd resume run --more 100`,
		Args: wants(1, 1, "the directory of a RUN"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := o.validate(); err != nil {
				return err
			}
			if more < 0 {
				return usageError{fmt.Errorf("--more: found %d, expected at least 0", more)}
			}
			o.prepare()
			run, notes, err := runs.Resume(args[0], runs.ResumeOptions{More: more, Version: version, OtherBuild: otherBuild})
			if err != nil {
				return err
			}
			for _, note := range notes {
				fmt.Fprintln(c.ErrOrStderr(), "aibd:", note)
			}
			fmt.Fprintln(o.log(c), describeRest(run))
			return o.sample(c, run)
		},
	}
	c.Flags().IntVar(&more, "more", 0, "Draws to add to those planned for each chain.")
	c.Flags().BoolVar(&otherBuild, "other-build", false, "Go on with a run that another version or another kind of processor has made.")
	o.add(c)
	return c
}

// describeRest says what is left to do.
func describeRest(run *runs.Run) string {
	s := run.Spec.Sampler
	scans := run.Scans() * s.Chains
	left := scans - total(run.Done())
	if left == 0 {
		return fmt.Sprintf("%s is complete: %s of %s (aibd resume %s --more %d lengthens it)", run.Dir, plural(s.Chains, "chain"), plural(s.Draws, "draw"), run.Dir, s.Draws)
	}
	return fmt.Sprintf("%s: %d of %d scans are left, of %s", run.Dir, left, scans, plural(s.Chains, "chain"))
}
