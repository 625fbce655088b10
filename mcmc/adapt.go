package mcmc

import "math"

// walk tunes a random walk towards a rate of acceptance by robust adaptive
// Metropolis (Vihola, 2012), with weights that fall like t^(-2/3).
type walk struct {
	on    bool
	count float64
}

// weight returns the weight of the next observation in dimension d.
func (w *walk) weight(d float64) float64 {
	w.count++
	return math.Min(1, d*math.Pow(w.count, -2./3))
}

// accepts returns the probability of accepting a proposal of log ratio log.
func accepts(log float64) float64 {
	if !(log < 0) {
		if math.IsNaN(log) {
			return 0
		}
		return 1
	}
	return math.Exp(log)
}

// learn1 tunes the step of a walk in one dimension towards acceptance of 0.44.
func (w *walk) learn1(step *float64, log float64) {
	if w.on {
		*step *= math.Exp(w.weight(1) * (accepts(log) - 0.44) / 2)
	}
}

// factor2 is the lower triangular factor of the covariance of a walk in two
// dimensions.
type factor2 struct{ a, b, c float64 } // [a 0; b c]

// learn2 tunes the factor of a walk in two dimensions towards acceptance of 0.35,
// by S S' <- S (I + weight (acceptance - 0.35) u u'/|u|^2) S' for the standard
// normal u that was used.
func (w *walk) learn2(f *factor2, u, v, log float64) {
	norm := u*u + v*v
	if !w.on || norm == 0 {
		return
	}
	h := w.weight(2) * (accepts(log) - 0.35) / norm
	x, y := f.a*u, f.b*u+f.c*v
	p, q, r := f.a*f.a+h*x*x, f.a*f.b+h*x*y, f.b*f.b+f.c*f.c+h*y*y
	a := math.Sqrt(p)
	b := q / a
	c := math.Sqrt(r - b*b)
	if a > 0 && c > 0 { // not NaN, which rounding of a nearly singular factor may give
		*f = factor2{a, b, c}
	}
}
