package spec

// What a spec must satisfy whatever the data.

import (
	"math"
	"slices"

	"aibd/dataset"
	"aibd/internal/hint"
	"aibd/similarity"
)

// Validate reports the first setting that is out of range or contradicts another one,
// as an *Error. It reads no files.
func (s Spec) Validate() error {
	s = s.Complete()
	for _, d := range settings {
		if d.Key == "prior.temperature.value" && s.Prior.Temperature.Fixed {
			d.limits = "[0,inf)" // a chain cannot leave 0
		}
		if err := d.check(&s); err != nil {
			return err
		}
	}
	for _, check := range []func() error{s.Data.validate, s.Prior.validate, s.validateDistance, s.Sampler.validate, s.validateOthers} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (d Data) validate() error {
	switch {
	case d.Builtin != "" && d.File != "":
		return Errorf("data.file", "found the file %s and the built-in set %q, expected one of them", d.File, d.Builtin)
	case d.Builtin != "" && !slices.Contains(dataset.Names(), d.Builtin):
		return Errorf("data.builtin", "%w", hint.Unknown("data set", d.Builtin, dataset.Names()))
	case d.Preset != "" && d.File == "":
		return Errorf("data.file", "found none, expected the file of the preset %s, which is not part of this program", d.Preset)
	case d.Preset != "" && d.Side != "":
		return Errorf("data.side", "found %s, expected none: the preset %s has its covariates in its file", d.Side, d.Preset)
	}
	return nil
}

// validateDistance checks the distances if the law uses them.
func (s Spec) validateDistance() error {
	const kind, cols, file = Key("distance.kind"), Key("distance.columns"), Key("distance.file")
	d, columns := s.Distance, len(s.Distance.Columns)
	proximities := s.Prior.ProximityFile()
	switch {
	case proximities != "" && d.Kind != "none":
		return Errorf(kind, "found %s, expected none: the proximities are those of %s", d.Kind, proximities)
	case !s.Prior.HasDistances():
		return nil
	case d.Kind == "" || d.Kind == "none":
		return Errorf(kind, "found none, expected absolute, euclidean, great-circle or matrix, or %s ibp, which needs no distances", Key("prior.law"))
	case d.Kind == "absolute" && columns != 1:
		return Errorf(cols, "found %d columns, expected one to take the absolute difference of", columns)
	case d.Kind == "euclidean" && columns == 0:
		return Errorf(cols, "found none, expected the columns to take the Euclidean distance of")
	case d.Kind == "great-circle" && columns != 2:
		return Errorf(cols, "found %d columns, expected two, longitude and latitude", columns)
	case d.Kind == "matrix" && d.File == "":
		return Errorf(file, "found none, expected the file of the matrix")
	case d.Kind == "matrix" && columns != 0:
		return Errorf(cols, "found %d columns, expected none for a matrix", columns)
	case d.Kind != "matrix" && d.File != "":
		return Errorf(file, "found %s, expected none unless %s is matrix", d.File, kind)
	case d.Standardize && d.Kind != "absolute" && d.Kind != "euclidean":
		return Errorf("distance.standardize", "found true, expected false for %s", d.Kind)
	case s.Prior.Decay == "given" && (d.Kind != "matrix" || d.Per != 1 || d.Shift != 0):
		return Errorf("prior.decay", "found given, expected a distance of kind matrix with per 1 and shift 0, which holds the similarities")
	}
	return nil
}

func (p Prior) validate() error {
	if p.Law != "ibp" {
		if _, err := similarity.ParseDecay(p.Decay, p.DecayShift, p.WindowWidth); err != nil {
			return Errorf("prior.decay", "%w", err)
		}
	}
	if err := p.validateProximity(); err != nil {
		return err
	}
	if err := p.Permutation.validate(); err != nil {
		return err
	}
	for _, v := range []struct {
		key   Key
		fixed bool
		value *float64
	}{
		{"prior.mass.value", p.Mass.Fixed, p.Mass.Value},
		{"prior.temperature.value", p.Temperature.Fixed, p.Temperature.Value},
		{"prior.sigma_x.value", p.SigmaX.Fixed, p.SigmaX.Value},
		{"prior.sigma_a.value", p.SigmaA.Fixed, p.SigmaA.Value},
	} {
		if v.fixed && v.value == nil {
			return Errorf(v.key, "found none, expected the value to fix it at")
		}
	}
	for _, v := range []struct {
		key Key
		Scale
	}{{"prior.sigma_x", p.SigmaX}, {"prior.sigma_a", p.SigmaA}} {
		switch gamma := v.Shape != 0 || v.Rate != 0; {
		case !gamma || v.Fixed:
		case v.Max != 0:
			return Errorf(v.key+".max", "found %v with shape %v and rate %v, expected either max or shape and rate", v.Max, v.Shape, v.Rate)
		case v.Shape == 0 || v.Rate == 0:
			return Errorf(v.key+".shape", "found %v with rate %v, expected both above 0, or both 0", v.Shape, v.Rate)
		}
	}
	return nil
}

// validateProximity checks the settings that differ between the dd-IBP and other laws.
func (p Prior) validateProximity() error {
	const proximity = Key("prior.proximity")
	switch file := p.ProximityFile(); {
	case p.Proximity == "":
		return Errorf(proximity, "found nothing, expected sequential, symmetric or a file")
	case p.Law != "ddibp" && p.Proximity != "sequential":
		return Errorf(proximity, "found %s, expected it with %s ddibp only", p.Proximity, Key("prior.law"))
	case file != "" && p.Decay != "given":
		return Errorf("prior.decay", "found %s, expected given: the proximities are those of %s", p.Decay, file)
	case p.Law == "ddibp" && p.Decay == "reciprocal" && p.DecayShift != 1:
		return Errorf("prior.decay_shift", "found %v, expected 1 under ddibp, whose decays are 1 at distance 0", p.DecayShift)
	case p.Law != "ddibp" || p.Proximity == "sequential":
		return nil
	case p.Permutation.Kind != "random":
		return Errorf("prior.permutation.kind", "found %s, expected random, the default: under proximity %s items have no order", p.Permutation.Kind, p.Proximity)
	case len(p.Permutation.Order) > 0:
		return Errorf("prior.permutation.order", "found %d items, expected none: under proximity %s items have no order", len(p.Permutation.Order), p.Proximity)
	}
	return nil
}

func (p Permutation) validate() error {
	const column = Key("prior.permutation.column")
	switch {
	case p.Kind == "ordered" && p.Column == "":
		return Errorf(column, "found none, expected the column to order by")
	case p.Kind != "ordered" && p.Column != "":
		return Errorf(column, "found %q, expected none unless %s is ordered", p.Column, Key("prior.permutation.kind"))
	case p.Kind == "ordered" && len(p.Order) > 0:
		return Errorf("prior.permutation.order", "found %d items, expected none: a column gives the order", len(p.Order))
	}
	return nil
}

// validate checks what the ranges of single settings leave open.
func (s Sampler) validate() error {
	switch most := math.MaxInt32 / s.Chains; {
	case s.Seed > math.MaxInt64:
		return Errorf("sampler.seed", "found %d, expected 0 to %d", s.Seed, math.MaxInt64)
	case s.Draws > most:
		return Errorf("sampler.draws", "found %d, expected 1 to %d with %d chains", s.Draws, most, s.Chains)
	case s.ShuffleSize == 1:
		return Errorf("sampler.shuffle_size", "found 1, expected 0 or at least 2")
	case s.Truncation != 0 && s.Truncation < 1:
		return Errorf("sampler.truncation", "found %v, expected 0 or at least 1", s.Truncation)
	case s.Init == "":
		return Errorf("sampler.init", "found nothing, expected empty, prior, data or a file")
	}
	return nil
}

// validateOthers requires other updates unless everything but Z is fixed: an unknown
// would stay where it starts.
func (s Spec) validateOthers() error {
	p := s.Prior
	unknown := !p.Mass.Fixed || !p.SigmaX.Fixed || !p.SigmaA.Fixed ||
		p.HasTemperature() && !p.Temperature.Fixed || p.HasPermutation() && p.Permutation.Kind == "random"
	if s.Sampler.OtherUpdates == 0 && unknown {
		return Errorf("sampler.other_updates", "found 0, expected at least 1 unless everything but Z is fixed")
	}
	return nil
}
