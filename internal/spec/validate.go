package spec

// What a spec must satisfy whatever the data.

import (
	"fmt"
	"math"
	"slices"

	"aibd/dataset"
	"aibd/similarity"
)

// Validate reports the first thing in the spec that cannot be, by its key, what
// was found and what is expected. It reads no files.
func (s Spec) Validate() error {
	s = s.Complete()
	for _, check := range []func() error{s.Data.validate, s.validatePrior, s.validateDistance, s.Sampler.validate, s.validateOthers} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (d Data) validate() error {
	switch {
	case d.Builtin != "" && d.File != "":
		return fmt.Errorf("data: found the file %s and the built-in set %q, expected one of them", d.File, d.Builtin)
	case d.Builtin != "" && !slices.Contains(dataset.Names(), d.Builtin):
		return fmt.Errorf("data.builtin: %w", similarity.Unknown("data set", d.Builtin, dataset.Names()))
	case d.Preset != "" && d.Preset != "alzheimers":
		return fmt.Errorf("data.preset: %w", similarity.Unknown("preset", d.Preset, []string{"alzheimers"}))
	case d.Preset != "" && d.File == "":
		return fmt.Errorf("data.file: found none, expected the file of the preset %s, which is not part of this program", d.Preset)
	case d.Preset != "" && d.Side != "":
		return fmt.Errorf("data.side: found %s, expected none as the preset %s has its covariates in its file", d.Side, d.Preset)
	}
	return nil
}

var (
	distanceKinds    = []string{"absolute", "euclidean", "great-circle", "matrix", "none"}
	laws             = []string{"aibd", "ddibp", "ibp"}
	permutationKinds = []string{"random", "fixed", "ordered"}
)

// validateOthers refuses a run without other updates in which something else than Z
// is unknown: it would stay where it started.
func (s Spec) validateOthers() error {
	p := s.Prior
	unknown := !p.Mass.Fixed || !p.SigmaX.Fixed || !p.SigmaA.Fixed ||
		p.HasTemperature() && !p.Temperature.Fixed || p.HasPermutation() && p.Permutation.Kind == "random"
	if s.Sampler.OtherUpdates == 0 && unknown {
		return fmt.Errorf("sampler.other_updates: found 0, expected at least 1 unless everything but Z is fixed")
	}
	return nil
}

// validateDistance looks at the distances only if the law uses them.
func (s Spec) validateDistance() error {
	d := s.Distance
	switch file := s.Prior.ProximityFile(); {
	case s.Prior.Law == "ibp":
		return nil
	case file != "" && d.Kind != "none":
		return fmt.Errorf("distance.kind: found %s, expected none as the proximities are those of %s", d.Kind, file)
	case file != "":
		return nil
	}
	if d.Kind != "" && !slices.Contains(distanceKinds, d.Kind) {
		return fmt.Errorf("distance.kind: %w", similarity.Unknown("distance", d.Kind, distanceKinds))
	}
	columns := len(d.Columns)
	switch {
	case d.Kind == "" || d.Kind == "none":
		return fmt.Errorf("distance.kind: found none, expected absolute, euclidean, great-circle or matrix, or prior.law ibp, which does without")
	case d.Kind == "absolute" && columns != 1:
		return fmt.Errorf("distance.columns: found %d columns, expected one to take the absolute difference of", columns)
	case d.Kind == "euclidean" && columns == 0:
		return fmt.Errorf("distance.columns: found none, expected the columns to take the Euclidean distance of")
	case d.Kind == "great-circle" && columns != 2:
		return fmt.Errorf("distance.columns: found %d columns, expected two, longitude and latitude", columns)
	case d.Kind == "matrix" && d.File == "":
		return fmt.Errorf("distance.file: found none, expected the file of the matrix")
	case d.Kind == "matrix" && columns != 0:
		return fmt.Errorf("distance.columns: found %d columns, expected none for a matrix", columns)
	case d.Kind != "matrix" && d.File != "":
		return fmt.Errorf("distance.file: found %s, expected none unless distance.kind is matrix", d.File)
	case d.Standardize && d.Kind != "absolute" && d.Kind != "euclidean":
		return fmt.Errorf("distance.standardize: found true, expected false for %s", d.Kind)
	}
	if err := positive("distance.per", d.Per); err != nil {
		return err
	}
	if err := atLeast0("distance.shift", d.Shift); err != nil {
		return err
	}
	if s.Prior.Decay == "given" && (d.Kind != "matrix" || d.Per != 1 || d.Shift != 0) {
		return fmt.Errorf("prior.decay: found given, expected a distance of kind matrix with per 1 and shift 0, which holds the similarities")
	}
	return nil
}

func (s Spec) validatePrior() error {
	p := s.Prior
	if !slices.Contains(laws, p.Law) {
		return fmt.Errorf("prior.law: %w", similarity.Unknown("law", p.Law, laws))
	}
	if err := p.Mass.validate("prior.mass"); err != nil {
		return err
	}
	if err := p.validateProximity(); err != nil {
		return err
	}
	if p.Law != "ibp" {
		if _, err := similarity.ParseDecay(p.Decay, p.DecayShift, p.WindowWidth); err != nil {
			return fmt.Errorf("prior.decay: %w", err)
		}
		if err := p.validateTemperature(); err != nil {
			return err
		}
		if err := p.Permutation.validate(); err != nil {
			return err
		}
	}
	if err := p.SigmaX.validate("prior.sigma_x"); err != nil {
		return err
	}
	return p.SigmaA.validate("prior.sigma_a")
}

// validateProximity looks at what the dd-IBP alone has, and at what it cannot have.
func (p Prior) validateProximity() error {
	file := p.ProximityFile()
	switch {
	case p.Proximity == "":
		return fmt.Errorf("prior.proximity: found nothing, expected sequential, symmetric or a file")
	case p.Law != "ddibp" && p.Proximity != "sequential":
		return fmt.Errorf("prior.proximity: found %s, expected it with prior.law ddibp only", p.Proximity)
	case file != "" && p.Decay != "given":
		return fmt.Errorf("prior.decay: found %s, expected given as the proximities are those of %s", p.Decay, file)
	case p.Law == "ddibp" && p.Decay == "reciprocal" && p.DecayShift != 1:
		return fmt.Errorf("prior.decay_shift: found %v, expected 1 under ddibp, whose decays are 1 at distance 0", p.DecayShift)
	case p.Law != "ddibp" || p.Proximity == "sequential":
		return nil
	case p.Permutation.Kind != "random":
		return fmt.Errorf("prior.permutation.kind: found %s, expected random, the default: with proximity %s no item arrives before another", p.Permutation.Kind, p.Proximity)
	case len(p.Permutation.Order) > 0:
		return fmt.Errorf("prior.permutation.order: found %d items, expected none: with proximity %s no item arrives before another", len(p.Permutation.Order), p.Proximity)
	}
	return nil
}

// validate is for a parameter that must be above 0.
func (p Parameter) validate(key string) error {
	if p.Fixed && p.Value == nil {
		return fmt.Errorf("%s.value: found none, expected the value to fix it at", key)
	}
	if p.Value != nil {
		if err := positive(key+".value", *p.Value); err != nil {
			return err
		}
	}
	if p.Fixed {
		return nil
	}
	if err := positive(key+".shape", p.Shape); err != nil {
		return err
	}
	return positive(key+".rate", p.Rate)
}

// validateTemperature allows a fixed temperature of 0.
func (p Prior) validateTemperature() error {
	if t := p.Temperature; t.Fixed && t.Value != nil {
		return atLeast0("prior.temperature.value", *t.Value)
	}
	return p.Temperature.validate("prior.temperature")
}

func (p Permutation) validate() error {
	switch {
	case !slices.Contains(permutationKinds, p.Kind):
		return fmt.Errorf("prior.permutation.kind: %w", similarity.Unknown("kind", p.Kind, permutationKinds))
	case p.Kind == "ordered" && p.Column == "":
		return fmt.Errorf("prior.permutation.column: found none, expected the column to order by")
	case p.Kind != "ordered" && p.Column != "":
		return fmt.Errorf("prior.permutation.column: found %q, expected none unless prior.permutation.kind is ordered", p.Column)
	case p.Kind == "ordered" && len(p.Order) > 0:
		return fmt.Errorf("prior.permutation.order: found %d items, expected none as a column gives the order", len(p.Order))
	}
	return nil
}

func (c Scale) validate(key string) error {
	if c.Fixed && c.Value == nil {
		return fmt.Errorf("%s.value: found none, expected the value to fix it at", key)
	}
	if c.Value != nil {
		if err := positive(key+".value", *c.Value); err != nil {
			return err
		}
	}
	if c.Fixed {
		return nil
	}
	if err := atLeast0(key+".max", c.Max); err != nil {
		return err
	}
	if c.Shape == 0 && c.Rate == 0 {
		return nil
	}
	if c.Max != 0 {
		return fmt.Errorf("%s: found max %v with shape %v and rate %v, expected either max or shape and rate", key, c.Max, c.Shape, c.Rate)
	}
	if err := positive(key+".shape", c.Shape); err != nil {
		return err
	}
	return positive(key+".rate", c.Rate)
}

// Bounds beyond which numbers can only be mistakes. The products of scans stay
// integers, and a scan has a list of its updates.
const (
	mostScans   = 1_000_000_000
	mostChains  = 1000
	mostUpdates = 100_000
)

func (s Sampler) validate() error {
	for _, v := range []struct {
		key            string
		x, least, most int
	}{
		{"chains", s.Chains, 1, mostChains},
		{"warmup", s.Warmup, 0, mostScans},
		{"draws", s.Draws, 1, math.MaxInt32 / max(s.Chains, 1)},
		{"thin", s.Thin, 1, mostScans},
		{"other_updates", s.OtherUpdates, 0, mostUpdates},
		{"shuffle_size", s.ShuffleSize, 0, mostUpdates},
		{"clusters", s.Clusters, 0, mostUpdates},
		{"sums", s.Sums, 0, mostUpdates},
		{"combinations", s.Combinations, 0, mostUpdates},
		{"births", s.Births, 0, mostUpdates},
		{"insertions", s.Insertions, 0, mostUpdates},
	} {
		if v.x < v.least || v.x > v.most {
			return fmt.Errorf("sampler.%s: found %d, expected %d to %d", v.key, v.x, v.least, v.most)
		}
	}
	for _, v := range []struct {
		key string
		x   float64
	}{{"step_temperature", s.StepTemperature}, {"step_sigma_x", s.StepSigmaX}, {"step_sigma_a", s.StepSigmaA}} {
		if err := atLeast0("sampler."+v.key, v.x); err != nil {
			return err
		}
	}
	switch {
	case s.Seed > math.MaxInt64:
		return fmt.Errorf("sampler.seed: found %d, expected 0 to %d", s.Seed, math.MaxInt64)
	case !(s.Anneal >= 0 && s.Anneal <= 1):
		return fmt.Errorf("sampler.anneal: found %v, expected a share of warmup from 0 to 1", s.Anneal)
	case s.ShuffleSize == 1:
		return fmt.Errorf("sampler.shuffle_size: found 1, expected 0 or at least 2")
	case !(math.Abs(s.StepCorrelation) < 1):
		return fmt.Errorf("sampler.step_correlation: found %v, expected a number between -1 and 1", s.StepCorrelation)
	case s.Truncation != 0 && !(s.Truncation >= 1) || math.IsInf(s.Truncation, 1):
		return fmt.Errorf("sampler.truncation: found %v, expected 0 or a finite number of at least 1", s.Truncation)
	case s.Init == "":
		return fmt.Errorf("sampler.init: found nothing, expected empty, prior, data or a file")
	}
	return nil
}

func positive(key string, x float64) error {
	if !(x > 0) || math.IsInf(x, 1) {
		return fmt.Errorf("%s: found %v, expected a finite number above 0", key, x)
	}
	return nil
}

func atLeast0(key string, x float64) error {
	if !(x >= 0) || math.IsInf(x, 1) {
		return fmt.Errorf("%s: found %v, expected a finite number of at least 0", key, x)
	}
	return nil
}
