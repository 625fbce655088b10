package dense

// The probability mass function of the Indian buffet process.

import "math"

// logIBP returns the log probability of the allocation z (its equivalence class
// under reordering of columns) under the Indian buffet process with mass > 0:
// paper (1),
//
//	mass^K / prod_h K_h! * exp(-mass*H_N) * prod_k (N-m_k)! (m_k-1)! / N!
//
// It panics if z has a zero column.
func logIBP(z [][]int, mass float64) float64 {
	n := len(z)
	lp := -logMultiplicities(z) - mass*harmonic(n)
	for k := range z[0] {
		m := size(z, k)
		lp += math.Log(mass) + logFactorial(n-m) + logFactorial(m-1) - logFactorial(n)
	}
	return lp
}

func logFactorial(n int) float64 {
	v, _ := math.Lgamma(float64(n) + 1)
	return v
}

// harmonic returns H_n = 1 + 1/2 + ... + 1/n.
func harmonic(n int) float64 {
	h := 0.0
	for i := range n {
		h += 1 / float64(i+1)
	}
	return h
}
