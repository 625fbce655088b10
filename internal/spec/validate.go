package spec

// What a spec must satisfy whatever the data.

import (
	"math"
	"slices"
	"strings"

	"aibd/dataset"
	"aibd/internal/hint"
	"aibd/internal/words"
	"aibd/similarity"
)

// firstError holds the first error about a spec.
type firstError struct{ err error }

// refuse notes an error about the setting at key if it is the first and broken is true.
func (v *firstError) refuse(broken bool, key Key, format string, args ...any) {
	if broken && v.err == nil {
		v.err = Errorf(key, format, args...)
	}
}

// Validate reports the first setting that is out of range or contradicts another one,
// as an *Error. It reads no files.
func (s Spec) Validate() error {
	s = s.Complete()
	if err := s.checkAll(""); err != nil {
		return err
	}
	for _, d := range s.Distance.FurtherDistances {
		one := s
		one.Distance = d
		if err := one.checkAll("distance."); err != nil {
			return d.About(err)
		}
	}
	var v firstError
	s.Data.validate(&v)
	s.Prior.validate(&v)
	s.validateDistance(&v)
	v.refuse(s.Data.Sample > 0 && s.Data.File == "", "data.sample", "found %d without a data file, expected 0", s.Data.Sample)
	all := s.OfAllItems()
	v.refuse(s.Data.Sample > 0 && all != "", "data.sample", "found %d and %s, which is about all items: expected 0", s.Data.Sample, all)
	s.Sampler.validate(&v)
	p := s.Prior
	unknown := !p.Mass.Fixed || !p.SigmaX.Fixed || !p.SigmaA.Fixed ||
		len(s.RandomTemperatures()) > 0 || p.HasPermutation() && p.Permutation.Kind == "random"
	v.refuse(s.Sampler.OtherUpdates != nil && *s.Sampler.OtherUpdates == 0 && unknown, "sampler.other_updates", "found 0, expected at least 1 unless everything but Z is fixed")
	return v.err
}

// checkAll checks each setting whose key begins with a prefix by itself.
func (s Spec) checkAll(prefix string) error {
	for _, d := range settings {
		if !strings.HasPrefix(string(d.Key), prefix) {
			continue
		}
		if d.Key == "prior.temperature.value" && s.Prior.Temperature.Fixed || d.Key == "distance.temperature.value" && s.Distance.Temperature.Fixed {
			d.limits = "[0,inf)" // a chain cannot leave 0
		}
		if err := d.check(&s); err != nil {
			return err
		}
	}
	return nil
}

func (d Data) validate(v *firstError) {
	v.refuse(d.Builtin != "" && d.File != "", "data.file", "found the file %s and the built-in set %q, expected one of them", d.File, d.Builtin)
	v.refuse(d.Builtin != "" && !slices.Contains(dataset.Names(), d.Builtin), "data.builtin", "%w", hint.Unknown("data set", d.Builtin, dataset.Names()))
	v.refuse(d.Holdout > 0 && d.HoldoutFile != "", "data.holdout", "found %v and the file %s, expected one of them", d.Holdout, d.HoldoutFile)
	for _, alone := range []string{AllBinary, NoBinary, AutoBinary} {
		v.refuse(len(d.Binary) > 1 && slices.Contains(d.Binary, alone), "data.binary", "found %s with others, expected it alone", alone)
	}
	for _, alone := range []string{NoLog, AutoLog} {
		v.refuse(len(d.Log) > 1 && slices.Contains(d.Log, alone), "data.log", "found %s with others, expected it alone", alone)
	}
	for _, o := range d.OrdinalColumns() {
		broken := slices.Contains(o.Labels, "") || len(slices.Compact(slices.Sorted(slices.Values(o.Labels)))) < max(2, len(o.Labels))
		v.refuse(o.Pattern == "" || o.Labels != nil && broken, "data.ordinal", "found %s=%s, expected a column and at least two different labels, such as grade=low,mid,high", o.Pattern, strings.Join(o.Labels, ","))
	}
	v.refuse(d.Preset != "" && d.File == "", "data.file", "found none, expected the file of the preset %s, which is not part of this program", d.Preset)
	v.refuse(d.Preset != "" && d.Side != "", "data.side", "found %s, expected none: the preset %s has its covariates in its file", d.Side, d.Preset)
}

// validateDistance checks the distances if the law uses them.
func (s Spec) validateDistance(v *firstError) {
	const kind = Key("distance.kind")
	d, proximities := s.Distance, s.Prior.ProximityFile()
	v.refuse(proximities != "" && (d.Kind != "none" || len(d.FurtherDistances) > 0), kind, "found %s, expected none: %s gives the proximities", d.Kind, proximities)
	if !s.HasDistances() {
		return
	}
	v.refuse(d.Kind == "" || d.Kind == "none", kind, "found none, expected absolute, euclidean, great-circle, same, cyclic, gower, matrix or tree, or %s ibp, which needs no distances", Key("prior.law"))
	all := s.Distances()
	for _, d := range all {
		d.validate(v)
		similarities := d.Kind == "matrix" && d.Shift == 0
		v.refuse(s.Prior.Decay == given && !similarities, "prior.decay", "found given, expected a distance of kind matrix with shift 0, which holds the similarities")
		v.refuse(d.Temperature.Fixed && d.Temperature.Value == nil, "distance.temperature.value", noValue)
		if v.err != nil {
			if len(all) > 1 {
				v.err = d.About(v.err)
			}
			return
		}
	}
	s.validateSeveral(v)
}

// validate checks what belongs to the kind of the distance.
func (d Distance) validate(v *firstError) {
	const kind, columns, file = Key("distance.kind"), Key("distance.columns"), Key("distance.file")
	n := len(d.Columns)
	v.refuse(d.Kind == "absolute" && n != 1, columns, "found %s, expected one to take the absolute difference of", words.Plural(n, "column"))
	v.refuse(d.Kind == "euclidean" && n == 0, columns, "found none, expected the columns to take the Euclidean distance of")
	v.refuse(d.Kind == "great-circle" && n != 0 && n != 2, columns, "found %s, expected two, longitude and latitude", words.Plural(n, "column"))
	v.refuse(d.Kind == "same" && n != 1, columns, "found %s, expected one whose labels are the same or not", words.Plural(n, "column"))
	v.refuse(d.Kind == "gower" && n == 0, columns, "found none, expected the columns to take Gower's distance of")
	v.refuse(d.Kind == "cyclic" && n != 1, columns, "found %s, expected one to take the cyclic difference of", words.Plural(n, "column"))
	v.refuse(d.Kind == "cyclic" && d.Period == 0, "distance.period", "found none, expected the period of the column, such as 24 for hours")
	v.refuse(d.Kind != "cyclic" && d.Period != 0, "distance.period", "found %v, expected none unless %s is cyclic", d.Period, kind)
	ofFile := d.Kind == "matrix" || d.Kind == "tree"
	v.refuse(ofFile && d.File == "", file, "found none, expected the file of the %s", d.Kind)
	v.refuse(ofFile && n != 0, columns, "found %s, expected none for a %s", words.Plural(n, "column"), d.Kind)
	v.refuse(!ofFile && d.File != "", file, "found %s, expected none unless %s is matrix or tree", d.File, kind)
	v.refuse(d.Standardize && d.Kind != "absolute" && d.Kind != "euclidean", "distance.standardize", "found true, expected false for %s", d.Kind)
}

const noValue = "found none, expected the value to fix it at"

func (p Prior) validate(v *firstError) {
	_, err := similarity.ParseDecay(p.Decay, p.DecayShift)
	v.refuse(p.Law != "ibp" && err != nil, "prior.decay", "%w", err)
	p.validateProximity(v)
	p.Permutation.validate(v)
	v.refuse(p.Mass.Fixed && p.Mass.Value == nil, "prior.mass.value", noValue)
	v.refuse(p.Temperature.Fixed && p.Temperature.Value == nil, "prior.temperature.value", noValue)
	for _, c := range []struct {
		key Key
		Scale
	}{{"prior.sigma_x", p.SigmaX}, {"prior.sigma_a", p.SigmaA}} {
		v.refuse(c.Fixed && c.Value == nil, c.key+".value", noValue)
		gamma := !c.Fixed && (c.Shape != 0 || c.Rate != 0)
		v.refuse(gamma && c.Max != 0, c.key+".max", "found %v with shape %v and rate %v, expected either max or shape and rate", c.Max, c.Shape, c.Rate)
		v.refuse(gamma && c.Mean != 0, c.key+".mean", "found %v with shape %v and rate %v, expected either mean or shape and rate", c.Mean, c.Shape, c.Rate)
		v.refuse(!c.Fixed && c.Mean != 0 && c.Max != 0, c.key+".mean", "found %v with max %v, expected either max or mean", c.Mean, c.Max)
		v.refuse(gamma && (c.Shape == 0 || c.Rate == 0), c.key+".shape", "found %v with rate %v, expected both above 0, or both 0", c.Shape, c.Rate)
	}
}

// validateProximity checks the settings that differ between the dd-IBP and other laws.
func (p Prior) validateProximity(v *firstError) {
	file, order := p.ProximityFile(), p.Permutation
	v.refuse(p.Proximity == "", "prior.proximity", "found nothing, expected sequential, symmetric or a file")
	v.refuse(p.Law != "ddibp" && p.Proximity != "sequential", "prior.proximity", "found %s, expected it with %s ddibp only", p.Proximity, Key("prior.law"))
	v.refuse(file != "" && p.Decay != "given", "prior.decay", "found %s, expected given: %s gives the proximities", p.Decay, file)
	v.refuse(p.Law == "ddibp" && p.Decay == "reciprocal" && p.DecayShift != 1, "prior.decay_shift", "found %v, expected 1 under ddibp, whose decays are 1 at distance 0", p.DecayShift)
	if p.Law == "ddibp" && !p.HasPermutation() {
		v.refuse(order.Kind != "random", "prior.permutation.kind", "found %s, expected random, the default: under proximity %s items have no order", order.Kind, p.Proximity)
		v.refuse(len(order.Order) > 0, "prior.permutation.order", "found %s, expected none: under proximity %s items have no order", words.Plural(len(order.Order), "item"), p.Proximity)
	}
}

func (p Permutation) validate(v *firstError) {
	ordered := p.Kind == "ordered"
	v.refuse(ordered && p.Column == "", "prior.permutation.column", "found none, expected the column to order by")
	v.refuse(!ordered && p.Column != "", "prior.permutation.column", "found %q, expected none unless %s is ordered", p.Column, Key("prior.permutation.kind"))
	v.refuse(ordered && len(p.Order) > 0, "prior.permutation.order", "found %s, expected none: a column gives the order", words.Plural(len(p.Order), "item"))
}

// validate checks what the ranges of single settings leave open.
func (s Sampler) validate(v *firstError) {
	limit := math.MaxInt32 / s.Chains // draws are numbered through the chains in 32 bits
	v.refuse(s.Seed > math.MaxInt64, "sampler.seed", "found %d, expected 0 to %d", s.Seed, math.MaxInt64)
	v.refuse(s.Draws > limit, "sampler.draws", "found %d, expected 1 to %d with %d chains", s.Draws, limit, s.Chains)
	v.refuse(s.ShuffleSize == 1, "sampler.shuffle_size", "found 1, expected 0 or at least 2")
}
