package compare

// The log evidence that a run keeps.

import (
	"errors"
	"fmt"
	"io/fs"

	"aibd/internal/model"
	"aibd/internal/runs"
	"aibd/internal/verdict"
)

// MaxSize bounds the numbers of a Size, and of the populations of an estimate that a run keeps.
const MaxSize = 100_000

// Keep writes the log evidence of a problem into a run, if that has the same data and model.
func Keep(run *runs.Run, p *model.Problem, e *Evidence, size Size) error {
	saved := runs.Evidence{
		DataHash: p.DataHash, Intercept: e.Intercept, Noise: e.Noise, Prior: e.Prior, Distance: e.Distance.OwnPrior(),
		Log: e.Log, Error: e.StdErr(), Spread: e.Spread, Populations: len(e.Logs), Members: size.Members, Scans: size.Scans,
	}
	if !saved.Of(run) {
		return nil
	}
	return run.WriteEvidence(saved)
}

// Saved returns the log evidence that a run keeps, nil if it keeps none.
func Saved(run *runs.Run) (*runs.Evidence, error) {
	e, err := run.Evidence()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && (e.Populations < 2 || e.Populations > MaxSize) {
		err = fmt.Errorf("%s: found the log evidence of %d populations, expected 2 to %d", run.Dir, e.Populations, MaxSize)
	}
	if err != nil {
		return nil, fmt.Errorf("%w (aibd evidence %s makes it again)", err, verdict.Quoted(run.Dir))
	}
	return e, nil
}
