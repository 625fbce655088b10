package mcmc

import "math/rand/v2"

// maxComplements is the max number of proposals of a scan. A proposal takes O(N), and hardly any
// is accepted if there are many columns.
const maxComplements = 50

// complement replaces a column z by 1 - z, the items that do not have the feature. With an
// intercept mu both have the same likelihood, since 1 mu' + Z A is the same for the loadings
// -a and the intercept mu + a, and mu has a flat prior. Columns are drawn uniformly, and the
// proposal is its own reverse; it is accepted by Metropolis on nu alone.
//
// A step makes as many proposals as there are columns, at most maxComplements. Info counts columns
// of all items, whose complement is empty, as rejected.
var complement = simple{"complement", func(rng *rand.Rand, s *target) Info {
	info := Info{Proposed: min(s.K(), maxComplements)}
	for range info.Proposed {
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
}}
