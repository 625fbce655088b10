package spec

// A complete spec that is changed in part: what was filled in for another law or
// other distances is no default for the new.

import "aibd/mcmc"

// Release leaves open again, for Complete and Build to fill in, what the spec of a run
// holds only because of keys that are about to change. changes reports whether any of
// the keys that begin with one of the prefixes is among them.
func (s *Spec) Release(changes func(prefixes ...string) bool) {
	p, old := &s.Prior, s.Prior
	if changes("prior.law", "prior.proximity") {
		p.Proximity = "sequential"
		if s.Distance.Kind == "none" {
			s.Distance = Distance{}
		}
		if old.ProximityFile() != "" {
			s.release(old)
		}
		if old.Law == "ddibp" && old.Decay == "reciprocal" {
			p.DecayShift = 0
		}
	}
	if changes("distance.kind") {
		s.Distance = Distance{}
		if old.Decay == "given" {
			s.release(old)
		}
	}
	if changes("prior.decay") {
		s.release(old)
	}
	if changes("distance.kind", "distance.columns") && s.Data.File != "" && s.Data.Preset == "" && !s.Data.NamesColumns() {
		s.forgetX() // whose columns are those that the distances leave
	}
	if changes("distance.", "prior.law", "prior.proximity", "prior.decay", "prior.temperature") {
		s.Sampler.StepTemperature = 0
	}
	if changes("distance.") {
		s.Sampler.Insertions = nil
	}
	if changes("data.preset") {
		p.TemperatureUnit = ""
		s.forgetScales()
	}
	if changes("data.preset", "data.center") {
		s.Data.Intercept = nil
	}
	if changes("likelihood.features") && !s.Likelihood.HasWeights() && s.Data.Preset == "" {
		s.Data.MinNoise = mcmc.DefaultMinNoise // which Complete sets to 0 for binary features
	}
	if p.DefaultMax && changes("likelihood.features", "prior.sigma_x.") {
		if s.Sampler.StepSigmaA == mcmc.DefaultOptions().StepA*p.SigmaA.Max {
			s.Sampler.StepSigmaA = 0
		}
		p.SigmaA.Max = 0
	}
	if changes("prior.sigma_a.max", "prior.sigma_a.mean", "prior.sigma_a.shape", "prior.sigma_a.rate") {
		p.DefaultMax = false
	}
	if changes("sampler.init", "likelihood.features") {
		s.Sampler.Anneal = nil
	}
	for key, scale := range map[string]*Scale{"prior.sigma_x.": &p.SigmaX, "prior.sigma_a.": &p.SigmaA} {
		switch {
		case changes(key+"shape", key+"rate"):
			scale.Max, scale.Mean = 0, 0
		case changes(key + "max"):
			scale.Mean, scale.Shape, scale.Rate = 0, 0, 0
		case changes(key + "mean"):
			scale.Max, scale.Shape, scale.Rate = 0, 0, 0
		}
	}
}

// release puts back the decay, and the temperature if the old decay had none.
func (s *Spec) release(old Prior) {
	p, defaults := &s.Prior, Default().Prior
	p.Decay, p.DecayShift = defaults.Decay, defaults.DecayShift
	if old.Decay == given {
		p.Temperature = defaults.Temperature
	}
}
