package collapsed

import (
	"fmt"
	"math"
)

// Power returns data with the likelihood of m raised to a power. The log likelihood depends on
// X only through X X' and D, and is linear in both. With an intercept, the power applies to the
// density of the contrasts. Power panics unless power is positive and finite.
func (m *Data) Power(power float64) *Data {
	if !(power > 0) || math.IsInf(power, 1) {
		panic(fmt.Sprintf("collapsed: power %v of a likelihood", power))
	}
	p := m.scaled(power)
	p.half = power * m.half
	return p
}

// scaled returns a copy of m with XX' times a factor.
func (m *Data) scaled(factor float64) *Data {
	p := new(Data)
	*p = *m
	p.rows, p.sq = make([][]float64, m.n), make([]float64, m.n)
	flat, root := make([]float64, m.n*m.rank), math.Sqrt(factor)
	for i, row := range m.rows {
		p.rows[i] = flat[i*m.rank : (i+1)*m.rank : (i+1)*m.rank]
		for f, x := range row {
			p.rows[i][f] = root * x
		}
		p.sq[i] = factor * m.sq[i]
	}
	return p
}

// root is the factor of rows to the current power.
func (m *Data) root() float64 {
	if m.d == 0 {
		return 1
	}
	return math.Sqrt(2 * m.half / float64(m.d))
}
