package prospect

// Which items share features.

import (
	"aibd/internal/model"
	"aibd/internal/results"
	"aibd/mcmc"
	"aibd/prior"
)

// Sharing is the expected sharing at some temperatures.
type Sharing struct {
	Law      string      `json:"law"`
	Items    []string    `json:"items"`
	Averaged bool        `json:"averaged_over_permutations"`
	Method   string      `json:"method"`          // exact or Monte Carlo
	Draws    int         `json:"draws,omitempty"` // permutations if averaged over them, else allocations
	Rows     []SharingAt `json:"at"`
}

// SharingAt is the expected sharing at a temperature.
type SharingAt struct {
	Temperature *float64       `json:"temperature,omitempty"` // nil if the law has none
	Mean        results.Number `json:"mean_over_pairs"`
	Sharing     [][]float64    `json:"sharing"`           // by item and item
	StdErr      [][]float64    `json:"std_err,omitempty"` // of Monte Carlo
}

// NewSharing returns the expected sharing of p's law at the temperatures, or once
// if it has none. Distances with a value of their own keep it.
func NewSharing(p *model.PriorProblem, temperatures []float64, draws int, seed uint64) (*Sharing, error) {
	s := &Sharing{Law: family(p), Items: Names(p), Averaged: Averaged(p) != nil, Method: "exact"}
	if !p.Spec.HasTemperature() {
		row, err := s.summarize(p.Law, draws, seed)
		s.Rows = []SharingAt{row}
		return s, err
	}
	law := p.Law.(prior.Attraction)
	for _, t := range temperatures {
		first, tail := t, law.FurtherTemperatures()
		if p.Spec.Distance.Temperature.Value != nil {
			first = law.Temperature()
		}
		for m, d := range p.Spec.Distance.FurtherDistances {
			if d.Temperature.Value == nil {
				tail[m] = t
			}
		}
		row, err := s.summarize(law.WithFurtherTemperatures(tail).With(first, law.Permutation()), draws, seed)
		if err != nil {
			return nil, err
		}
		row.Temperature = &t
		s.Rows = append(s.Rows, row)
	}
	return s, nil
}

// summarize returns the expected sharing of one law, and notes how it was computed.
func (s *Sharing) summarize(law prior.Law, draws int, seed uint64) (row SharingAt, err error) {
	_, linked := law.(*prior.DDIBP)
	switch n := law.N(); {
	case s.Averaged && n <= prior.MaxExactItems:
		row.Sharing, err = prior.ExpectedSharingAveraged(law.(prior.Attraction))
	case s.Averaged:
		// The same permutations at every temperature make for smooth curves.
		s.Method, s.Draws = "Monte Carlo", draws
		row.Sharing, row.StdErr = prior.ExpectedSharingMonteCarlo(law.(prior.Attraction), mcmc.NewStream(seed, "permutations").Rand, draws)
	case linked && n > prior.MaxEnumeratedItems:
		s.Method, s.Draws = "Monte Carlo", draws
		row.Sharing, row.StdErr = prior.SharingMonteCarlo(law, mcmc.NewStream(seed, "prior").Rand, draws)
	default:
		row.Sharing = law.ExpectedSharing()
	}
	row.Mean = results.Number(prior.MeanOverPairs(row.Sharing))
	return row, err
}
