package prior

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"aibd/feature"
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
type DDIBP struct {
	aff         *Affinity
	mass        float64
	temperature float64
	net         *network
}

// NewDDIBP returns the dd-IBP. It returns an error unless mass is positive,
// temperature is at least 0 and the decay is 1 at distance 0 (of the reciprocal
// ones that with shift 1).
func NewDDIBP(affinity *Affinity, mass, temperature float64) (*DDIBP, error) {
	if err := errors.Join(validMass(mass), validTemperature(temperature), validSelf(affinity)); err != nil {
		return nil, err
	}
	return newDDIBP(affinity, mass, temperature), nil
}

func newDDIBP(affinity *Affinity, mass, temperature float64) *DDIBP {
	l := &DDIBP{aff: affinity, mass: mass, temperature: temperature, net: newNetwork(affinity)}
	l.net.link(temperature)
	return l
}

// N returns the number of items.
func (l *DDIBP) N() int { return l.aff.N() }

// Mass returns the mass parameter.
func (l *DDIBP) Mass() float64 { return l.mass }

// Temperature returns the temperature.
func (l *DDIBP) Temperature() float64 { return l.temperature }

// Permutation returns nil: no item comes before another.
func (l *DDIBP) Permutation() []int { return nil }

// Affinity returns the distances and the decay.
func (l *DDIBP) Affinity() *Affinity { return l.aff }

// WithMass returns the law with another mass.
func (l *DDIBP) WithMass(mass float64) Law {
	checkMass(mass)
	c := *l
	c.mass = mass
	return &c
}

// With returns the law with another temperature. The permutation is ignored.
func (l *DDIBP) With(temperature float64, _ []int) Attraction {
	checkAttraction(temperature, Identity(l.N()), l.N())
	return newDDIBP(l.aff, l.mass, temperature)
}

// LogIntensity returns log nu of a column.
func (l *DDIBP) LogIntensity(column []uint64) float64 {
	members := feature.Members(nil, column)
	if len(members) == 0 {
		return math.Inf(-1)
	}
	sums := make([]float64, l.N())
	l.net.addMembers(sums, members)
	return l.net.logNu(members, sums, new(forestWork))
}

// TotalIntensity returns the sum of 1/h_i.
func (l *DDIBP) TotalIntensity() float64 { return l.net.h }

// Rand draws an allocation by the generative process, links and all.
func (l *DDIBP) Rand(rng *rand.Rand) *feature.Allocation {
	z := feature.New(l.N())
	links := make([]int, l.N())
	column := make([]uint64, z.Words())
	for owner := range l.N() {
		for range poisson(rng, l.mass*l.net.inv[owner]) {
			l.net.drawHolders(rng, owner, column, links)
			z.AppendColumn(column)
		}
	}
	return z
}

// MaxEnumeratedItems is the most items for which ExpectedSharing of the DDIBP
// adds over all sets of items.
const MaxEnumeratedItems = 16

// ExpectedSharing returns the exact expected sharing, by summation over all
// 2^N - 1 columns. It panics beyond MaxEnumeratedItems items, for which
// SharingMonteCarlo serves.
func (l *DDIBP) ExpectedSharing() [][]float64 {
	n := l.N()
	if n > MaxEnumeratedItems {
		panic(fmt.Sprintf("prior: exact expected sharing of the dd-IBP for %d items, at most %d", n, MaxEnumeratedItems))
	}
	s := square(n)
	var members []int
	for c := uint64(1); c < 1<<n; c++ {
		column := []uint64{c}
		nu := l.mass * math.Exp(l.LogIntensity(column))
		members = feature.Members(members[:0], column)
		for _, i := range members {
			for _, j := range members {
				s[i][j] += nu
			}
		}
	}
	return s
}

// Tracker returns the incremental form of the law.
func (l *DDIBP) Tracker() Tracker { return newNetworkTracker(l) }

// String describes the law in one line.
func (l *DDIBP) String() string {
	return fmt.Sprintf("dd-IBP(N=%d, mass=%g, temperature=%g, %s)", l.N(), l.mass, l.temperature, l.aff.decay)
}

// checkAttraction panics on a temperature or permutation that no law has.
func checkAttraction(temperature float64, perm []int, n int) {
	if err := errors.Join(validTemperature(temperature), ValidPermutation(perm, n)); err != nil {
		panic("prior: " + err.Error())
	}
}
