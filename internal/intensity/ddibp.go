package intensity

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"aibd/feature"
	"aibd/similarity"
)

// DDIBP is the law of package prior of this name.
type DDIBP struct {
	attracted
	net *network
}

// NewDDIBP returns the dd-IBP.
func NewDDIBP(aff *Affinity, mass float64, temperatures Temperatures) (*DDIBP, error) {
	if err := cmp.Or(validMass(mass), temperatures.valid(aff.countFurther()), validSelf(aff)); err != nil {
		return nil, err
	}
	l := &DDIBP{attracted{aff, mass, temperatures.Clone()}, newNetwork(aff)}
	l.net.link(temperatures)
	return l, nil
}

// errSelf says which decays the dd-IBP needs.
var errSelf = errors.New("the dd-IBP needs a decay that is 1 at distance 0")

// maxProximity is the max given similarity of the dd-IBP. Above it the share that an item
// keeps for new dishes would lose its digits.
const maxProximity = 1e6

// validSelf returns an error unless an item's similarity to itself is 1 under the
// decay of aff, as the dd-IBP assumes, and given similarities are at most maxProximity.
func validSelf(aff *Affinity) error {
	var given similarity.Several
	for m, decay := range aff.decays {
		if _, ok := decay.(similarity.Given); ok {
			given = append(given, aff.dist[m])
		} else if decay.LogSimilarity(1, 0) != 0 {
			return fmt.Errorf("decay: found %s; %w, as reciprocal is with shift 1", decay, errSelf)
		}
	}
	for i := range aff.N() {
		for j := range aff.N() {
			x := 1.0
			for _, matrix := range given {
				x *= matrix.At(i, j)
			}
			if i != j && x > maxProximity {
				return fmt.Errorf("proximity: row %d, column %d: found %g, expected at most %g", i+1, j+1, x, maxProximity)
			}
		}
	}
	return nil
}

// Permutation returns nil: no item comes before another.
func (l *DDIBP) Permutation() []int { return nil }

// WithMass returns the law with another mass. It panics unless mass is valid.
func (l *DDIBP) WithMass(mass float64) *DDIBP {
	must(validMass(mass))
	c := *l
	c.mass = mass
	return &c
}

// With returns the law with other temperatures. It panics unless they are valid.
func (l *DDIBP) With(temperatures Temperatures) *DDIBP {
	c, err := NewDDIBP(l.aff, l.mass, temperatures)
	must(err)
	return c
}

// LogIntensity returns log nu of a column.
func (l *DDIBP) LogIntensity(column []uint64) float64 {
	members := feature.Members(nil, column)
	if len(members) == 0 {
		return math.Inf(-1)
	}
	sums := make([]float64, l.N())
	l.net.addMembers(sums, members)
	outside, trees := l.net.logNu(members, sums, new(forestWork))
	return outside + trees
}

// SumLogIntensity returns the sum of log nu over the columns of z.
func (l *DDIBP) SumLogIntensity(z *feature.Allocation) float64 { return sumOver(z, l.LogIntensity) }

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

// Tracker returns the incremental form of the law.
func (l *DDIBP) Tracker() Tracker { return newNetworkTracker(l) }

// String describes the law in one line.
func (l *DDIBP) String() string {
	return fmt.Sprintf("dd-IBP(N=%d, mass=%g, temperature=%v, %s)", l.N(), l.mass, l.temperatures, l.aff.decayNames())
}
