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

// subject describes the draws of a run with the given spec and data.
func subject(spec spec.Spec, data DataInfo) verdict.Subject {
	p := spec.Prior
	count := data.furtherTemperatures(p)
	s := verdict.Subject{
		Items: data.IDs, Columns: data.Columns, Weighted: spec.Likelihood.HasWeights(),
		Has: draws.Has{
			Temperature: spec.HasTemperature() || count > 0, FurtherTemperatures: count, Permutation: p.HasPermutation() && data.N > 1,
			Shares:      data.Shares,
			NoiseScales: len(data.Noise) > 0, Cutpoints: len(data.Cutpoints),
		},
		Max: map[string]float64{draws.KeySigmaX: p.SigmaX.Max, draws.KeySigmaA: p.SigmaA.Max}, Names: map[string]string{},
	}
	for m, near := range data.Weights {
		if near.MaxRate > 0 {
			s.Has.Rates |= 1 << m
		}
	}
	fix := func(key string, fixed bool) {
		if fixed {
			s.Fixed = append(s.Fixed, key)
		}
	}
	fix(draws.KeyMass, p.Mass.Fixed)
	fix(draws.KeySigmaX, p.SigmaX.Fixed)
	fix(draws.KeySigmaA, p.SigmaA.Fixed)
	fix(draws.UnknownShares, s.Has.Shares == 0)
	fix(draws.UnknownWeights, !s.Weighted)
	fix(draws.UnknownPermutation, p.Permutation.Kind != "random")
	fix(draws.UnknownNoiseScales, !s.Has.NoiseScales)
	random := spec.RandomTemperatures()
	for m := range data.Distances() {
		fix(draws.TemperatureKey(m), !slices.Contains(random, m))
	}
	for k, name := range data.Cutpoints {
		s.Names[draws.CutpointKey(k)] = "cutpoint " + name
	}
	distances := spec.Distances()
	if count > 0 {
		for m, d := range distances {
			s.Names[draws.TemperatureKey(m)] = "temperature of " + d.Label()
		}
	}
	for m, near := range data.Weights {
		if len(distances) > 1 {
			s.Names[draws.ShareKey(m)] = "share of the weights near by " + distances[near.Distance].Label()
			s.Names[draws.RateKey(m)] = "rate of the weights by " + distances[near.Distance].Label()
		}
	}
	return s
}

// Quantities returns the scalars of the draws of all chains that are reported. They depend on
// the law and on the data.
func Quantities(traces []Trace, spec spec.Spec, data DataInfo) []verdict.Quantity {
	return subject(spec, data).Quantities(valuesOf(traces))
}

func valuesOf(traces []Trace) []map[string][]float64 {
	return lists.Map(traces, func(t Trace) map[string][]float64 { return t.Values })
}

// advisesSample is the number of items above which chains often need longer than people wait.
const advisesSample = 2000

// Judge returns the verdict on the draws of traces and on those of kept, of the same chains,
// from which it takes the sharing of items and fitted values. If features have
// weights, the covariances of the signals of items decide in place of sharing. Next is the directory that
// commands propose for a next run.
func (r *Run) Judge(traces []Trace, kept [][]*draws.Draw, seen *model.Observed, next string) (*verdict.Verdict, error) {
	s, subject := r.Spec.Sampler, subject(r.Spec, r.Data)
	in := verdict.Input{
		Chains: lists.Map(traces, func(t Trace) int { return t.Chain + 1 }), Quantities: subject.Quantities(valuesOf(traces)),
		Run: verdict.Run{
			Dir: r.Dir, Next: next, Chains: s.Chains, Warmup: s.Warmup, Skip: s.Skip, Draws: len(kept[0]), Thin: s.Thin,
			Seconds: r.SecondsPerScan() * float64(s.Chains*len(kept[0])*s.Thin),
			Begun:   r.Next() != nil || len(kept) < s.Chains || len(kept[0]) < s.Draws, Rounds: s.Until == spec.UntilAgreed,
		},
	}
	if n := len(r.Data.IDs); n > advisesSample && r.Spec.Data.File != "" && r.Spec.OfAllItems() == "" {
		in.Run.Sample = advisesSample / 2
	}
	in.Run.Latent = !slices.Contains(seen.Categories, nil)
	in.Run.Weigh = !subject.Weighted && r.Spec.Data.Preset == ""
	var err error
	if subject.Data, err = seen.Likelihood(r.Spec.Data); err != nil {
		return nil, err
	}
	if in.Families, err = subject.Families(kept); err != nil {
		return nil, err
	}
	return verdict.Judge(in), nil
}
