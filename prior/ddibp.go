package prior

import "aibd/internal/intensity"

// DDIBP is the distance dependent Indian buffet process (Gershman, Frazier and
// Blei, 2015) in which any item may link to any other. With P_ij = f(temperature,
// d_ij), P_ii = 1, h_i the sum of row i and A_ij = P_ij/h_i: item i owns
// Poisson(mass/h_i) dishes; for each dish every item j draws a link from A_j, and
// holds the dish if it is the owner or its chain of links meets the owner.
//
// The pmf is in closed form, for every P, symmetric or not:
//
//	nu(z) = prod_{j not in z} (1 - sum_{l in z} A_jl) * sum_{o in z} (1/h_o) det(L_z without o)
//
// with L_z the Laplacian of the links within z, see docs/theory/ddibp.md. At temperature
// 0 the number of features is Poisson(mass), and it is not the IBP.
type DDIBP struct {
	attracted
	law *intensity.DDIBP
}

func newDDIBP(law *intensity.DDIBP, affinity *Affinity) *DDIBP {
	return &DDIBP{newAttracted(law, affinity), law}
}

// NewDDIBP returns the dd-IBP. It returns an error unless mass is positive,
// temperature is at least 0, the decay is 1 at distance 0 (of the reciprocal
// ones that with shift 1), and given proximities are at most 1e6.
func NewDDIBP(affinity *Affinity, mass, temperature float64) (*DDIBP, error) {
	law, err := intensity.NewDDIBP(affinity.affinity, mass, affinity.temperatures(temperature))
	if err != nil {
		return nil, err
	}
	return newDDIBP(law, affinity), nil
}

// WithMass returns the law with another mass.
func (l *DDIBP) WithMass(mass float64) Law { return newDDIBP(l.law.WithMass(mass), l.affinity) }

// With returns the law with another temperature. The permutation is ignored.
func (l *DDIBP) With(temperature float64, _ []int) Attraction {
	return newDDIBP(l.law.With(l.temperatures(temperature)), l.affinity)
}

// WithFurtherTemperatures returns the law with other temperatures of the distances after the first.
func (l *DDIBP) WithFurtherTemperatures(temperatures []float64) Attraction {
	return newDDIBP(l.law.With(l.withTail(temperatures)), l.affinity)
}

// ExpectedSharing returns the exact expected sharing, by summation over all
// 2^N - 1 columns. It panics for more than MaxEnumeratedItems items;
// use SharingMonteCarlo there.
func (l *DDIBP) ExpectedSharing() [][]float64 { return enumerated(l) }
