// Package rounding finds numbers that differ by rounding only.
package rounding

import "math"

// relative bounds the error of a computed number by its size: about 1.5e-11, or 2^16 roundings. Log
// likelihoods of the same allocation differ by up to 1e-12 of their size, depending on the updates
// before. Continuous quantities that are this close are too few to matter.
const relative = 0x1p-36

// Same reports whether a and b differ by rounding only: by at most 2^-36 of the larger of |a| and |b|,
// plus about. If a and b are differences of larger numbers, or logarithms of numbers, their error does
// not fall with their size. About is then the size of these numbers, or 1. Infinities are the same
// if they are equal, and NaN is the same as nothing.
func Same(a, b, about float64) bool {
	size := about + max(math.Abs(a), math.Abs(b))
	return a == b || math.Abs(a-b) <= relative*size && !math.IsInf(size, 1)
}
