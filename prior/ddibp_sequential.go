package prior

import "aibd/internal/intensity"

// SequentialDDIBP is the distance dependent Indian buffet process (Gershman,
// Frazier and Blei, 2015) with links to earlier items only, in the order of a
// permutation. With P_pq = f(temperature, d) for q < p, P_pp = 1 and h_p their
// sum, the item at position p takes an existing dish with probability
//
//	sum of P_pq over earlier owners / h_p
//
// and Poisson(mass/h_p) new ones: it is an arrival law like the AIBD, which is the
// same with the similarities of each row scaled to add to p-1. Every item expects
// mass features; at temperature 0 it is the IBP.
type SequentialDDIBP struct{ arriving }

// NewSequentialDDIBP returns the sequential dd-IBP with the permutation perm,
// zero-based: perm[p] is the item that arrives at position p. It returns an error
// unless mass is positive, temperature is at least 0, perm holds each item once,
// the decay is 1 at distance 0 (of the reciprocal ones that with shift 1), and given
// proximities are at most 1e6.
func NewSequentialDDIBP(affinity *Affinity, mass, temperature float64, perm []int) (*SequentialDDIBP, error) {
	law, err := intensity.NewSequential(affinity.affinity, mass, affinity.temperatures(temperature), perm, true)
	if err != nil {
		return nil, err
	}
	return &SequentialDDIBP{newArriving(law, affinity)}, nil
}
