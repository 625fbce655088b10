package mcmc

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"aibd/draws"
)

// Config says how long a chain runs.
type Config struct {
	Warmup int // first scans, with tuning of step sizes
	Skip   int // scans after warmup that give no draw
	Draws  int // draws to keep
	Thin   int // scans per draw, at least 1
}

// Validate reports what is out of range.
func (c Config) Validate() error {
	for _, v := range []struct {
		name   string
		x, min int
	}{{"warmup", c.Warmup, 0}, {"skip", c.Skip, 0}, {"draws", c.Draws, 1}, {"thin", c.Thin, 1}} {
		if v.x < v.min {
			return fmt.Errorf("%s: found %d, expected at least %d", v.name, v.x, v.min)
		}
	}
	return nil
}

// Scans returns the number of scans of the whole chain.
func (c Config) Scans() int { return c.ScanOf(c.Draws - 1) }

// DrawsAt returns the number of draws after the given number of scans.
func (c Config) DrawsAt(scans int) int { return max(0, scans-c.Warmup-c.Skip) / c.Thin }

// ScanOf returns how many scans a chain has made when it keeps the given draw, numbered from zero.
func (c Config) ScanOf(draw int) int { return c.Warmup + c.Skip + (draw+1)*c.Thin }

// Chain is a Markov chain under way. It owns what changes between scans: the power of the
// likelihood and the steps of the random walks. Apart from Done it is not safe for
// concurrent use.
type Chain struct {
	cfg     Config
	options Options
	scan    *cycle
	target  *target
	tuner   *tuner
	stream  *Stream
	done    atomic.Int64
	limited int
	draw    draws.Draw
	row     draws.Row // scratch of history
	scalars []draws.Scalar
	history History
	broken  error // why the chain cannot continue
}

// NewChain returns a chain that starts at start and takes its random numbers from stream.
// It returns an error if an argument is not valid or a chain cannot start there (see
// CheckStart).
func NewChain(post *Posterior, start Start, o Options, cfg Config, stream *Stream) (*Chain, error) {
	s, err := newTarget(post, start, true, MaxFeatures)
	if err != nil {
		return nil, err
	}
	return newChain(s, o, cfg, stream)
}

func newChain(s *target, o Options, cfg Config, stream *Stream) (*Chain, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if s.post.Features.weights() {
		if len(o.Kernels) > 0 {
			return nil, fmt.Errorf("kernel %q: found features with weights, expected binary ones", o.Kernels[0].Name)
		}
		if o.Truncation != 0 {
			return nil, fmt.Errorf("truncation divisor: found %g and features with weights, expected 0", o.Truncation)
		}
		o.Anneal = 0
	}
	t := &tuner{Tuning: newTuning(o).under(s.post)}
	c := &Chain{cfg: cfg, options: o, scan: o.scan(s.post, t), target: s, tuner: t, stream: stream, history: History{Every: 1, Values: map[string][]float64{}}}
	s.Fill(&c.draw)
	c.scalars = draws.HasOf(&c.draw).Scalars()
	return c, nil
}

// Sample runs a chain for each recorder, all at once, with the given options and length, from the starts of
// Posterior.InitOf. SigmaX and SigmaA must have priors; NewChain serves fixed ones. The draws of
// a chain depend on the seed and its number only. Each recorder is called by a goroutine of its own.
//
// When ctx is done, the chains finish their scans and Sample returns ctx.Err(); the chains then have different
// numbers of draws. An error of a chain stops the others in the same way, and Sample returns it.
func Sample(ctx context.Context, post *Posterior, o Options, cfg Config, seed uint64, recorders ...draws.Recorder) error {
	if len(recorders) == 0 || slices.Contains(recorders, nil) {
		return errors.New("found no recorder of a chain, expected one for each")
	}
	inner, stop := context.WithCancel(ctx)
	defer stop()
	var first error // of a chain
	var once sync.Once
	var wait sync.WaitGroup
	for c, rec := range recorders {
		label := fmt.Sprintf("chain-%d", c+1)
		wait.Go(func() {
			start, err := post.DrawStart(NewStream(seed, label+"/init").Rand, Start{}, post.InitOf(c))
			if err == nil {
				var chain *Chain
				if chain, err = NewChain(post, start, o, cfg, NewStream(seed, label)); err == nil {
					err = chain.Run(inner, rec)
				}
			}
			if err != nil {
				once.Do(func() { first = fmt.Errorf("%s: %w", label, err) })
				stop()
			}
		})
	}
	wait.Wait()
	if first != nil && ctx.Err() != nil && errors.Is(first, ctx.Err()) {
		return ctx.Err()
	}
	return first
}

// Done returns the number of scans made. It may be called while the chain runs.
func (c *Chain) Done() int { return int(c.done.Load()) }

// Totals returns what each kernel proposed and accepted, by kernel in the order of a scan.
func (c *Chain) Totals() []Total { return c.scan.byName() }

// Limited returns the number of scans in which MaxFeatures cut a draw short or rejected a
// birth.
func (c *Chain) Limited() int { return c.limited }

// Run makes the remaining scans and records the draws among them. When ctx is done it
// finishes the current scan and returns ctx.Err(). Run may then be called again.
//
// An error of the recorder ends the chain for good: the draw that it refused is
// lost. So does a likelihood that is not a number, as comes about when SigmaX falls
// toward 0 on data without noise.
func (c *Chain) Run(ctx context.Context, rec draws.Recorder) error {
	if c.broken != nil {
		return c.broken
	}
	for done := c.Done(); done < c.cfg.Scans(); done = c.Done() {
		if err := ctx.Err(); err != nil {
			return err
		}
		c.step()
		if c.target.abandoned {
			c.broken = ErrAbandoned
			return c.broken
		}
		if s := c.target; math.IsNaN(s.LogLik()) {
			c.broken = fmt.Errorf("scan %d: the likelihood cannot be computed at SigmaX %.3g, SigmaA %.3g with %d features: fix SigmaX or give it a gamma prior", done+1, s.Scales().SigmaX, s.Scales().SigmaA, s.K())
			return c.broken
		}
		kept := done + 1 - c.cfg.Warmup - c.cfg.Skip
		if kept > 0 && kept%c.cfg.Thin == 0 {
			if err := rec.Record(c.record(kept/c.cfg.Thin - 1)); err != nil {
				c.broken = err
				return err
			}
		}
		c.count()
	}
	return nil
}

// ErrAbandoned is the error of Run, and of a chain from then on, after it has abandoned a scan.
var ErrAbandoned = errors.New("a scan was abandoned")

// Abandon lets scans ask a function between kernels, and between the items of kernels that take long. If it returns true,
// Run abandons the scan and returns ErrAbandoned. Resume continues from a checkpoint of before, with the same draws. By
// default, and with nil, scans end.
func (c *Chain) Abandon(when func() bool) {
	c.target.abandon = when
	if w := c.target.Weighted(); w != nil {
		if w.Abandon = nil; when != nil {
			w.Abandon = c.target.stops
		}
	}
}

// count counts a scan that has been made and recorded.
func (c *Chain) count() { c.history.note(int(c.done.Add(1)), c) }

// State returns the state as a draw of iteration 0, valid until the next scan.
func (c *Chain) State() *draws.Draw { return c.record(0) }

// record returns the state as a draw, valid until the next scan.
func (c *Chain) record(iteration int) *draws.Draw {
	c.target.Fill(&c.draw)
	c.draw.Iteration, c.draw.LogPrior = iteration, c.target.LogPrior()
	return &c.draw
}

// annealSteps is the number of powers of the likelihood that annealing goes through.
const annealSteps = 100

// power returns the power of the likelihood in a scan, numbered from zero. Over the first
// scans of warmup it grows from nearly 0 to 1: the chain forgets its start
// while the likelihood is nearly flat, and adds features as the data call for them.
func (c *Chain) power(scan int) float64 {
	if n := c.options.Anneal; scan < min(n, c.cfg.Warmup) {
		return float64(max(1, annealSteps*scan/n)) / annealSteps
	}
	return 1
}

// step makes the next scan.
func (c *Chain) step() {
	done := c.Done()
	if done == 0 || done == c.cfg.Warmup {
		c.scan.reset()
	}
	c.tuner.on = c.options.Tune && done < c.cfg.Warmup
	c.target.SetPower(c.power(done))
	c.scan.Step(c.stream.Rand, c.target)
	if c.target.Limited {
		c.limited++
		c.target.Limited = false
	}
}
