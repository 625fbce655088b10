package state

import (
	"math"
	"math/rand/v2"
	"testing"

	"aibd/internal/collapsed"
	"aibd/lglfm"
)

// cellEdits are the edits of data with unknown cells.
var cellEdits = []edit{
	{"draw the cells", func(rng *rand.Rand, s *State, _ *collapsed.Tree) bool { return s.DrawCells(rng) }},
	{"draw the cells of a row", func(rng *rand.Rand, s *State, _ *collapsed.Tree) bool {
		s.Open(rng.IntN(s.N()))
		s.Close(rng)
		return true
	}},
	{"load other cells", func(rng *rand.Rand, s *State, _ *collapsed.Tree) bool {
		u := s.Unknowns()
		u.Cells[0] += rng.NormFloat64()
		s.Load(u)
		return true
	}},
}

// gapped returns the problems with unknown cells: item 3 has one observed cell. There are
// fewer variables than items, or more.
func gapped() (all []problem) {
	for _, p := range problems() {
		d := 4
		if p.law.N() == 7 {
			d = 9
		}
		rng, x := rand.New(rand.NewPCG(14, uint64(p.law.N()))), make([][]float64, p.law.N())
		for i := range x {
			for j := range d {
				x[i] = append(x[i], rng.NormFloat64())
				if i == 3 && j > 0 || rng.IntN(8) == 0 {
					x[i][j] = math.NaN()
				}
			}
		}
		intercept := p.data.Intercept()
		if p.data = must(lglfm.NewData(x)); intercept {
			p.data = must(p.data.WithIntercept())
		}
		all = append(all, p)
	}
	return all
}

// All edits, in any order, leave a state with unknown cells equal to one made afresh.
func TestEditsWithCells(t *testing.T) {
	all := append(append([]edit{}, edits...), cellEdits...)
	for _, p := range gapped() {
		rng := rand.New(rand.NewPCG(14, 1))
		s := p.start(rng)
		tree := collapsed.Unwrap(p.data).Linkage()
		for range 60 {
			e := all[rng.IntN(len(all))]
			if !p.has(e) || !e.do(rng, s, tree) {
				continue
			}
			if err := check(s, p.law); err != nil {
				t.Fatalf("%s: after %s: %v", p.name, e.name, err)
			}
		}
	}
}

// The test above sees a cache that is of other cells.
func TestStaleCells(t *testing.T) {
	for _, p := range gapped() {
		rng := rand.New(rand.NewPCG(14, 2))
		e, s := cellEdits[0], p.start(rng)
		s.Refresh()
		e.do(rng, s, nil)
		s.stale = false
		if check(s, p.law) == nil {
			t.Errorf("%s: %s: a likelihood of other cells goes unnoticed", p.name, e.name)
		}
	}
}
