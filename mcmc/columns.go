package mcmc

import (
	"math"
	"math/rand/v2"
)

// Columns proposes the birth or the death of a whole column, each with probability
// 1/2. A column is born from nu/H, so that the prior cancels and the ratio is that
// of the likelihood times mass*H/(K+1); one of the K columns, all alike, dies, with
// the ratio of the likelihood times K/(mass*H).
type Columns struct{ column []uint64 }

// NewColumns returns the kernel.
func NewColumns() *Columns { return &Columns{} }

// Name returns "columns".
func (k *Columns) Name() string { return "columns" }

// Step makes one proposal.
func (k *Columns) Step(rng *rand.Rand, s *State) Info {
	s.catchUp()
	birth, u := rng.IntN(2) == 0, rng.ExpFloat64()
	expected := s.Mass * s.tracker.TotalIntensity()
	if birth {
		if len(k.column) != s.Z.Words() {
			k.column = make([]uint64, s.Z.Words())
		}
		s.tracker.DrawColumn(rng, k.column)
		if s.Z.K() >= s.most || !(s.cache.LogAppend(s.Z, k.column)+math.Log(expected/float64(s.Z.K()+1))+u > 0) {
			return Info{1, 0}
		}
		s.Z.AppendColumn(k.column)
		s.tracker.AppendColumn(k.column)
	} else {
		if s.Z.K() == 0 {
			return Info{1, 0}
		}
		a := rng.IntN(s.Z.K())
		if !(s.cache.LogRemove(a)+math.Log(float64(s.Z.K())/expected)+u > 0) {
			return Info{1, 0}
		}
		s.Z.Remove(a)
		s.tracker.Remove(a)
	}
	s.cache.Refresh(s.Z, s.Scales)
	s.settle()
	return Info{1, 1}
}
