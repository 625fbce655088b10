package model

// The law of Z that a spec describes, with or without data.

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"

	"aibd/internal/spec"
	"aibd/prior"
	"aibd/similarity"
)

// PriorProblem is the law that a spec describes.
type PriorProblem struct {
	Law   prior.Law
	Prior spec.Prior // of the spec, complete
	IDs   []string   // names of the N items; nil if no data are named
	Unit  string     // of the distances, "" if the law knows none
}

// BuildPrior returns the law of Z at the values of mass and temperature in the spec, or at
// the means of their priors. The items are those of the data, if the spec names any, or
// those of the matrix of distances or proximities; law ibp takes the given number without
// them. If the permutation is random, the items are in the order of the data. Errors are
// those of Build.
func BuildPrior(s spec.Spec, items int) (*PriorProblem, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	named := s.Data.File != "" || s.Data.Builtin != ""
	s = s.Complete()
	var t tables
	files := sources{memory: available()}
	p := &PriorProblem{Prior: s.Prior}
	if named {
		var err error
		if t, err = load(s.Data, &files, files.memory.holds); err != nil {
			return nil, err
		}
		p.IDs, items = t.ids(), t.items.N()
		if err := files.memory.covers(lawNeed(s, items, 0, ""), fmt.Sprintf("%s: %d items", t.items.Name, items)); err != nil {
			return nil, err
		}
	}
	var err error
	switch {
	case s.Prior.Law == "ibp" && items < 1:
		err = fmt.Errorf("found %d items, expected at least 1", items)
	case s.Prior.Law == "ibp":
		p.Law, err = prior.NewIBP(items, start(s.Prior.Mass))
	case !named && s.Distance.Kind != "matrix" && s.Prior.ProximityFile() == "":
		err = spec.Errorf("data.file", "found none, expected a file or a built-in set (or %s matrix)", spec.Key("distance.kind"))
	default:
		p.Law, p.Unit, err = t.attraction(&s, &files, &hasher{sum: sha256.New()})
	}
	if err != nil {
		return nil, err
	}
	if mean := p.Law.Mass() * p.Law.TotalIntensity(); !(mean <= mostOfPrior) {
		return nil, spec.Errorf("prior.mass.value", "found %v, under which %.3g features are expected, expected at most %.3g", p.Law.Mass(), mean, float64(mostOfPrior))
	}
	return p, nil
}

// mostOfPrior bounds the expected features of a law alone: a larger mass can only be a
// mistake.
const mostOfPrior = 1e7

// attraction returns the law at its starting values, and the unit of its distances.
// It fills in the order of the items where the spec leaves it to the data.
func (t tables) attraction(s *spec.Spec, files *sources, h *hasher) (law prior.Law, unit string, err error) {
	var m *similarity.Matrix
	if s.Prior.HasDistances() {
		m, unit, err = t.distances(s.Distance, files)
	} else if m, err = t.matrix(s.Prior.ProximityFile(), files); errors.Is(err, fs.ErrNotExist) {
		// It may be a misspelled word.
		err = spec.Errorf("prior.proximity", "expected sequential, symmetric or a file: %w", err)
	}
	if err != nil {
		return nil, "", err
	}
	for i := range m.N() {
		h.floats(m.Row(i))
	}
	if s.Prior.Law == "ddibp" && s.Prior.Decay == "given" {
		if err := finite(m); err != nil {
			return nil, "", fmt.Errorf("%s: %w", cmp.Or(s.Prior.ProximityFile(), s.Distance.File), err)
		}
	}
	decay, err := similarity.ParseDecay(s.Prior.Decay, s.Prior.DecayShift, s.Prior.WindowWidth)
	if err != nil {
		return nil, "", err
	}
	aff, mass, temperature := prior.NewAffinity(m, decay), start(s.Prior.Mass), start(s.Prior.Temperature)
	var perm []int
	if s.Prior.HasPermutation() {
		if perm, err = t.order(&s.Prior.Permutation, m.N()); err != nil {
			return nil, "", err
		}
		h.ints(perm)
	}
	switch {
	case s.Prior.Law == "aibd":
		law, err = prior.NewAIBD(aff, mass, temperature, perm)
	case s.Prior.HasPermutation():
		law, err = prior.NewSequentialDDIBP(aff, mass, temperature, perm)
	default:
		law, err = prior.NewDDIBP(aff, mass, temperature)
	}
	if err != nil {
		return nil, "", fmt.Errorf("prior: %w", err)
	}
	return law, unit, nil
}

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
func (t tables) order(p *spec.Permutation, n int) ([]int, error) {
	perm := prior.Identity(n)
	if p.Kind == "ordered" {
		by, err := t.covariate(p.Column)
		if err != nil {
			return nil, spec.Errorf("prior.permutation.column", "%w", err)
		}
		slices.SortStableFunc(perm, func(i, j int) int { return cmp.Compare(by[i], by[j]) })
		return perm, nil
	}
	if len(p.Order) > 0 {
		perm = make([]int, len(p.Order))
		for position, item := range p.Order {
			perm[position] = item - 1
		}
	} else if p.Kind == "fixed" {
		for _, item := range perm {
			p.Order = append(p.Order, item+1)
		}
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
