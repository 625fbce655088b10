package runs

// The verdict on the draws of a run.

import (
	"slices"

	"aibd/draws"
	"aibd/internal/lists"
	"aibd/internal/model"
	"aibd/internal/spec"
	"aibd/internal/verdict"
)

// Quantities returns the scalars of the draws of all chains that are reported. They depend on
// the law and on the data.
func Quantities(traces []Trace, spec spec.Spec, data DataInfo) (all []verdict.Quantity) {
	p := spec.Prior
	has := draws.Has{
		Temperature: spec.HasTemperature() || len(data.Further) > 0, Further: len(data.Further), Permutation: p.HasPermutation() && data.N > 1,
		SigmaW:      spec.Likelihood.HasSigmaW(),
		NoiseScales: len(data.Noise) > 0, Cutpoints: len(data.Cutpoints),
	}
	fixed := map[string]bool{
		draws.KeyMass:   p.Mass.Fixed,
		draws.KeySigmaX: p.SigmaX.Fixed, draws.KeySigmaA: p.SigmaA.Fixed, draws.KeySigmaW: !has.SigmaW, draws.UnknownWeights: !spec.Likelihood.HasWeights(),
		draws.UnknownPermutation: p.Permutation.Kind != "random", draws.UnknownNoiseScales: !has.NoiseScales,
	}
	random := spec.RandomTemperatures()
	for m := range data.Distances() {
		fixed[draws.TemperatureKey(m)] = !slices.Contains(random, m)
	}
	for _, s := range has.Scalars() {
		if s.Name == "" {
			continue
		}
		values := lists.Of(traces, func(t Trace) []float64 { return t.Values[s.Key] }) // nil before the first draw
		q := verdict.Quantity{Key: s.Key, Name: s.Name, Kind: kindOf(s, fixed), Unknown: s.Unknown(), Code: slices.Contains(code, s.Key), Chains: values}
		switch s.Key {
		case draws.KeySigmaX:
			q.Max = p.SigmaX.Max
		case draws.KeySigmaA:
			q.Max = p.SigmaA.Max
		}
		all = append(all, q)
	}
	rename := func(key, name string) {
		all[slices.IndexFunc(all, func(q verdict.Quantity) bool { return q.Key == key })].Name = name
	}
	for k, name := range data.Cutpoints {
		rename(draws.CutpointKey(k), "cutpoint "+name)
	}
	if len(data.Further) > 0 {
		for m, d := range spec.Distances() {
			rename(draws.TemperatureKey(m), "temperature of "+d.Label())
		}
	}
	return all
}

// code holds the keys of the scalars that depend on which features code the signals. The log joint
// does by the prior of Z.
var code = []string{draws.KeyFeatures, draws.KeyItemsPerFeature, draws.KeyLogJoint}

// kindOf returns the kind of a scalar, given which unknowns are fixed.
func kindOf(s draws.Scalar, fixed map[string]bool) verdict.Kind {
	kind := verdict.Fixed
	for _, unknown := range s.Depends {
		switch {
		case fixed[unknown]:
		case unknown == draws.UnknownZ || unknown == draws.UnknownPermutation:
			if kind == verdict.Fixed {
				kind = verdict.Discrete
			}
		default:
			kind = verdict.Continuous
		}
	}
	return kind
}

// advisesSample is the number of items above which chains often need longer than people wait.
const advisesSample = 2000

// Judge returns the verdict on the draws of traces and on those of kept, of the same chains,
// from which it takes the sharing of items and, if seen is not nil, fitted values. If features have
// weights, the covariances of the signals of items decide in place of sharing. Next is the directory that
// commands propose for a next run.
func (r *Run) Judge(traces []Trace, kept [][]*draws.Draw, seen *model.Observed, next string) (*verdict.Verdict, error) {
	s := r.Spec.Sampler
	in := verdict.Input{
		Quantities: Quantities(traces, r.Spec, r.Data),
		Run: verdict.Run{
			Dir: r.Dir, Next: next, Chains: s.Chains, Warmup: s.Warmup, Skip: s.Skip, Draws: len(kept[0]), Thin: s.Thin,
			Seconds: r.SecondsPerScan() * float64(s.Chains*len(kept[0])*s.Thin),
			Begun:   r.Next() != nil || len(kept) < s.Chains || len(kept[0]) < s.Draws, Rounds: s.Until == spec.UntilAgreed,
		},
	}
	if n := len(r.Data.IDs); n > advisesSample && r.Spec.Data.File != "" && r.Spec.OfAllItems() == "" {
		in.Run.Sample = advisesSample / 2
	}
	in.Chains = lists.Of(traces, func(t Trace) int { return t.Chain + 1 })
	weighted := r.Spec.Likelihood.HasWeights()
	sharing := verdict.NewSharing(r.Data.IDs, kept)
	sharing.Code = weighted
	in.Families = append(in.Families, sharing)
	if seen != nil {
		in.Run.Latent = !slices.Contains(seen.Categories, nil)
		data, err := seen.Likelihood(r.Spec.Data)
		if err != nil {
			return nil, err
		}
		var covariances, fitted verdict.Family
		if weighted {
			covariances, fitted, err = verdict.NewSignals(r.Data.IDs, r.Data.Columns, data, kept)
			in.Families = append(in.Families, covariances)
		} else {
			fitted, err = verdict.NewFitted(r.Data.IDs, r.Data.Columns, data, kept)
		}
		if err != nil {
			return nil, err
		}
		in.Families = append(in.Families, fitted)
		if !weighted {
			in.Run.Weigh = r.Spec.Data.Preset == ""
		}
	}
	return verdict.Judge(in), nil
}
