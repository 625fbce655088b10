package model

// The law of Z that a spec describes, with or without data.

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"math"
	"slices"

	"aibd/draws"
	"aibd/internal/lists"
	"aibd/internal/spec"
	"aibd/mcmc"
	"aibd/prior"
	"aibd/similarity"
)

// PriorProblem is the law that a spec describes.
type PriorProblem struct {
	Law              prior.Law
	Spec             spec.Spec  // complete
	FurtherDistances []Measured // see Problem
	IDs              []string   // names of the N items; nil if no data are named
	Unit             string     // of the distances, "" if they have none or are several, or the law has none
	Notes            []string   // see Problem
}

// BuildPrior returns the law of Z at the values of mass and temperature in the spec, or at
// the means of their priors. The items come from the data, if the spec names any, or
// those of the matrix of distances or proximities; law ibp takes the given number without
// them. If the permutation is random, the items are in the order of the data. Errors are
// those of Build.
func BuildPrior(in *Input, items int) (*PriorProblem, error) {
	s := in.Spec
	p := &PriorProblem{Spec: s, Notes: append(unused(s), in.Notes...)}
	if in.Items != nil {
		in.fillPlace(&s.Distance)
		p.IDs, items = in.IDs(), in.Items.N()
		if err := in.Memory.covers(lawNeed(s, items, 0, ""), fmt.Sprintf("%s: %d items", in.Items.Name, items)); err != nil {
			return nil, err
		}
	}
	var err error
	switch {
	case s.Prior.Law == "ibp" && items < 1:
		err = fmt.Errorf("found %d items, expected at least 1", items)
	case s.Prior.Law == "ibp":
		p.Law, err = prior.NewIBP(items, start(s.Prior.Mass))
	case in.Items == nil && in.Distances == nil:
		err = spec.Errorf("data.file", "found none, expected a file or a built-in set (or %s matrix)", spec.Key("distance.kind"))
	default:
		var a attraction
		a, err = in.attraction(&s, &hasher{sum: sha256.New()})
		p.Law, p.Notes, p.FurtherDistances = a.law, append(p.Notes, a.notes...), a.furtherDistances
		if len(a.furtherDistances) == 0 {
			p.Unit = a.unit
		}
	}
	if err != nil {
		return nil, err
	}
	if mean := p.Law.Mass() * p.Law.TotalIntensity(); !(mean <= maxOfPrior) {
		return nil, spec.Errorf("prior.mass.value", "found %v, under which %.3g features are expected, expected at most %.3g", p.Law.Mass(), mean, float64(maxOfPrior))
	}
	return p, nil
}

// maxOfPrior bounds the expected features of a law alone: a larger mass can only be a
// mistake.
const maxOfPrior = 1e7

// attraction is a law with distances or proximities.
type attraction struct {
	law              prior.Law
	distances        similarity.Several // nil if they are computed when they are needed
	pairs            []similarity.Pairs // by distance
	unit             string             // of the distances
	temperatureUnit  float64            // see Problem
	furtherDistances []Measured         // see Problem
	// By distance: the priors of the temperatures, of several distances in their units.
	temperatures []spec.Parameter
	notes        []string // see Problem
}

// set sets the distances.
func (a *attraction) set(m similarity.Several) {
	a.distances, a.pairs = m, lists.Map(m, func(d *similarity.Matrix) similarity.Pairs { return d })
}

// addUnit adds the unit of distance k, counted from zero.
func (a *attraction) addUnit(k int, unit string) {
	if k == 0 {
		a.unit = unit
		return
	}
	a.furtherDistances = append(a.furtherDistances, Measured{Unit: unit})
}

// attraction returns the law at its starting values. It fills in the order of the items
// where the spec leaves it to the data.
func (in *Input) attraction(s *spec.Spec, h *hasher) (a attraction, err error) {
	m := similarity.Several{in.Distances}
	if s.Prior.HasDistances() {
		if m, err = in.distances(*s, &a); err != nil {
			return a, err
		}
	}
	a.set(m)
	hashDistances(h, m)
	all := s.Distances()
	decays := decaysOf(*s)
	for k, d := range all {
		if s.Prior.Law == "ddibp" && s.Prior.Decay == "given" {
			if err := finite(m[k]); err != nil {
				return a, fmt.Errorf("%s: %w", cmp.Or(s.Prior.ProximityFile(), d.File), err)
			}
		}
	}
	var perm []int
	if s.Prior.HasPermutation() {
		if perm, err = in.order(&s.Prior.Permutation, m.N()); err != nil {
			return a, err
		}
		h.ints(perm)
	}
	if err := a.setTemperatures(*s, m, decays); err != nil {
		return a, err
	}
	law, err := LawOf(s.Prior, prior.NewAffinity(m, decays...), start(s.Prior.Mass), start(a.temperatures[0]), perm)
	if err != nil {
		return a, fmt.Errorf("prior: %w", err)
	}
	a.law = law
	if len(a.furtherDistances) > 0 { // the temperatures differ
		temperatures := lists.Make(len(a.furtherDistances), func(k int) float64 { return a.start(k+1, a.furtherDistances[k].TemperatureUnit) })
		a.law = law.WithFurtherTemperatures(temperatures).With(a.start(0, a.temperatureUnit), law.Permutation())
	}
	return a, nil
}

// start returns the value of the temperature of one of several distances, or the mean of its prior.
func (a *attraction) start(distance int, unit float64) float64 {
	p := a.temperatures[distance]
	if p.Value != nil {
		return *p.Value
	}
	return start(p) / unit
}

// decaysOf returns the decay of each of Spec.Distances.
func decaysOf(s spec.Spec) []similarity.Decay {
	decay, _ := similarity.ParseDecay(s.Prior.Decay, s.Prior.DecayShift) // Validate has checked them
	return slices.Repeat([]similarity.Decay{decay}, len(s.Distances()))
}

// LawOf returns a law with distances or proximities. perm is not used by a law without a permutation.
func LawOf(p spec.Prior, aff *prior.Affinity, mass, temperature float64, perm []int) (prior.Attraction, error) {
	switch {
	case p.Law == "aibd":
		return prior.NewAIBD(aff, mass, temperature, perm)
	case p.HasPermutation():
		return prior.NewSequentialDDIBP(aff, mass, temperature, perm)
	}
	return prior.NewDDIBP(aff, mass, temperature)
}

// startLaw returns a law at the temperatures and the permutation of a start. What is 0 or nil stays as in the law.
func startLaw(law prior.Attraction, s mcmc.Start) prior.Attraction {
	d := &draws.Draw{Mass: law.Mass(), Temperature: s.Temperature, FurtherTemperatures: s.FurtherTemperatures, Permutation: s.Permutation}
	if d.Temperature == 0 {
		d.Temperature = math.NaN()
	}
	return prior.WithDraw(law, d).(prior.Attraction)
}

// Measured has the units of a distance.
type Measured struct {
	Unit string `json:"unit"` // as Problem.Unit
	// TemperatureUnit multiplies its temperature in the prior.
	TemperatureUnit float64 `json:"temperature_unit"`
}

// Distances returns the units of all distances: one, unless there are several.
func (p *Problem) Distances() []Measured {
	return append([]Measured{{p.Unit, p.TemperatureUnit}}, p.FurtherDistances...)
}

// setTemperatures sets the priors of the temperatures, and their units.
func (a *attraction) setTemperatures(s spec.Spec, m similarity.Several, decays []similarity.Decay) error {
	for k, d := range s.Distances() {
		unit := 1.0
		if !d.Temperature.Fixed && s.Prior.TemperatureUnit == "median" {
			unit = mcmc.TemperatureUnit(m[k], decays[k])
		}
		if !(unit >= 1/maxMedian && unit <= maxMedian) {
			err := spec.Errorf("distance.kind", "found distances around %.3g, expected a unit in which they are around 1", unit)
			if len(a.furtherDistances) > 0 {
				err = d.About(err)
			}
			return err
		}
		parameter := spec.Parameter(d.Temperature)
		switch {
		case len(a.furtherDistances) == 0:
			parameter.Rate *= unit
			a.temperatureUnit = unit
		case k == 0:
			a.temperatureUnit = unit
		default:
			a.furtherDistances[k-1].TemperatureUnit = unit
		}
		a.temperatures = append(a.temperatures, parameter)
	}
	return nil
}

// maxMedian bounds the median distance: the square of a temperature must not overflow.
const maxMedian = 1e100

// finite reports the first infinite entry, next to which the proximity 1 of an item to
// itself would vanish.
func finite(m *similarity.Matrix) error {
	for i := range m.N() {
		if j := slices.IndexFunc(m.Row(i), func(x float64) bool { return math.IsInf(x, 1) }); j >= 0 {
			return fmt.Errorf("item %d to item %d: found an infinite proximity, expected a finite number of at least 0", i+1, j+1)
		}
	}
	return nil
}

// order returns the permutation of n items in the spec, from zero; the order of the data
// if there is none. It notes a fixed order of the data in the spec.
func (in *Input) order(p *spec.Permutation, n int) ([]int, error) {
	perm := prior.Identity(n)
	if p.Kind == "ordered" {
		values, err := in.covariate(p.Column)
		if err != nil {
			return nil, spec.Errorf("prior.permutation.column", "%w", err)
		}
		slices.SortStableFunc(perm, func(i, j int) int { return cmp.Compare(values.values[i], values.values[j]) })
		return perm, nil
	}
	if len(p.Order) > 0 {
		perm = lists.Map(p.Order, func(item int) int { return item - 1 })
	} else if p.Kind == "fixed" {
		p.Order = lists.Map(perm, func(item int) int { return item + 1 })
	}
	return perm, nil
}

// start returns the given value, or the mean of the prior.
func start(p spec.Parameter) float64 {
	if p.Value != nil {
		return *p.Value
	}
	return p.Shape / p.Rate
}
