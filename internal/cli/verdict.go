package cli

// Draws with the verdict on them, for the verbs that read draws.

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/spf13/cobra"

	"aibd/draws"
	"aibd/feature"
	"aibd/internal/model"
	"aibd/internal/runs"
	"aibd/internal/verdict"
	"aibd/internal/visible"
)

// judged holds the draws of a run and the verdict on them.
type judged struct {
	*verdict.Verdict
	run     *runs.Run
	traces  []runs.Trace
	chains  [][]*draws.Draw
	note    string          // about interrupted or damaged chains
	seen    *model.Observed // nil if missing says why
	missing error
}

// judge reads the draws of a run, and X if its file is there, and judges the draws.
func judge(run *runs.Run) (*judged, error) {
	j := &judged{run: run}
	var err error
	if j.traces, j.note, err = run.Scalars(); err != nil {
		return nil, err
	}
	if len(j.traces[0].Mass) == 0 {
		return nil, fmt.Errorf("%s: found no draws, expected at least one", run.Dir)
	}
	if j.chains, _, err = run.Kept(); err != nil {
		return nil, err
	}
	j.seen, j.missing = run.Observations()
	j.Verdict, err = run.Judge(j.traces, j.chains, j.seen, nextRun(run.Dir), runtime.GOMAXPROCS(0))
	return j, err
}

// observations returns X, NaN where cells are unknown, for what needs a likelihood of each cell.
// It returns an error if X is not there, or has binary columns or limits.
func (j *judged) observations() ([][]float64, error) {
	if j.missing != nil {
		return nil, fmt.Errorf("%s: %w", j.run.Dir, j.missing)
	}
	if len(j.seen.Bounds) > 0 {
		return nil, fmt.Errorf("%s: found binary columns or cells beyond limits, expected none: implemented for columns of numbers only (aibd predict scores held-out cells)", j.run.Dir)
	}
	return j.seen.X, nil
}

// judgeAt opens a run and judges it.
func judgeAt(dir string) (*judged, error) {
	run, err := runs.Open(dir)
	if err != nil {
		return nil, err
	}
	return judge(run)
}

// nextRun returns a directory that does not exist: the given one with -2, -3 and so on.
func nextRun(dir string) string {
	for i := 2; ; i++ {
		next := fmt.Sprintf("%s-%d", dir, i)
		if _, err := os.Lstat(next); err != nil {
			return next
		}
	}
}

// allocations returns Z of each draw.
func (j *judged) allocations() [][]*feature.Allocation {
	chains := make([][]*feature.Allocation, len(j.chains))
	for c, chain := range j.chains {
		for _, d := range chain {
			chains[c] = append(chains[c], d.Z)
		}
	}
	return chains
}

// size returns the number of draws of all chains.
func (j *judged) size() int { return len(j.chains) * len(j.chains[0]) }

// writeVerdict writes the note and the verdict, and an empty line.
func (j *judged) writeVerdict(w io.Writer) {
	if j.note != "" {
		fmt.Fprintln(w, visible.Text(j.note))
	}
	for _, line := range j.Lines() {
		fmt.Fprintln(w, visible.Text(line))
	}
	fmt.Fprintln(w)
}

// show prints a result, as JSON or as text. It returns an error if strict is set and the
// chains do not agree.
func (j *judged) show(c *cobra.Command, asJSON, strict bool, result any, text func(io.Writer)) error {
	if err := show(c, asJSON, result, text); err != nil {
		return err
	}
	return strictly(strict, j.Verdict)
}

// addStrict adds the flag --strict, which makes disagreement an error.
func addStrict(c *cobra.Command, strict *bool) {
	c.Flags().BoolVar(strict, "strict", false, "Exit with status 3 if the chains do not agree.")
}

// errDisagree is in the error of a verb with --strict: exit status 3.
var errDisagree = errors.New("--strict")

// strictly returns an error if strict is set and the chains do not agree.
func strictly(strict bool, v *verdict.Verdict) error {
	if !strict || v.Agreed {
		return nil
	}
	return fmt.Errorf("%w: %s", errDisagree, small(v.Short()))
}
