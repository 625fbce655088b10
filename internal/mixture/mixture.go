// Package mixture evaluates mixtures of normal distributions with equal weights.
package mixture

import "math"

// Normals is a mixture of normal distributions with equal weights.
type Normals struct {
	Mean, SD []float64
}

// Moments returns the mean and the standard deviation, NaN without components.
func (m *Normals) Moments() (mean, sd float64) {
	n := float64(len(m.Mean))
	sum := 0.0
	for _, x := range m.Mean {
		sum += x
	}
	mean, sum = sum/n, 0
	for t, x := range m.Mean {
		sum += (x-mean)*(x-mean) + m.SD[t]*m.SD[t]
	}
	return mean, math.Sqrt(sum / n)
}

// Tolerance is the tolerance of quantiles, in standard deviations of the mixture.
const Tolerance = 1e-5

// Quantile returns the quantile at p, or NaN without components. mean and sd belong to the
// mixture.
func (m *Normals) Quantile(p, mean, sd float64) float64 {
	if len(m.Mean) == 0 {
		return math.NaN()
	}
	// It lies between the min and the max quantile of the components.
	z := probit(p)
	low, high := math.Inf(1), math.Inf(-1)
	for t, x := range m.Mean {
		low, high = min(low, x+z*m.SD[t]), max(high, x+z*m.SD[t])
	}
	x := mean + z*sd
	for step := 0; high-low > Tolerance*sd; step++ {
		if !(x > low && x < high) || step > 6 && step%2 == 0 {
			x = low + (high-low)/2
			if x == low || x == high {
				break // adjacent numbers
			}
		}
		below, density := m.Evaluate(x)
		if below < p {
			low = x
		} else {
			high = x
		}
		// Newton's step in the scale of normal quantiles, in which a mixture of similar
		// components is nearly linear, plus a little, which brackets the quantile.
		current := probit(below)
		x += (z - current) * math.Exp(-current*current/2) / (density * math.Sqrt(2*math.Pi))
		x += math.Copysign(Tolerance/2*sd, p-below)
	}
	return low + (high-low)/2
}

// probit returns the quantile of the standard normal distribution at p.
func probit(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }

// Evaluate returns the distribution function and the density at x.
func (m *Normals) Evaluate(x float64) (below, density float64) {
	const far = 9 // standard deviations; a component is negligible beyond
	for t, mean := range m.Mean {
		switch u := (x - mean) / m.SD[t]; {
		case u > far:
			below++
		case u > -far:
			below += math.Erfc(-u/math.Sqrt2) / 2
			density += math.Exp(-u*u/2) / m.SD[t]
		}
	}
	n := float64(len(m.Mean))
	return below / n, density / (n * math.Sqrt(2*math.Pi))
}
