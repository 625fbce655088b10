package similarity

// Distances of many items, computed when they are needed.

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

// Points are items between which distances are computed when they are needed. They are Pairs.
type Points struct {
	n               int
	distance, bound func(i, j int) float64
}

// NewPoints returns points with Euclidean distances, from one row of covariates for each.
// Scale columns in different units first. It returns an error, counting rows from one, if the
// rows differ in length or a value is not finite.
func NewPoints(rows [][]float64) (*Points, error) {
	for i, row := range rows {
		if len(row) != len(rows[0]) {
			return nil, fmt.Errorf("row %d: found %d covariates, expected %d", i+1, len(row), len(rows[0]))
		}
		for _, v := range row {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("row %d: found %v, expected a finite number", i+1, v)
			}
		}
	}
	return newPoints(len(rows), func(i, j int) float64 { return floats.Distance(rows[i], rows[j], 2) }), nil
}

// NewPlaces returns points on the Earth with the distances of GreatCircle, and its errors.
func NewPlaces(lon, lat []float64) (*Points, error) {
	if err := validPlaces(lon, lat); err != nil {
		return nil, err
	}
	p := newPoints(len(lon), func(i, j int) float64 { return arc(lon, lat, i, j) })
	vectors := make([][3]float64, len(lon)) // on the unit sphere
	for i := range vectors {
		sinLon, cosLon := math.Sincos(lon[i] * radian)
		sinLat, cosLat := math.Sincos(lat[i] * radian)
		vectors[i] = [3]float64{cosLat * cosLon, cosLat * sinLon, sinLat}
	}
	p.bound = func(i, j int) float64 {
		a, b := &vectors[i], &vectors[j]
		x, y, z := a[0]-b[0], a[1]-b[1], a[2]-b[2]
		return max(0, EarthRadius*((1-1e-9)*math.Sqrt(x*x+y*y+z*z)-1e-15)) // less than the chord by more than rounding
	}
	return p, nil
}

func newPoints(n int, distance func(i, j int) float64) *Points { return &Points{n, distance, distance} }

// NewLabels returns items with the distances of Same.
func NewLabels[L comparable](labels []L) *Points { return newPoints(len(labels), same(labels)) }

// NewCycle returns items with the distances of Cyclic, and panics as Cyclic does.
func NewCycle(x []float64, period float64) *Points { return newPoints(len(x), around(x, period)) }

// N returns the number of points.
func (p *Points) N() int { return p.n }

// At returns the distance of points i and j.
func (p *Points) At(i, j int) float64 { return p.distance(i, j) }

// LowerBound returns a lower bound of the distance of points i and j. It is near the distance if the points are near. For
// places it takes less time than At.
func (p *Points) LowerBound(i, j int) float64 { return p.bound(i, j) }

// LowerBound returns the method LowerBound of pairs, or At if they have none.
func LowerBound(p Pairs) func(i, j int) float64 {
	if b, ok := p.(interface{ LowerBound(i, j int) float64 }); ok {
		return b.LowerBound
	}
	return p.At
}
