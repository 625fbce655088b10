package prior

import (
	"fmt"
	"math"

	"aibd/feature"
	"aibd/internal/intensity"
)

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
// with L_z the Laplacian of the links within z, see docs/ddibp.md. At temperature
// 0 the number of features is Poisson(mass), and it is not the IBP.
type DDIBP struct{ *ddibp }

type ddibp = intensity.DDIBP

// NewDDIBP returns the dd-IBP. It returns an error unless mass is positive,
// temperature is at least 0, the decay is 1 at distance 0 (of the reciprocal
// ones that with shift 1), and given proximities are at most 1e6.
func NewDDIBP(affinity *Affinity, mass, temperature float64) (*DDIBP, error) {
	law, err := intensity.NewDDIBP(affinity.affinity, mass, temperature)
	if err != nil {
		return nil, err
	}
	return &DDIBP{law}, nil
}

// WithMass returns the law with another mass.
func (l *DDIBP) WithMass(mass float64) Law { return &DDIBP{l.ddibp.WithMass(mass)} }

// With returns the law with another temperature. The permutation is ignored.
func (l *DDIBP) With(temperature float64, _ []int) Attraction {
	return &DDIBP{l.ddibp.With(temperature)}
}

// MaxEnumeratedItems is the max number of items for which ExpectedSharing of the DDIBP
// adds over all sets of items.
const MaxEnumeratedItems = 16

// ExpectedSharing returns the exact expected sharing, by summation over all
// 2^N - 1 columns. It panics for more than MaxEnumeratedItems items;
// use SharingMonteCarlo there.
func (l *DDIBP) ExpectedSharing() [][]float64 {
	n := l.N()
	if n > MaxEnumeratedItems {
		panic(fmt.Sprintf("prior: exact expected sharing of the dd-IBP for %d items, at most %d", n, MaxEnumeratedItems))
	}
	s := intensity.Square(n)
	var members []int
	for c := uint64(1); c < 1<<n; c++ {
		column := []uint64{c}
		nu := l.Mass() * math.Exp(l.LogIntensity(column))
		members = feature.Members(members[:0], column)
		for _, i := range members {
			for _, j := range members {
				s[i][j] += nu
			}
		}
	}
	return s
}
