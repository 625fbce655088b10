// Package cli implements the command line of aibd, one file for each verb. It turns
// arguments into calls of the packages below, and results into text, JSON and figures.
package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"aibd/internal/files"
)

// Run executes the command line args, which do not include the name of the program. It
// writes an error to stderr as one line. Status returns the exit status for the error.
func Run(args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	root := Command()
	root.SetArgs(args)
	root.SetIn(stdin)
	out := &checkedWriter{w: stdout}
	root.SetOut(out)
	root.SetErr(stderr)
	ran := false
	root.PersistentPreRunE = func(c *cobra.Command, args []string) error {
		ran = true
		return checkOutputs(c, args)
	}
	err := root.Execute()
	switch {
	case err == nil:
		err = files.Named("standard output", out.err)
	case !ran: // an error of cobra
		err = usageError{err}
	}
	if err != nil {
		writeNotes(stderr, err.Error())
	}
	return err
}

// checkedWriter keeps the first write error, so that callers need not check.
type checkedWriter struct {
	w   io.Writer
	err error
}

func (c *checkedWriter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	if c.err == nil {
		c.err = err
	}
	return n, err
}

// Command returns the command aibd with all its verbs.
func Command() *cobra.Command {
	root := group("aibd", "Feature allocation models with pairwise information",
		`aibd fits latent feature models in which near items share more features: the
linear-Gaussian latent feature model under the Indian buffet process (IBP), the
attraction Indian buffet distribution (AIBD) of Warr, Dahl, Meyer and Lui, or the
distance dependent IBP.`,
		`  # Fit the built-in states of the USA and look at the result
  aibd fit
  aibd summary aibd-run

  # What the prior says before any data are seen
  aibd prior features --mass 2

  # The flags of a verb, with examples, and all settings of a fit
  aibd fit --help
  aibd settings`,
		newFit(), newResume(), newGather(), newSlurm(), newSummary(), newSharing(), newCompare(), newCheck(), newReport(), newServe(), newEstimate(), newPlot(), newExport(), newPredict(), newPrior(), newLogLik(), newLogPost(), newData(), newSettings(), newVersion())
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetUsageFunc(usage)
	root.SetFlagErrorFunc(flagError)
	root.PersistentFlags().SortFlags = false
	root.InitDefaultHelpFlag()
	root.SetHelpCommand(&cobra.Command{
		Use:   "help [VERB]",
		Short: "Show the help of a verb",
		RunE: func(c *cobra.Command, args []string) error {
			verb, tail, err := c.Root().Find(args)
			if err == nil && len(tail) > 0 && verb.HasSubCommands() {
				return holds(verb, tail)
			}
			return errors.Join(err, verb.Help())
		},
	})
	// A template of cobra would link text/template, which keeps all methods of the program.
	version := root.Flags().Bool("version", false, "Print the version.")
	root.RunE = func(c *cobra.Command, args []string) error {
		if *version {
			fmt.Fprintln(c.OutOrStdout(), versionLine())
			return nil
		}
		return holds(c, args)
	}
	return root
}

// group returns a command that only has subcommands.
func group(name, short, long, example string, children ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{
		Use:     name,
		Short:   short,
		Long:    long,
		Example: example,
		Args:    cobra.ArbitraryArgs,
		RunE:    func(c *cobra.Command, args []string) error { return holds(c, args) },
	}
	c.AddCommand(children...)
	return c
}
