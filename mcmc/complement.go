package mcmc

import "math/rand/v2"

// complement replaces a column z by 1 - z, the items that do not have the feature. With an
// intercept mu both have the same likelihood, since 1 mu' + Z A is the same for the loadings
// -a and the intercept mu + a, and mu has a flat prior. Columns are drawn uniformly, and the
// proposal is its own reverse; it is accepted by Metropolis on nu alone.
type complement struct{}

func (complement) Name() string { return "complement" }

// Step makes as many proposals as there are columns. Info counts columns of all items,
// whose complement is empty, as rejected.
func (complement) Step(rng *rand.Rand, s *target) Info {
	info := Info{Proposed: s.K()}
	for range s.K() {
		a, u := rng.IntN(s.K()), rng.ExpFloat64()
		if s.Z().Size(a) == s.N() {
			continue
		}
		law := s.Law()
		if u+law.LogIntensity(s.ComplementOf(a))-law.LogIntensity(s.Column(a)) > 0 {
			info.Accepted++
			s.Complement(a)
		}
	}
	return info
}
