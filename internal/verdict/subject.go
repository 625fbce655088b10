package verdict

import (
	"slices"

	"aibd/draws"
	"aibd/internal/lists"
	"aibd/lglfm"
)

// Subject describes the model and the data of draws, as far as a verdict needs them.
type Subject struct {
	Items, Columns []string
	Has            draws.Has          // what the draws have
	Fixed          []string           // keys of the unknowns that are fixed
	Max            map[string]float64 // by key of an unknown, where its prior ends
	Names          map[string]string  // by key, of the scalars that are not called as usual
	Weighted       bool               // items have features by degrees
	Data           *lglfm.Data
}

// Quantities returns the scalars that are reported, given the values of all scalars in the draws of each chain, by key.
func (s Subject) Quantities(chains []map[string][]float64) (all []Quantity) {
	for _, scalar := range s.Has.Scalars() {
		if scalar.Name == "" {
			continue
		}
		q := Quantity{
			Key: scalar.Key, Name: scalar.Name, Kind: s.kind(scalar), Unknown: scalar.Unknown(), Code: isCode(scalar), Max: s.Max[scalar.Key],
			Chains: lists.Map(chains, func(values map[string][]float64) []float64 { return values[scalar.Key] }), // nil before the first draw
		}
		if name := s.Names[q.Key]; name != "" {
			q.Name = name
		}
		all = append(all, q)
	}
	return all
}

// Values returns the values of all scalars in the draws of a chain, by key.
func (s Subject) Values(chain []*draws.Draw) map[string][]float64 {
	values := map[string][]float64{}
	for _, scalar := range s.Has.Scalars() {
		values[scalar.Key] = lists.Map(chain, func(d *draws.Draw) float64 {
			row := draws.RowOf(d)
			return scalar.Value(&row)
		})
	}
	return values
}

// isCode reports whether a scalar depends on which features encode the signals. The log joint does by the prior of
// Z, and the shares of the variance of the weights and their rates do since weights depend on the rotation of features.
func isCode(s draws.Scalar) bool {
	return slices.Contains([]string{draws.KeyFeatures, draws.KeyItemsPerFeature, draws.KeyLogJoint}, s.Key) || slices.Equal(s.Depends, []string{draws.UnknownShares})
}

// kind returns the kind of a scalar.
func (s Subject) kind(scalar draws.Scalar) Kind {
	kind := Fixed
	for _, unknown := range scalar.Depends {
		switch {
		case slices.Contains(s.Fixed, unknown):
		case unknown == draws.UnknownZ || unknown == draws.UnknownPermutation:
			if kind == Fixed {
				kind = Discrete
			}
		default:
			kind = Continuous
		}
	}
	return kind
}

// Families returns the families of the draws: the sharing of items and fitted values. If features have
// weights, the covariances of the signals of items decide in place of sharing. It returns the error of a draw whose
// scales the data do not allow.
func (s Subject) Families(chains [][]*draws.Draw) ([]Family, error) {
	sharing := NewSharing(s.Items, chains)
	sharing.Code = s.Weighted
	if !s.Weighted {
		fitted, err := NewFitted(s.Items, s.Columns, s.Data, chains)
		return []Family{sharing, fitted}, err
	}
	covariances, fitted, err := NewSignals(s.Items, s.Columns, s.Data, chains)
	return []Family{sharing, covariances, fitted}, err
}
