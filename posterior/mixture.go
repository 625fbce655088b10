package posterior

import "math"

// mixture is a mixture of normal laws with equal weights.
type mixture struct {
	mean, sd []float64
}

// moments returns the mean and the standard deviation, NaN without laws.
func (m *mixture) moments() (mean, sd float64) {
	n := float64(len(m.mean))
	sum := 0.0
	for _, x := range m.mean {
		sum += x
	}
	mean, sum = sum/n, 0
	for t, x := range m.mean {
		sum += (x-mean)*(x-mean) + m.sd[t]*m.sd[t]
	}
	return mean, math.Sqrt(sum / n)
}

// nearness is the tolerance of quantiles in standard deviations.
const nearness = 1e-5

// quantile returns the quantile at p to within nearness, or NaN without laws. The mean and
// sd are those of the mixture.
func (m *mixture) quantile(p, mean, sd float64) float64 {
	if len(m.mean) == 0 {
		return math.NaN()
	}
	// It lies between the min and the max quantile of the laws.
	z := probit(p)
	low, high := math.Inf(1), math.Inf(-1)
	for t, x := range m.mean {
		low, high = min(low, x+z*m.sd[t]), max(high, x+z*m.sd[t])
	}
	x := mean + z*sd
	for step := 0; high-low > nearness*sd; step++ {
		if !(x > low && x < high) || step > 6 && step%2 == 0 {
			x = low + (high-low)/2
			if x == low || x == high {
				break // adjacent numbers
			}
		}
		below, density := m.at(x)
		if below < p {
			low = x
		} else {
			high = x
		}
		// Newton's step in the scale of normal quantiles, in which a mixture of similar
		// laws is nearly linear, plus a little, so as to bracket the quantile.
		at := probit(below)
		x += (z - at) * math.Exp(-at*at/2) / (density * math.Sqrt(2*math.Pi))
		x += math.Copysign(nearness/2*sd, p-below)
	}
	return low + (high-low)/2
}

// probit returns the quantile of the standard normal law at p.
func probit(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }

// at returns the distribution function and the density at x.
func (m *mixture) at(x float64) (below, density float64) {
	const far = 9 // standard deviations; the law is negligible beyond
	for t, mean := range m.mean {
		switch u := (x - mean) / m.sd[t]; {
		case u > far:
			below++
		case u > -far:
			below += math.Erfc(-u/math.Sqrt2) / 2
			density += math.Exp(-u*u/2) / m.sd[t]
		}
	}
	n := float64(len(m.mean))
	return below / n, density / (n * math.Sqrt(2*math.Pi))
}
