package prior

import "aibd/draws"

// At returns the law at the mass, the temperatures and the permutation of a draw. What is NaN or nil in the draw stays
// as in the law. It panics if the draw does not fit the law.
func At(law Law, d *draws.Draw) Law {
	if of, ok := law.(Attraction); ok {
		temperature, permutation := d.Temperature, d.Permutation
		if !(temperature > 0) {
			temperature = of.Temperature()
		}
		if permutation == nil {
			permutation = of.Permutation()
		}
		if d.Further != nil {
			of = of.WithFurther(d.Further)
		}
		law = of.With(temperature, permutation)
	}
	return law.WithMass(d.Mass)
}
