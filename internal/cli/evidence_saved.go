package cli

// The log evidence of a run, which aibd evidence RUN keeps in the run for aibd compare.

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"aibd/internal/model"
	"aibd/internal/results"
	"aibd/internal/runs"
	"aibd/internal/verdict"
)

// savedEvidence returns a log evidence with a name for sentences.
func savedEvidence(e *runs.Evidence, name string) *results.Evidence {
	return &results.Evidence{Name: name, Prior: e.Prior, Noise: e.Noise, Logs: make([]float64, e.Populations), Log: e.Log, Spread: e.Spread}
}

// keepEvidence writes the log evidence of a problem into a run, if that has the same data and model.
func keepEvidence(run *runs.Run, p *model.Problem, e *results.Evidence, size results.EvidenceSize) error {
	saved := runs.Evidence{
		DataHash: p.DataHash, Intercept: p.Spec.Data.HasIntercept(), Noise: e.Noise, Prior: e.Prior,
		Log: e.Log, Error: e.StdErr(), Spread: e.Spread, Populations: len(e.Logs), Members: size.Members, Scans: size.Scans,
	}
	if !saved.Of(run) {
		return nil
	}
	return uninterrupted(func(context.Context) error { return run.WriteEvidence(saved) })
}

// evidenceOf returns the log evidence that a run keeps, nil if it keeps none.
func evidenceOf(run *runs.Run) (*runs.Evidence, error) {
	e, err := run.Evidence()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && (e.Populations < 2 || e.Populations > maxPopulation) {
		err = fmt.Errorf("%s: found the log evidence of %d populations, expected 2 to %d", run.Dir, e.Populations, maxPopulation)
	}
	if err != nil {
		return nil, fmt.Errorf("%w (aibd evidence %s makes it again)", err, verdict.Quoted(run.Dir))
	}
	return e, nil
}
