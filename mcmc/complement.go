package mcmc

import (
	"math/rand/v2"
)

// complement replaces a column z by 1 - z, the items that do not have the feature: with an
// intercept the likelihoods of the two are nearly equal, since Z A + 1 mu' is the same for
// the loadings -a and the intercept mu + a. Columns are drawn uniformly, and the proposal
// is its own reverse; it is accepted by Metropolis. The posterior's Intercept must be true.
//
// Nothing is proposed while the state is not Steady, which the move does not change.
type complement struct{ column []uint64 }

func (k *complement) Name() string { return "complement" }

// Step makes as many proposals as there are columns. Info counts columns of all items,
// whose complement is empty, as rejected.
func (k *complement) Step(rng *rand.Rand, s *target) Info {
	if s.K() == 0 || !s.Steady() {
		return Info{}
	}
	info := Info{Proposed: s.K()}
	for range s.K() {
		a, u := rng.IntN(s.K()), rng.ExpFloat64()
		if s.Z().Size(a) == s.N() {
			continue
		}
		column := s.Column(a)
		k.complement(column, s.N())
		law := s.Law()
		if u+s.LogComplement(a)+law.LogIntensity(k.column)-law.LogIntensity(column) > 0 {
			info.Accepted++
			s.Complement(a)
		}
	}
	return info
}

// complement puts the complement of a column of n items into k.column.
func (k *complement) complement(column []uint64, n int) {
	k.column = k.column[:0]
	for _, x := range column {
		k.column = append(k.column, ^x)
	}
	if n%64 != 0 {
		k.column[len(k.column)-1] &= 1<<(uint(n)%64) - 1
	}
}
