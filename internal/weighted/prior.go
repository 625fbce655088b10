package weighted

import (
	"math"
	"math/rand/v2"
	"slices"

	"aibd/draws"
	"aibd/feature"
	"aibd/similarity"
)

// A Prior is the prior of the weights of a feature, jointly over items:
//
//	w_.k ~ N(0, C),  C = c 11' + sum_m s_m R_m + e I,  R_m(i, j) = exp(-tau_m d_m(i, j))
//
// The shares c, s_m and e of the variance sum to 1. Their prior is uniform over all shares with e of at least
// minOwnShare; that of log tau_m is uniform between two bounds. A nil Prior stands for C = I.
type Prior struct {
	Near []Component
	// Neighbors is the number of earlier items on which the weight of an item depends directly, up to MaxNeighbors, in
	// an order that the prior chooses. Then correlations of other pairs are approximations of C. 0: on all of them.
	Neighbors int
	network   *network
}

// Prepare computes what all chains of n items share. It must be called before the prior is used, and not again.
func (p *Prior) Prepare(n int) {
	if p.Neighbors > 0 && len(p.Near) > 0 {
		p.network = newNetwork(p, n)
	}
}

// A Component is the part of the covariance that follows a distance.
type Component struct {
	// Distances are symmetric. exp(-tau d) must be positive semidefinite for all tau. Without bounds of tau they
	// are correlations, and there is no tau.
	Distances        similarity.Pairs
	MinRate, MaxRate float64
}

// minOwnShare is the least e. Items at one place would make C singular.
const minOwnShare = 1e-6

// Shares are the unknowns of the prior of the weights.
type Shares struct {
	Shares []float64 // c and s_m; nil if weights are independent. The rest of 1 is e
	Rates  []float64 // tau_m; 0 for a component without one
}

// Clone returns a copy.
func (s Shares) Clone() Shares { return Shares{slices.Clone(s.Shares), slices.Clone(s.Rates)} }

// OwnShare returns e.
func (s Shares) OwnShare() float64 { return draws.OwnShare(s.Shares) }

// Start returns equal shares, and rates in the middle of their bounds.
func (p *Prior) Start() Shares {
	if p == nil {
		return Shares{}
	}
	var s Shares
	for range 1 + len(p.Near) {
		s.Shares = append(s.Shares, 1/float64(2+len(p.Near)))
	}
	for _, c := range p.Near {
		s.Rates = append(s.Rates, math.Sqrt(c.MinRate*c.MaxRate))
	}
	return s
}

// Valid reports whether the prior density of the shares is positive.
func (p *Prior) Valid(s Shares) bool {
	if p == nil {
		return s.Shares == nil && s.Rates == nil
	}
	if len(s.Shares) != 1+len(p.Near) || len(s.Rates) != len(p.Near) || !(s.OwnShare() >= minOwnShare) {
		return false
	}
	for m, c := range p.Near {
		if !(s.Rates[m] >= c.MinRate && s.Rates[m] <= c.MaxRate) {
			return false
		}
	}
	return !slices.ContainsFunc(s.Shares, func(x float64) bool { return !(x > 0) })
}

// With returns the prior of one more item, to whose pairs the components of near belong. The prior of the others, which
// was prepared, stays.
func (p *Prior) With(near []Component) *Prior {
	extended := &Prior{Near: near, Neighbors: p.Neighbors}
	if p.network != nil {
		extended.network = p.network.with(extended)
	}
	return extended
}

// LogDensity returns the log prior density of valid shares. The bound of e takes a part of the simplex, which
// the constant leaves out.
func (p *Prior) LogDensity(s Shares) float64 {
	if p == nil {
		return 0
	}
	log, _ := math.Lgamma(float64(len(s.Shares) + 1))
	for m, c := range p.Near {
		if c.MaxRate > c.MinRate {
			log -= math.Log(s.Rates[m] * math.Log(c.MaxRate/c.MinRate))
		}
	}
	return log
}

// Rand draws the shares and rates from their prior, and the weights of the ones of z given them. Without a
// prior weights are independent.
func (p *Prior) Rand(rng *rand.Rand, z *feature.Allocation) (s Shares, weights []float64) {
	if p == nil {
		return s, p.RandAt(rng, z, s)
	}
	s = p.Start()
	for {
		total := rng.ExpFloat64()
		for m := range s.Shares {
			s.Shares[m] = rng.ExpFloat64()
			total += s.Shares[m]
		}
		for m := range s.Shares {
			s.Shares[m] /= total
		}
		if s.OwnShare() >= minOwnShare {
			break
		}
	}
	for m, c := range p.Near {
		if c.MaxRate > c.MinRate {
			s.Rates[m] = min(max(c.MinRate*math.Exp(rng.Float64()*math.Log(c.MaxRate/c.MinRate)), c.MinRate), c.MaxRate)
		}
	}
	return s, p.RandAt(rng, z, s)
}

// RandAt draws the weights of the ones of z from their prior at shares.
func (p *Prior) RandAt(rng *rand.Rand, z *feature.Allocation, s Shares) (weights []float64) {
	if p == nil {
		for range z.Ones() {
			weights = append(weights, rng.NormFloat64())
		}
		return weights
	}
	m := &Model{n: z.N(), z: z}
	m.prior = p
	m.setShares(s)
	for k := range z.K() {
		weights = m.randColumn(rng, k, weights)
	}
	return weights
}

// A Density computes the log density of the weights of an allocation at any shares. It belongs to one goroutine.
type Density struct{ m *Model }

// NewDensity returns the density of the weights of the ones of z, feature by feature with ascending items. The prior
// must not be nil.
func NewDensity(p *Prior, z *feature.Allocation, weights []float64) *Density {
	m := &Model{n: z.N(), z: z, features: make([][]int32, z.N())}
	m.prior = p
	m.SetZ(weights, p.Start())
	return &Density{m}
}

// Log returns the log density at shares, of which some may be 0.
func (d *Density) Log(s Shares) float64 {
	d.m.next = s
	d.m.setNext()
	return d.m.logWeights(true)
}
