package cli

// Errors of the program: one line on stderr and an exit status.

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"aibd/internal/hint"
	"aibd/internal/visible"
)

// usageError is an error in the command line: exit status 2.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// errInterrupted is in the error of a verb that a signal stopped: exit status 130, as in
// shells.
var errInterrupted = errors.New("stopped early")

// Status returns the exit status for an error of Run: 0 for nil, 1 for bad input and
// failures, 2 for wrong usage, 3 for chains that do not agree under --strict, 130 after an
// interrupt.
func Status(err error) int {
	var wrong usageError
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errInterrupted):
		return 130
	case errors.Is(err, errDisagree):
		return 3
	case errors.As(err, &wrong):
		return 2
	}
	return 1
}

// report writes the error as one line.
func report(w io.Writer, err error) {
	if err != nil {
		fmt.Fprintf(w, "aibd: %s\n", visible.Text(err.Error()))
	}
}

// holds runs a command that only has subcommands: it shows the help, or reports an unknown
// verb.
func holds(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return c.Help()
	}
	var known []string
	for _, child := range c.Commands() {
		if !child.Hidden {
			known = append(known, child.Name())
		}
	}
	return usageError{hint.Unknown("verb", args[0], known)}
}

// flagError returns the error of a flag. For an unknown flag it suggests the nearest.
func flagError(c *cobra.Command, err error) error {
	var missing *pflag.NotExistError
	if errors.As(err, &missing) && len(missing.GetSpecifiedName()) > 1 {
		var known []string
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				known = append(known, "--"+f.Name)
			}
		})
		err = hint.Unknown("flag", "--"+missing.GetSpecifiedName(), known)
	}
	return usageError{err}
}

// wants returns a check for low to high arguments. Errors call them what.
func wants(low, high int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < low || len(args) > high {
			return usageError{fmt.Errorf("%s: found %d arguments, expected %s (see %s --help)", c.CommandPath(), len(args), what, c.CommandPath())}
		}
		return nil
	}
}
