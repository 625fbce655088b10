package results

import (
	"context"

	"aibd/draws"
	"aibd/fit"
	"aibd/internal/runs"
)

// Fit samples a run until its chains agree, see fit.Fit. It returns the draws of the result with the verdict on them.
func Fit(ctx context.Context, s *runs.Store, o fit.Options) (*Judged, *fit.Result, error) {
	var j *Judged
	o.Judge = func([][]*draws.Draw) (v *fit.Verdict, err error) {
		if j, err = judgeKept(s.Read, s.Traces, s.Chains, s.ReadNote); err != nil {
			return nil, err
		}
		return &fit.Verdict{Agreed: j.Agreed, OnLarge: j.OnLarge, MaxRHat: j.MaxRHat, MinESS: j.MinESS, Needed: j.Needed(), Lines: j.Lines()}, nil
	}
	r, err := s.Fit(ctx, o)
	return j, r, err
}
