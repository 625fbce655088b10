package model

// Where the items are.

import (
	"fmt"
	"math"
	"slices"

	"aibd/internal/lists"
)

// Places holds the coordinates of items in the plane or on the globe.
type Places struct {
	X, Y  []float64 // by item; longitude and latitude in degrees on the globe
	Names [2]string // of X and Y
	Globe bool

	Distance int     // its number among Spec.Distances, from zero
	Per      float64 // what this distance is divided by
}

// Places returns the places of the items. It returns an error if no distance of the spec is
// great-circle, or euclidean of two columns.
func (in *Input) Places() (*Places, error) {
	for m, d := range in.Spec.Distances() {
		in.fillPlace(&d)
		if d.Kind != "great-circle" && d.Kind != "euclidean" {
			continue
		}
		columns, err := in.measuredColumns(d)
		if err != nil {
			return nil, err
		}
		if len(columns) != 2 {
			continue
		}
		values, _, err := in.measuredValues(d, columns, nil)
		if err != nil {
			return nil, err
		}
		p := &Places{X: values[0], Y: values[1], Names: [2]string(columns), Globe: d.Kind == "great-circle", Distance: m, Per: d.Per()}
		if p.Globe {
			joinLongitudes(p.X)
		}
		return p, nil
	}
	return nil, fmt.Errorf("found the distance %s, expected great-circle, or euclidean of two columns", in.Spec.Distance.Kind)
}

// joinLongitudes adds multiples of 360 degrees to longitudes, such that they span as few
// degrees as possible: places on both sides of the antimeridian are adjacent.
func joinLongitudes(lon []float64) {
	sorted := lists.Map(lon, func(x float64) float64 { return x - 360*math.Floor(x/360) })
	slices.Sort(sorted)
	west, gap := sorted[len(sorted)-1], sorted[0]+360-sorted[len(sorted)-1]
	for i := 1; i < len(sorted); i++ {
		if sorted[i]-sorted[i-1] > gap {
			west, gap = sorted[i-1], sorted[i]-sorted[i-1]
		}
	}
	west += gap / 2 // the middle of the widest gap
	for west >= 0 {
		west -= 360
	}
	for i, x := range lon {
		lon[i] = x - 360*math.Floor((x-west)/360)
	}
}
