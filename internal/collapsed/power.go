package collapsed

import (
	"fmt"
	"math"
)

// Power returns the data under which the likelihood is that of m to the given power: X
// enters through X X' and D only, and the log likelihood is linear in the two. It
// panics unless power is positive and finite.
func (m *Data) Power(power float64) *Data {
	if !(power > 0) || math.IsInf(power, 1) {
		panic(fmt.Sprintf("collapsed: power %v of a likelihood", power))
	}
	p := new(Data)
	*p = *m
	p.half = power * m.half
	p.rows, p.sq = make([][]float64, m.n), make([]float64, m.n)
	flat, root := make([]float64, m.n*m.rank), math.Sqrt(power)
	for i, row := range m.rows {
		p.rows[i] = flat[i*m.rank : (i+1)*m.rank : (i+1)*m.rank]
		for f, x := range row {
			p.rows[i][f] = root * x
		}
		p.sq[i] = power * m.sq[i]
	}
	return p
}

// Variables returns the number of variables that the likelihood counts: D times the
// power.
func (m *Data) Variables() float64 { return 2 * m.half }
