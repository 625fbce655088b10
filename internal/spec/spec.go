// Package spec says what determines a run: its settings, their defaults and
// ranges, and their forms in TOML and JSON.
package spec

import (
	"slices"

	"aibd/dataset"
)

// Spec is everything that determines the draws of a run: the same spec and data
// give the same draws, byte for byte, on any number of cores. In TOML and JSON the
// keys are those of the tags.
//
// Numbers that may be left to the data or to the prior are so where they are 0,
// or nil in the case of starting values.
type Spec struct {
	Data     Data     `toml:"data" json:"data" help:"The observations X: items in rows, variables in columns."`
	Distance Distance `toml:"distance" json:"distance" help:"How far apart the items are. The law ibp does without, and ddibp with a file of proximities."`
	Prior    Prior    `toml:"prior" json:"prior" help:"What is believed before the data."`
	Sampler  Sampler  `toml:"sampler" json:"sampler" help:"How the posterior is sampled."`
}

// Data says where X comes from and what is done to it.
type Data struct {
	Builtin string   `toml:"builtin" json:"builtin" help:"A built-in data set (see aibd data list); usstates where no file is given."`
	File    string   `toml:"file" json:"file" help:"A CSV file with a header line."`
	Preset  string   `toml:"preset" json:"preset" help:"alzheimers: the file is the data of the paper's application, analysed as there."`
	Side    string   `toml:"side" json:"side" help:"A CSV file of covariates of the same items."`
	ID      string   `toml:"id" json:"id" help:"The column of ids; empty finds it, - stands for none."`
	Columns []string `toml:"columns" json:"columns" help:"The columns of X, by name or pattern such as *SA; empty for all that hold numbers."`
	Log     []string `toml:"log" json:"log" help:"The columns of which to take natural logarithms first, by name or pattern."`
	Center  bool     `toml:"center" json:"center" help:"Subtract the mean of each column."`
	Scale   bool     `toml:"scale" json:"scale" help:"Divide each column by its standard deviation."`
	Hash    string   `toml:"hash" json:"hash" help:"What the data must hash to, as in run.json; empty takes any."`
}

// Distance says where the distances between items come from. The temperature is
// in units of one over theirs.
type Distance struct {
	Kind        string   `toml:"kind" json:"kind" help:"absolute (difference of a column), euclidean (of columns), great-circle (of longitude and latitude), matrix (a file) or none (law ibp, or a file of proximities)."`
	Columns     []string `toml:"columns" json:"columns" help:"The columns to measure, of the data file or the side file; for great-circle longitude first, lon and lat unless given."`
	Standardize bool     `toml:"standardize" json:"standardize" help:"Divide these columns by their standard deviations first."`
	Per         float64  `toml:"per" json:"per" help:"The unit: distances are divided by it. 0 stands for 1, and for 1000 (km) with great-circle."`
	Shift       float64  `toml:"shift" json:"shift" help:"Added to every distance after that."`
	File        string   `toml:"file" json:"file" help:"A CSV file with a square matrix, for kind matrix."`
}

// Prior is the law of the allocation and the priors of the other unknowns.
type Prior struct {
	Law         string      `toml:"law" json:"law" help:"aibd (attraction Indian buffet distribution), ddibp (distance dependent Indian buffet process) or ibp (Indian buffet process, which knows no distances)."`
	Proximity   string      `toml:"proximity" json:"proximity" help:"Of ddibp: sequential (items link to earlier ones), symmetric (to any other), or a CSV file with a square matrix whose row i, column j is how strongly i links to j, instead of distances, decay and temperature; its diagonal is ignored and taken as 1."`
	Decay       string      `toml:"decay" json:"decay" help:"How similarity falls with distance: exponential, reciprocal, window, constant, or given (the matrix file holds similarities)."`
	DecayShift  float64     `toml:"decay_shift" json:"decay_shift" help:"For reciprocal: (distance + shift)^-temperature. ddibp needs 1, which 0 stands for there."`
	WindowWidth float64     `toml:"window_width" json:"window_width" help:"For window: items within temperature * distance <= width are similar."`
	Mass        Parameter   `toml:"mass" json:"mass" help:"The mass: on average an item has so many features, and fewer with ddibp unless it is sequential."`
	Temperature Parameter   `toml:"temperature" json:"temperature" help:"The temperature: 0 makes distances irrelevant (not of ibp)."`
	Permutation Permutation `toml:"permutation" json:"permutation" help:"The order in which the items arrive (of aibd and of ddibp with proximity sequential)."`
	SigmaX      Scale       `toml:"sigma_x" json:"sigma_x" help:"SigmaX, the standard deviation of the noise."`
	SigmaA      Scale       `toml:"sigma_a" json:"sigma_a" help:"SigmaA, the standard deviation of the loadings."`
}

// HasDistances reports whether the law of the allocation measures distances.
func (p Prior) HasDistances() bool { return p.Law != "ibp" && p.ProximityFile() == "" }

// HasTemperature reports whether the law has a temperature and its decay depends on
// it, of a complete spec.
func (p Prior) HasTemperature() bool {
	return p.Law != "ibp" && !slices.Contains(untempered, p.Decay)
}

// HasPermutation reports whether the items arrive in an order that matters.
func (p Prior) HasPermutation() bool {
	return p.Law == "aibd" || p.Law == "ddibp" && p.Proximity == "sequential"
}

// ProximityFile returns the file of the proximities that the law takes as they are,
// "" if there is none.
func (p Prior) ProximityFile() string {
	if p.Law != "ddibp" || p.Proximity == "sequential" || p.Proximity == "symmetric" {
		return ""
	}
	return p.Proximity
}

// untempered are the decays that are the same at every temperature.
var untempered = []string{"given", "constant"}

// Parameter is an unknown with a gamma prior, or a fixed value.
type Parameter struct {
	Fixed bool     `toml:"fixed" json:"fixed" help:"Keep it at its value."`
	Value *float64 `toml:"value" json:"value" help:"The fixed value, or where all chains start; without one each chain starts at its own draw from the prior."`
	Shape float64  `toml:"shape" json:"shape" help:"Shape of the gamma prior."`
	Rate  float64  `toml:"rate" json:"rate" help:"Rate of the gamma prior: its mean is shape/rate."`
}

// Permutation is the order in which the items arrive.
type Permutation struct {
	Kind   string `toml:"kind" json:"kind" help:"random (unknown, uniform), fixed, or ordered (by a column, ascending)."`
	Column string `toml:"column" json:"column" help:"The column to order by, of the data file or the side file."`
	Order  []int  `toml:"order" json:"order" help:"The items in the order in which they arrive, counted from 1; empty with fixed keeps the order of the rows, with random draws the start."`
}

// Scale is a standard deviation, unknown or fixed. Its prior is uniform on
// (0, Max), or gamma if Shape and Rate are given.
type Scale struct {
	Fixed bool     `toml:"fixed" json:"fixed" help:"Keep it at its value."`
	Value *float64 `toml:"value" json:"value" help:"The fixed value, or where all chains start; without one each chain starts at its own draw from the prior above its mean."`
	Max   float64  `toml:"max" json:"max" help:"End of the uniform prior; 0 takes the standard deviation of X (SigmaX: of all its entries; SigmaA: the largest of a column)."`
	Shape float64  `toml:"shape" json:"shape" help:"Shape of a gamma prior instead; 0 for the uniform."`
	Rate  float64  `toml:"rate" json:"rate" help:"Rate of a gamma prior instead; 0 for the uniform."`
}

// Sampler says how the posterior is sampled.
type Sampler struct {
	Seed            uint64  `toml:"seed" json:"seed" help:"Seed of all random numbers."`
	Chains          int     `toml:"chains" json:"chains" help:"Independent chains."`
	Warmup          int     `toml:"warmup" json:"warmup" help:"Scans of each chain before the first that is kept."`
	Draws           int     `toml:"draws" json:"draws" help:"Scans of each chain that are kept."`
	Thin            int     `toml:"thin" json:"thin" help:"Scans for each one that is kept."`
	Anneal          float64 `toml:"anneal" json:"anneal" help:"Share of warmup over which the likelihood grows from nearly nothing to itself; 0 for none."`
	Clusters        int     `toml:"clusters" json:"clusters" help:"Flips of several alike items at once that each scan proposes for each feature, of data with up to 2000 items."`
	Sums            int     `toml:"sums" json:"sums" help:"Sums and differences of two features that each scan proposes."`
	Combinations    int     `toml:"combinations" json:"combinations" help:"Sums of three and four features, with signs, that each scan proposes."`
	Births          int     `toml:"births" json:"births" help:"Births or deaths of whole features that each scan proposes."`
	OtherUpdates    int     `toml:"other_updates" json:"other_updates" help:"Updates of everything else after each update of Z."`
	ShuffleSize     int     `toml:"shuffle_size" json:"shuffle_size" help:"Positions that a shuffle of the permutation takes; 0 for no shuffles."`
	Insertions      int     `toml:"insertions" json:"insertions" help:"Items that each scan inserts anew in the permutation."`
	StepTemperature float64 `toml:"step_temperature" json:"step_temperature" help:"Standard deviation of the proposals of the temperature; 0 chooses from the prior."`
	StepSigmaX      float64 `toml:"step_sigma_x" json:"step_sigma_x" help:"Standard deviation of the proposals of SigmaX; 0 chooses from the data."`
	StepSigmaA      float64 `toml:"step_sigma_a" json:"step_sigma_a" help:"Standard deviation of the proposals of SigmaA; 0 chooses from the data."`
	StepCorrelation float64 `toml:"step_correlation" json:"step_correlation" help:"Correlation of the proposals of SigmaX and SigmaA."`
	Tune            bool    `toml:"tune" json:"tune" help:"Tune the proposals during warmup."`
	Truncation      float64 `toml:"truncation" json:"truncation" help:"0 updates singletons exactly; 1000 is the paper's approximation, for comparison."`
	Init            string  `toml:"init" json:"init" help:"Z at the start: empty (no features, and SigmaX near its maximum), prior (drawn from it), data (clusters of alike items, of data with up to 2000), or a file."`
}

// Default returns the spec that everything given is laid over. What depends on
// the source of the data is left open, for Complete to fill in.
func Default() Spec {
	return Spec{
		Data: Data{Center: true, Scale: true},
		Prior: Prior{
			Law: "aibd", Proximity: "sequential", Decay: "exponential", WindowWidth: 1,
			Mass:        Parameter{Shape: 1, Rate: 1},
			Temperature: Parameter{Shape: 1, Rate: 1},
			Permutation: Permutation{Kind: "random"},
		},
		Sampler: Sampler{
			Seed: 1, Chains: 4, Warmup: 1000, Draws: 1000, Thin: 1,
			Anneal: 0.5, Clusters: 30, Sums: 200, Combinations: 100, Births: 1, OtherUpdates: 10, ShuffleSize: 4, Insertions: 1,
			StepCorrelation: -0.3, Tune: true, Init: "empty",
		},
	}
}

// Forget leaves open again what Build filled in from the data: the ends of the
// uniform priors of SigmaX and SigmaA, the first steps of their proposals and the
// order of the items.
func (s *Spec) Forget() {
	s.Prior.SigmaX.Max, s.Prior.SigmaA.Max = 0, 0
	s.Sampler.StepSigmaX, s.Sampler.StepSigmaA = 0, 0
	s.Prior.Permutation.Order = nil
}

// Complete returns s with the defaults filled in that depend on the source of the
// data: the built-in set where no file is given; the logarithms and the distances
// of a built-in set or a preset where they are left open; unit and columns of the
// distances. A file of proximities goes with decay given, and the reciprocal decay
// of the dd-IBP with shift 1. Decays without a temperature get a fixed one. What
// depends on the data themselves is for Build.
func (s Spec) Complete() Spec {
	d, dist := &s.Data, &s.Distance
	if d.File == "" && d.Builtin == "" {
		d.Builtin = "usstates"
	}
	open := dist.Kind == ""
	switch {
	case open && !s.Prior.HasDistances():
		dist.Kind = "none"
	case open && d.Preset == "alzheimers":
		// Warr et al.: the absolute difference of age in years, plus 0.00001.
		dist.Kind, dist.Columns, dist.Shift = "absolute", []string{"age"}, 0.00001
	case open && d.Builtin == "usstates":
		dist.Kind = "great-circle"
	}
	if d.Log == nil {
		switch set, err := dataset.Load(d.Builtin); {
		case d.Preset == "alzheimers":
			d.Log = []string{"*SA"}
		case err == nil:
			d.Log = slices.Clone(set.Transform.Log)
		}
	}
	if dist.Kind == "great-circle" && len(dist.Columns) == 0 {
		dist.Columns = []string{"lon", "lat"}
	}
	if dist.Per == 0 {
		dist.Per = 1
		if dist.Kind == "great-circle" {
			dist.Per = 1000
		}
	}
	if p := &s.Prior; p.Law == "ddibp" {
		switch {
		case p.ProximityFile() != "" && p.Decay == "exponential":
			p.Decay = "given"
		case p.Decay == "reciprocal" && p.DecayShift == 0:
			p.DecayShift = 1
		}
	}
	if t := &s.Prior.Temperature; slices.Contains(untempered, s.Prior.Decay) {
		t.Fixed = true
		if t.Value == nil {
			t.Value = new(1.0)
		}
	}
	// No list and an empty list are the same from here on.
	for _, list := range []*[]string{&d.Columns, &d.Log, &dist.Columns} {
		if *list == nil {
			*list = []string{}
		}
	}
	if s.Prior.Permutation.Order == nil {
		s.Prior.Permutation.Order = []int{}
	}
	return s
}

// DrawsAt returns the number of draws of a chain that has made some scans.
func (s Sampler) DrawsAt(scans int) int { return max(0, scans-s.Warmup) / s.Thin }

// Scans returns the number of scans of a chain, warmup included.
func (s Sampler) Scans() int { return s.Warmup + s.Draws*s.Thin }

// Annealed returns the scans of warmup over which the likelihood is annealed.
func (s Sampler) Annealed() int { return int(s.Anneal * float64(s.Warmup)) }

// Uniform reports whether the scale is unknown with a uniform prior.
func (c Scale) Uniform() bool { return !c.Fixed && c.Shape == 0 && c.Rate == 0 }
