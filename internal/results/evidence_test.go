package results

import (
	"context"
	"errors"
	"testing"

	"aibd/internal/model"
	"aibd/mcmc"
)

// An estimate that is interrupted has the mean number of features of the complete populations.
func TestEvidenceInterrupted(t *testing.T) {
	p, err := model.Build(judge(t).Run.Spec)
	if err != nil {
		t.Fatal(err)
	}
	estimate := func(populations, stopIn int) (*Evidence, error) {
		ctx, stop := context.WithCancel(context.Background())
		defer stop()
		size := EvidenceSize{Populations: populations, PopulationConfig: mcmc.PopulationConfig{Members: 2, Scans: 10}}
		return EstimateEvidence(ctx, p, size, 1, func(population int, _ bool, _ *mcmc.Population) {
			if population == stopIn {
				stop()
			}
		})
	}
	interrupted, err := estimate(3, 2)
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	whole, err := estimate(2, -2)
	if err != nil {
		t.Fatal(err)
	}
	if len(interrupted.Logs) != 2 || interrupted.Features != whole.Features || whole.Features < 0.5 {
		t.Errorf("%d populations with %v features, want 2 with %v", len(interrupted.Logs), interrupted.Features, whole.Features)
	}
}
