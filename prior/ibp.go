package prior

import (
	"fmt"

	"aibd/internal/intensity"
)

// IBP is the Indian buffet process (Griffiths and Ghahramani, 2011; paper (1)), a Law
// without distances: nu(z) = (m-1)! (N-m)! / N! with m the members of z, and H the
// N-th harmonic number. Two items are expected to share mass/2 features.
type IBP struct {
	base
	law *intensity.IBP
}

// NewIBP returns the Indian buffet process of n items. It returns an error
// unless mass is positive and finite, and panics if n < 0.
func NewIBP(n int, mass float64) (*IBP, error) {
	law, err := intensity.NewIBP(n, mass)
	if err != nil {
		return nil, err
	}
	return &IBP{base{law}, law}, nil
}

// String describes the law in one line.
func (l *IBP) String() string { return fmt.Sprintf("IBP(N=%d, mass=%g)", l.N(), l.Mass()) }

// WithMass returns the law with another mass.
func (l *IBP) WithMass(mass float64) Law {
	law := l.law.WithMass(mass)
	return &IBP{base{law}, law}
}

// ExpectedSharing returns mass on the diagonal and mass/2 off it.
func (l *IBP) ExpectedSharing() [][]float64 { return l.law.ExpectedSharing() }
