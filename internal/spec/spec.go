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
	Data       Data       `toml:"data" json:"data" help:"The observations X: items in rows, variables in columns."`
	Distance   Distance   `toml:"distance" json:"distance" flag:"distance" help:"How far apart the items are. Again for each of several distances, whose similarities multiply. Unused by law ibp, and by ddibp with a file of proximities."`
	Likelihood Likelihood `toml:"likelihood" json:"likelihood" help:"How items have features."`
	Prior      Prior      `toml:"prior" json:"prior" help:"The prior of Z and of the other unknowns."`
	Sampler    Sampler    `toml:"sampler" json:"sampler" help:"How the posterior is sampled."`
}

// Data says where X comes from and how it is transformed.
type Data struct {
	Builtin     string   `toml:"builtin" json:"builtin" help:"Built-in data set (see aibd data list). If no file is given: usstates."`
	File        string   `toml:"file" json:"file" help:"CSV file with a header line."`
	Side        string   `toml:"side" json:"side" help:"CSV file with covariates of the same items."`
	ID          string   `toml:"id" json:"id" help:"Column with the names of the items. Empty: the first column if it looks like names; -: none."`
	Header      bool     `toml:"header" json:"header" help:"The first line of the data and of the side file names the columns, even by numbers. By default it must have text, years in ascending order, or numbers beside a name of the column of names."`
	Preset      string   `toml:"preset" json:"preset" oneof:"preset alzheimers" help:"alzheimers: the file has the data of the paper's application; analyze it as the paper does."`
	Columns     []string `toml:"columns" json:"columns" help:"Columns of X, by name or pattern such as *SA; !NAME leaves out a column. Empty: all numeric columns but names and columns of the distances."`
	Sample      int      `toml:"sample" json:"sample,omitempty" range:"[0,1000000000]" help:"Number of items of a random sample, which takes the place of all. It is the same for each seed. No other file than that of covariates may name the items. 0: all items."`
	Missing     []string `toml:"missing" json:"missing" help:"Marks of missing cells, such as -999, besides an empty cell, NA, NaN, N/A, null, ., ? and errors of Excel such as #N/A. Missing cells of X are unknowns that are sampled, and so are limits such as <0.5 and >100."`
	Binary      []string `toml:"binary" json:"binary" help:"Binary columns of X, by name or pattern, all, none or auto. Each has two values, numbers or text, of which the larger, or the later in the alphabet, is 1. The model is of a latent value, which is positive where the cell is 1 (probit). auto: all if each column of X has two values, otherwise those of 0 and 1, if two columns of numbers remain, and those of TRUE and FALSE. all: those of two values, text too. By default auto, but all or none with binary features or a preset."`
	Ordinal     []string `toml:"ordinal" json:"ordinal" help:"Ordinal columns of X: stars for whole numbers, grade=low,mid,high for labels in ascending order. Names may be patterns. Columns with labels come last. The model is of a latent value between cutpoints, which are unknown."`
	Count       []string `toml:"count" json:"count,omitempty" help:"Columns of counts in X, by name or pattern: 0, 1, 2 and so on. A count is the whole part of the square of a latent value, to which the model applies (Kowal and Canale, 2020)."`
	Holdout     float64  `toml:"holdout" json:"holdout" range:"[0,0.9]" help:"Share of the observed cells to hide from the fit, for aibd predict. It scores predictions of them. The seed selects them."`
	HoldoutUnit string   `toml:"holdout_unit" json:"holdout_unit" default:"cells" oneof:"unit cells items half-items" help:"What to hide a share of: cells, items with all their cells, or items with half of their cells, drawn for each."`
	HoldoutFile string   `toml:"holdout_file" json:"holdout_file" help:"CSV file with the cells of X to hide from the fit. It has two columns, item and variable, and a header line."`
	Log         []string `toml:"log" json:"log" help:"Columns to replace by their natural logarithms, by name or pattern, none or auto. auto: those of at least 10 positive numbers, of more than 5 different values, whose skewness is at least 1, if their logarithms are at most half as skewed and a normal law makes a number more likely by at least 0.3 nats; columns that rise and fall together are judged together; but no whole numbers with one below 10, no columns with limits, and none with --center=false or --scale=false. By default auto, but none with binary features or a preset."`
	Log1p       []string `toml:"log1p" json:"log1p,omitempty" help:"Columns to replace by log(1 + x), by name or pattern: abundances with zeros."`
	Hellinger   []string `toml:"hellinger" json:"hellinger,omitempty" help:"Columns of abundances to replace by square roots of their shares of a row. By name or pattern. The sum is over all cells of the row, hidden ones too, and predictions are of the square roots."`
	Center      bool     `toml:"center" json:"center" default:"true" help:"Subtract the mean of each column."`
	Scale       *bool    `toml:"scale" json:"scale" help:"Divide each column by its standard deviation: auto, true or false. By default auto, which is true for data of mixed units, which a built-in set and a preset know, and otherwise if standard deviations of columns differ by a factor above 5."`
	Intercept   *bool    `toml:"intercept" json:"intercept" help:"Add an intercept with a flat prior: X = 1 mu' + Z A + E. One of auto, true and false. By default auto: true if X is centred and no preset is given. With an intercept, centring X does not change the posterior."`
	Noise       string   `toml:"noise" json:"noise" oneof:"noise common columns" help:"Whether columns of X share SigmaX and SigmaA (common) or multiply both by an unknown noise scale each (columns). Columns of categories have no noise scale. Empty: common with a preset, a fixed SigmaX or a constant column of numbers; otherwise columns."`
	MinNoise    *float64 `toml:"min_noise" json:"min_noise" range:"[0,1]" help:"Least noise of a column of numbers or counts if features have weights and columns have noise scales, as a share of the standard deviation that linear regression on the other columns leaves. 0: only the unit in which the column is recorded bounds its noise. By default 0.5, but 0 with a preset."`
	Hash        string   `toml:"hash" json:"hash" flag:"-" help:"Expected hash of the data, as in run.json. Empty: any data."`
}

// OfAllItems names a file or a preset that says something of all items of the data, so that a sample of them
// does not suit it; "" if there is none. The spec must be complete.
func (s Spec) OfAllItems() string {
	for _, of := range []struct{ what, name string }{
		{"the preset", s.Data.Preset}, {"the hidden cells of", s.Data.HoldoutFile}, {"the proximities of", s.Prior.ProximityFile()}, {"the start", s.Sampler.InitFile()},
	} {
		if of.name != "" {
			return of.what + " " + of.name
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
	Features string `toml:"features" json:"features" oneof:"features binary weighted graded" help:"How items have features: binary (or not, as in the paper), or by degrees: weighted or graded. With weights, the weights of near items are alike if there are distances; their prior has a common part, one that follows each distance, and an own part. Without distances, weights are independent if weighted, and have a common part if graded. By default weighted, but binary with a preset."`
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
	Law             string      `toml:"law" json:"law" flag:"prior" oneof:"law aibd ddibp ibp" help:"Prior of the allocation: aibd (attraction Indian buffet distribution), ddibp (distance dependent Indian buffet process) or ibp (no distances). Empty: aibd, or ibp without distances and with more than 1000 items if weights follow the distances."`
	Proximity       string      `toml:"proximity" json:"proximity" default:"sequential" help:"For ddibp: sequential (items link to earlier items), symmetric (to any item) or a CSV file with a square matrix. Row i, column j is how strongly item i links to item j, and replaces distance, decay and temperature. The diagonal counts as 1."`
	Decay           string      `toml:"decay" json:"decay" default:"exponential" oneof:"decay exponential reciprocal given" help:"How similarity falls with distance: exponential, reciprocal, or given (the matrix file has similarities)."`
	DecayShift      float64     `toml:"decay_shift" json:"decay_shift" help:"Shift of the reciprocal decay, (distance + shift)^-temperature. ddibp needs 1, its default."`
	Mass            Parameter   `toml:"mass" json:"mass" flag:"mass" subject:"the mass" help:"The mass: the expected number of features of an item (fewer under ddibp unless it is sequential)."`
	TemperatureUnit string      `toml:"temperature_unit" json:"temperature_unit" oneof:"unit median distance" rare:"yes" help:"Whether the gamma prior is about the temperature times the median distance (median) or the temperature itself (distance). The median leaves out distances of 0. Its product with the temperature has no unit. For the decay exponential. Empty: median, but distance for a preset."`
	Temperature     Parameter   `toml:"temperature" json:"temperature" flag:"temperature" subject:"the temperature" help:"The temperature: at 0 distances have no influence. Its values are per unit of distance. Unused by ibp."`
	Permutation     Permutation `toml:"permutation" json:"permutation" help:"The order in which items arrive, for aibd and for sequential ddibp."`
	SigmaX          Scale       `toml:"sigma_x" json:"sigma_x" flag:"sigma-x" subject:"SigmaX" help:"SigmaX, the standard deviation of the noise. Its default prior is exponential. The mean is the standard deviation of X about the means of its columns, which is the maximum of a uniform prior with a preset. If all columns are categories, SigmaX is 1."`
	SigmaA          Scale       `toml:"sigma_a" json:"sigma_a" flag:"sigma-a" subject:"SigmaA" help:"SigmaA, the standard deviation of the loadings. Its default prior is exponential. The mean is the largest standard deviation of a column of X, with the mean added in squares if X is not centred and has no intercept; it is the maximum of a uniform prior with a preset. If all columns are categories, it is uniform up to 1 with weighted features, up to 3 with others, times SigmaX if that is fixed."`
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
	Value *float64 `toml:"value" json:"value" flag:"*" range:"(0,inf)" help:"Value of *, if fixed; otherwise where all chains start. Without it each chain starts at a draw from the prior."`
	Fixed bool     `toml:"fixed" json:"fixed" flag:"fix-*" help:"Fix * at its value."`
	Shape float64  `toml:"shape" json:"shape" flag:"*-shape" range:"(0,inf)" help:"Shape of the gamma prior of *."`
	Rate  float64  `toml:"rate" json:"rate" flag:"*-rate" range:"(0,inf)" help:"Rate of the gamma prior of *, whose mean is shape/rate."`
}

// Permutation is the order in which the items arrive.
type Permutation struct {
	Kind   string `toml:"kind" json:"kind" flag:"permutation" default:"random" oneof:"kind random fixed ordered" help:"Order in which the items arrive: random, fixed (that of the rows), a list such as 3,1,2, or a file with one. random: unknown, with a uniform prior. In a spec file random, fixed, with a list in order, or ordered, by a column."`
	Column string `toml:"column" json:"column" flag:"order-by" help:"Column that gives the order of the items, ascending, of the data file or the side file."`
	Order  []int  `toml:"order" json:"order" flag:"-" help:"The items in their order, counted from 1. If kind is fixed and this is empty: the order of the rows. If kind is random: where the chains start."`
}

// Scale is a standard deviation, unknown or fixed. Its prior is uniform on
// (0, Max), exponential with the mean Mean, or gamma with Shape and Rate, whichever is given.
type Scale struct {
	Value *float64 `toml:"value" json:"value" flag:"*" range:"(0,inf)" help:"Value of *, if fixed; otherwise where all chains start. Without it each chain starts at a draw from the prior above its mean."`
	Fixed bool     `toml:"fixed" json:"fixed" flag:"fix-*" help:"Fix * at its value."`
	Max   float64  `toml:"max" json:"max" flag:"max-*" range:"[0,inf)" help:"Maximum of *: its prior is uniform from 0 to this value. 0: another prior, unless it is the default (with a preset; of SigmaA if all columns are categories)."`
	Mean  float64  `toml:"mean" json:"mean,omitempty" flag:"mean-*" range:"[0,inf)" help:"Mean of an exponential prior of *. 0: computed from X, unless there is another prior, given or by default."`
	Shape float64  `toml:"shape" json:"shape" flag:"*-shape" range:"[0,inf)" help:"Shape of a gamma prior of *. 0: another prior."`
	Rate  float64  `toml:"rate" json:"rate" flag:"*-rate" range:"[0,inf)" help:"Rate of a gamma prior of *. 0: another prior."`
}

// Sampler says how the posterior is sampled. Numbers beyond the ranges can only be
// mistakes.
type Sampler struct {
	Seed            uint64   `toml:"seed" json:"seed" default:"1" help:"Seed of the random numbers."`
	Chains          int      `toml:"chains" json:"chains" default:"4" range:"[1,1000]" help:"Number of independent chains."`
	Warmup          int      `toml:"warmup" json:"warmup" range:"[0,1000000000]" help:"First scans of each chain, which tune it and give no draws."`
	Round           int      `toml:"round" json:"round" flag:"-" default:"1" range:"[1,1000000]" help:"Number of the round, from 1, in a run that is sampled in rounds."`
	Skip            int      `toml:"skip" json:"skip" range:"[0,1000000000]" help:"Scans after warmup that give no draws."`
	Draws           int      `toml:"draws" json:"draws" range:"[1,2147483647]" help:"Draws to keep of each chain. On the command line they fix the length of the run."`
	Thin            int      `toml:"thin" json:"thin" range:"[1,1000000000]" help:"Keep every nth scan as a draw."`
	Until           string   `toml:"until" json:"until" oneof:"until agreed draws" help:"When a run ends: agreed (when the chains agree, or --budget is used up) or draws (after one round). With agreed, chains are sampled in rounds. Each round continues the chains. It drops the first quarter of the scans that gave the draws of the round before, and keeps at least 1000 draws of each chain from 1.5, 2 or 4 times as many; the effective sample size, R-hat and the time left decide which. A round only begins if it probably ends within the budget. With many items the first round is shorter, unless warmup, draws or thin is given: with 1000 items and 5 minutes, 600 scans of warmup and 600 draws. Empty: agreed, or draws with a preset."`
	Anneal          *float64 `toml:"anneal" json:"anneal" range:"[0,1]" rare:"yes" help:"Fraction of warmup over which the likelihood is annealed, from nearly flat to the likelihood itself. 0: no annealing, as always if features have weights. By default 0.5, but 0 if Z at the start is from a file or a subsample."`
	OtherUpdates    *int     `toml:"other_updates" json:"other_updates" range:"[0,100000]" rare:"yes" help:"Updates of the other unknowns after each update of Z. By default 10, but 3 if X has at most 20 columns and 2000 items. With more than 100000 distances only one in five proposes a temperature."`
	ShuffleSize     int      `toml:"shuffle_size" json:"shuffle_size" range:"[0,100000]" rare:"yes" help:"Positions of the permutation to shuffle at a time. They are shuffled once in each of the other updates. 0: no shuffles."`
	Insertions      int      `toml:"insertions" json:"insertions" range:"[0,100000]" rare:"yes" help:"Items to move to a new place of the permutation in each scan."`
	StepTemperature float64  `toml:"step_temperature" json:"step_temperature" range:"[0,inf)" rare:"yes" help:"Standard deviation of proposals of the temperature. 0: computed from the prior."`
	StepSigmaX      float64  `toml:"step_sigma_x" json:"step_sigma_x" range:"[0,inf)" rare:"yes" help:"Standard deviation of proposals of SigmaX. 0: computed from X."`
	StepSigmaA      float64  `toml:"step_sigma_a" json:"step_sigma_a" range:"[0,inf)" rare:"yes" help:"Standard deviation of proposals of SigmaA. 0: computed from X."`
	StepCorrelation float64  `toml:"step_correlation" json:"step_correlation" range:"(-1,1)" rare:"yes" help:"Correlation of proposals of SigmaX and SigmaA."`
	Tune            bool     `toml:"tune" json:"tune" rare:"yes" help:"Tune the proposals during warmup."`
	Init            string   `toml:"init" json:"init" help:"Z at the start of a chain: empty, prior, data, subsample or a file. empty: no features, and SigmaX near the maximum or the mean of its prior; prior: a draw from the prior; data: clusters of similar items, only with up to 2000; subsample: a fit of up to 1000 items, and the others placed. A file may have weights, as aibd estimate --csv writes them, if features have. By default empty, but subsample with more than 2000 items."`
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
// intercept if X is centred, unless there is a preset; without distances, the law ibp; the unit of the distances; for a file of proximities, the
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
		for _, of := range []struct {
			columns *[]string
			auto    string
		}{{&d.Log, AutoLog}, {&d.Binary, AutoBinary}} {
			if *of.columns == nil {
				*of.columns = []string{of.auto}
			}
		}
	}
	if known, ok := d.transform(); ok {
		if d.Log == nil {
			d.Log = slices.Clone(known.Log)
		}
		if d.Scale == nil {
			d.Scale = &known.Scale
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

// InitSubsample is the Init of chains that start by a fit of a subsample.
const InitSubsample = "subsample"

// InitFile returns the file with Z at the start of the chains, or "" if there is none.
func (s Sampler) InitFile() string {
	switch s.Init {
	case "", "empty", "prior", "data", InitSubsample:
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
