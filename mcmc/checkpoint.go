package mcmc

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"aibd/draws"
	"aibd/lglfm"
)

// Checkpoint is all that a chain needs to continue as if it had never stopped. It
// holds plain values only, to be stored in any format that keeps float64 exactly.
type Checkpoint struct {
	Done                int // scans made
	Items               int
	Columns             []byte // Z as draws.Pack packs it, columns in their order
	Features            int
	Warmup              *int `json:",omitempty"` // of the Config; nil in files of old
	Mass                float64
	Temperature         float64   `json:",omitempty"`        // 0 if the law has none
	FurtherTemperatures []float64 `json:"Further,omitempty"` // temperatures of the distances after the first
	Permutation         []int     `json:",omitempty"`
	Scales              lglfm.Scales
	Cells               []float64 `json:",omitempty"` // unknown cells of X, row by row
	Cutpoints           []float64 `json:",omitempty"` // unknown cutpoints, column by column
	NoiseScales         []float64 `json:",omitempty"` // of all columns of X; none before they are first drawn
	Weights             []float64 `json:",omitempty"` // one for each one of Z as in draws.Draw, if features have weights
	Shares              []float64 `json:",omitempty"` // of the variance of the weights
	Rates               []float64 `json:",omitempty"`
	Tuning              Tuning
	Stream              []byte
	Totals              []Info // of all kernels, in order
	Limited             int    // scans in which MaxFeatures bound
	History             History
}

// Checkpoint returns the current position of the chain, between two calls of Run. It
// returns an error if the chain cannot continue.
func (c *Chain) Checkpoint() (Checkpoint, error) {
	if c.broken != nil {
		return Checkpoint{}, c.broken
	}
	stream, err := c.stream.MarshalBinary()
	if err != nil {
		return Checkpoint{}, err
	}
	u := c.target.Unknowns()
	p := Checkpoint{
		Done: c.Done(), Warmup: &c.cfg.Warmup, Items: u.Z.N(), Columns: draws.Pack(nil, u.Z), Features: u.Z.K(),
		Mass: u.Mass, FurtherTemperatures: u.FurtherTemperatures, Permutation: u.Permutation, Scales: u.Scales, Cells: u.Cells, Cutpoints: u.Cutpoints, NoiseScales: u.NoiseScales,
		Tuning: c.tuner.Tuning.clone(), Stream: stream, Totals: slices.Clone(c.scan.totals), Limited: c.limited, History: c.history.clone(),
	}
	p.Weights, p.Shares, p.Rates = u.Weights, u.Shares.Shares, u.Shares.Rates
	if !math.IsNaN(u.Temperature) {
		p.Temperature = u.Temperature
	}
	return p, nil
}

// Resume returns the chain that continues from a checkpoint. The posterior, the options and Config.Warmup must
// equal those of the chain that made it; Skip, Draws and Thin may differ, and count from the end of warmup. It
// returns an error if the checkpoint does not fit them.
func Resume(post *Posterior, o Options, cfg Config, p Checkpoint) (*Chain, error) {
	c, err := resume(post, o, cfg, p)
	if err != nil {
		return nil, fmt.Errorf("checkpoint: %w", err)
	}
	return c, nil
}

func resume(post *Posterior, o Options, cfg Config, p Checkpoint) (*Chain, error) {
	if unknown := post.Data.Unknown(); len(p.Cells) != unknown {
		return nil, fmt.Errorf("found %d values of unknown cells, expected %d", len(p.Cells), unknown)
	}
	if free := post.Data.FreeCutpoints(); len(p.Cutpoints) != free {
		return nil, fmt.Errorf("found %d cutpoints, expected %d", len(p.Cutpoints), free)
	}
	if count, ok := len(p.NoiseScales), post.Data.HasNoiseScales(); count > 0 && (!ok || count != post.Data.D()) {
		return nil, fmt.Errorf("found %d noise scales in a checkpoint of %d columns", count, post.Data.D())
	}
	if p.Items != post.Data.N() {
		return nil, fmt.Errorf("found %d items, expected %d", p.Items, post.Data.N())
	}
	if p.Features < 0 || !(p.Mass > 0) {
		return nil, fmt.Errorf("found %d features and mass %g, expected at least 0 features and a positive mass", p.Features, p.Mass)
	}
	z, err := draws.Unpack(p.Items, p.Features, p.Columns)
	if err != nil {
		return nil, err
	}
	if count := furtherOf(post.Law); len(p.FurtherTemperatures) != count || len(p.Tuning.FurtherWalks) != count {
		return nil, fmt.Errorf("found %d further temperatures with %d walks, expected %d", len(p.FurtherTemperatures), len(p.Tuning.FurtherWalks), count)
	}
	if f := post.Features; f.weights() && (len(p.Weights) != z.Ones() || (post.Weights != nil) != (p.Shares != nil)) {
		return nil, fmt.Errorf("found %d weights and %d shares of %s features, expected %d weights", len(p.Weights), len(p.Shares), f, z.Ones())
	}
	s, err := newTarget(post, Start{
		Z: z, Mass: p.Mass, Temperature: p.Temperature, FurtherTemperatures: p.FurtherTemperatures, Permutation: p.Permutation, Scales: p.Scales, Cells: p.Cells, Cutpoints: p.Cutpoints, NoiseScales: p.NoiseScales,
		Weights: p.Weights, Shares: p.Shares, Rates: p.Rates,
	}, false, MaxFeatures)
	if err != nil {
		return nil, err
	}
	if err := s.plausible(); err != nil {
		return nil, err
	}
	stream := new(Stream)
	if err := stream.UnmarshalBinary(p.Stream); err != nil {
		return nil, err
	}
	c, err := newChain(s, o, cfg, stream)
	if err != nil {
		return nil, err
	}
	if p.Warmup != nil && *p.Warmup != cfg.Warmup {
		return nil, fmt.Errorf("found %d warmup scans, expected %d", cfg.Warmup, *p.Warmup)
	}
	if p.Done < 0 || p.Done > cfg.Scans() || p.Limited < 0 || p.Limited > p.Done || len(p.Totals) != len(c.scan.totals) {
		return nil, errors.New("it is of a chain with another configuration")
	}
	if err := p.Tuning.valid(); err != nil {
		return nil, err
	}
	if err := p.History.check(p.Done, c.scalars); err != nil {
		return nil, err
	}
	c.tuner.Tuning, c.limited, c.history = p.Tuning.clone(), p.Limited, p.History.clone()
	copy(c.scan.totals, p.Totals)
	c.done.Store(int64(p.Done))
	return c, nil
}

// plausible reports a mass far above what the features and the prior allow, which no
// chain reaches: a scan would add features without end.
func (s *target) plausible() error {
	h := s.Law().TotalIntensity()
	allowed := float64(s.K()) + s.post.Law.Mass()*h
	if p := s.post.Mass; p != nil {
		allowed += p.Shape / (p.Rate + h) * h
	}
	if expected := s.Mass * h; !(expected <= 1000+100*allowed) {
		return fmt.Errorf("found mass %.3g, under which %.3g features are expected, with %d features", s.Mass, expected, s.K())
	}
	return nil
}
