package draws

import (
	"math"
	"slices"
	"strconv"

	"aibd/internal/permutation"
)

// Keys of scalars.
const (
	KeyMass             = "mass"
	KeyTemperature      = "temperature"
	KeySigmaX           = "sigma_x"
	KeySigmaA           = "sigma_a"
	KeyShareCommon      = "weight_common"
	KeyShareOwn         = "weight_own"
	KeyFeatures         = "n_features"
	KeyOnes             = "n_ones"
	KeyItemsPerFeature  = "items_per_feature"
	KeyLogLik           = "log_lik"
	KeyLogPrior         = "log_prior"
	KeyLogJoint         = "log_joint"
	KeyNoiseMin         = "noise_min"
	KeyNoiseMax         = "noise_max"
	KeyPositionsOfFirst = "position_first_half"
	KeyPositionsOfOdd   = "position_odd"
)

// Unknowns that are not scalars, in Scalar.Depends.
const (
	UnknownZ           = "z"
	UnknownWeights     = "weights"
	UnknownShares      = "shares"
	UnknownPermutation = "permutation"
	UnknownNoiseScales = "noise_scales"
	UnknownCutpoints   = "cutpoints"
)

// A Row holds the arguments of the scalars of a draw: the draw, without Z and Cells if they were
// not read, and two counts of Z.
type Row struct {
	*Draw
	NFeatures, NOnes int // features and ones of Z
}

// RowOf returns the row of a draw.
func RowOf(d *Draw) Row { return Row{d, d.Z.K(), d.Z.Ones()} }

// Has says which of the unknowns that not all models have are in the draws of a chain.
type Has struct {
	Temperature         bool
	FurtherTemperatures int    // temperatures of distances after the first
	Permutation         bool   // of at least two items
	Shares              int    // of the variance of the weights, the own one not counted
	Rates               uint64 // bit m is set if distance m, numbered from zero, has a rate in the prior of the weights
	NoiseScales         bool
	Cutpoints           int
}

// HasOf returns what a draw has.
func HasOf(d *Draw) Has {
	h := Has{
		Temperature: !math.IsNaN(d.Temperature), FurtherTemperatures: len(d.FurtherTemperatures), Permutation: len(d.Permutation) > 1,
		Shares: len(d.Shares), NoiseScales: d.NoiseScales != nil, Cutpoints: len(d.Cutpoints),
	}
	for m, rate := range d.Rates {
		if rate > 0 {
			h.Rates |= 1 << m
		}
	}
	return h
}

// A Scalar is a number of each draw. It is a field of the draw, a count of Z, or computed from them.
type Scalar struct {
	Key  string // in files and JSON
	Name string // in text; "" if text does not show it
	// Depends holds the keys of the unknowns that determine the scalar: of a scalar that is itself an
	// unknown, its own key.
	Depends []string

	Field func(r *Row) *float64 // in the draw; nil if it is no field
	Count func(r *Row) *int     // in the row; nil if it is no count
	Max   int                   // of a count

	value func(r *Row) float64 // nil if it is a field or a count
	in    func(h Has) bool     // nil if all draws have it
}

// Value returns the value in a row of draws that have the scalar.
func (s Scalar) Value(r *Row) float64 {
	switch {
	case s.Field != nil:
		return *s.Field(r)
	case s.Count != nil:
		return float64(*s.Count(r))
	}
	return s.value(r)
}

// Stored reports whether files of draws have the scalar as a column.
func (s Scalar) Stored() bool { return s.Field != nil || s.Count != nil }

// Optional reports whether only some draws have the scalar.
func (s Scalar) Optional() bool { return s.in != nil }

// In reports whether draws that have h have the scalar.
func (s Scalar) In(h Has) bool { return s.in == nil || s.in(h) }

// Unknown reports whether the scalar is an unknown with a prior of its own.
func (s Scalar) Unknown() bool { return slices.Equal(s.Depends, []string{s.Key}) }

// scalars is the table of all scalars, except the further temperatures and the cutpoints.
var scalars = []Scalar{
	{Key: KeyMass, Name: "mass", Depends: []string{KeyMass}, Field: func(r *Row) *float64 { return &r.Mass }},
	{Key: KeyTemperature, Name: "temperature", Depends: []string{KeyTemperature}, in: hasTemperature,
		Field: func(r *Row) *float64 { return &r.Temperature }},
	{Key: KeySigmaX, Name: "SigmaX", Depends: []string{KeySigmaX}, Field: func(r *Row) *float64 { return &r.SigmaX }},
	{Key: KeySigmaA, Name: "SigmaA", Depends: []string{KeySigmaA}, Field: func(r *Row) *float64 { return &r.SigmaA }},
	{Key: KeyFeatures, Name: "number of features", Depends: []string{UnknownZ}, Count: func(r *Row) *int { return &r.NFeatures }, Max: MaxFeatures},
	{Key: KeyOnes, Depends: []string{UnknownZ}, Count: func(r *Row) *int { return &r.NOnes }, Max: math.MaxInt32},
	{Key: KeyItemsPerFeature, Name: "items per feature", Depends: []string{UnknownZ},
		value: func(r *Row) float64 { return float64(r.NOnes) / float64(max(r.NFeatures, 1)) }},
	{Key: KeyLogLik, Name: "log likelihood", Depends: []string{UnknownZ, UnknownWeights, UnknownNoiseScales, KeySigmaX, KeySigmaA},
		Field: func(r *Row) *float64 { return &r.LogLik }},
	{Key: KeyLogPrior, Depends: []string{UnknownZ, UnknownWeights, UnknownPermutation, UnknownNoiseScales, KeyMass, KeyTemperature, KeySigmaX, KeySigmaA, UnknownShares},
		Field: func(r *Row) *float64 { return &r.LogPrior }},
	{Key: KeyLogJoint, Name: "log joint", Depends: []string{UnknownZ, UnknownWeights, UnknownPermutation, UnknownNoiseScales, KeyMass, KeyTemperature, KeySigmaX, KeySigmaA, UnknownShares},
		value: func(r *Row) float64 { return r.LogLik + r.LogPrior }},
	{Key: KeyNoiseMin, Name: "min noise of a column", Depends: []string{KeySigmaX, UnknownNoiseScales}, in: hasNoiseScales,
		value: func(r *Row) float64 { return r.SigmaX * slices.Min(r.NoiseScales) }},
	{Key: KeyNoiseMax, Name: "max noise of a column", Depends: []string{KeySigmaX, UnknownNoiseScales}, in: hasNoiseScales,
		value: func(r *Row) float64 { return r.SigmaX * slices.Max(r.NoiseScales) }},
	// The paper's two diagnostics of the permutation.
	{Key: KeyPositionsOfFirst, Name: "mean position, first half", Depends: []string{UnknownPermutation}, in: hasPermutation,
		value: func(r *Row) float64 { first, _ := permutation.Means(r.Permutation); return first }},
	{Key: KeyPositionsOfOdd, Name: "mean position, odd items", Depends: []string{UnknownPermutation}, in: hasPermutation,
		value: func(r *Row) float64 { _, odd := permutation.Means(r.Permutation); return odd }},
}

func hasTemperature(h Has) bool { return h.Temperature }
func hasNoiseScales(h Has) bool { return h.NoiseScales }
func hasPermutation(h Has) bool { return h.Permutation }

// Scalars returns the scalars of draws. Further temperatures come after the first, cutpoints before the
// permutation.
func (h Has) Scalars() []Scalar {
	all := slices.DeleteFunc(slices.Clone(scalars), func(s Scalar) bool { return !s.In(h) })
	for m := range h.FurtherTemperatures {
		after := slices.IndexFunc(all, func(s Scalar) bool { return s.Key == KeyTemperature })
		all = slices.Insert(all, after+1+m, Scalar{Key: TemperatureKey(m + 1), Name: "temperature " + strconv.Itoa(m+2), Depends: []string{TemperatureKey(m + 1)},
			value: func(r *Row) float64 { return r.FurtherTemperatures[m] }})
	}
	after := 1 + slices.IndexFunc(all, func(s Scalar) bool { return s.Key == KeySigmaA })
	all = slices.Insert(all, after, h.shares()...)
	for a := range all {
		if s := &all[a]; s.Key == KeyLogPrior || s.Key == KeyLogJoint {
			s.Depends = slices.Clone(s.Depends)
			for m := range h.FurtherTemperatures {
				s.Depends = append(s.Depends, TemperatureKey(m+1))
			}
			if h.Cutpoints > 0 {
				s.Depends = append(s.Depends, UnknownCutpoints)
			}
		}
	}
	index := slices.IndexFunc(all, func(s Scalar) bool { return s.Key == KeyPositionsOfFirst })
	if index < 0 {
		index = len(all)
	}
	for k := range h.Cutpoints {
		number := strconv.Itoa(k + 1)
		all = slices.Insert(all, index+k, Scalar{Key: CutpointKey(k), Name: "cutpoint " + number, Depends: []string{UnknownCutpoints},
			value: func(r *Row) float64 { return r.Cutpoints[k] }})
	}
	return all
}

// shares returns the scalars of the prior of the weights.
func (h Has) shares() (all []Scalar) {
	share := func(key, name string, value func(r *Row) float64) {
		all = append(all, Scalar{Key: key, Name: name, Depends: []string{UnknownShares}, value: value})
	}
	for m := range h.Shares {
		if m == 0 {
			share(KeyShareCommon, "common share of the weights", func(r *Row) float64 { return r.Shares[0] })
			continue
		}
		share(ShareKey(m-1), numbered("near share of the weights", m-1), func(r *Row) float64 { return r.Shares[m] })
		if h.Rates>>(m-1)&1 != 0 {
			share(RateKey(m-1), numbered("rate of the weights", m-1), func(r *Row) float64 { return r.Rates[m-1] })
		}
	}
	if h.Shares > 0 {
		share(KeyShareOwn, "own share of the weights", func(r *Row) float64 { return OwnShare(r.Shares) })
	}
	return all
}

// OwnShare returns what shares leave of 1.
func OwnShare(shares []float64) float64 {
	ownShare := 1.0
	for _, x := range shares {
		ownShare -= x
	}
	return ownShare
}

// ShareKey returns the key of the share of the variance of the weights that follows a distance, which is
// numbered from zero, and RateKey that of its rate.
func ShareKey(distance int) string { return keyOf("weight_near", distance) }
func RateKey(distance int) string  { return keyOf("weight_rate", distance) }

// keyOf returns the key of a number of a distance. The first distance has no number.
func keyOf(key string, distance int) string {
	if distance == 0 {
		return key
	}
	return key + "_" + strconv.Itoa(distance+1)
}

func numbered(name string, distance int) string {
	if distance == 0 {
		return name
	}
	return name + " " + strconv.Itoa(distance+1)
}

// TemperatureKey returns the key of the temperature of a distance, which is numbered from zero:
// temperature, temperature_2 and so on.
func TemperatureKey(distance int) string { return keyOf(KeyTemperature, distance) }

// KeyCutpoint begins the keys of unknown cutpoints, which end in their numbers from one.
const KeyCutpoint = "cutpoint_"

// CutpointKey returns the key of an unknown cutpoint, which is numbered from zero.
func CutpointKey(k int) string { return KeyCutpoint + strconv.Itoa(k+1) }

// Scalar returns the scalar with the given key, and whether draws have it.
func (h Has) Scalar(key string) (s Scalar, ok bool) {
	all := h.Scalars()
	if k := slices.IndexFunc(all, func(s Scalar) bool { return s.Key == key }); k >= 0 {
		return all[k], true
	}
	return Scalar{}, false
}
