package collapsed

import (
	"fmt"
	"math"
	"slices"
)

// Power returns the data under which the likelihood is that of m to the given power: X
// enters through X X' and D only, and the log likelihood is linear in the two. It
// panics unless power is positive and finite.
func (m *Data) Power(power float64) *Data {
	if !(power > 0) || math.IsInf(power, 1) {
		panic(fmt.Sprintf("lglfm: power %v of a likelihood", power))
	}
	p := *m
	p.power, p.half = power*m.power, power*m.half
	p.rows, p.sq = make([][]float64, m.n), slices.Clone(m.sq)
	root := math.Sqrt(power)
	for i, row := range m.rows {
		p.rows[i] = slices.Clone(row)
		for f := range row {
			p.rows[i][f] *= root
		}
		p.sq[i] *= power
	}
	return &p
}

// Exponent returns the power of the likelihood of m, 1 for the data of NewData.
func (m *Data) Exponent() float64 { return m.power }

// Variables returns the number of variables in the likelihood: D times the power.
func (m *Data) Variables() float64 { return 2 * m.half }
