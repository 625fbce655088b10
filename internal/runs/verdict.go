package runs

// The verdict on the draws of a run.

import (
	"fmt"
	"path/filepath"
	"slices"

	"aibd/draws"
	"aibd/internal/model"
	"aibd/internal/spec"
	"aibd/internal/verdict"
)

// Quantities returns the scalars of the draws of all chains that are reported. They depend on
// the law and on the data.
func Quantities(traces []Trace, spec spec.Spec, data DataInfo) []verdict.Quantity {
	of := func(key, name string, fixed bool, kind verdict.Kind, column func(t Trace) []float64) verdict.Quantity {
		q := verdict.Quantity{Key: key, Name: name, Kind: kind}
		if fixed {
			q.Kind = verdict.Fixed
		}
		for _, t := range traces {
			q.Chains = append(q.Chains, column(t))
		}
		return q
	}
	// discreteIf returns the kind of a density that is discrete if all its arguments are.
	discreteIf := func(fixed bool) verdict.Kind {
		if fixed {
			return verdict.Discrete
		}
		return verdict.Continuous
	}
	p := spec.Prior
	scalesFixed := p.SigmaX.Fixed && p.SigmaA.Fixed && !spec.Likelihood.HasWeights()
	allFixed := scalesFixed && p.Mass.Fixed && (p.Temperature.Fixed || !p.HasTemperature())
	logLik := "log likelihood"
	if spec.Likelihood.Power != 1 {
		logLik += " to the power"
	}
	all := []verdict.Quantity{of("mass", "mass", p.Mass.Fixed, verdict.Continuous, func(t Trace) []float64 { return t.Mass })}
	if p.HasTemperature() {
		all = append(all, of("temperature", "temperature", p.Temperature.Fixed, verdict.Continuous, func(t Trace) []float64 { return t.Temperature }))
	}
	all = append(all,
		of("sigma_x", "SigmaX", p.SigmaX.Fixed, verdict.Continuous, func(t Trace) []float64 { return t.SigmaX }),
		of("sigma_a", "SigmaA", p.SigmaA.Fixed, verdict.Continuous, func(t Trace) []float64 { return t.SigmaA }),
	)
	if spec.Likelihood.HasSigmaW() {
		all = append(all, of("sigma_w", "SigmaW", false, verdict.Continuous, func(t Trace) []float64 { return t.SigmaW }))
	}
	all = append(all,
		of(verdict.Features, "number of features", false, verdict.Discrete, Trace.Features),
		of("items_per_feature", "items per feature", false, verdict.Discrete, Trace.ItemsPerFeature),
		of("log_lik", logLik, false, discreteIf(scalesFixed), func(t Trace) []float64 { return t.LogLik }),
		of(verdict.LogJoint, "log joint", false, discreteIf(allFixed), Trace.LogJoint),
	)
	if len(data.Noise) > 0 {
		all = append(all,
			of("noise_min", "min noise of a column", false, verdict.Continuous, func(t Trace) []float64 { return t.NoiseMin }),
			of("noise_max", "max noise of a column", false, verdict.Continuous, func(t Trace) []float64 { return t.NoiseMax }),
		)
	}
	for k, name := range data.Cutpoints {
		all = append(all, of(fmt.Sprintf("cutpoint_%d", k+1), "cutpoint "+name, false, verdict.Continuous, func(t Trace) []float64 {
			if k < len(t.Cutpoints) {
				return t.Cutpoints[k]
			}
			return nil // before the first draw
		}))
	}
	if p.HasPermutation() {
		// The paper's two diagnostics of the permutation.
		fixed := p.Permutation.Kind != "random"
		all = append(all,
			of("position_first_half", "mean position, first half", fixed, verdict.Discrete, func(t Trace) []float64 { return t.FirstHalf }),
			of("position_odd", "mean position, odd items", fixed, verdict.Discrete, func(t Trace) []float64 { return t.Odd }),
		)
	}
	return all
}

// Judge returns the verdict on the draws of traces and on those of kept, of the same chains,
// from which it takes the sharing of items and, if seen is not nil, fitted values. The covariances of
// the signals of items take the place of sharing if features are weighted. Next is the directory that commands propose for a next run.
func (r *Run) Judge(traces []Trace, kept [][]*draws.Draw, seen *model.Observed, next string, workers int) (*verdict.Verdict, error) {
	s := r.Spec.Sampler
	in := verdict.Input{
		Quantities: Quantities(traces, r.Spec, r.Data),
		Run: verdict.Run{
			Dir: r.Dir, Next: next, Chains: s.Chains, Warmup: s.Warmup, Skip: s.Skip, Draws: len(kept[0]), Thin: s.Thin,
			Seconds: r.SecondsPerScan() * float64(s.Chains*len(kept[0])*s.Thin),
			Begun:   r.Next() != nil || len(kept) < s.Chains || len(kept[0]) < s.Draws, Rounds: s.Until == spec.UntilAgreed,
		},
	}
	for _, t := range traces {
		in.Chains = append(in.Chains, t.Chain+1)
	}
	weighted := slices.ContainsFunc(slices.Concat(kept...), func(d *draws.Draw) bool { return d.Weights != nil })
	if !weighted {
		in.Families = append(in.Families, verdict.NewSharing(r.Data.IDs, kept, workers))
	}
	if seen != nil {
		data, err := seen.Likelihood(r.Spec.Data)
		if err != nil {
			return nil, err
		}
		var covariances, fitted verdict.Family
		if weighted {
			covariances, fitted, err = verdict.NewSignals(r.Data.IDs, r.Data.Columns, data, seen.X, kept, workers)
			in.Families = append(in.Families, covariances)
		} else {
			fitted, err = verdict.NewFitted(r.Data.IDs, r.Data.Columns, data, seen.X, kept, workers)
		}
		if err != nil {
			return nil, err
		}
		in.Families = append(in.Families, fitted)
		if !weighted {
			in.Run.Coarser, in.Run.CoarserDir = coarser(r.Spec.Likelihood.Power, data.Unknown()), r.coarsest()
			in.Run.Weigh = data.Bounded() == 0 && r.Spec.Data.Preset == "" && r.Spec.Likelihood.Power == 1
		}
	}
	return verdict.Judge(in), nil
}

// coarser returns the power of the likelihood to try after a run with the given power and number
// of unknown cells. It returns 0 if there is none.
func coarser(power float64, unknown int) float64 {
	if power /= 2; unknown > 0 || power < minCoarser {
		return 0
	}
	return power
}

// CoarserDir returns the directory of the coarser fit of the run in dir at a lower power of the likelihood.
func CoarserDir(dir string, power float64) string {
	return filepath.Join(dir, fmt.Sprintf("power-%v", power))
}

// coarsest returns the directory of the coarser fit of r with the lowest power, or "" if there is none.
// If any coarser fit has chains that agree, it is this one.
func (r *Run) coarsest() (dir string) {
	for p := r.Spec.Likelihood.Power / 2; p >= minCoarser; p /= 2 {
		of := CoarserDir(r.Dir, p)
		if _, _, err := readRecord(r.source, filepath.Join(of, recordFile)); err == nil {
			dir = of
		}
	}
	return dir
}

// minCoarser is the smallest power to try. At powers that leave few columns the
// number of features can grow again (docs/decisions/power.md).
const minCoarser = 0.125
