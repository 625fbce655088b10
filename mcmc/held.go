package mcmc

import (
	"math"
	"math/rand/v2"
	"sync"
)

// bend is the power at which a SigmaX that is held has the value of the configuration.
const bend = 0.2

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

// maxPower returns the maximum of the next power. While SigmaX falls it is that of the bend:
// particles without features are alike, so that their weights would let the power outrun SigmaX.
func (p *Population) maxPower() float64 {
	if p.held() && p.ahead > p.cfg.SigmaX {
		return bend
	}
	return 1
}

// release draws the SigmaX of the ancestors, which is not held from now on.
func (p *Population) release(rng *rand.Rand) {
	w := p.worker()
	w.target.SetPower(1)
	for i := range p.ancestors {
		w.target.Load(p.ancestors[i].Unknowns)
		w.cells.set(w.target, p.post.SigmaX)
		p.ancestors[i].Scales.SigmaX = w.cells.draw(rng)
	}
	p.path, p.workers = p.post, sync.Pool{}
}
