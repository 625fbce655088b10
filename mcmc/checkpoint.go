package mcmc

import (
	"fmt"
	"math"

	"aibd/draws"
	"aibd/feature"
	"aibd/lglfm"
)

// Checkpoint is all that a chain needs to go on as if it had never stopped. It
// holds plain values only, to be stored in any format that keeps float64 exactly.
type Checkpoint struct {
	Done        int // scans made
	Items       int
	Columns     []byte // Z as draws.Pack leaves it, columns in their order
	Features    int
	Mass        float64
	Temperature float64 `json:",omitempty"` // 0 if the law has none
	Permutation []int   `json:",omitempty"`
	Scales      lglfm.Scales
	Stream      []byte
	Tuning      [][]float64 // of the kernels that are tuned, in order
	Totals      []Info      // of all kernels, in order
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
	s := c.state
	p := Checkpoint{
		Done: c.Done(), Items: s.Z.N(), Columns: draws.Pack(nil, s.Z), Features: s.Z.K(),
		Mass: s.Mass, Permutation: append([]int(nil), s.Permutation...), Scales: s.Scales,
		Stream: stream, Totals: append([]Info(nil), c.cycle.totals...),
	}
	if !math.IsNaN(s.Temperature) {
		p.Temperature = s.Temperature
	}
	for _, a := range c.cycle.adapters {
		p.Tuning = append(p.Tuning, a.Tuning())
	}
	return p, nil
}

// Resume returns the chain that goes on from a checkpoint. The posterior, the
// configuration and a new cycle must be as they were for the chain that it was
// taken from. It returns an error if the checkpoint does not fit them.
func Resume(post *Posterior, cfg Config, cycle *Cycle, p Checkpoint) (*Chain, error) {
	if p.Items != post.Data.N() || p.Features < 0 || !(p.Mass > 0) {
		return nil, fmt.Errorf("checkpoint: found %d items, %d features and mass %g, expected %d items, at least 0 features and a positive mass", p.Items, p.Features, p.Mass, post.Data.N())
	}
	if err := plausible(post, p); err != nil {
		return nil, fmt.Errorf("checkpoint: %w", err)
	}
	z, err := draws.Unpack(p.Items, p.Features, p.Columns)
	if err != nil {
		return nil, fmt.Errorf("checkpoint: %w", err)
	}
	state, err := restore(post, z, p)
	if err != nil {
		return nil, fmt.Errorf("checkpoint: %w", err)
	}
	stream := new(Stream)
	if err := stream.UnmarshalBinary(p.Stream); err != nil {
		return nil, fmt.Errorf("checkpoint: %w", err)
	}
	c, err := NewChain(cfg, cycle, state, stream)
	if err != nil {
		return nil, err
	}
	if p.Done < 0 || p.Done > cfg.Scans() || len(p.Totals) != len(cycle.totals) || len(p.Tuning) != len(cycle.adapters) {
		return nil, fmt.Errorf("checkpoint: it is of a chain with another configuration")
	}
	for i, a := range cycle.adapters {
		if len(p.Tuning[i]) != len(a.Tuning()) {
			return nil, fmt.Errorf("checkpoint: it is of a chain with another configuration")
		}
		// Last stands how many were learned from, behind a step if there is one.
		if t := p.Tuning[i]; len(t) > 1 && !(t[0] > 0) || !(t[len(t)-1] >= 0) {
			return nil, fmt.Errorf("checkpoint: found a step of %g and a count of %g for %s, expected a number above 0 and one of at least 0", t[0], t[len(t)-1], a.Name())
		}
		for _, x := range p.Tuning[i] {
			if !(math.Abs(x) <= mostTuned) {
				return nil, fmt.Errorf("checkpoint: found %g among the tuned steps of %s, expected numbers up to %g", x, a.Name(), float64(mostTuned))
			}
		}
		a.SetTuning(p.Tuning[i])
		a.Adapt(p.Done < cfg.Warmup)
	}
	copy(cycle.totals, p.Totals)
	c.done.Store(int64(p.Done))
	return c, nil
}

// mostTuned bounds what tuning may have reached: squares must not overflow.
const mostTuned = 1e150

// plausible reports a mass that no chain has come to, far above what its features and
// the prior give: a scan would add features without end.
func plausible(post *Posterior, p Checkpoint) error {
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

// restore returns the state of a checkpoint. Between two scans everything else of
// a state follows from these.
func restore(post *Posterior, z *feature.Allocation, p Checkpoint) (*State, error) {
	return newState(post, Start{
		Z: z, Mass: p.Mass, Temperature: p.Temperature, Permutation: p.Permutation, Scales: p.Scales,
	}, false)
}
