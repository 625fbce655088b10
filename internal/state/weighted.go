package state

import (
	"fmt"
	"slices"

	"aibd/draws"
	"aibd/internal/collapsed"
	"aibd/internal/weighted"
)

// Weighted returns the weights, loadings and unknown cells of weighted features, which follow Z, the
// law and the scales and move them; nil if features are binary.
func (s *State) Weighted() *weighted.Model { return s.weighted }

// weigh makes the features weighted, at the unknowns.
func (s *State) weigh(u Unknowns, prior *weighted.Prior) {
	s.weighted = weighted.New(s.full, &s.z, s.tracker, (*collapsed.Scales)(&s.scales), prior, s.limit)
	s.loadWeighted(u)
	s.Refresh()
}

// loadWeighted moves to other unknowns, except those that a tracker follows.
func (s *State) loadWeighted(u Unknowns) {
	s.z = *u.Z.Clone()
	s.weighted.SetZ(u.Weights, u.Shares)
	if u.Cells != nil || u.Cutpoints != nil {
		within := Unknowns{Cells: u.Cells, Cutpoints: u.Cutpoints}
		if _, err := within.Complete(s.full); err != nil {
			panic(fmt.Sprint("state: ", err))
		}
		s.weighted.SetCells(s.full.Values(nil))
	}
	s.weighted.SetNoise(u.NoiseScales)
}

// fillWeighted sets what weighted features add to the unknowns.
func (s *State) fillWeighted(u *Unknowns) {
	w := s.weighted
	u.Weights, u.Shares = w.Weights(nil), w.SharesNow().Clone()
	u.Cells, u.Cutpoints, u.NoiseScales = w.Cells(nil), s.full.Cutpoints(nil), s.NoiseScales()
}

// fillDraw sets what weighted features add to a draw.
func (s *State) fillDraw(d *draws.Draw) {
	w := s.weighted
	d.LogLik = w.LogObserved()
	weights := slices.Grow(d.Weights[:0], 1) // without features not nil either, which stands for binary features
	d.Weights, d.NoiseScales = w.Weights(weights), append(d.NoiseScales[:0], w.Noise()...)
	d.Cells, d.Cutpoints = w.Bounded(d.Cells[:0]), s.full.Cutpoints(d.Cutpoints[:0])
	d.Shares, d.Rates = append(d.Shares[:0], w.SharesNow().Shares...), append(d.Rates[:0], w.SharesNow().Rates...)
}
