package links

// A Markov chain over the owners and links of all dishes, given data.

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"
)

// Fault is a mistake in the update of a link that tests must detect. The
// published sampler has a faulty one; these are plausible forms, not its own.
type Fault int

const (
	// Correct is the update as it should be.
	Correct Fault = iota
	// WholeRow chooses whether to reach the owner as it should, and then draws
	// the link from the whole of A_j., so that the choice and with it the data
	// have no effect on the link.
	WholeRow
	// Uncut leaves the link in place and does not follow the chains: every other
	// holder counts as one that reaches the owner, even if only through j, and
	// the likelihoods compared are those of a change of the entry of j alone.
	Uncut
)

// Sampler runs a Markov chain whose law is the posterior of the dishes, and of
// the mass if it has a prior, under the dd-IBP and the linear-Gaussian latent
// feature model with the loadings integrated out. The state is Mass and Dishes.
// All fields may be set freely between scans.
type Sampler struct {
	X              [][]float64 // data, N x D; rows of length 0 for a chain without data
	P              [][]float64 // proximities, N x N
	SigmaX, SigmaA float64     // > 0

	// Gamma prior of Mass; a shape of 0 keeps Mass as it is.
	MassShape, MassRate float64

	Mass   float64 // > 0
	Dishes []Dish  // Scan changes them in place

	Fault Fault
}

// Allocation returns the allocation of the present dishes, N x K.
func (s *Sampler) Allocation() [][]int { return Allocation(len(s.X), s.Dishes) }

// Scan updates all links and the owner of every dish, proposes N births or
// deaths of dishes, and updates the mass. Each of these steps leaves the
// posterior invariant.
func (s *Sampler) Scan(rng *rand.Rand) {
	h, a := linkProbabilities(s.P)
	for k := range s.Dishes {
		for j := range s.X {
			s.updateLink(j, k, a, rng)
		}
		s.updateOwner(k, h, rng)
	}
	for range s.X {
		s.updateDishes(h, a, rng)
	}
	if s.MassShape > 0 {
		// There are Poisson(mass H) dishes.
		s.Mass = distuv.Gamma{
			Alpha: s.MassShape + float64(len(s.Dishes)),
			Beta:  s.MassRate + totalIntensity(h),
			Src:   rng,
		}.Rand()
	}
}

// updateLink draws the link of item j for dish k from its conditional law.
//
// With the link of j cut, each item reaches the owner, or hangs on j (its chain
// meets j), or neither; j hangs on itself. If j links to an item that reaches
// the owner, all that hang on j hold the dish, else none of them. So the links
// of j are of two groups, and each group has one allocation and the weight of
// the sum of its A_jm times the likelihood. Within a group the link follows A_j.
// restricted to it. The link of the owner changes no holder and follows A_j. as
// it is.
func (s *Sampler) updateLink(j, k int, a [][]float64, rng *rand.Rand) {
	dish := s.Dishes[k]
	if j == dish.Owner {
		dish.Links[j] = randIndex(a[j], rng)
		return
	}
	n := len(s.X)
	with, without := make([]bool, n), make([]bool, n)
	reaching, others := make([]float64, n), make([]float64, n)
	for m := range n {
		met := dish.firstMet(m, j)
		without[m] = met == dish.Owner
		with[m] = without[m] || met == j
		if s.Fault == Uncut {
			holds := dish.firstMet(m, dish.Owner) == dish.Owner
			without[m] = holds && m != j
			with[m] = holds || m == j
		}
		if without[m] {
			reaching[m] = a[j][m]
		} else {
			others[m] = a[j][m]
		}
	}
	z := s.Allocation()
	setColumn(z, k, with)
	logOdds := math.Log(floats.Sum(reaching)) + s.logLik(z)
	setColumn(z, k, without)
	logOdds -= math.Log(floats.Sum(others)) + s.logLik(z)
	group := others
	if rng.Float64() < 1/(1+math.Exp(-logOdds)) {
		group = reaching
	}
	if s.Fault == WholeRow {
		group = a[j]
	}
	dish.Links[j] = randIndex(group, rng)
}

// updateOwner draws the owner of dish k from its conditional law given all
// links: 1/h_o times the likelihood of the holders that owner o would have.
func (s *Sampler) updateOwner(k int, h []float64, rng *rand.Rand) {
	z := s.Allocation()
	weights := make([]float64, len(h))
	for o := range weights {
		setColumn(z, k, Dish{o, s.Dishes[k].Links}.Holders())
		weights[o] = s.logLik(z) - math.Log(h[o])
	}
	greatest := floats.Max(weights)
	for o, w := range weights {
		weights[o] = math.Exp(w - greatest)
	}
	s.Dishes[k].Owner = randIndex(weights, rng)
}

// updateDishes proposes the birth of a dish from its prior (owner proportional
// to 1/h_o, fresh links) or, as often, the death of a dish chosen uniformly, and
// accepts by Metropolis and Hastings. A new dish takes a place at random, so
// that the order of the dishes stays without meaning.
func (s *Sampler) updateDishes(h []float64, a [][]float64, rng *rand.Rand) {
	expected := s.Mass * totalIntensity(h)
	k := len(s.Dishes)
	var proposal []Dish
	var ratio float64
	if rng.IntN(2) == 0 {
		weights := make([]float64, len(h))
		for i, v := range h {
			weights[i] = 1 / v
		}
		born := Dish{randIndex(weights, rng), randLinks(a, rng)}
		proposal = slices.Insert(slices.Clone(s.Dishes), rng.IntN(k+1), born)
		ratio = expected / float64(k+1)
	} else if k > 0 {
		at := rng.IntN(k)
		proposal = slices.Delete(slices.Clone(s.Dishes), at, at+1)
		ratio = float64(k) / expected
	} else {
		return // no dish can die
	}
	change := s.logLik(Allocation(len(s.X), proposal)) - s.logLik(s.Allocation())
	if rng.Float64() < ratio*math.Exp(change) {
		s.Dishes = proposal
	}
}

// logLik returns the log likelihood of z.
func (s *Sampler) logLik(z [][]int) float64 { return logLik(s.X, z, s.SigmaX, s.SigmaA) }
