package results

// Values of items, interpolated between their places.

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"aibd/draws"
	"aibd/internal/lists"
	"aibd/internal/model"
	"aibd/similarity"
)

// A Surface interpolates values of items between their places, by the part of the covariance of weights that follows the
// distance between them, at its posterior mean.
type Surface struct {
	near, other, rate float64 // s, all that is neither common nor s, tau
	places            *model.Places
	root              mat.Cholesky
}

// Surface returns the surface of the items, nil unless weights follow the distance of the places.
func (j *Judged) Surface(p *model.Places) *Surface {
	s := &Surface{places: p}
	for k, of := range j.Run.Data.Weights {
		if of.Distance != p.Distance || of.MaxRate == 0 {
			continue
		}
		count := 0.0
		for _, chain := range j.Chains {
			for _, d := range chain {
				s.near += d.Shares[1+k]
				s.other += draws.OwnShare(d.Shares)
				for m, share := range d.Shares[1:] {
					if m != k {
						s.other += share
					}
				}
				s.rate += math.Log(d.Rates[k])
				count++
			}
		}
		s.near, s.other, s.rate = s.near/count, s.other/count, math.Exp(s.rate/count)
		if s.factor() {
			return s
		}
	}
	return nil
}

// factor computes root, and reports whether it could.
func (s *Surface) factor() bool {
	between := s.between(nil, nil)
	c := mat.NewSymDense(len(s.places.X), nil)
	for a := range s.places.X {
		for b := range a {
			c.SetSym(a, b, s.near*math.Exp(-s.rate*between(a, b)))
		}
		c.SetSym(a, a, s.near+s.other)
	}
	return s.root.Factorize(c)
}

// between returns the distances of the items, and then of further places.
func (s *Surface) between(x, y []float64) func(i, j int) float64 {
	x, y = append(x[:len(x):len(x)], s.places.X...), append(y[:len(y):len(y)], s.places.Y...)
	first := len(x) - len(s.places.X)
	var points similarity.Pairs
	var err error
	if s.places.Globe {
		points, err = similarity.NewPlaces(x, lists.Of(y, func(v float64) float64 { return max(-90, min(v, 90)) }))
	} else {
		points, err = similarity.NewPoints(lists.Make(len(x), func(i int) []float64 { return []float64{x[i], y[i]} }))
	}
	if err != nil {
		return func(int, int) float64 { return math.Inf(1) } // the items have places: nothing is near a place that is none
	}
	return func(i, j int) float64 { return points.At(first+i, j) / s.places.Per }
}

// At returns the values at further places, given those of the items: their mean where no item is near.
func (s *Surface) At(values, x, y []float64) []float64 {
	n := len(values)
	ones, weights, solved := mat.NewVecDense(n, nil), mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
	for i := range n {
		ones.SetVec(i, 1)
	}
	v := mat.NewVecDense(n, values)
	if s.root.SolveVecTo(weights, ones) != nil {
		return nil
	}
	mean := mat.Dot(weights, v) / mat.Dot(weights, ones)
	solved.AddScaledVec(v, -mean, ones)
	if s.root.SolveVecTo(solved, solved) != nil {
		return nil
	}
	between := s.between(x, y)
	return lists.Make(len(x), func(at int) float64 {
		sum := mean
		for i := range n {
			sum += s.near * math.Exp(-s.rate*between(i, at)) * solved.AtVec(i)
		}
		return sum
	})
}
