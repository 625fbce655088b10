package results

// Values of items, interpolated between their places.

import (
	"math"

	"aibd/internal/factors"
	"aibd/internal/lists"
	"aibd/internal/model"
	"aibd/similarity"
)

// A Surface interpolates values of items between their places, as weights follow the distance between them: at the
// posterior means of the shares and of the log rate.
type Surface struct {
	places       *model.Places
	interpolator *factors.Interpolator
}

// Surface returns the surface of the items, nil unless weights follow the distance of the places.
func (j *Judged) Surface(p *model.Places) *Surface {
	for k, distance := range j.Run.Data.Weights {
		if distance.Distance != p.Distance || distance.MaxRate == 0 {
			continue
		}
		near, all, rate, count := 0.0, 0.0, 0.0, 0.0
		for _, chain := range j.Chains {
			for _, d := range chain {
				near, all = near+d.Shares[1+k], all+1-d.Shares[0]
				rate += math.Log(d.Rates[k])
				count++
			}
		}
		return newSurface(p, math.Exp(rate/count), near/all)
	}
	return nil
}

// newSurface returns a surface with a rate, and the part of s in all that is not common.
func newSurface(p *model.Places, rate, share float64) *Surface {
	s := &Surface{places: p}
	distance := s.distance(nil, nil)
	if distance != nil {
		s.interpolator = factors.NewInterpolator(len(p.X), distance, rate, share)
	}
	if s.interpolator == nil {
		return nil
	}
	return s
}

// distance returns the distances between the items, and then further places, nil if one is no place.
func (s *Surface) distance(x, y []float64) func(i, j int) float64 {
	n := len(s.places.X)
	x, y = append(s.places.X[:n:n], x...), append(s.places.Y[:n:n], y...)
	var points similarity.Pairs
	var err error
	if s.places.Globe {
		points, err = similarity.NewPlaces(x, lists.Map(y, func(v float64) float64 { return max(-90, min(v, 90)) }))
	} else {
		points, err = similarity.NewPoints(lists.Make(len(x), func(i int) []float64 { return []float64{x[i], y[i]} }))
	}
	if err != nil {
		return nil
	}
	return func(i, j int) float64 { return points.At(i, j) / s.places.Per }
}

// Interpolate returns the values at further places, given those of the items: their mean where no item is near. It returns nil
// if one is no place.
func (s *Surface) Interpolate(values, x, y []float64) []float64 {
	distance := s.distance(x, y)
	if distance == nil {
		return nil
	}
	return s.interpolator.Values(values, len(x), func(other, j int) float64 { return distance(len(values)+other, j) })
}
