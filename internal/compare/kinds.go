package compare

// Which kind of features predicts hidden cells of a run's data best.

import (
	"context"
	"os"
	"path/filepath"

	"aibd/internal/results"
	"aibd/internal/runs"
	"aibd/internal/spec"
)

// Kinds are the kinds of features.
var Kinds = []string{"binary", "weighted", "graded"}

// HeldShare is the share of the cells by which kinds of features are compared, unless cells are hidden
// already.
const HeldShare = 0.1

// rankErrors is the number of standard errors by which another kind is clearly better. Each of two other
// kinds is above by chance in less than 1% of the tables.
const rankErrors = 2.5

// Scans of each chain by which Rank compares kinds.
const (
	rankWarmup = 200
	rankDraws  = 400
)

// RankDraws is the number of draws of each chain that Rank judges, of all kinds together.
const RankDraws = 3 * rankDraws

// RankScans is the number of scans of all chains that Rank makes for a run.
func RankScans(run *runs.Run) int {
	return len(Kinds) * run.Spec.Sampler.Chains * (rankWarmup + rankDraws)
}

// rankSpec returns the spec of the short runs beside a run, except the kind of features.
func rankSpec(s spec.Spec, resolved spec.Data) spec.Spec {
	s.Data.Keep(resolved)
	s.Data.Holdout, s.Data.Hash = HeldShare, ""
	s.Sampler.Restart()
	s.Sampler.Until, s.Sampler.Warmup, s.Sampler.Draws = spec.UntilDraws, rankWarmup, rankDraws
	return s
}

// Rank hides a tenth of the cells of a run from short runs of each kind of features, and returns whether
// another kind than the run's predicts them clearly better. The short runs are in a temporary directory,
// which it removes. The data of the run must be there, and hide no cells.
func Rank(ctx context.Context, run *runs.Run, version string) (*runs.Kinds, error) {
	dir, err := os.MkdirTemp("", "aibd-kinds-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	s := rankSpec(spec.Spec(run.Given), run.Spec.Data)
	var all []*results.Judged
	for _, kind := range Kinds {
		s.Likelihood.Features = kind
		p, err := run.Input().Build(s)
		if err != nil {
			return nil, err
		}
		short, err := runs.Create(filepath.Join(dir, kind), p, version)
		if err != nil {
			return nil, err
		}
		if err := short.Sample(ctx); err != nil {
			return nil, err
		}
		j, err := results.Judge(short)
		if err != nil {
			return nil, err
		}
		all = append(all, j)
	}
	held, err := HideCells(all, false)
	if err != nil {
		return nil, err
	}
	k := &runs.Kinds{Cells: held.Cells}
	for _, r := range held.Runs {
		if r.Features == run.Spec.Likelihood.Kind() && r.apart() && -r.Difference > rankErrors*r.Error {
			k.Better, k.Difference, k.Error = held.Runs[0].Features, -float64(r.Difference), float64(r.Error)
		}
	}
	return k, nil
}
