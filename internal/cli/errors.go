package cli

// Errors of the program: one line on stderr and an exit status.

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"aibd/internal/hint"
	"aibd/internal/runs"
	"aibd/internal/spec"
	"aibd/internal/visible"
)

// usageError is an error in the command line: exit status 2.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// errInterrupted is in the error of a verb that a signal stopped: exit status 130, as in
// shells.
var errInterrupted = errors.New("stopped early")

// Status returns the exit status for an error of Run: 0 for nil, 1 for bad input and
// failures, 2 for wrong usage, 3 for chains that do not agree under --strict, 4 for those that agree on what is
// large only, 75 if another process samples the run or the chain (EX_TEMPFAIL of sysexits.h), 130 after an interrupt.
func Status(err error) int {
	var wrong usageError
	var held runs.HeldError
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errInterrupted):
		return 130
	case errors.Is(err, errDisagree):
		return 3
	case errors.Is(err, errStrict):
		return 4
	case errors.As(err, &wrong):
		return 2
	case errors.As(err, &held):
		return 75
	}
	return 1
}

// writeNotes writes notes, a line each. They may repeat what files say.
func writeNotes(w io.Writer, notes ...string) {
	for _, note := range notes {
		fmt.Fprintf(w, "aibd: %s\n", visible.Clipped(note, maxNote))
	}
}

// maxNote is the max number of characters of a note, and maxCell that of a cell of a table.
const (
	maxNote = 4000
	maxCell = 300
)

// holds runs a command that has subcommands only. It shows the help, or reports an unknown
// verb.
func holds(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return c.Help()
	}
	var verbs []string
	for _, child := range c.Commands() {
		if !child.Hidden {
			verbs = append(verbs, child.Name())
		}
	}
	return usageError{hint.Unknown("verb", args[0], verbs)}
}

// expectedOf says what a flag of a type of pflag expects.
var expectedOf = map[string]string{
	"bool": "true or false", "duration": "a duration such as 5m", "float64": "a number",
	"int": "a whole number", "uint64": "a whole number of at least 0",
}

// flagOf has the flags by their names in other samplers.
var flagOf = map[string]string{
	"iterations": "draws", "iter": "draws", "iters": "draws", "samples": "draws", "num-samples": "draws", "nsamples": "draws", "n-samples": "draws",
	"burnin": "warmup", "burn-in": "warmup", "burn": "warmup", "tune-steps": "warmup", "num-warmup": "warmup",
	"threads": "cores", "jobs": "cores", "num-chains": "chains", "nchains": "chains", "time": "budget", "timeout": "budget", "output": "out", "thinning": "thin",
}

// flagError returns the error of a flag. For an unknown flag it suggests the nearest.
func flagError(c *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) {
		f := invalid.GetFlag()
		if f.Name == "set" {
			return usageError{invalid.Unwrap()}
		}
		expected := invalid.Unwrap().Error()
		switch f.Value.(type) {
		case *specValue, *budget, *cores:
		default: // of pflag
			expected = "expected " + cmp.Or(expectedOf[f.Value.Type()], f.Value.Type())
		}
		return usageError{fmt.Errorf("--%s: found %q, %s", f.Name, invalid.GetValue(), expected)}
	}
	var missing *pflag.NotExistError
	if errors.As(err, &missing) && len(missing.GetSpecifiedName()) > 1 {
		var flags []string
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				flags = append(flags, "--"+f.Name)
			}
		})
		name := missing.GetSpecifiedName()
		if flag := flagOf[strings.ReplaceAll(strings.ToLower(name), "_", "-")]; flag != "" && c.Flags().Lookup(flag) != nil {
			return usageError{fmt.Errorf("unknown flag \"--%s\", did you mean \"--%s\"?", name, flag)}
		}
		keys := map[string]spec.Key{} // by flag, of settings that --set takes alone
		if set := c.Flags().Lookup("set"); set != nil {
			for _, v := range set.Value.(*setValue).all.all {
				if v.setting.Flag != "" && !v.flag {
					keys["--"+v.setting.Flag] = v.setting.Key
				}
			}
		}
		if nearest, ok := hint.Nearest("--"+name, slices.Concat(flags, slices.Sorted(maps.Keys(keys)))); ok && keys[nearest] != "" {
			return usageError{fmt.Errorf("unknown flag \"--%s\", did you mean \"--set %s\"?", name, keys[nearest])}
		}
		err = hint.Unknown("flag", "--"+name, flags)
	}
	return usageError{err}
}

// atLeast returns an error if the value of a flag is below its minimum.
func atLeast(least int, flag string, value int) error {
	if value < least {
		return usageError{fmt.Errorf("--%s: found %d, expected at least %d", flag, value, least)}
	}
	return nil
}

// wants returns a check for low to high arguments. Errors call them what.
func wants(low, high int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if slices.Contains(args, "") {
			return usageError{fmt.Errorf("%s: found an empty argument, expected %s (see %[1]s --help)", c.CommandPath(), what)}
		}
		if k := slices.IndexFunc(args, func(a string) bool { return a == "true" || a == "false" || a == "auto" }); k >= 0 && len(args) > high {
			return usageError{fmt.Errorf("%s: found the argument %s; a flag takes it after an equals sign, as in --scale=%[2]s", c.CommandPath(), args[k])}
		}
		if len(args) < low || len(args) > high {
			return usageError{fmt.Errorf("%s: found %s, expected %s (see %[1]s --help)", c.CommandPath(), plural(len(args), "argument"), what)}
		}
		return nil
	}
}
