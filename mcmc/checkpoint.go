package mcmc

import (
	"errors"
	"fmt"
	"math"

	"aibd/draws"
	"aibd/lglfm"
)

// Checkpoint is all that a chain needs to go on as if it had never stopped. It
// holds plain values only, to be stored in any format that keeps float64 exactly.
type Checkpoint struct {
	Done  int // scans made
	Items int
	Place
	Stream []byte
	Totals []Info // of all kernels, in order
}

// Place is where a chain stands: its unknowns, and what its kernels
// have learned.
type Place struct {
	Columns     []byte // Z as draws.Pack leaves it, columns in their order
	Features    int
	Mass        float64
	Temperature float64 `json:",omitempty"` // 0 if the law has none
	Permutation []int   `json:",omitempty"`
	Scales      lglfm.Scales
	Tuning      [][]float64 // of the kernels that are tuned, in order
}

// place returns where a state and its cycle stand.
func place(s *State, c *Cycle) Place {
	p := Place{
		Columns: draws.Pack(nil, s.Z), Features: s.Z.K(),
		Mass: s.Mass, Permutation: append([]int(nil), s.Permutation...), Scales: s.Scales,
	}
	if !math.IsNaN(s.Temperature) {
		p.Temperature = s.Temperature
	}
	for _, a := range c.adapters {
		p.Tuning = append(p.Tuning, a.Tuning())
	}
	return p
}

// Checkpoint returns where the chain stands, between two calls of Run. It returns
// an error if the chain cannot go on.
func (c *Chain) Checkpoint() (Checkpoint, error) {
	if c.broken != nil {
		return Checkpoint{}, c.broken
	}
	stream, err := c.stream.MarshalBinary()
	if err != nil {
		return Checkpoint{}, err
	}
	return Checkpoint{
		Done: c.Done(), Items: c.state.Z.N(), Place: place(c.state, c.cycle),
		Stream: stream, Totals: append([]Info(nil), c.cycle.totals...),
	}, nil
}

// Resume returns the chain that goes on from a checkpoint. The posterior, the
// configuration and a new cycle must be as they were for the chain that it was
// taken from. It returns an error if the checkpoint does not fit them.
func Resume(post *Posterior, cfg Config, cycle *Cycle, p Checkpoint) (*Chain, error) {
	c, err := resume(post, cfg, cycle, p)
	if err != nil {
		return nil, fmt.Errorf("checkpoint: %w", err)
	}
	return c, nil
}

func resume(post *Posterior, cfg Config, cycle *Cycle, p Checkpoint) (*Chain, error) {
	if p.Items != post.Data.N() {
		return nil, fmt.Errorf("found %d items, expected %d", p.Items, post.Data.N())
	}
	state, err := p.state(post)
	if err != nil {
		return nil, err
	}
	stream := new(Stream)
	if err := stream.UnmarshalBinary(p.Stream); err != nil {
		return nil, err
	}
	c, err := NewChain(cfg, cycle, state, stream)
	if err != nil {
		return nil, err
	}
	if p.Done < 0 || p.Done > cfg.Scans() || len(p.Totals) != len(cycle.totals) {
		return nil, errOther
	}
	if err := p.tune(cycle, p.Done < cfg.Warmup); err != nil {
		return nil, err
	}
	copy(cycle.totals, p.Totals)
	c.done.Store(int64(p.Done))
	return c, nil
}

var errOther = errors.New("it is of a chain with another configuration")

// state returns the state at the place. Between two scans everything else of a state
// follows from these.
func (p *Place) state(post *Posterior) (*State, error) {
	if p.Features < 0 || !(p.Mass > 0) {
		return nil, fmt.Errorf("found %d features and mass %g, expected at least 0 features and a positive mass", p.Features, p.Mass)
	}
	if err := p.plausible(post); err != nil {
		return nil, err
	}
	z, err := draws.Unpack(post.Data.N(), p.Features, p.Columns)
	if err != nil {
		return nil, err
	}
	return newState(post, Start{
		Z: z, Mass: p.Mass, Temperature: p.Temperature, Permutation: p.Permutation, Scales: p.Scales,
	}, false)
}

// plausible reports a mass that no chain has come to, far above what its features and
// the prior give: a scan would add features without end.
func (p *Place) plausible(post *Posterior) error {
	h := post.Law.TotalIntensity()
	given := float64(p.Features) + post.Law.Mass()*h
	if post.Mass != nil {
		given += post.Mass.Shape / (post.Mass.Rate + h) * h
	}
	if expected := p.Mass * h; !(expected <= 1000+100*given) {
		return fmt.Errorf("found mass %.3g, under which %.3g features are expected, with %d features", p.Mass, expected, p.Features)
	}
	return nil
}

// tune gives the kernels of a cycle what they had learned, to learn on or not.
func (p *Place) tune(cycle *Cycle, on bool) error {
	if len(p.Tuning) != len(cycle.adapters) {
		return errOther
	}
	for i, a := range cycle.adapters {
		if len(p.Tuning[i]) != len(a.Tuning()) {
			return errOther
		}
		// Last stands how many were learned from, behind a step if there is one.
		if t := p.Tuning[i]; len(t) > 1 && !(t[0] > 0) || !(t[len(t)-1] >= 0) {
			return fmt.Errorf("found a step of %g and a count of %g for %s, expected a number above 0 and one of at least 0", t[0], t[len(t)-1], a.Name())
		}
		for _, x := range p.Tuning[i] {
			if !(math.Abs(x) <= mostTuned) {
				return fmt.Errorf("found %g among the tuned steps of %s, expected numbers up to %g", x, a.Name(), float64(mostTuned))
			}
		}
		a.SetTuning(p.Tuning[i])
		a.Adapt(on)
	}
	return nil
}

// mostTuned bounds what tuning may have reached: squares must not overflow.
const mostTuned = 1e150
