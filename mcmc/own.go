package mcmc

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"aibd/feature"
	"aibd/internal/intensity"
	"aibd/internal/state"
	"aibd/lglfm"
	"aibd/prior"
)

// A Kernel is a user-defined move. Options.Kernels adds it to the end of each scan. Chains stop, resume
// and count its proposals as with the kernels of this package.
type Kernel struct {
	Name string // in Chain.Totals
	// Step makes a move that leaves the posterior invariant, such as a proposal that is accepted with
	// the probability of Metropolis and Hastings. It reads and changes the state through v, and takes
	// its random numbers from rng. It must not keep v or any state between calls: a resumed chain
	// would lack it. Several chains call it at once.
	Step func(rng *rand.Rand, v *View) Info
}

// A Point holds the values that a Kernel can change. Parameters that the law lacks are NaN or nil.
type Point struct {
	Z                   *feature.Allocation
	Mass                float64
	Temperature         float64
	FurtherTemperatures []float64 // temperatures of the distances after the first
	Permutation         []int
	Scales              lglfm.Scales
}

// A View is the state of a chain as a Kernel sees it. Unknown cells, cutpoints and noise scales stay as
// they are.
type View struct{ target *target }

// Point returns a copy of the chain's current point.
func (v *View) Point() Point {
	u := v.target.Unknowns()
	return Point{u.Z, u.Mass, u.Temperature, u.FurtherTemperatures, u.Permutation, u.Scales}
}

// LogDensity returns the log density of the posterior at p up to a constant, with the likelihood at its
// current power. Columns of Z are ordered: each order has the probability of the set of columns divided
// by the number of orders. LogDensity is -Inf outside the support of the prior, beyond MaxFeatures, and
// where p differs in a fixed value. It panics if Z has the wrong number of items, or the permutation
// does not hold each item once.
func (v *View) LogDensity(p Point) float64 {
	_, log := v.unknowns(p)
	return log
}

// unknowns returns LogDensity and the unknowns at p, which share memory with p. It returns no unknowns where
// p is outside the support.
func (v *View) unknowns(p Point) (u state.Unknowns, log float64) {
	s, post := v.target, v.target.post
	if !v.free(p) || p.Z.K() > MaxFeatures || p.Scales.Valid() != nil || post.Data.Check(p.Scales) != nil {
		return u, math.Inf(-1)
	}
	u, law, err := post.unknowns(p.start())
	if err != nil {
		panic(fmt.Sprint("mcmc: ", err))
	}
	orders, _ := math.Lgamma(float64(p.Z.K() + 1))
	log = post.addPriors(prior.LogProb(law, p.Z)+p.Z.LogMultiplicities()-orders, p.Mass, intensity.Temperatures{First: p.Temperature, Tail: p.FurtherTemperatures}) +
		post.SigmaX.LogDensity(p.Scales.SigmaX) + post.SigmaA.LogDensity(p.Scales.SigmaA) + s.LogPriorAt(p.Scales)
	if !math.IsInf(log, -1) {
		log += s.LogLikOf(p.Z, p.Scales)
	}
	return u, log
}

// free reports whether p is inside the support of mass and temperature and keeps all fixed values.
func (v *View) free(p Point) bool {
	s, post := v.target, v.target.post
	scales := s.Scales()
	if !(p.Mass > 0) || math.IsInf(p.Mass, 1) || post.Mass == nil && p.Mass != s.Mass ||
		!post.SigmaX.Random() && p.Scales.SigmaX != scales.SigmaX ||
		!post.SigmaA.Random() && p.Scales.SigmaA != scales.SigmaA ||
		!post.Permutation && !slices.Equal(p.Permutation, s.Permutation()) {
		return false
	}
	now, next := s.Temperatures(), intensity.Temperatures{First: p.Temperature, Tail: p.FurtherTemperatures}
	if math.IsNaN(now.First) { // the law has none
		return true
	}
	if len(next.Tail) != len(now.Tail) {
		return false
	}
	for m := range 1 + len(now.Tail) {
		x := next.Value(m)
		if random := post.perUnit(m) != nil; random && (!(x > 0) || math.IsInf(x, 1)) || !random && x != now.Value(m) {
			return false
		}
	}
	return true
}

// start returns p as a start.
func (p Point) start() Start {
	s := Start{Z: p.Z, Mass: p.Mass, FurtherTemperatures: p.FurtherTemperatures, Permutation: p.Permutation, Scales: p.Scales}
	if !math.IsNaN(p.Temperature) {
		s.Temperature = p.Temperature
	}
	return s
}

// Move takes the chain to p, which it copies. It panics unless LogDensity is finite there.
func (v *View) Move(p Point) {
	u, log := v.unknowns(p)
	if math.IsInf(log, 0) || math.IsNaN(log) {
		panic(fmt.Sprintf("mcmc: Move to a point with log density %v", log))
	}
	v.target.Load(u)
}

// ownKernel runs a Kernel in a scan.
type ownKernel struct {
	kernel Kernel
	view   View
}

func (k *ownKernel) Name() string { return k.kernel.Name }

func (k *ownKernel) Step(rng *rand.Rand, s *target) Info {
	k.view.target = s
	return k.kernel.Step(rng, &k.view)
}
