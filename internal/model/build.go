// Package model builds what a spec describes: the data, the distances, the law of
// the allocation, the posterior and the starts of the chains. It opens no file.
package model

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"math"
	"reflect"
	"slices"

	"aibd/feature"
	"aibd/internal/hint"
	"aibd/internal/lists"
	"aibd/internal/spec"
	"aibd/lglfm"
	"aibd/mcmc"
	"aibd/prior"
	"aibd/similarity"
)

// Problem is the data and the posterior that a spec describes.
type Problem struct {
	// Spec is complete, with the defaults that depend on the data. Building it again
	// gives the same problem.
	Spec      spec.Spec
	Given     spec.Spec // as it was given
	Posterior *mcmc.Posterior
	IDs       []string // names of the N items; their numbers from 1 if they have none
	IDColumn  string   // of the data, that has the names of the items; "" if none
	Columns   []string // names of the D columns of X
	// LeftOut names the columns of the data that are not in X, with the reason, if the
	// spec does not name columns.
	LeftOut []LeftOut
	Observed
	// AutoScale reports that SDRatio decided whether columns are scaled.
	AutoScale bool
	Scales    lglfm.Scales // mcmc.DefaultScales of X, the default means or maxima
	// DataHash is the SHA-256, in hexadecimal digits, of all numbers from files
	// that determine the draws: X after preprocessing, the distances or proximities,
	// the order of the items and Z at the start.
	DataHash string
	Unit     string // of the distances, "" if they have none or the law has none; the temperature is per Unit
	// TemperatureUnit multiplies the temperature in its prior: mcmc.TemperatureUnit of the distances
	// in Unit, or 1.
	TemperatureUnit  float64
	FurtherDistances []Measured       // distances after the first, to which Unit and TemperatureUnit belong
	Weights          []WeightDistance // distances that weights follow
	// Notes are lines about input that is not used, or not as one might think.
	Notes   []string
	Sources []Source

	// Options are the moves of a scan. The spec has the last word on those that it sets.
	Options mcmc.Options

	several similarity.Several

	init feature.Weighted // Z at the start; Z is nil if it is drawn from the prior
}

// manyColumns is the number of columns from which on they may be alike, such as genes.
const manyColumns = 20

// Build returns the problem of an input. It opens no file. Errors name the file, the row and the
// column.
//
// Build estimates the memory that the fit needs before it allocates anything large. If
// there is not enough, the error lists what needs it.
func Build(in *Input) (*Problem, error) {
	p, s := &Problem{IDs: in.IDs()}, in.Spec
	if in.OpenLaw && !s.HasDistances() {
		p.Notes = append(p.Notes, "no distances are given (--distance): the law is ibp")
	}
	p.Notes = append(p.Notes, in.Notes...)
	if in.Items.IDs != nil && !in.Items.Numbered {
		p.IDColumn = cmp.Or(in.Items.IDColumn, "the first column")
	}
	in.fillPlace(&s.Distance)
	in.openLog(&s.Data)
	var err error
	if p.Columns, p.LeftOut, err = in.chosen(s); err != nil {
		return nil, err
	}
	if note := in.answers(lists.Map(p.LeftOut, func(l LeftOut) string { return l.Column })); note != "" {
		p.Notes = append(p.Notes, note)
	}
	p.Notes = append(p.Notes, in.strays(&s.Data, p.Columns)...)
	p.Notes = append(p.Notes, in.notePlaces(s, p.Columns, in.OpenLaw)...)
	p.Notes = append(p.Notes, in.noteDates(s, in.OpenLaw)...)
	n, d := in.Items.N(), len(p.Columns)
	if err := in.Memory.covers(fitNeed(s, n, d), fmt.Sprintf("%s: %d items x %d columns", in.Items.Name, n, d)); err != nil {
		return nil, err
	}
	p.Notes = append(p.Notes, in.fillBinary(&s, p.Columns)...)
	p.AutoScale = s.Data.Scale == nil
	if p.Observed, err = in.observations(&s, p.Columns); err != nil {
		return nil, err
	}
	if in.openLogs && len(s.Data.Log) > 0 {
		note := fmt.Sprintf("long tails to the right: %s; logarithms take their place (--log none keeps the numbers)", hint.Listed(s.Data.Log, 3))
		if d >= manyColumns && 2*len(s.Data.Log) < d {
			note += "; if all columns have one unit, take logarithms of all (--log '*') or of none"
		}
		p.Notes = append(p.Notes, note)
	}
	x := p.X
	p.fillNoise(&s)
	data, err := p.Likelihood(s.Data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Items.Name, err)
	}

	p.Notes = append(p.Notes, in.notes(s.Data, p.Columns, &p.Observed)...)
	h := hasher{sum: sha256.New()}
	for _, row := range x {
		h.floats(row)
	}
	p.hash(&h)
	var law prior.Law
	var temperatures []spec.Parameter
	p.Notes, p.TemperatureUnit = append(p.Notes, unused(s)...), 1
	var a attraction
	if s.Prior.Law == "ibp" {
		if law, err = prior.NewIBP(data.N(), start(s.Prior.Mass)); err == nil && s.HasDistances() {
			err = in.pairs(s, &a, &h)
		}
	} else {
		a, err = in.attraction(&s, &h)
		law, p.TemperatureUnit, temperatures = a.law, a.temperatureUnit, a.temperatures
	}
	if err != nil {
		return nil, err
	}
	p.Unit, p.FurtherDistances = a.unit, a.furtherDistances
	p.Notes = append(p.Notes, a.notes...)
	if len(a.distances) > 1 || s.Prior.ProximityFile() == "" && s.Prior.Decay != "given" {
		p.several = a.distances
	}
	weightPrior, follow, notes := weightsOf(s, n, a.pairs)
	p.Weights, p.Notes = follow, append(p.Notes, notes...)
	if err := p.fillInit(&s); err != nil {
		return nil, err
	}
	if err := p.setInit(s.Sampler.Init, in, &h); err != nil {
		return nil, err
	}

	p.Scales = mcmc.DefaultScales(p.Latent, s.Data.HasIntercept(), s.Data.HasNoiseScales() && s.Data.Preset == "")
	latent := !slices.Contains(p.Categories, nil)
	if latent {
		p.Scales = latentScales(FeaturesOf(s))
		x := &s.Prior.SigmaX
		if x.Open() {
			x.Fixed, x.Value = true, cmp.Or(x.Value, new(p.Scales.SigmaX))
		}
		if x.Fixed {
			p.Scales.SigmaA *= *x.Value // only their ratio counts
		}
	}
	if err := fillScales(&s, p.Scales, latent || s.Data.Preset != "", in.Items.Name); err != nil {
		return nil, err
	}
	p.DataHash = hex.EncodeToString(h.sum.Sum(nil))
	if s.Data.Hash != "" && s.Data.Hash != p.DataHash {
		return nil, spec.Errorf("data.hash", "found data with hash %s, expected %s: the files or what is done to them have changed since the hash was noted", p.DataHash, s.Data.Hash)
	}
	s.Data.Hash = p.DataHash
	if s.Data.HasNoiseScales() && !slices.Contains(data.FreeNoiseScales(), true) {
		return nil, spec.Errorf("data.noise", "found columns, expected common: noise scales need a column with two distinct numbers")
	}
	if s.Data.HasNoiseScales() && math.IsInf(p.SDRatio, 1) {
		return nil, spec.Errorf("data.noise", "found columns and a constant column of X, expected common: with noise scales SigmaX would tend to 0 (leave the column out with --columns)")
	}
	post := mcmc.PosteriorOf(data, law, p.Scales)
	post.Features, post.Weights, post.Mass = FeaturesOf(s), weightPrior, gamma(s.Prior.Mass)
	post.Permutation = s.Prior.HasPermutation() && s.Prior.Permutation.Kind == "random"
	random := s.RandomTemperatures()
	for m, measured := range p.Distances() {
		if s.Prior.Law == "ibp" { // weights alone follow the distances
			break
		}
		var unknown *mcmc.Gamma
		if slices.Contains(random, m) {
			unknown = gamma(temperatures[m])
		}
		if m == 0 {
			post.Temperature = unknown
		} else {
			post.FurtherTemperatures = append(post.FurtherTemperatures, unknown)
		}
		if len(p.FurtherDistances) > 0 {
			post.TemperatureUnits[m] = measured.TemperatureUnit
		}
	}
	p.Options = mcmc.OptionsFor(post, s.Sampler.Warmup) // with steps in proportion to the default scales
	fillSteps(&s.Sampler, p.Options)
	post.SigmaX, post.SigmaA = scalePrior(s.Prior.SigmaX), scalePrior(s.Prior.SigmaA)
	p.Spec, p.Given, p.Sources, p.Posterior = s, in.Given, in.Sources, post
	return p, post.Validate()
}

// fillSteps fills in the settings of the scan that depend on the posterior.
func fillSteps(s *spec.Sampler, o mcmc.Options) {
	if s.OtherUpdates == nil {
		s.OtherUpdates = new(o.OtherUpdates)
	}
	s.StepTemperature = cmp.Or(s.StepTemperature, o.StepTemperature)
	s.StepSigmaX, s.StepSigmaA = cmp.Or(s.StepSigmaX, o.StepX), cmp.Or(s.StepSigmaA, o.StepA)
}

// Several returns the distances of a problem between all pairs of items, nil if there are none.
func (p *Problem) Several() similarity.Several { return p.several }

// Noisy returns the names of the columns whose noise scales are unknown.
func (p *Problem) Noisy() (names []string) {
	for j, free := range p.Posterior.Data.FreeNoiseScales() {
		if free {
			names = append(names, p.Columns[j])
		}
	}
	return names
}

// unused returns a line for each part of a complete spec that the law does not use.
func unused(s spec.Spec) (notes []string) {
	if s.Prior.Law == "ibp" && s.Distance.Kind != "none" && !s.NearWeights() {
		notes = append(notes, "the distances are not used: the law is ibp and features are binary")
	}
	if s.Prior.DecayShift != 0 && s.Prior.Decay != "reciprocal" {
		notes = append(notes, fmt.Sprintf("the shift of the reciprocal decay is not used: the decay is %s", s.Prior.Decay))
	}
	untouched := spec.Default()
	untouched.Prior.Decay = s.Prior.Decay
	switch {
	case reflect.DeepEqual(s.Prior.Temperature, untouched.Complete().Prior.Temperature) || s.HasTemperature():
	case s.Prior.Law == "ibp":
		notes = append(notes, "the temperature is not used: the law is ibp")
	default:
		notes = append(notes, fmt.Sprintf("the temperature is not used: the decay is %s", s.Prior.Decay))
	}
	return notes
}

// setInit sets Z at the start, unless it is drawn.
func (p *Problem) setInit(init string, in *Input, h *hasher) error {
	n := len(p.IDs)
	switch init {
	case spec.InitMixed, string(mcmc.InitFactors), string(mcmc.InitPrior):
		return nil
	case "data":
		if n > mcmc.MaxClustered {
			return spec.Errorf("sampler.init", "found data and %d items, expected at most %d", n, mcmc.MaxClustered)
		}
		return nil
	case "empty", spec.InitSubsample:
		p.init.Z = feature.New(n)
		return nil
	}
	if items := in.Init.Z.N(); items != n {
		return fmt.Errorf("%s: found Z of %d items, expected %d", init, items, n)
	}
	for _, row := range in.Init.Z.Rows() {
		h.ints(row)
	}
	if in.Init.Weights != nil {
		h.floats(in.Init.Weights)
	}
	p.init = in.Init
	return nil
}

// fillScales fills in the defaults that depend on the standard deviation of X: the means of the
// exponential priors, see mcmc.DefaultScales, or the maxima of uniform ones.
func fillScales(s *spec.Spec, sd lglfm.Scales, uniform bool, name string) error {
	for _, c := range []struct {
		key   spec.Key
		scale *spec.Scale
		sd    float64
	}{
		{"prior.sigma_x.mean", &s.Prior.SigmaX, sd.SigmaX},
		{"prior.sigma_a.mean", &s.Prior.SigmaA, sd.SigmaA},
	} {
		switch {
		case !c.scale.Open():
		case !(c.sd > 0) || math.IsInf(c.sd, 1):
			return spec.Errorf(c.key, "%s: found values with standard deviation %v, expected a finite number above 0", name, c.sd)
		case uniform:
			c.scale.Max = c.sd
		default:
			c.scale.Mean = c.sd
		}
	}
	return nil
}

// latentScales returns SigmaX and the largest SigmaA by default if all columns are binary or ordinal. Categories
// do not determine the scale of the latent values: SigmaX is 1, as in a probit model. SigmaA is at most 1 if weights
// have mean 0, and otherwise 3: an effect of 3, of the weight 3 or of the weight 1, takes a probability from 0.5
// to 0.999.
func latentScales(f mcmc.Features) lglfm.Scales {
	if f == mcmc.Weighted {
		return lglfm.Scales{SigmaX: 1, SigmaA: 1}
	}
	return lglfm.Scales{SigmaX: 1, SigmaA: 3}
}

// FeaturesOf returns the kind of features of a spec.
func FeaturesOf(s spec.Spec) mcmc.Features {
	if s.Likelihood.HasWeights() {
		return mcmc.Weighted
	}
	return mcmc.Binary
}

// gamma returns the prior, nil for a fixed parameter.
func gamma(p spec.Parameter) *mcmc.Gamma {
	if p.Fixed {
		return nil
	}
	return &mcmc.Gamma{Shape: p.Shape, Rate: p.Rate}
}

// scalePrior returns the prior of a scale whose default is filled in.
func scalePrior(c spec.Scale) mcmc.ScalePrior {
	switch {
	case c.Fixed:
		return mcmc.ScalePrior{}
	case c.Shape == 0:
		return mcmc.ScalePrior{Max: c.Max, Mean: c.Mean}
	}
	return mcmc.ScalePrior{Gamma: &mcmc.Gamma{Shape: c.Shape, Rate: c.Rate}}
}

// hasher hashes lists of numbers: the length, then the numbers, in 8 bytes each, the least
// significant first.
type hasher struct {
	sum hash.Hash
	b   []byte
}

func (h *hasher) floats(values []float64) {
	h.list(len(values), func(i int) uint64 { return math.Float64bits(values[i]) })
}

func (h *hasher) ints(values []int) {
	h.list(len(values), func(i int) uint64 { return uint64(values[i]) })
}

func (h *hasher) list(n int, bits func(i int) uint64) {
	h.b = binary.LittleEndian.AppendUint64(h.b[:0], uint64(n))
	for i := range n {
		h.b = binary.LittleEndian.AppendUint64(h.b, bits(i))
	}
	h.sum.Write(h.b)
}
