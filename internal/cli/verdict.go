package cli

// Draws with the verdict on them, for the verbs that read draws.

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"aibd/internal/input"
	"aibd/internal/results"
	"aibd/internal/runs"
	"aibd/internal/verdict"
	"aibd/internal/visible"
	"aibd/internal/words"
)

// judgedRun opens a run and judges it.
func judgedRun(c *cobra.Command, dir string) (*results.Judged, error) {
	defer doing(c, "Reading "+visible.Text(dir))()
	return results.Open(dir)
}

// judgeEach opens different runs and judges them.
func judgeEach(c *cobra.Command, dirs []string) (all []*results.Judged, err error) {
	defer doing(c, "Reading "+plural(len(dirs), "run"))()
	shared := map[string]*input.Files{} // by the directories of the data
	for i, dir := range dirs {
		if slices.Contains(dirs[:i], dir) {
			return nil, usageError{fmt.Errorf("found %s twice, expected different runs", dir)}
		}
		run, err := runs.Open(dir)
		if err != nil {
			return nil, err
		}
		in := fmt.Sprintf("%q", run.Folders())
		if shared[in] == nil {
			shared[in] = run.Inputs()
		}
		run.Share(shared[in])
		j, err := results.Judge(run)
		if err != nil {
			return nil, err
		}
		all = append(all, j)
	}
	return all, nil
}

// writeVerdict writes the note and the verdict, and an empty line.
func writeVerdict(w io.Writer, j *results.Judged) {
	if j.Note != "" {
		fmt.Fprintln(w, visible.Clipped(j.Note, maxNote))
	}
	for _, line := range j.Lines() {
		fmt.Fprintln(w, visible.Text(line))
	}
	fmt.Fprintln(w)
}

// printing holds the flags of all verbs that print a result of a run.
type printing struct {
	json, strict bool
	progress     bool // the verb shows its own progress
}

// A printed is a result of a run.
type printed struct {
	result any             // JSON shows it
	title  string          // above the verdict, if it is not ""
	text   func(io.Writer) // writes the result below the verdict
	files  []output
}

// ofRun returns the function that runs a verb on the run of its first argument. It checks the flags, judges the run,
// computes, writes files, and prints the result. It returns an error if the flag --strict is set and the chains do
// not agree.
func (p *printing) ofRun(check func(args []string) error, compute func(c *cobra.Command, j *results.Judged, args []string) (printed, error)) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		if err := check(args); err != nil {
			return err
		}
		j, err := judgedRun(c, args[0])
		if err != nil {
			return err
		}
		stop := func() {}
		if !p.progress {
			stop = doing(c, "Computing")
		}
		output, err := compute(c, j, args)
		stop()
		if err != nil {
			return err
		}
		if err := writeOutputs(output.files...); err != nil {
			return err
		}
		if err := show(c, p.json, output.result, func(w io.Writer) {
			if output.title != "" {
				fmt.Fprintln(w, visible.Text(output.title))
			}
			writeVerdict(w, j)
			output.text(w)
		}); err != nil {
			return err
		}
		return strictly(p.strict, j.Verdict)
	}
}

// addStrict adds the flag --strict, which makes disagreement an error.
func addStrict(c *cobra.Command, strict *bool) {
	c.Flags().BoolVar(strict, "strict", false, "Exit with status 3 if the chains do not agree, 4 if they agree on what is large only.")
}

// errStrict is in the error of a verb with --strict, errDisagree too if the chains do not even agree on what is large.
var (
	errStrict   = errors.New("--strict")
	errDisagree = fmt.Errorf("%w", errStrict)
)

// strictly returns an error if strict is set and the chains do not agree.
func strictly(strict bool, v *verdict.Verdict) error {
	if !strict || v.Agreed {
		return nil
	}
	kind := errDisagree
	if v.OnLarge {
		kind = errStrict
	}
	return fmt.Errorf("%w: %s", kind, words.Small(v.Short()))
}
