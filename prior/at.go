package prior

import (
	"math"

	"aibd/draws"
)

// WithDraw returns the law at the mass, the temperatures and the permutation of a draw. A temperature that is NaN, and further
// temperatures and a permutation that are nil, stay as in the law. It panics if the draw does not fit the law.
func WithDraw(law Law, d *draws.Draw) Law {
	if attraction, ok := law.(Attraction); ok {
		temperature, permutation := d.Temperature, d.Permutation
		if math.IsNaN(temperature) {
			temperature = attraction.Temperature()
		}
		if permutation == nil {
			permutation = attraction.Permutation()
		}
		if d.FurtherTemperatures != nil {
			attraction = attraction.WithFurtherTemperatures(d.FurtherTemperatures)
		}
		law = attraction.With(temperature, permutation)
	}
	return law.WithMass(d.Mass)
}
