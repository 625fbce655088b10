package runs

// What sampling a chain takes.

import (
	"context"
	"io"
	"runtime"
	"time"

	"aibd/draws"
	"aibd/draws/segment"
	"aibd/internal/model"
)

// Trial is what the start and the first scans of a chain took.
type Trial struct {
	Start  time.Duration
	Scans  int
	Scan   time.Duration // mean of one
	Memory uint64        // of the process, in bytes
	Chain  uint64        // of Memory, what the chain takes
	Draw   int64         // bytes of the last state as a draw on disk; draws that are alike take less
}

// Chains estimates the time and memory of the given number of chains.
func (t Trial) Chains(chains, scans int) (took time.Duration, memory uint64) {
	all := time.Duration(chains) * (t.Start + t.Scan*time.Duration(scans))
	return all / time.Duration(min(chains, runtime.GOMAXPROCS(0))), t.Memory + uint64(chains-1)*t.Chain
}

// Try reads the data of the run, see input.Build, and tries its first chain.
func (r *Run) Try(ctx context.Context, limit time.Duration) (t Trial, err error) {
	problem, err := r.Problem()
	if err != nil {
		return t, err
	}
	return Try(ctx, problem, limit)
}

// Try makes scans of a new first chain for about the given time, at least one, and forgets them.
func Try(ctx context.Context, problem *model.Problem, limit time.Duration) (t Trial, err error) {
	began, before := time.Now(), memory()
	chain, err := problem.NewChain(ctx, 0)
	if err != nil {
		return t, err
	}
	t.Start = time.Since(began)
	within, stop := context.WithTimeout(ctx, limit)
	defer stop()
	began = time.Now()
	if err := chain.Run(within, draws.RecorderFunc(func(*draws.Draw) error { return nil })); err != nil && (err != within.Err() || ctx.Err() != nil) {
		return t, err
	}
	t.Scans = max(chain.Done(), 1)
	t.Scan = time.Since(began) / time.Duration(t.Scans)
	t.Memory = memory()
	t.Chain = t.Memory - min(before, t.Memory)
	d := chain.State()
	likelihood := problem.Spec.Likelihood
	one := segment.New(segment.Header{N: d.Z.N(), DrawsPerChain: 1, Weights: likelihood.HasWeights(), Shares: len(d.Shares), Cells: len(d.Cells), Cutpoints: len(d.Cutpoints), NoiseScales: len(d.NoiseScales), Further: len(d.Further)})
	_ = one.Record(d) // is always nil
	t.Draw, err = one.WriteTo(io.Discard)
	return t, err
}

// memory returns the memory of the process, in bytes.
func memory() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Sys
}
