package collapsed

import "aibd/feature"

// Random problems, for the tests outside the package.
var (
	RandomX = randomX
	RandomZ = randomZ
)

// Quadratics is quadratics, for the tests outside the package.
func (c *Noise) Quadratics(current *Data, z *feature.Allocation, scales Scales) []float64 {
	return c.quadratics(current, z, scales)
}
