package results

import (
	"context"

	"aibd/draws"
	"aibd/fit"
	"aibd/internal/runs"
)

// Fit samples a run until its chains agree, see fit.Fit. It returns the draws of the result with the verdict on them.
// After each round it calls conclude, unless that is nil, with what it would return: the time that conclude takes is part
// of the time of judging, for which Fit leaves some of the budget.
func Fit(ctx context.Context, s *runs.Store, o fit.Options, conclude func(*Judged) error) (*Judged, *fit.Result, error) {
	var j *Judged
	o.Judge = func([][]*draws.Draw) (v *fit.Verdict, err error) {
		if j, err = judgeKept(s.Read, s.Traces, s.Chains, s.ReadNote); err != nil {
			return nil, err
		}
		if conclude != nil {
			if err := conclude(j); err != nil {
				return nil, err
			}
		}
		return &fit.Verdict{Agreed: j.Agreed, OnLarge: j.OnLarge, MaxRHat: j.MaxRHat, MinESS: j.MinESS, Needed: j.Needed(), Lines: j.Lines()}, nil
	}
	r, err := s.Fit(ctx, o)
	return j, r, err
}
