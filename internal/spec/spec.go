// Package spec says what determines a run: its settings, their defaults and
// ranges, and their forms in TOML and JSON.
package spec

import (
	"cmp"
	"slices"
	"strings"

	"aibd/dataset"
	"aibd/fit"
	"aibd/mcmc"
)

// Spec is everything that determines the draws of a run: the same spec and data
// give the same draws, byte for byte, on any number of cores.
//
// The tags of a field declare its setting, see Setting. A number that is 0, or a
// starting value that is nil, is computed from the data or the prior where the help
// says so.
type Spec struct {
	Data       Data       `toml:"data" json:"data"`
	Distance   Distance   `toml:"distance" json:"distance" flag:"distance"`
	Likelihood Likelihood `toml:"likelihood" json:"likelihood"`
	Prior      Prior      `toml:"prior" json:"prior"`
	Sampler    Sampler    `toml:"sampler" json:"sampler"`
}

// Data says where X comes from and how it is transformed.
type Data struct {
	Builtin     string   `toml:"builtin" json:"builtin"`
	File        string   `toml:"file" json:"file"`
	Side        string   `toml:"side" json:"side"`
	ID          string   `toml:"id" json:"id"`
	Header      bool     `toml:"header" json:"header"`
	Preset      string   `toml:"preset" json:"preset" oneof:"preset alzheimers"`
	Columns     []string `toml:"columns" json:"columns"`
	Sample      int      `toml:"sample" json:"sample,omitempty" range:"[0,1000000000]"`
	Missing     []string `toml:"missing" json:"missing"`
	Binary      []string `toml:"binary" json:"binary"`
	Ordinal     []string `toml:"ordinal" json:"ordinal"`
	Count       []string `toml:"count" json:"count,omitempty"`
	Holdout     float64  `toml:"holdout" json:"holdout" range:"[0,0.9]"`
	HoldoutUnit string   `toml:"holdout_unit" json:"holdout_unit" default:"cells" oneof:"unit cells items half-items"`
	HoldoutFile string   `toml:"holdout_file" json:"holdout_file"`
	Log         []string `toml:"log" json:"log"`
	Log1p       []string `toml:"log1p" json:"log1p,omitempty"`
	Hellinger   []string `toml:"hellinger" json:"hellinger,omitempty"`
	Center      bool     `toml:"center" json:"center" default:"true"`
	Scale       *bool    `toml:"scale" json:"scale"`
	Intercept   *bool    `toml:"intercept" json:"intercept"`
	Noise       string   `toml:"noise" json:"noise" oneof:"noise common columns"`
	MinNoise    *float64 `toml:"min_noise" json:"min_noise" range:"[0,1]"`
	Hash        string   `toml:"hash" json:"hash" flag:"-"`
}

// OfAllItems names a file or a preset that says something of all items of the data, so that a sample of them
// does not suit it; "" if there is none. The spec must be complete.
func (s Spec) OfAllItems() string {
	for _, file := range []struct{ what, name string }{
		{"the preset", s.Data.Preset}, {"the hidden cells of", s.Data.HoldoutFile}, {"the proximities of", s.Prior.ProximityFile()}, {"the start", s.Sampler.InitFile()},
	} {
		if file.name != "" {
			return file.what + " " + file.name
		}
	}
	if s.HasDistances() {
		for _, d := range s.Distances() {
			if d.Kind == "matrix" || d.Kind == "tree" {
				return "the distance " + d.Kind + ":" + d.File
			}
		}
	}
	return ""
}

// Units of which a share is hidden.
const (
	HoldCells  = "cells"
	HoldItems  = "items"
	HoldHalves = "half-items"
)

// Hides reports whether cells of X are hidden from the fit.
func (d Data) Hides() bool { return d.Holdout > 0 || d.HoldoutFile != "" }

// Items returns the number of items of a file of the given number.
func (d Data) Items(rows int) int {
	if d.Sample > 0 {
		return min(rows, d.Sample)
	}
	return rows
}

// Likelihood says how items have features.
type Likelihood struct {
	Features string `toml:"features" json:"features" oneof:"features binary weighted graded"`
}

// Kind returns how items have features: binary, weighted or graded.
func (l Likelihood) Kind() string { return cmp.Or(l.Features, "binary") }

// HasWeights reports whether features have weights. The spec must be complete and not leave the kind open.
func (l Likelihood) HasWeights() bool { return l.Kind() == "weighted" || l.Kind() == "graded" }

// NearWeights reports whether weights follow distances. The spec must be complete.
func (s Spec) NearWeights() bool {
	return s.Likelihood.HasWeights() && s.Distance.Kind != "none" && s.Prior.ProximityFile() == ""
}

// ManyItems is the number of items above which a law that is left open has no distances if weights follow them. Then the
// work and the memory of a scan are in proportion to the number of items, and not to its square.
const ManyItems = 1000

// CompleteFor returns the spec with all defaults for n items.
func (s Spec) CompleteFor(n int) Spec {
	c := s.Complete()
	if s.Prior.Law == "" && n > ManyItems && c.NearWeights() {
		s.Prior.Law = "ibp"
		return s.Complete()
	}
	return c
}

// HasDistances reports whether the law or the weights measure distances. The spec must be complete.
func (s Spec) HasDistances() bool { return s.Prior.HasDistances() || s.NearWeights() }

// Prior is the law of the allocation and the priors of the other unknowns.
type Prior struct {
	Law             string      `toml:"law" json:"law" flag:"prior" oneof:"law aibd ddibp ibp"`
	Proximity       string      `toml:"proximity" json:"proximity" default:"sequential"`
	Decay           string      `toml:"decay" json:"decay" default:"exponential" oneof:"decay exponential reciprocal given"`
	DecayShift      float64     `toml:"decay_shift" json:"decay_shift"`
	Mass            Parameter   `toml:"mass" json:"mass" flag:"mass"`
	TemperatureUnit string      `toml:"temperature_unit" json:"temperature_unit" oneof:"unit median distance" rare:"yes"`
	Temperature     Parameter   `toml:"temperature" json:"temperature" flag:"temperature"`
	Permutation     Permutation `toml:"permutation" json:"permutation"`
	SigmaX          Scale       `toml:"sigma_x" json:"sigma_x" flag:"sigma-x"`
	SigmaA          Scale       `toml:"sigma_a" json:"sigma_a" flag:"sigma-a"`
}

// given is the decay that is the same at every temperature.
const given = "given"

// HasDistances reports whether the law of the allocation measures distances.
func (p Prior) HasDistances() bool { return p.Law != "ibp" && p.ProximityFile() == "" }

// LawName returns the law in a few words, with its decay unless that is exponential. The spec must be complete.
func (s Spec) LawName() string {
	p := s.Prior
	name := strings.ToUpper(p.Law)
	switch {
	case p.ProximityFile() != "":
		return "dd-IBP with the proximities of " + p.Proximity
	case p.Law == "ddibp":
		name = p.Proximity + " dd-IBP"
	}
	if p.Law == "ibp" {
		return name
	}
	switch p.Decay {
	case "reciprocal":
		name += " with reciprocal decay"
	case "given":
		name += " with given similarities"
	}
	return name
}

// ModelName returns the law and the kind of features in a few words. The spec must be complete.
func (s Spec) ModelName() string {
	name := s.LawName()
	if s.Likelihood.HasWeights() {
		name += ", " + s.Likelihood.Features + " features"
	}
	return name
}

// HasPermutation reports whether the law depends on the order of the items.
func (p Prior) HasPermutation() bool {
	return p.Law == "aibd" || p.Law == "ddibp" && p.Proximity == "sequential"
}

// ProximityFile returns the file with the proximities, or "" if the law computes them
// from distances.
func (p Prior) ProximityFile() string {
	if p.Law != "ddibp" || p.Proximity == "sequential" || p.Proximity == "symmetric" {
		return ""
	}
	return p.Proximity
}

// Parameter is an unknown with a gamma prior, or a fixed value.
type Parameter struct {
	Value *float64 `toml:"value" json:"value" flag:"*" range:"(0,inf)"`
	Fixed bool     `toml:"fixed" json:"fixed" flag:"fix-*"`
	Shape float64  `toml:"shape" json:"shape" flag:"*-shape" range:"(0,inf)"`
	Rate  float64  `toml:"rate" json:"rate" flag:"*-rate" range:"(0,inf)"`
}

// Permutation is the order in which the items arrive.
type Permutation struct {
	Kind   string `toml:"kind" json:"kind" flag:"permutation" default:"random" oneof:"kind random fixed ordered"`
	Column string `toml:"column" json:"column" flag:"order-by"`
	Order  []int  `toml:"order" json:"order" flag:"-"`
}

// Scale is a standard deviation, unknown or fixed. Its prior is uniform on
// (0, Max), exponential with the mean Mean, or gamma with Shape and Rate, whichever is given.
type Scale struct {
	Value *float64 `toml:"value" json:"value" flag:"*" range:"(0,inf)"`
	Fixed bool     `toml:"fixed" json:"fixed" flag:"fix-*"`
	Max   float64  `toml:"max" json:"max" flag:"max-*" range:"[0,inf)"`
	Mean  float64  `toml:"mean" json:"mean,omitempty" flag:"mean-*" range:"[0,inf)"`
	Shape float64  `toml:"shape" json:"shape" flag:"*-shape" range:"[0,inf)"`
	Rate  float64  `toml:"rate" json:"rate" flag:"*-rate" range:"[0,inf)"`
}

// Sampler says how the posterior is sampled. Numbers beyond the ranges can only be
// mistakes.
type Sampler struct {
	Seed            uint64   `toml:"seed" json:"seed" default:"1"`
	Chains          int      `toml:"chains" json:"chains" default:"4" range:"[1,1000]"`
	Warmup          int      `toml:"warmup" json:"warmup" range:"[0,1000000000]"`
	Round           int      `toml:"round" json:"round" flag:"-" default:"1" range:"[1,1000000]"`
	Skip            int      `toml:"skip" json:"skip" range:"[0,1000000000]"`
	Draws           int      `toml:"draws" json:"draws" range:"[1,2147483647]"`
	Thin            int      `toml:"thin" json:"thin" range:"[1,1000000000]"`
	Until           string   `toml:"until" json:"until" oneof:"until agreed draws"`
	Anneal          *float64 `toml:"anneal" json:"anneal" range:"[0,1]" rare:"yes"`
	OtherUpdates    *int     `toml:"other_updates" json:"other_updates" range:"[0,100000]" rare:"yes"`
	ShuffleSize     int      `toml:"shuffle_size" json:"shuffle_size" range:"[0,100000]" rare:"yes"`
	Insertions      int      `toml:"insertions" json:"insertions" range:"[0,100000]" rare:"yes"`
	StepTemperature float64  `toml:"step_temperature" json:"step_temperature" range:"[0,inf)" rare:"yes"`
	StepSigmaX      float64  `toml:"step_sigma_x" json:"step_sigma_x" range:"[0,inf)" rare:"yes"`
	StepSigmaA      float64  `toml:"step_sigma_a" json:"step_sigma_a" range:"[0,inf)" rare:"yes"`
	StepCorrelation float64  `toml:"step_correlation" json:"step_correlation" range:"(-1,1)" rare:"yes"`
	Tune            bool     `toml:"tune" json:"tune" rare:"yes"`
	Init            string   `toml:"init" json:"init"`
}

// Keep fills in what the spec leaves open of the data by what was resolved from the same data.
func (d *Data) Keep(resolved Data) {
	if d.Log == nil {
		d.Log = resolved.Log
	}
	if d.Binary == nil {
		d.Binary = resolved.Binary
	}
	d.Scale, d.Intercept, d.Noise = cmp.Or(d.Scale, resolved.Scale), cmp.Or(d.Intercept, resolved.Intercept), cmp.Or(d.Noise, resolved.Noise)
}

// Complete fills in the defaults that depend on other settings: without a data file, the
// built-in set; the kind of features and what goes with it; for a built-in set or a preset, its logarithms, scaling and distances; an
// intercept if X is centered, unless there is a preset; without distances, the law ibp; the unit of the distances; for a file of proximities, the
// decay given; for the reciprocal decay of the dd-IBP, shift 1; the unit of the temperature's
// prior; for a decay without a temperature, a fixed one; annealing. It does not fill in the
// defaults that depend on the data.
func (s Spec) Complete() Spec {
	d, dist := &s.Data, &s.Distance
	if d.File == "" && d.Builtin == "" {
		d.Builtin = "usstates"
	}
	open := dist.Kind == ""
	switch {
	case open && s.Prior.Law == "" && d.Builtin == "" && d.Preset == "" && d.Side == "" && len(dist.Columns) == 0 && dist.File == "" && s.Prior.Proximity == "sequential":
		s.Prior.Law, dist.Kind = "ibp", "none"
	case open && !s.Prior.HasDistances():
		dist.Kind = "none"
	case open && d.Preset == "alzheimers":
		// Warr et al.: the absolute difference of age in years, plus 0.00001.
		dist.Kind, dist.Columns, dist.Shift = "absolute", []string{"age"}, 0.00001
	case open && d.Builtin != "":
		dist.Kind = "great-circle"
	}
	if s.Prior.Law == "" {
		s.Prior.Law = "aibd"
	}
	if s.Likelihood.Features == "" {
		s.Likelihood.Features = string(mcmc.DefaultFeatures)
		if d.Preset != "" {
			s.Likelihood.Features = string(mcmc.Binary)
		}
	}
	weighted := s.Likelihood.HasWeights()
	if weighted && d.Preset == "" {
		for _, list := range []struct {
			columns *[]string
			auto    string
		}{{&d.Log, AutoLog}, {&d.Binary, AutoBinary}} {
			if *list.columns == nil {
				*list.columns = []string{list.auto}
			}
		}
	}
	if t, ok := d.transform(); ok {
		if d.Log == nil {
			d.Log = slices.Clone(t.Log)
		}
		if d.Scale == nil {
			d.Scale = &t.Scale
		}
	}
	if slices.Equal(d.Log, []string{NoLog}) {
		d.Log = nil
	}
	switch {
	case !weighted || d.Noise == NoiseCommon:
		d.MinNoise = new(0.0)
	case d.MinNoise == nil && d.Preset == "":
		d.MinNoise = new(mcmc.DefaultMinNoise)
	case d.MinNoise == nil:
		d.MinNoise = new(0.0)
	}
	if d.Intercept == nil {
		d.Intercept = new(d.Center && d.Preset == "")
	}
	dist.complete()
	if p := &s.Prior; p.Law == "ddibp" {
		switch {
		case p.ProximityFile() != "" && p.Decay == "exponential":
			p.Decay = "given"
		case p.Decay == "reciprocal" && p.DecayShift == 0:
			p.DecayShift = 1
		}
	}
	if s.Prior.TemperatureUnit == "" {
		s.Prior.TemperatureUnit = "median"
		if d.Preset != "" {
			s.Prior.TemperatureUnit = "distance"
		}
	}
	if t := &s.Prior.Temperature; s.Prior.Decay == given {
		t.Fixed = true
		if t.Value == nil {
			t.Value = new(1.0)
		}
	}
	if s.Likelihood.HasWeights() {
		s.Sampler.Anneal = new(0.0)
	}
	if s.Sampler.Init != "" {
		s.Sampler.FillAnneal()
	}
	if u := &s.Sampler.Until; *u == "" {
		*u = UntilAgreed
		if d.Preset != "" {
			*u = UntilDraws
		}
	}
	// An empty list is the same as none.
	for _, list := range []*[]string{&d.Columns, &d.Missing, &d.Binary, &d.Ordinal, &d.Log} {
		if *list == nil {
			*list = []string{}
		}
	}
	for _, list := range []*[]string{&d.Log1p, &d.Hellinger, &d.Count} { // which JSON omits if they are empty
		if len(*list) == 0 {
			*list = nil
		}
	}
	if s.Prior.Permutation.Order == nil {
		s.Prior.Permutation.Order = []int{}
	}
	return s
}

// When a run ends, see Sampler.Until.
const (
	UntilAgreed = "agreed"
	UntilDraws  = "draws"
)

// Source returns the file of the data, or the name of built-in data.
func (d Data) Source() string { return cmp.Or(d.File, d.Builtin) }

// Files returns the settings that may name a file. Some are empty, or values such as sequential.
func (s Spec) Files() (all []string) {
	s.WithFiles(func(file string) string { all = append(all, file); return file })
	return all
}

// WithFiles returns the spec with other Files.
func (s Spec) WithFiles(other func(file string) string) Spec {
	for _, file := range []*string{&s.Data.File, &s.Data.Side, &s.Data.HoldoutFile, &s.Prior.Proximity, &s.Sampler.Init} {
		*file = other(*file)
	}
	all := s.Distance.each()
	for m := range all {
		all[m].File = other(all[m].File)
	}
	s.Distance = join(all)
	return s
}

// NamesColumns reports whether the columns of X are named, not only some that are left out.
func (d Data) NamesColumns() bool {
	return slices.ContainsFunc(d.Columns, func(pattern string) bool { return !strings.HasPrefix(pattern, "!") })
}

// Values of Data.Binary other than columns, each alone.
const (
	AllBinary  = "all"
	NoBinary   = "none"
	AutoBinary = "auto" // Build replaces it
)

// Values of Data.Log other than columns, each alone.
const (
	NoLog   = "none" // Complete replaces it
	AutoLog = "auto" // Build replaces it
)

// BinaryColumns returns the binary columns of a table with the given columns of X, by name or pattern.
func (d Data) BinaryColumns(columns []string) []string {
	switch {
	case slices.Contains(d.Binary, AllBinary):
		return columns
	case slices.Contains(d.Binary, NoBinary), slices.Contains(d.Binary, AutoBinary):
		return nil
	}
	return d.Binary
}

// OrdinalColumn names ordinal columns.
type OrdinalColumn struct {
	Pattern string
	Labels  []string // in ascending order; nil for whole numbers
}

// OrdinalColumns returns the ordinal columns.
func (d Data) OrdinalColumns() (all []OrdinalColumn) {
	for _, text := range d.Ordinal {
		o := OrdinalColumn{Pattern: text}
		if pattern, labels, ok := strings.Cut(text, "="); ok {
			o.Pattern, o.Labels = pattern, strings.Split(labels, ",")
			for i, label := range o.Labels {
				o.Labels[i] = strings.TrimSpace(label)
			}
		}
		all = append(all, o)
	}
	return all
}

// transform returns the transformation of a preset or a built-in set.
func (d Data) transform() (dataset.Transform, bool) {
	if d.Preset == "alzheimers" {
		return dataset.Transform{Log: []string{"*SA"}, Scale: true}, true
	}
	set, err := dataset.Load(d.Builtin)
	if err != nil {
		return dataset.Transform{}, false
	}
	return set.Transform, true
}

// HasIntercept reports whether the model has an intercept. The spec must be complete.
func (d Data) HasIntercept() bool { return d.Intercept != nil && *d.Intercept }

// HasNoiseScales reports whether the columns of X have noise scales. The spec must be complete.
func (d Data) HasNoiseScales() bool { return d.Noise == NoiseColumns }

// Values of Data.Noise.
const (
	NoiseCommon  = "common"
	NoiseColumns = "columns"
)

// Config says how long a chain of the round is.
func (s Sampler) Config() mcmc.Config {
	return mcmc.Config{Warmup: s.Warmup, Skip: s.Skip, Draws: s.Draws, Thin: s.Thin}
}

// ThisRound returns the round as package fit has it.
func (s Sampler) ThisRound() fit.Round {
	return fit.Round{Number: s.Round, Chains: s.Chains, Length: s.Config()}
}

// Next returns the settings of the next round, see fit.Round.Next.
func (s Sampler) Next(growth float64) Sampler {
	next := s.ThisRound().Next(growth)
	s.Until, s.Round, s.Skip, s.Draws, s.Thin = UntilAgreed, next.Number, next.Length.Skip, next.Length.Draws, next.Length.Thin
	return s
}

// Annealed returns the number of scans over which the likelihood is annealed. The spec
// must be complete.
func (s Sampler) Annealed() int { return int(*s.Anneal * float64(s.Warmup)) }

// Values of Init that are none of package mcmc.
const (
	InitMixed     = "mixed"     // of chains that start as mcmc.Posterior.InitOf says
	InitSubsample = "subsample" // of chains that start by a fit of a subsample
)

// InitFile returns the file with Z at the start of the chains, or "" if there is none.
func (s Sampler) InitFile() string {
	switch s.Init {
	case "", "empty", "prior", "data", "factors", InitMixed, InitSubsample:
		return ""
	}
	return s.Init
}

// Restart makes the round the first, which skips and thins no draws.
func (s *Sampler) Restart() { s.Round, s.Skip, s.Thin = 1, 0, 1 }

// FillAnneal fills in the default of Anneal. Init must be set.
func (s *Sampler) FillAnneal() {
	if s.Anneal == nil {
		s.Anneal = new(mcmc.DefaultAnneal)
		if s.InitFile() != "" || s.Init == InitSubsample {
			*s.Anneal = 0 // annealing would forget the start
		}
	}
}

// Open reports whether the scale is unknown and its prior is left to the data.
func (c Scale) Open() bool {
	return !c.Fixed && c.Max == 0 && c.Mean == 0 && c.Shape == 0 && c.Rate == 0
}
