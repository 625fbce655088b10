package mcmc

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"

	"aibd/draws"
)

// Config says how long a chain runs.
type Config struct {
	Warmup int // scans before the first draw, with tuning of step sizes
	Draws  int // draws to keep
	Thin   int // scans a draw, at least 1
}

// Validate reports what is out of range.
func (c Config) Validate() error {
	for _, v := range []struct {
		name     string
		x, least int
	}{{"warmup", c.Warmup, 0}, {"draws", c.Draws, 1}, {"thin", c.Thin, 1}} {
		if v.x < v.least {
			return fmt.Errorf("%s: found %d, expected at least %d", v.name, v.x, v.least)
		}
	}
	return nil
}

// Scans returns the number of scans of the whole chain.
func (c Config) Scans() int { return c.Warmup + c.Draws*c.Thin }

// Chain is a chain under way. Apart from Done it is not safe for concurrent use.
type Chain struct {
	cfg    Config
	cycle  *Cycle
	state  *State
	stream *Stream
	done   atomic.Int64
	broken error // why the chain cannot go on
}

// NewChain returns a chain that is to start at state and to draw its random
// numbers from stream. It returns an error if cfg is not valid.
func NewChain(cfg Config, cycle *Cycle, state *State, stream *Stream) (*Chain, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	return &Chain{cfg: cfg, cycle: cycle, state: state, stream: stream}, nil
}

// Done returns the number of scans made. It may be called while the chain runs.
func (c *Chain) Done() int { return int(c.done.Load()) }

// State returns the state of the chain.
func (c *Chain) State() *State { return c.state }

// Totals returns what each kernel proposed and accepted after warmup.
func (c *Chain) Totals() []Total { return c.cycle.Totals() }

// Run makes the scans that are left and records the draws among them. When ctx is
// done it ends after the scan under way and returns ctx.Err(); Run may then be
// called again.
//
// An error of the recorder ends the chain for good: the draw that it refused is
// lost. So does a likelihood that is no number, as comes about when SigmaX falls
// towards 0 on data without noise.
func (c *Chain) Run(ctx context.Context, rec draws.Recorder) error {
	if c.broken != nil {
		return c.broken
	}
	for done := c.Done(); done < c.cfg.Scans(); done = c.Done() {
		if err := ctx.Err(); err != nil {
			return err
		}
		c.step(done)
		if s := c.state; math.IsNaN(s.logLik) {
			c.broken = fmt.Errorf("scan %d: the likelihood cannot be computed at SigmaX %.3g, SigmaA %.3g with %d features: fix SigmaX or give it a gamma prior", done+1, s.Scales.SigmaX, s.Scales.SigmaA, s.Z.K())
			return c.broken
		}
		kept := done + 1 - c.cfg.Warmup
		if kept > 0 && kept%c.cfg.Thin == 0 {
			if err := rec.Record(c.state.draw(kept/c.cfg.Thin - 1)); err != nil {
				c.broken = err
				return err
			}
		}
		c.done.Add(1)
	}
	return nil
}

// step makes one scan, the done-th from zero.
func (c *Chain) step(done int) {
	if done == 0 || done == c.cfg.Warmup {
		for _, a := range c.cycle.adapters {
			a.Adapt(done < c.cfg.Warmup)
		}
		c.cycle.ResetTotals()
	}
	c.cycle.Step(c.stream.Rand, c.state)
}
