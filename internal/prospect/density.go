package prospect

// Log probabilities and densities of given allocations.

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/stat/distuv"

	"aibd/feature"
	"aibd/internal/model"
	"aibd/internal/results"
	"aibd/lglfm"
	"aibd/mcmc"
	"aibd/prior"
)

// Allocation is an allocation, with weights or not, with the name of its place.
type Allocation struct {
	Name string
	feature.Weighted
}

// Densities are the densities of some allocations.
type Densities struct {
	Law         string    `json:"law,omitempty"`
	Items       int       `json:"items"`
	Averaged    bool      `json:"averaged_over_permutations,omitempty"`
	Draws       int       `json:"draws,omitempty"` // of Monte Carlo
	SigmaX      float64   `json:"sigma_x,omitempty"`
	SigmaA      float64   `json:"sigma_a,omitempty"`
	Allocations []Density `json:"allocations"`

	allocations []feature.Weighted
}

// Density has those of one allocation; nil if they were not computed.
type Density struct {
	Name         string          `json:"z"`
	Features     int             `json:"features"`
	LogPMF       *results.Number `json:"log_pmf,omitempty"` // null: probability 0
	StdErr       *results.Number `json:"std_err,omitempty"` // of LogPMF by Monte Carlo
	LogLik       *results.Number `json:"log_lik,omitempty"`
	LogWeights   *results.Number `json:"log_weights,omitempty"` // log density of weights, which are standard normal
	LogPosterior *results.Number `json:"log_posterior,omitempty"`
}

// NewDensities returns the table of allocations of n items.
func NewDensities(all []Allocation, n int) (*Densities, error) {
	d := &Densities{Items: n}
	for _, a := range all {
		if a.Z.N() != n {
			return nil, fmt.Errorf("%s: found %d items, expected %d", a.Name, a.Z.N(), n)
		}
		d.allocations = append(d.allocations, a.Weighted)
		d.Allocations = append(d.Allocations, Density{Name: a.Name, Features: a.Z.K()})
	}
	return d, nil
}

// AddPMF adds the log probabilities under a law, averaged over permutations if p says so: by the given
// number of Monte Carlo draws if there are too many items.
func (d *Densities) AddPMF(p *model.PriorProblem, draws int, seed uint64) (err error) {
	law := Averaged(p)
	d.Law, d.Averaged = LawLine(p), law != nil
	for i, z := range d.allocations {
		z, a, log := z.Z, &d.Allocations[i], 0.0
		switch {
		case law == nil:
			log = prior.LogProb(p.Law, z)
		case law.N() <= prior.MaxExactItems:
			if log, err = prior.LogProbAveraged(law, z); err != nil {
				return err
			}
		default:
			var stdErr float64
			log, stdErr = prior.LogProbMonteCarlo(law, z, mcmc.NewStream(seed, "permutations").Rand, draws)
			d.Draws, a.StdErr = draws, new(results.Number(stdErr))
		}
		a.LogPMF = new(results.Number(log))
	}
	return nil
}

// AddLogLik adds the log likelihoods, and the sums with the log probabilities and the log densities of weights, which
// are standard normal.
func (d *Densities) AddLogLik(data *lglfm.Data, scales lglfm.Scales) error {
	if err := data.Check(scales); err != nil {
		return err
	}
	if data.Bounded() > 0 {
		return errors.New("found cells between bounds (limits, categories or counts), whose values are unknown, expected columns of numbers only")
	}
	d.SigmaX, d.SigmaA = scales.SigmaX, scales.SigmaA
	for i, z := range d.allocations {
		a, weights := &d.Allocations[i], 0.0
		if z.Weights == nil {
			a.LogLik = new(results.Number(lglfm.LogLik(data, z.Z, scales)))
		} else {
			law, err := prior.NewIBP(z.Z.N(), 1) // the likelihood does not depend on it
			if err != nil {
				return err
			}
			lik, err := (&mcmc.Posterior{Data: data, Law: law, Features: mcmc.Weighted}).LogLik(mcmc.Start{Z: z.Z, Weights: z.Weights, Scales: scales})
			if err != nil {
				return err
			}
			a.LogLik = new(results.Number(lik))
			for _, w := range z.Weights {
				weights += distuv.UnitNormal.LogProb(w)
			}
			a.LogWeights = new(results.Number(weights))
		}
		if a.LogPMF != nil {
			a.LogPosterior = new(*a.LogPMF + *a.LogLik + results.Number(weights))
		}
	}
	return nil
}
