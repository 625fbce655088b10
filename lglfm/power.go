package lglfm

import (
	"fmt"
	"math"
)

// Power returns the data under which the likelihood is that of m to the power d/D: X
// enters through X X' and D only, and the log likelihood is linear in the two. It
// panics unless d is between 1 and D.
func (m *Data) Power(d int) *Data {
	if d < 1 || d > m.d {
		panic(fmt.Sprintf("lglfm: power %d/%d of a likelihood", d, m.d))
	}
	p := *m
	power := float64(d) / float64(m.d)
	root := math.Sqrt(power)
	p.d, p.rows, p.sq = d, make([][]float64, m.n), make([]float64, m.n)
	for i, row := range m.rows {
		p.rows[i] = make([]float64, m.rank)
		for f, x := range row {
			p.rows[i][f] = root * x
		}
		p.sq[i] = power * m.sq[i]
	}
	return &p
}
