// Package lglfm is the linear-Gaussian latent feature model: X = Z A + E with
// A_kd ~ N(0, SigmaA^2) and E_nd ~ N(0, SigmaX^2), its likelihood with the
// loadings A integrated out, and the incremental state that makes the flip of one
// entry of Z an O(1) question.
//
// The collapsed likelihood, all constants kept, with r = SigmaX^2/SigmaA^2, is
//
//	log p(X|Z) = -(ND/2) log(2 pi) - (N-K) D log SigmaX - K D log SigmaA
//	             - (D/2) log det(Z'Z + rI) - [tr(X'X) - tr(X'Z (Z'Z + rI)^{-1} Z'X)] / (2 SigmaX^2)
//
// (Griffiths and Ghahramani, 2011, equation 26). X enters through X X' and D
// only, so that D columns are replaced by at most N.
package lglfm

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Data is an N x D matrix of observations, prepared for the likelihood. It is
// immutable and safe for concurrent use.
type Data struct {
	n, d  int
	rank  int         // columns of rows: min(N, D)
	rows  [][]float64 // X times a rotation that leaves X X' as it is
	sq    []float64   // squared norms of the rows of X
	total float64     // tr(X'X)
}

// NewData prepares the rows of X, all of one length D >= 0. Without columns the
// likelihood is 1. It returns an error, counting from one, if the rows differ in
// length or an entry is not finite.
func NewData(x [][]float64) (*Data, error) {
	m := &Data{n: len(x)}
	if m.n > 0 {
		m.d = len(x[0])
	}
	for i, row := range x {
		if len(row) != m.d {
			return nil, fmt.Errorf("X row %d has %d entries, expected %d as in row 1", i+1, len(row), m.d)
		}
		for j, v := range row {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("X row %d, column %d: found %v, expected a finite number", i+1, j+1, v)
			}
		}
	}
	m.rank = min(m.n, m.d)
	m.rows = make([][]float64, m.n)
	flat := make([]float64, m.n*m.rank)
	for i := range m.rows {
		m.rows[i] = flat[i*m.rank : (i+1)*m.rank : (i+1)*m.rank]
	}
	if m.d <= m.n {
		for i, row := range x {
			copy(m.rows[i], row)
		}
	} else if m.n > 0 {
		// X = L Q with Q orthonormal: L is X in other coordinates.
		dense := mat.NewDense(m.n, m.d, nil)
		for i, row := range x {
			dense.SetRow(i, row)
		}
		var lq mat.LQ
		lq.Factorize(dense)
		var l mat.Dense
		lq.LTo(&l)
		for i := range m.rows {
			for j := range m.rank {
				m.rows[i][j] = l.At(i, j)
			}
		}
	}
	m.sq = make([]float64, m.n)
	for i, row := range x {
		for _, v := range row {
			m.sq[i] += v * v
		}
		m.total += m.sq[i]
	}
	return m, nil
}

// N returns the number of observations.
func (m *Data) N() int { return m.n }

// D returns the number of variables.
func (m *Data) D() int { return m.d }

// Scales are the standard deviations of the model.
type Scales struct {
	SigmaX float64 // of the noise, positive
	SigmaA float64 // of the loadings, positive
}

// Valid reports an error unless both are positive and finite.
func (s Scales) Valid() error {
	for _, v := range []struct {
		name string
		x    float64
	}{{"SigmaX", s.SigmaX}, {"SigmaA", s.SigmaA}} {
		if !(v.x > 0) || math.IsInf(v.x, 1) {
			return fmt.Errorf("%s: found %g, expected a positive finite number", v.name, v.x)
		}
	}
	return nil
}

// ratio returns r = SigmaX^2 / SigmaA^2.
func (s Scales) ratio() float64 {
	q := s.SigmaX / s.SigmaA
	return q * q
}

// constant returns the part of the log likelihood that depends on the sizes and
// the scales only.
func (m *Data) constant(k int, s Scales) float64 {
	n, d := float64(m.n), float64(m.d)
	return -n*d/2*math.Log(2*math.Pi) - (n-float64(k))*d*math.Log(s.SigmaX) - float64(k)*d*math.Log(s.SigmaA)
}
