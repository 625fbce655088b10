package mcmc

import (
	"math"
	"math/rand/v2"
)

// singletons draws how many columns the item of the open row alone has, given
// everything else. With s, e and r of State.Predictive and lambda =
// mass*nu({i}), j columns have weight
//
//	lambda^j/j! * exp(l(s + j/r, e))
//
// with l the log predictive of the row.
type singletons interface {
	// draw returns the new number for item i, whose row is open.
	draw(rng *rand.Rand, s *target, i int) int
}

// MaxFeatures is the maximum number of features. Chains sample the posterior given that
// there are no more: the exact update of singletons ends its series there, and further
// births are rejected. Chain.Limited counts the scans in which this happened. No
// reasonable posterior comes near; one whose SigmaX and SigmaA are both tiny beside the
// data has millions.
const MaxFeatures = 10_000

// weights is the series of weights of 0, 1, 2, ... singletons.
type weights struct {
	logs []float64
	top  float64 // the largest
	sum  float64 // of the weights, relative to exp(top)
}

func (w *weights) reset() { w.logs, w.top, w.sum = w.logs[:0], math.Inf(-1), 0 }

// add appends a weight given by its log. One that cannot be computed is 0.
func (w *weights) add(log float64) {
	if math.IsNaN(log) {
		log = math.Inf(-1)
	}
	w.logs = append(w.logs, log)
	if math.IsInf(log, -1) {
		return
	}
	if log > w.top {
		w.sum *= math.Exp(w.top - log)
		w.top = log
	}
	w.sum += math.Exp(log - w.top)
}

// pick draws an index by inversion.
func (w *weights) pick(rng *rand.Rand) int { return w.invert(rng.Float64()) }

// invert returns the index that inversion of u gives.
func (w *weights) invert(u float64) int {
	u *= w.sum
	last := len(w.logs) - 1
	for j, log := range w.logs {
		x := math.Exp(log - w.top)
		if u -= x; u < 0 {
			return j
		}
		if x > 0 {
			last = j // where rounding leaves something of u
		}
	}
	return last
}

// settled returns the result of invert for a longer series, if it is the same for all series that
// add at most remainder, relative to exp(top).
func (w *weights) settled(u, remainder float64) (j int, ok bool) {
	low, high := u*w.sum, u*(w.sum+remainder)
	for j, log := range w.logs {
		x := math.Exp(log - w.top)
		low -= x
		if high -= x; high < 0 {
			return j, true
		}
		if low < 0 {
			break
		}
	}
	return 0, false
}

// exactSingletons draws from the whole series, by inversion. It sums the series until a
// bound on the rest decides the draw, mostly after one or two terms, or is below 1e-18 of
// the sum, less than half a unit in the last place, or to MaxFeatures.
type exactSingletons struct{ weights weights }

func (k *exactSingletons) draw(rng *rand.Rand, s *target, i int) int {
	base, e, r := s.Predictive()
	// On the log scale: nu may underflow where the likelihood wants a singleton.
	logLambda := math.Log(s.Mass) + s.Law().LogSingleton(i)
	lambda := math.Exp(logLambda)
	// l(S, e) is largest at S = e/D - 1 and falls beyond.
	peak, top := e/s.Variables()-1, 0.0
	if base < peak {
		top = s.LogPredictive(peak, e)
	}
	u, w := rng.Float64(), &k.weights
	w.reset()
	logPoisson := 0.0 // log of lambda^j/j!
	room := s.Room()
	for j := 0; ; j++ {
		term := base + float64(j)/r
		l := s.LogPredictive(term, e)
		if math.IsNaN(l) {
			// The row is numerically singular; leave it.
			return s.Singletons()
		}
		w.add(logPoisson + l)
		logPoisson += logLambda - math.Log(float64(j+1))
		if ratio := lambda / float64(j+2); ratio < 1 {
			if term < peak {
				l = top
			}
			remainder := math.Exp(logPoisson+l-w.top) / (1 - ratio)
			if remainder < 1e-18*w.sum {
				return w.invert(u)
			}
			if j, ok := w.settled(u, remainder); ok {
				return j
			}
		}
		if j == room {
			s.Limited = true
			return w.invert(u)
		}
	}
}

// truncatedSingletons is the approximation of the paper and of the R package. The series ends with
// the first j >= 2 whose weight times divisor (1000 in the paper) is below the largest weight of
// 1 to j - 1. The approximation is biased, and kept for comparison only.
type truncatedSingletons struct {
	divisor float64 // at least 1
	weights weights
}

func (k *truncatedSingletons) draw(rng *rand.Rand, s *target, i int) int {
	base, e, r := s.Predictive()
	logLambda := math.Log(s.Mass) + s.Law().LogSingleton(i)
	w := &k.weights
	w.reset()
	logPoisson, room, largest := 0.0, s.Room(), math.Inf(-1)
	for j := 0; ; j++ {
		if j > 0 {
			logPoisson += logLambda - math.Log(float64(j))
		}
		log := logPoisson + s.LogPredictive(base+float64(j)/r, e)
		if math.IsNaN(log) {
			return s.Singletons()
		}
		w.add(log)
		cut := log < largest-math.Log(k.divisor)
		if j > 0 {
			largest = max(largest, log)
		}
		if cut || j == room {
			s.Limited = s.Limited || !cut
			return w.pick(rng)
		}
	}
}
