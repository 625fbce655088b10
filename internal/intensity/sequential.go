package intensity

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"aibd/feature"
)

// Sequential is a law in which items arrive in the order of a permutation and are
// attracted by earlier ones: the AIBD or the sequential dd-IBP.
type Sequential struct {
	attracted
	perm []int
	self bool // the dd-IBP: an arriving item is also attracted by itself, to new dishes
	lazy *lazy
}

// lazy has the tables of a law. They are large, and trackers have their own, so that
// they are computed at their first use.
type lazy struct {
	once    sync.Once
	arrival *arrival
}

// NewSequential returns the AIBD or, with self, the sequential dd-IBP.
func NewSequential(aff *Affinity, mass float64, temperatures Temperatures, perm []int, self bool) (*Sequential, error) {
	if err := cmp.Or(validMass(mass), temperatures.valid(aff.countFurther()), validPermutation(perm, aff.N())); err != nil {
		return nil, err
	}
	if self {
		if err := validSelf(aff); err != nil {
			return nil, err
		}
	}
	return &Sequential{attracted{aff, mass, temperatures.Clone()}, slices.Clone(perm), self, new(lazy)}, nil
}

// Self reports whether the law is the sequential dd-IBP.
func (l *Sequential) Self() bool { return l.self }

// Permutation returns a copy of the permutation.
func (l *Sequential) Permutation() []int { return slices.Clone(l.perm) }

// WithMass returns the law with another mass. It panics unless mass is valid.
func (l *Sequential) WithMass(mass float64) *Sequential {
	must(validMass(mass))
	c := *l
	c.mass = mass
	return &c
}

// With returns the law with other temperatures and another permutation. It panics unless they
// are valid.
func (l *Sequential) With(temperatures Temperatures, perm []int) *Sequential {
	c, err := NewSequential(l.aff, l.mass, temperatures, perm, l.self)
	must(err)
	return c
}

// LogIntensity returns log nu of a column.
func (l *Sequential) LogIntensity(column []uint64) float64 { return l.tables().logIntensity(column) }

// tables returns the tables of the law.
func (l *Sequential) tables() *arrival {
	l.lazy.once.Do(func() {
		l.lazy.arrival = newArrival(l.perm, l.self)
		l.lazy.arrival.attract(l.aff, l.temperatures, new(attraction))
	})
	return l.lazy.arrival
}

// Tracker returns the incremental form of the law, an Inserter for the AIBD.
func (l *Sequential) Tracker() Tracker {
	t := newArrivalTracker(l.aff, l.temperatures, l.perm, l.self)
	if l.self {
		return t
	}
	return inserter{t, new(insertion)}
}

// SumLogIntensity returns the sum of log nu over the columns of z.
func (l *Sequential) SumLogIntensity(z *feature.Allocation) float64 {
	return l.tables().sumLogIntensity(z)
}

// TotalIntensity returns the sum of w_p: the N-th harmonic number for the AIBD, as
// for the IBP; the sum of 1/h_p, which depends on the permutation, for the
// sequential dd-IBP.
func (l *Sequential) TotalIntensity() float64 {
	if !l.self {
		return harmonic(l.N())
	}
	return l.tables().totalIntensity()
}

// Rand draws an allocation by the generative process.
func (l *Sequential) Rand(rng *rand.Rand) *feature.Allocation { return l.tables().rand(rng, l.mass) }

// ExpectedSharing returns the exact expected sharing under the permutation, in
// O(N^3).
func (l *Sequential) ExpectedSharing() [][]float64 { return l.tables().sharing(l.mass) }

// String describes the law in one line.
func (l *Sequential) String() string {
	name := "AIBD"
	if l.self {
		name = "sequential dd-IBP"
	}
	return fmt.Sprintf("%s(N=%d, mass=%g, temperature=%v, %s)", name, l.N(), l.mass, l.temperatures, l.aff.decayNames())
}
