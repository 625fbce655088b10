package dense

// The paper's sampler for the AIBD with the linear-Gaussian likelihood, the
// whole posterior recomputed at every flip and every proposal.

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// State holds the unknowns of the model.
type State struct {
	Z           [][]int // allocation, N x K
	Mass        float64 // > 0
	Temperature float64 // > 0, of the exponential decay
	Perm        []int   // order of arrival
	SigmaX      float64 // in (0, MaxSigmaX)
	SigmaA      float64 // in (0, MaxSigmaA)
}

// Sampler runs a Markov chain over State. The fields may be set freely between
// scans. NewSampler gives them their usual values.
type Sampler struct {
	X        [][]float64 // data, N x D; rows of length 0 for a chain without data
	Distance [][]float64 // N x N, turned into similarities by Exponential
	State    State

	// TruncationDivisor, finite and > 1, ends the series over the number of a
	// row's singletons: at the first number that is this many times less
	// probable than the most probable one.
	TruncationDivisor float64
	// OtherUpdates is how often a scan updates permutation, mass, temperature
	// and scales; 0 keeps them all as they are.
	OtherUpdates int
	ShuffleSize  int // positions in a proposed shuffle of the permutation, at most N

	MassShape, MassRate               float64 // Gamma prior of Mass
	TemperatureShape, TemperatureRate float64 // Gamma prior of Temperature
	MaxSigmaX, MaxSigmaA              float64 // uniform priors of the scales on (0, max)

	// Standard deviations of the random walks, and the correlation of the two
	// scales' steps.
	StepTemperature, StepSigmaX, StepSigmaA, StepCorrelation float64
}

// NewSampler returns a sampler that starts at a copy of start, with Gamma(1, 1)
// priors for mass and temperature. As in the authors' R package, singletons are
// truncated at 1/1000, a scan makes 10 other updates, and the standard
// deviation of all entries of x is the greatest value of both scales. It
// shuffles half the positions, and steps by 0.5 in the temperature and by 1/50
// of their greatest value in the scales. Without data (D = 0) the caller sets
// MaxSigmaX, MaxSigmaA, StepSigmaX and StepSigmaA.
func NewSampler(x, distance [][]float64, start State) *Sampler {
	start.Z = withSingletons(start.Z, 0, 0)
	start.Perm = slices.Clone(start.Perm)
	sd := stat.StdDev(slices.Concat(x...), nil)
	return &Sampler{
		X: x, Distance: distance, State: start,
		TruncationDivisor: 1000, OtherUpdates: 10, ShuffleSize: (len(start.Perm) + 1) / 2,
		MassShape: 1, MassRate: 1,
		TemperatureShape: 1, TemperatureRate: 1,
		MaxSigmaX: sd, MaxSigmaA: sd,
		StepTemperature: 0.5, StepSigmaX: sd / 50, StepSigmaA: sd / 50,
	}
}

// Scan updates every row of Z in turn, then the other unknowns OtherUpdates
// times.
func (s *Sampler) Scan(rng *rand.Rand) {
	for i := range s.State.Z {
		s.FlipRow(i, rng)
	}
	for range s.OtherUpdates {
		s.updatePermutation(rng)
		s.updateMass(rng)
		s.updateTemperature(rng)
		s.updateScales(rng)
	}
}

// FlipRow updates row i of Z: a Gibbs step for each of its entries in a column
// that another item has too, in a fresh random order, and then one for the
// number of columns that item i has alone.
func (s *Sampler) FlipRow(i int, rng *rand.Rand) {
	z := s.State.Z
	for _, k := range rng.Perm(len(z[i])) {
		if isSingleton(z, i, k) {
			continue
		}
		// The step is one among matrices with labelled columns, each of which has
		// the probability of its class divided by the number K!/prod_h K_h! of its
		// members. K is the same for both values. (The paper proposes flips of
		// classes and has the same factor in its Hastings ratio.)
		var lp [2]float64
		for v := range lp {
			z[i][k] = v
			lp[v] = s.logJoint(s.State) + logMultiplicities(z)
		}
		z[i][k] = 0
		if rng.Float64() < 1/(1+math.Exp(lp[0]-lp[1])) {
			z[i][k] = 1
		}
	}
	s.updateSingletons(i, rng)
}

// updateSingletons draws the number j of columns that only item i has. The pmf
// of the class with its K_h! makes the prior weight of j that of a Poisson
// distribution, mass^j nu^j / j!; the likelihood is recomputed for each j.
func (s *Sampler) updateSingletons(i int, rng *rand.Rand) {
	base := make([][]int, len(s.State.Z))
	for k := range s.State.Z[i] {
		if isSingleton(s.State.Z, i, k) {
			continue
		}
		for l, row := range s.State.Z {
			base[l] = append(base[l], row[k])
		}
	}
	var candidates [][][]int
	var lps []float64
	for j := 0; ; j++ {
		candidate := s.State
		candidate.Z = withSingletons(base, i, j)
		lp := s.logJoint(candidate)
		if j > 0 && !(lp >= floats.Max(lps)-math.Log(s.TruncationDivisor)) {
			break
		}
		candidates = append(candidates, candidate.Z)
		lps = append(lps, lp)
	}
	j, u := 0, rng.Float64()
	logTotal := floats.LogSumExp(lps)
	for ; j < len(lps)-1; j++ {
		if u -= math.Exp(lps[j] - logTotal); u < 0 {
			break
		}
	}
	s.State.Z = candidates[j]
}

// isSingleton reports whether column k of z belongs to item i alone.
func isSingleton(z [][]int, i, k int) bool {
	return z[i][k] == 1 && size(z, k) == 1
}

// updatePermutation proposes to shuffle the items at ShuffleSize positions.
func (s *Sampler) updatePermutation(rng *rand.Rand) {
	proposal := s.State
	proposal.Perm = slices.Clone(s.State.Perm)
	places := rng.Perm(len(proposal.Perm))[:s.ShuffleSize]
	rng.Shuffle(len(places), func(a, b int) {
		proposal.Perm[places[a]], proposal.Perm[places[b]] = proposal.Perm[places[b]], proposal.Perm[places[a]]
	})
	s.metropolis(proposal, rng)
}

// updateMass draws the mass from its conditional, Gamma(shape + K, rate + H_N).
func (s *Sampler) updateMass(rng *rand.Rand) {
	s.State.Mass = distuv.Gamma{
		Alpha: s.MassShape + float64(len(s.State.Z[0])),
		Beta:  s.MassRate + harmonic(len(s.State.Z)),
		Src:   rng,
	}.Rand()
}

// updateTemperature proposes a normal step of the temperature.
func (s *Sampler) updateTemperature(rng *rand.Rand) {
	proposal := s.State
	proposal.Temperature += s.StepTemperature * rng.NormFloat64()
	s.metropolis(proposal, rng)
}

// updateScales proposes a bivariate normal step of SigmaX and SigmaA.
func (s *Sampler) updateScales(rng *rand.Rand) {
	proposal := s.State
	a, b, rho := rng.NormFloat64(), rng.NormFloat64(), s.StepCorrelation
	proposal.SigmaX += s.StepSigmaX * a
	proposal.SigmaA += s.StepSigmaA * (rho*a + math.Sqrt(1-rho*rho)*b)
	s.metropolis(proposal, rng)
}

// metropolis moves to a symmetric proposal with probability
// min(1, p(proposal)/p(state)).
func (s *Sampler) metropolis(proposal State, rng *rand.Rand) {
	if math.Log(rng.Float64()) < s.logJoint(proposal)-s.logJoint(s.State) {
		s.State = proposal
	}
}

// logJoint returns the log of the joint density of data and unknowns at state,
// up to a constant and the prior of the mass, which no step that calls it
// changes; -Inf outside the priors' support. Of Z it is the probability of the
// equivalence class.
func (s *Sampler) logJoint(state State) float64 {
	inside := state.Temperature > 0 &&
		0 < state.SigmaX && state.SigmaX < s.MaxSigmaX &&
		0 < state.SigmaA && state.SigmaA < s.MaxSigmaA
	if !inside {
		return math.Inf(-1)
	}
	return LogAIBD(state.Z, state.Mass, Exponential(state.Temperature, s.Distance), state.Perm) +
		LogLik(s.X, state.Z, state.SigmaX, state.SigmaA) +
		(s.TemperatureShape-1)*math.Log(state.Temperature) - s.TemperatureRate*state.Temperature
}
