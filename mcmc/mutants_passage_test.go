package mcmc

import (
	"math"
	"math/rand/v2"
	"slices"
)

// passageCopy is passage with places for faults.
type passageCopy struct {
	keepBounds bool // after a flip
	freeU      bool // a candidate's u is not conditioned on being below the bound
	sameV      bool // one v finds all candidates
	byColumn   bool // candidates are tried by column, not by time
	offerAgain bool // after a flip, the columns with earlier times too
	lose       bool // the candidates with later times, after a flip
	reverse    bool // after a flip, the columns with earlier times instead of later ones
	passage
}

func (p *passageCopy) run(rng *rand.Rand, s *target, i int) Info {
	p.begin(s, i)
	s.FlipBounds(p.bounds, p.prior)
	info := Info{Proposed: len(p.columns)}
	for p.flip(rng, s, i) {
		info.Accepted++
	}
	return info
}

func (p *passageCopy) flip(rng *rand.Rand, s *target, i int) bool {
	if len(p.columns) == 0 {
		return false
	}
	if !p.keepBounds {
		s.FlipBounds(p.bounds, p.prior)
	}
	p.draw(rng)
	for len(p.candidates) > 0 {
		x := p.next()
		if !flips(s, i, x.column, -math.Log(x.u)) {
			continue
		}
		s.Flip(x.column)
		all := slices.Clone(p.columns)
		time := x.time
		if p.reverse {
			time = 1 - time
		}
		if p.lose {
			p.candidates = nil
		}
		p.proceed(rng, time)
		if p.offerAgain {
			p.columns = slices.DeleteFunc(all, func(a int) bool { return a == x.column })
		}
		return true
	}
	return false
}

func (p *passageCopy) draw(rng *rand.Rand) {
	p.candidates, p.fixed = p.candidates[:0], p.fixed[:0]
	v, s := rng.Float64(), 1.0
	first := v
	for _, a := range p.columns {
		next := 0.0
		if q := p.bounds[a]; q < 1 {
			next = s * (1 - q)
		}
		if v < next {
			s = next
			p.fixed = append(p.fixed, a)
			continue
		}
		x := candidate{a, rng.Float64(), (s - v) / s}
		if p.byColumn {
			x.time = float64(a) / float64(len(p.bounds))
		}
		if p.freeU {
			x.u = rng.Float64()
		}
		p.candidates = append(p.candidates, x)
		v, s = rng.Float64(), 1
		if p.sameV {
			v = first
		}
	}
}

// passageFaults are the faults by description. Bounds kept after a flip are for
// TestPassageBounds: they are too low so rarely that draws do not show it.
var passageFaults = []struct {
	wrong string
	joint bool // the joint test catches it with few replicates; TestPassage catches all
	passageCopy
}{
	{"u not conditioned on being below the bound", true, passageCopy{freeU: true}},
	{"one uniform number finds all candidates", false, passageCopy{sameV: true}},
	{"candidates tried by column, not by time", false, passageCopy{byColumn: true}},
	{"columns with earlier times offered again after a flip", true, passageCopy{offerAgain: true}},
	{"candidates with later times lost after a flip", true, passageCopy{lose: true}},
	{"columns with earlier times offered again after a flip, those with later times not", false, passageCopy{reverse: true}},
}

// rowsWithPassage is Rows with a fault of its passage.
func rowsWithPassage(p passageCopy) func() kernel {
	return func() kernel {
		copied := p
		return &rowsCopy{singletons: new(exactSingletons), passage: &copied}
	}
}
