package prior

import "aibd/internal/intensity"

// AIBD is the attraction Indian buffet distribution (paper (7)), an Attraction: items arrive in
// the order of a permutation, and the item at position p (from one) takes an
// existing dish with probability
//
//	(p-1)/p * sum of f(temperature, d) over earlier owners / the same over all earlier items
//
// and Poisson(mass/p) new dishes. If all similarities of an item to the earlier
// ones are 0, the earlier ones count equally: the limit as they tend to 0
// together. Where some are infinite (reciprocal decay at distance 0) only those
// count.
type AIBD struct{ arriving }

// NewAIBD returns the AIBD with the permutation perm, zero-based: perm[p] is the
// item that arrives at position p. It returns an error unless mass is positive,
// temperature is at least 0 and perm holds each item once.
func NewAIBD(affinity *Affinity, mass, temperature float64, perm []int) (*AIBD, error) {
	law, err := intensity.NewSequential(affinity.affinity, mass, affinity.temperatures(temperature), perm, false)
	if err != nil {
		return nil, err
	}
	return &AIBD{newArriving(law, affinity)}, nil
}
