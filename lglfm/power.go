package lglfm

import (
	"fmt"
	"math"
)

// Power returns the data under which the likelihood is that of m to the given power: X
// enters through X X' and D only, and the log likelihood is linear in the two. It
// panics unless power is positive and finite.
func (m *Data) Power(power float64) *Data {
	p := new(Data)
	p.Raise(m, power)
	return p
}

// Raise makes m, which is zero or was made by Raise, what from.Power(power) returns. It
// does not allocate again for data of the same size. What was derived from m before is
// void.
func (m *Data) Raise(from *Data, power float64) {
	if !(power > 0) || math.IsInf(power, 1) {
		panic(fmt.Sprintf("lglfm: power %v of a likelihood", power))
	}
	rows, sq := m.rows, m.sq
	if m.n != from.n || m.rank != from.rank {
		rows, sq = make([][]float64, from.n), make([]float64, from.n)
		flat := make([]float64, from.n*from.rank)
		for i := range rows {
			rows[i] = flat[i*from.rank : (i+1)*from.rank : (i+1)*from.rank]
		}
	}
	*m = *from
	m.rows, m.sq = rows, sq
	m.power, m.half = power*from.power, power*from.half
	root := math.Sqrt(power)
	for i, row := range from.rows {
		for f, x := range row {
			m.rows[i][f] = root * x
		}
		m.sq[i] = power * from.sq[i]
	}
}

// Exponent returns the power of the likelihood that m stands for, 1 for the data of
// NewData.
func (m *Data) Exponent() float64 { return m.power }

// Variables returns the number of variables that the likelihood counts: D times the
// power.
func (m *Data) Variables() float64 { return 2 * m.half }
