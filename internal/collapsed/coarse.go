package collapsed

import (
	"fmt"
	"math"
)

// WithPower returns the data under the likelihood of Z and the loadings to a power, before the
// loadings are integrated out. For e ~ N(0, s^2) and s' = s / sqrt(power),
//
//	N(e; s^2)^power = N(e; s'^2) s'^(1-power) (2 pi)^((1-power)/2) power^(-power/2)
//
// so the noise has a larger standard deviation, s', and each observed cell adds a factor that
// depends on it only. Missing cells add none: their law is that of the noise s'. With an intercept
// the power is that of the contrasts, one less for each variable. WithPower returns an error unless
// the power is above 0 and at most 1, and if it is below 1 and there are cells with bounds or
// categories.
func (m *Data) WithPower(power float64) (*Data, error) {
	if !(power > 0 && power <= 1) {
		return nil, fmt.Errorf("power of the likelihood: found %v, expected a number above 0 and at most 1", power)
	}
	if power < 1 && m.Bounded() > 0 {
		return nil, fmt.Errorf("power of the likelihood: found %v and cells known by limits or categories, expected 1", power)
	}
	p := new(Data)
	*p = *m
	p.power, p.spread = power, 1/math.Sqrt(power)
	return p, nil
}

// NoisePower returns the power of WithPower, 1 for other data.
func (m *Data) NoisePower() float64 { return m.power }

// coarse returns the logarithm of the factors of all observed cells, 0 at power 1.
func (m *Data) coarse(s Scales) float64 {
	power := m.NoisePower()
	cells := float64((m.n-m.ones)*m.d - m.Unknown())
	sum := cells * ((1-power)*(math.Log(2*math.Pi)/2+math.Log(s.SigmaX*m.spread)) - power*math.Log(power)/2)
	if m.HasNoiseScales() {
		for j, s := range m.unknown.scales {
			sum += (1 - power) * m.observed(j) * math.Log(s)
		}
	}
	return sum
}

// observed returns the number of observed cells of a variable, one less with an intercept.
func (m *Data) observed(j int) float64 {
	count := m.n - m.ones
	if m.unknown != nil {
		count -= m.unknown.gaps[j]
	}
	return float64(count)
}

// counted returns how many observations the noise scale of a variable has in the density of all cells
// of the variable: their number, one less with an intercept, and of observed cells only the power.
func (m *Data) counted(j int) float64 {
	all := float64(m.n - m.ones)
	if m.spread == 1 {
		return all
	}
	return all - (1-m.NoisePower())*m.observed(j)
}
