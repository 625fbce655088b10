package similarity

// Builders of distance matrices from covariates of the items.

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

// Same returns the distance 0 between items with equal labels and 1 between others.
func Same[L comparable](labels []L) *Matrix {
	return pairwise(len(labels), same(labels))
}

func same[L comparable](labels []L) func(i, j int) float64 {
	return func(i, j int) float64 {
		if labels[i] == labels[j] {
			return 0
		}
		return 1
	}
}

// Cyclic returns the distances around a circle of items with one covariate each, such as the hour of the
// day with period 24: |x_i - x_j| up to multiples of the period, at most half of it. It panics unless the
// period is above 0 and at most 1e300, and if a distance is NaN; finite values never give one.
func Cyclic(x []float64, period float64) *Matrix { return pairwise(len(x), around(x, period)) }

func around(x []float64, period float64) func(i, j int) float64 {
	if !(period > 0 && period <= 1e300) {
		panic(fmt.Sprintf("similarity: a period of %v, expected a number above 0 and at most 1e300", period))
	}
	return func(i, j int) float64 {
		d := math.Abs(math.Mod(math.Mod(x[i], period)-math.Mod(x[j], period), period))
		return min(d, period-d)
	}
}

// Covariate is a covariate of items, for Gower.
type Covariate struct {
	Values []float64 // by item, of labels a code for each; NaN if missing
	Range  float64   // divides differences of numbers, such as the largest less the smallest; 0 for labels
}

// Gower returns the distances of Gower (1971, A general coefficient of similarity): the mean over the
// covariates that both items have of |x_i - x_j|/range for numbers, and of 0 for equal labels and 1 for
// others. It is +Inf for two items without a common covariate. Gower panics without
// covariates, if the lengths differ, and if a range is negative or not finite.
func Gower(covariates []Covariate) *Matrix {
	if len(covariates) == 0 {
		panic("similarity: Gower of no covariates")
	}
	for _, c := range covariates {
		if !(c.Range >= 0) || math.IsInf(c.Range, 1) {
			panic(fmt.Sprintf("similarity: a range of %v, expected a finite number of at least 0", c.Range))
		}
	}
	return pairwise(len(covariates[0].Values), func(i, j int) float64 {
		sum, count := 0.0, 0.0
		for _, c := range covariates {
			d := math.Abs(c.Values[i] - c.Values[j])
			switch {
			case math.IsNaN(d):
				continue
			case c.Range != 0:
				d /= c.Range
			case d != 0:
				d = 1
			}
			sum, count = sum+d, count+1
		}
		if count == 0 {
			return math.Inf(1)
		}
		return sum / count
	})
}

// EarthRadius is the mean radius of the Earth, (2a+b)/3 of the ellipsoid GRS 80,
// in kilometers (Moritz, 2000, Geodetic Reference System 1980).
const EarthRadius = 6371.0088

// pairwise returns the symmetric matrix of the n items' distances. It panics if
// one is NaN.
func pairwise(n int, distance func(i, j int) float64) *Matrix {
	m := zero(n, true)
	for i := range n {
		for j := range i {
			d := distance(i, j)
			if math.IsNaN(d) {
				panic(fmt.Sprintf("similarity: the distance of items %d and %d is NaN", i, j))
			}
			m.values[m.index(i, j)] = d
		}
	}
	return m
}

// AbsDifference returns the distances |x_i - x_j| of items with one covariate
// each. It panics if a distance is NaN; finite values never give one.
func AbsDifference(x []float64) *Matrix {
	return pairwise(len(x), func(i, j int) float64 { return math.Abs(x[i] - x[j]) })
}

// Euclidean returns the Euclidean distances of items with one row of covariates
// each. Scale columns in different units first. It panics if the
// rows differ in length or a distance is NaN; finite values never give one.
func Euclidean(rows [][]float64) *Matrix {
	return pairwise(len(rows), func(i, j int) float64 { return floats.Distance(rows[i], rows[j], 2) })
}

// GreatCircle returns the distances in kilometers along the surface of a sphere
// with EarthRadius, for items at the given longitudes and latitudes in degrees.
// It uses the haversine formula, which is accurate for near points (Sinnott,
// 1984, Virtues of the haversine). It returns an error, counting rows from one,
// unless every |longitude| is at most 360 and every |latitude| at most 90, and
// panics if the slices differ in length.
func GreatCircle(lon, lat []float64) (*Matrix, error) {
	if err := validPlaces(lon, lat); err != nil {
		return nil, err
	}
	return pairwise(len(lon), func(i, j int) float64 { return arc(lon, lat, i, j) }), nil
}

const radian = math.Pi / 180

// MaxLongitude and MaxLatitude bound the absolute values of coordinates, in degrees.
const (
	MaxLongitude = 360
	MaxLatitude  = 90
)

// validPlaces returns the errors of GreatCircle.
func validPlaces(lon, lat []float64) error {
	if len(lon) != len(lat) {
		panic(fmt.Sprintf("similarity: %d longitudes and %d latitudes", len(lon), len(lat)))
	}
	for i := range lon {
		if !(math.Abs(lon[i]) <= MaxLongitude) {
			return fmt.Errorf("row %d: found longitude %v, expected degrees from -360 to 360", i+1, lon[i])
		}
		if !(math.Abs(lat[i]) <= MaxLatitude) {
			return fmt.Errorf("row %d: found latitude %v, expected degrees from -90 to 90", i+1, lat[i])
		}
	}
	return nil
}

// arc returns the distance of two places by the haversine formula.
func arc(lon, lat []float64, i, j int) float64 {
	sinLat := math.Sin((lat[i] - lat[j]) * radian / 2)
	sinLon := math.Sin((lon[i] - lon[j]) * radian / 2)
	h := sinLat*sinLat + math.Cos(lat[i]*radian)*math.Cos(lat[j]*radian)*sinLon*sinLon
	// Rounding may lift h above 1 for antipodes.
	return 2 * EarthRadius * math.Asin(math.Sqrt(min(h, 1)))
}
