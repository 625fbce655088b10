package state

import (
	"aibd/draws"
	"aibd/internal/collapsed"
	"aibd/internal/weighted"
)

// Weighted returns the weights, loadings and unknown cells of weighted features, which follow Z, the
// law and the scales and move them; nil if features are binary.
func (s *State) Weighted() *weighted.Model { return s.weighted }

// weigh makes the features weighted, at the unknowns.
func (s *State) weigh(u Unknowns) {
	s.weighted = weighted.New(s.full, &s.z, s.tracker, (*collapsed.Scales)(&s.scales), s.limit)
	s.loadWeighted(u)
	s.Refresh()
}

// loadWeighted moves to other unknowns, except those that a tracker follows.
func (s *State) loadWeighted(u Unknowns) {
	s.z = *u.Z.Clone()
	s.weighted.SetZ(u.Weights, u.Weighting.Mean, u.Weighting.SD)
	if u.Cells != nil {
		s.weighted.SetCells(u.Cells)
	}
	s.weighted.SetNoise(u.NoiseScales)
}

// fillWeighted sets what weighted features add to the unknowns.
func (s *State) fillWeighted(u *Unknowns) {
	w := s.weighted
	u.Weights, u.Weighting = w.Weights(nil), Weighting{w.Mean(), w.SD()}
	u.Cells, u.NoiseScales = w.Cells(nil), s.NoiseScales()
}

// fillDraw sets what weighted features add to a draw.
func (s *State) fillDraw(d *draws.Draw) {
	w := s.weighted
	d.LogLik = w.LogObserved()
	d.Weights, d.NoiseScales = w.Weights(d.Weights[:0]), append(d.NoiseScales[:0], w.Noise()...)
	if d.SigmaW = 0; w.Mean() != 0 {
		d.SigmaW = w.SD()
	}
}
