package mcmc

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"aibd/internal/collapsed"
)

// bend is the power at which a SigmaX that is held has the value of the configuration.
const bend = 0.4

// hold holds SigmaX and the noise scales of columns from the first stage on. The density of held
// noise scales given SigmaX is part of all weights, so the evidence begins with it.
func (p *Population) hold() error {
	if !p.post.SigmaX.Random() || math.IsInf(p.post.SigmaX.LogDensity(p.cfg.SigmaX), -1) {
		return fmt.Errorf("SigmaX of a population: found %g, expected a value that the prior of SigmaX allows", p.cfg.SigmaX)
	}
	// A lower start could be below the bounds on the noise.
	p.start.Scales.SigmaX = max(p.start.Scales.SigmaX, p.cfg.SigmaX)
	p.ahead = p.start.Scales.SigmaX
	p.start.NoiseScales = p.cfg.NoiseScales
	path := *p.post
	path.SigmaX, path.heldNoise = ScalePrior{}, true
	p.path = &path
	own := collapsed.Of(path.Data).Own()
	if err := own.SetNoiseScales(p.cfg.NoiseScales); err != nil {
		return fmt.Errorf("population: %w", err)
	}
	if own.HasNoiseScales() {
		if p.logEvidence = own.LogNoiseScales(p.start.Scales); math.IsInf(p.logEvidence, -1) {
			return fmt.Errorf("noise scales of a population: found noise of a column below its lower bound")
		}
	}
	return nil
}

// held reports whether SigmaX is held at this stage.
func (p *Population) held() bool { return p.path != p.post }

// nextSigmaX returns the value at which SigmaX is held at the next stage. Its logarithm falls in
// proportion to the power, which is likely to grow by as much as before, down to that of the
// configuration at the power bend. A step is at most one standard deviation of the log weights that
// it adds, if the cells of X are residuals of that variance.
func (p *Population) nextSigmaX() float64 {
	from, to := p.start.Scales.SigmaX, p.cfg.SigmaX
	next := to
	if power := p.power + p.step; power < bend {
		next = from * math.Pow(to/from, power/bend)
	}
	cells := float64(p.post.Data.N() * p.post.Data.D())
	return max(next, p.ahead*math.Exp(-1/math.Sqrt(2*cells*p.power)))
}

// maxPower returns the maximum of the next power. While SigmaX falls it is the power of the bend:
// particles without features are alike, so that their weights would let the power outrun SigmaX.
func (p *Population) maxPower() float64 {
	if p.held() && p.ahead > p.cfg.SigmaX {
		return bend
	}
	return 1
}

// release draws SigmaX and the noise scales of the ancestors, which are not held from now on.
func (p *Population) release(rng *rand.Rand) {
	w := p.worker()
	w.target.SetPower(1)
	for i := range p.ancestors {
		w.target.Load(p.ancestors[i].Unknowns)
		w.cells.set(w.target, p.post.SigmaX)
		p.ancestors[i].Scales.SigmaX = w.cells.draw(rng)
		if w.target.post.Data.HasNoiseScales() {
			w.target.Load(p.ancestors[i].Unknowns)
			p.ancestors[i].NoiseScales = slices.Clone(w.target.DrawNoise(rng))
		}
	}
	p.path, p.workers = p.post, sync.Pool{}
}
