package runs

// What sampling a chain takes.

import (
	"context"
	"runtime"
	"time"

	"aibd/draws"
)

// Trial is what the start and the first scans of a chain took.
type Trial struct {
	Start  time.Duration
	Scans  int
	Scan   time.Duration // mean of one
	Memory uint64        // of the process, in bytes
}

// Try makes scans of a new first chain for about the given time, and forgets them. It reads
// the data of the run, see model.Build.
func (r *Run) Try(ctx context.Context, limit time.Duration) (t Trial, err error) {
	problem, err := r.Problem()
	if err != nil {
		return t, err
	}
	began := time.Now()
	chain, err := problem.NewChain(ctx, 0)
	if err != nil {
		return t, err
	}
	t.Start = time.Since(began)
	within, stop := context.WithTimeout(ctx, limit)
	defer stop()
	began = time.Now()
	if err := chain.Run(within, forget{}); err != nil && (err != within.Err() || ctx.Err() != nil) {
		return t, err
	}
	t.Scans = max(chain.Done(), 1)
	t.Scan = time.Since(began) / time.Duration(t.Scans)
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	t.Memory = m.Sys
	return t, nil
}

// forget is a recorder of nothing.
type forget struct{}

func (forget) Record(*draws.Draw) error { return nil }
