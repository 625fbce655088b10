package mcmc

import (
	"fmt"
	"math"
	"slices"
)

// Tuning holds what warmup tunes: the steps of the random walks.
type Tuning struct {
	Temperature  TemperatureWalk
	FurtherWalks []TemperatureWalk `json:"Further,omitempty"` // of the distances after the first
	Scales       ScaleWalk
}

func (t Tuning) clone() Tuning {
	t.FurtherWalks = slices.Clone(t.FurtherWalks)
	return t
}

// walk returns the walk on the temperature of distance m.
func (t *Tuning) walk(m int) *TemperatureWalk {
	if m == 0 {
		return &t.Temperature
	}
	return &t.FurtherWalks[m-1]
}

// TemperatureWalk is a normal random walk on the temperature.
type TemperatureWalk struct {
	Step    float64 // standard deviation
	Learned float64 // steps learned from
}

// ScaleWalk is a bivariate normal random walk: SigmaX moves by X u and SigmaA by
// AX u + A v, with u and v standard normal. If only one of the scales is random it moves
// by X u or by A v.
type ScaleWalk struct {
	X, AX, A float64
	Learned  float64 // steps learned from
}

// newTuning returns the tuning of a chain of one distance at its start.
func newTuning(o Options) Tuning {
	return Tuning{
		Temperature: TemperatureWalk{Step: o.StepTemperature},
		Scales:      ScaleWalk{X: o.StepX, AX: o.Correlation * o.StepA, A: o.StepA * math.Sqrt(1-o.Correlation*o.Correlation)},
	}
}

// under returns the tuning with a walk for each distance of a posterior. The steps are in proportion to
// the standard deviations of the priors.
func (t Tuning) under(post *Posterior) Tuning {
	for m := range furtherOf(post.Law) {
		step := t.Temperature.Step
		if units := post.TemperatureUnits; units != nil {
			step *= units[0] / units[m+1]
		}
		step *= post.perUnit(m+1).sd() / post.perUnit(0).sd()
		t.FurtherWalks = append(t.FurtherWalks, TemperatureWalk{Step: step})
	}
	return t
}

// maxStep bounds what tuning may have reached: squares must not overflow.
const maxStep = 1e150

// valid reports what no chain has reached.
func (t Tuning) valid() error {
	type check struct {
		name   string
		x, min float64 // above min; at least 0 if min is -1
	}
	all := []check{
		{"Temperature.Step", t.Temperature.Step, 0}, {"Temperature.Learned", t.Temperature.Learned, -1},
		{"Scales.X", t.Scales.X, 0}, {"Scales.AX", t.Scales.AX, -maxStep}, {"Scales.A", t.Scales.A, 0}, {"Scales.Learned", t.Scales.Learned, -1},
	}
	for _, w := range t.FurtherWalks {
		all = append(all, check{"Further.Step", w.Step, 0}, check{"Further.Learned", w.Learned, -1})
	}
	for _, v := range all {
		if !(v.x > v.min && v.x <= maxStep) || v.min == -1 && v.x < 0 {
			return fmt.Errorf("tuning: found %s %g, expected a number that a chain can reach", v.name, v.x)
		}
	}
	return nil
}

// tuner tunes random walks toward a rate of acceptance by robust adaptive Metropolis
// (Vihola, 2012), with weights that fall like t^(-2/3). It belongs to the chain, which
// turns it on and off; kernels read their steps from it and report the log ratios of
// their proposals.
type tuner struct {
	Tuning
	on bool
}

// weight returns the weight of the next observation in d dimensions.
func weight(learned *float64, d float64) float64 {
	*learned++
	return math.Min(1, d*math.Pow(*learned, -2./3))
}

// accepts returns the probability of accepting a proposal of log ratio log.
func accepts(log float64) float64 {
	if !(log < 0) {
		if math.IsNaN(log) {
			return 0
		}
		return 1
	}
	return math.Exp(log)
}

// one tunes the step of a walk in one dimension toward acceptance of 0.44.
func (t *tuner) one(step, learned *float64, log float64) {
	if t.on {
		*step *= math.Exp(weight(learned, 1) * (accepts(log) - 0.44) / 2)
	}
}

// bothScales tunes the factor S = [X 0; AX A] of the covariance toward acceptance of
// 0.35, by S S' <- S (I + weight (acceptance - 0.35) u u'/|u|^2) S' for the standard
// normal (u, v) of the proposal.
func (t *tuner) bothScales(u, v, log float64) {
	norm := u*u + v*v
	if !t.on || norm == 0 {
		return
	}
	f := &t.Scales
	h := weight(&f.Learned, 2) * (accepts(log) - 0.35) / norm
	x, y := f.X*u, f.AX*u+f.A*v
	p, q, r := f.X*f.X+h*x*x, f.X*f.AX+h*x*y, f.AX*f.AX+f.A*f.A+h*y*y
	a := math.Sqrt(p)
	b := q / a
	c := math.Sqrt(r - b*b)
	if a > 0 && c > 0 { // not NaN, which rounding of a nearly singular factor may give
		f.X, f.AX, f.A = a, b, c
	}
}

// Steps are the standard deviations of the proposals of the random walks, and the
// correlation of those of SigmaX and SigmaA. What is fixed has none.
type Steps struct {
	Temperature         float64   `json:"temperature,omitzero"`
	FurtherTemperatures []float64 `json:"further_temperatures,omitzero"` // of the distances after the first, 0 if fixed
	SigmaX              float64   `json:"sigma_x,omitzero"`
	SigmaA              float64   `json:"sigma_a,omitzero"`
	Correlation         float64   `json:"correlation,omitzero"`
}

// Steps returns the steps that tuning has reached.
func (c *Chain) Steps() Steps {
	var s Steps
	post, f := c.target.post, c.tuner.Scales
	for _, m := range post.randomTemperatures() {
		if m == 0 {
			s.Temperature = c.tuner.Temperature.Step
			continue
		}
		if s.FurtherTemperatures == nil {
			s.FurtherTemperatures = make([]float64, len(c.tuner.FurtherWalks))
		}
		s.FurtherTemperatures[m-1] = c.tuner.FurtherWalks[m-1].Step
	}
	switch randomX, randomA := post.SigmaX.Random(), post.SigmaA.Random(); {
	case randomX && randomA:
		s.SigmaX, s.SigmaA = f.X, math.Hypot(f.AX, f.A)
		s.Correlation = f.AX / s.SigmaA
	case randomX:
		s.SigmaX = f.X
	case randomA:
		s.SigmaA = f.A
	}
	return s
}
