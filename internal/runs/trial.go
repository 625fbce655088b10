package runs

// What sampling a chain takes.

import (
	"context"
	"errors"
	"io"
	"runtime"
	"sync"
	"time"

	"aibd/draws"
	"aibd/draws/segment"
	"aibd/internal/model"
	"aibd/internal/parallel"
	"aibd/mcmc"
)

// Trial is what the starts and the first scans of chains took.
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

// Try reads the data of the run, see input.Build, and tries its chains, see Try.
func (r *Run) Try(ctx context.Context, limit time.Duration) (t Trial, err error) {
	problem, err := r.Problem()
	if err != nil {
		return t, err
	}
	return Try(ctx, problem, limit)
}

// tried is the max number of scans of each chain of a trial: the number of features, and with it the time of a scan, grows
// for so long at least. Over half of triedWarmup the likelihood is annealed.
const tried, triedWarmup = 250, 20

// Try makes scans of new chains, one for each core, for about the given time, at least one of each, and forgets them.
func Try(ctx context.Context, problem *model.Problem, limit time.Duration) (t Trial, err error) {
	before := memory()
	brief := *problem
	s := &brief.Spec.Sampler
	s.Warmup, s.Skip, s.Draws, s.Thin = triedWarmup, 0, tried-triedWarmup, 1
	chains := min(s.Chains, runtime.GOMAXPROCS(0))
	var first *mcmc.Chain
	var mutex sync.Mutex
	err = parallel.Each(ctx, chains, func(c int) error {
		began := time.Now()
		chain, err := brief.NewChain(ctx, c)
		if err != nil {
			return err
		}
		if c == 0 {
			first = chain
		}
		started := time.Since(began)
		w := &watch{Context: ctx, until: time.Now().Add(limit)}
		if err := chain.Run(w, draws.RecorderFunc(func(*draws.Draw) error { return nil })); err != nil && err != errTried {
			return err
		}
		mutex.Lock()
		defer mutex.Unlock()
		t.Scans += chain.Done()
		t.Start += started / time.Duration(chains)
		t.Scan += w.each(chain.Done()) / time.Duration(chains)
		return nil
	})
	if err != nil {
		return t, err
	}
	t.Memory = memory()
	t.Chain = (t.Memory - min(before, t.Memory)) / uint64(chains)
	d := first.State()
	likelihood := problem.Spec.Likelihood
	one := segment.New(segment.Header{N: d.Z.N(), DrawsPerChain: 1, Weights: likelihood.HasWeights(), Shares: len(d.Shares), Cells: len(d.Cells), Cutpoints: len(d.Cutpoints), NoiseScales: len(d.NoiseScales), FurtherTemperatures: len(d.FurtherTemperatures)})
	_ = one.Record(d) // is always nil
	t.Draw, err = one.WriteTo(io.Discard)
	return t, err
}

// watch is a context that notes when a chain begins its scans, and is done after a time, but not before the first.
type watch struct {
	context.Context
	until time.Time
	times []time.Time // of calls of Err
}

var errTried = errors.New("the trial is over")

func (w *watch) Err() error {
	if err := w.Context.Err(); err != nil {
		return err
	}
	w.times = append(w.times, time.Now())
	if n := len(w.times); n > 1 && w.times[n-1].After(w.until) {
		return errTried
	}
	return nil
}

// each returns the mean time of the last quarter of some scans: the first ones have few features.
func (w *watch) each(scans int) time.Duration {
	times := append(w.times, time.Now())[:scans+1]
	begin := 3 * scans / 4
	return times[scans].Sub(times[begin]) / time.Duration(scans-begin)
}

// memory returns the memory of the process, in bytes.
func memory() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Sys
}
