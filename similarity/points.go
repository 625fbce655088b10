package similarity

// Distances of many items, computed when they are needed.

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

// Points are items between which distances are computed when they are needed. They are Pairs.
type Points struct {
	n        int
	distance func(i, j int) float64
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
	return &Points{len(rows), func(i, j int) float64 { return floats.Distance(rows[i], rows[j], 2) }}, nil
}

// NewPlaces returns points on the Earth with the distances of GreatCircle, and its errors.
func NewPlaces(lon, lat []float64) (*Points, error) {
	if err := validPlaces(lon, lat); err != nil {
		return nil, err
	}
	return &Points{len(lon), func(i, j int) float64 { return arc(lon, lat, i, j) }}, nil
}

// NewLabels returns items with the distances of Same.
func NewLabels[L comparable](labels []L) *Points { return &Points{len(labels), same(labels)} }

// NewCycle returns items with the distances of Cyclic, and panics as Cyclic does.
func NewCycle(x []float64, period float64) *Points { return &Points{len(x), around(x, period)} }

// N returns the number of points.
func (p *Points) N() int { return p.n }

// At returns the distance of points i and j.
func (p *Points) At(i, j int) float64 { return p.distance(i, j) }
