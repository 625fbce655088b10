package lglfm

import (
	"fmt"
	"math"
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
	root := math.Sqrt(power)
	p.rows, p.sq = make([][]float64, m.n), make([]float64, m.n)
	flat := make([]float64, m.n*m.rank)
	for i, row := range m.rows {
		p.rows[i] = flat[i*m.rank : (i+1)*m.rank : (i+1)*m.rank]
		for f, x := range row {
			p.rows[i][f] = root * x
		}
		p.sq[i] = power * m.sq[i]
	}
	return &p
}

// Exponent returns the power of the likelihood that m stands for, 1 for the data of
// NewData.
func (m *Data) Exponent() float64 { return m.power }

// Variables returns the number of variables that the likelihood counts: D times the
// power.
func (m *Data) Variables() float64 { return 2 * m.half }
