package weighted

import (
	"math"
	"math/rand/v2"

	"aibd/internal/collapsed"
	"aibd/internal/vector"
)

// bounds returns the bounds of unknown cell c, and whether it has any.
func (m *Model) bounds(c int) (lower, upper float64, bounded bool) {
	lower, upper = m.data.Ends(c)
	return lower, upper, !math.IsInf(lower, -1) || !math.IsInf(upper, 1)
}

// Bounded appends the values of the cells that have bounds to out, row by row.
func (m *Model) Bounded(out []float64) []float64 {
	for c, x := range m.filled {
		if _, _, bounded := m.bounds(c); bounded {
			out = append(out, x)
		}
	}
	return out
}

// fitted returns the mean of cell j of item i given its features and their loadings, plus e.
func (m *Model) fitted(i, j int, e float64) float64 {
	x := m.shift[j] + m.mu[j] + e
	for _, k := range m.features[i] {
		x += m.column(int(k))[i] * m.a[int(k)*m.d+j]
	}
	return x
}

// drawCells draws the unknown cells of item i given its features and their loadings.
func (m *Model) drawCells(rng *rand.Rand, i int) {
	for c := m.first[i]; c < m.first[i+1]; c++ {
		m.drawCell(rng, c)
	}
}

// drawCell draws an unknown cell given the features of its item and their loadings.
func (m *Model) drawCell(rng *rand.Rand, c int) {
	i, j := m.cells[c][0], m.cells[c][1]
	sd := m.scales.SigmaX * m.noise[j]
	lower, upper, bounded := m.bounds(c)
	if !bounded {
		m.setCell(c, m.fitted(i, j, sd*rng.NormFloat64()))
		return
	}
	mean := m.fitted(i, j, 0)
	x := mean + sd*collapsed.Truncated(rng, (lower-mean)/sd, (upper-mean)/sd)
	m.setCell(c, min(max(x, lower), upper)) // rounding
}

// scaleOrdinal multiplies the cells of ordinal column k by a factor.
func (m *Model) scaleOrdinal(k int, g float64) {
	for _, c := range m.latent[k] {
		m.setCell(c, m.filled[c]*g)
	}
	m.changed()
}

// ScaleOrdinal multiplies the cells of ordinal columns and their cutpoints by a factor.
func (m *Model) ScaleOrdinal(g float64) {
	if len(m.ordinal) == 0 {
		return
	}
	m.data.ScaleOrdinal(g)
	for k := range m.ordinal {
		m.scaleOrdinal(k, g)
	}
}

// DrawCutpoints draws the unknown cutpoints of ordinal columns with the cells of these columns. It
// multiplies both by a common factor, with the loadings integrated out; of binary columns the cells alone.
// Then it draws the cutpoints given the loadings with the cells integrated out, and the cells.
func (m *Model) DrawCutpoints(rng *rand.Rand) {
	m.current()
	for k, j := range m.ordinal {
		m.scaleOrdinal(k, m.data.DrawOrdinalFactor(rng, k, m.q[j]/(m.scales.SigmaX*m.scales.SigmaX), *m.scales))
	}
	m.ready(rng)
	m.res = vector.Extend(m.res, m.n)
	for k, j := range m.ordinal {
		if m.levels[k] == 2 {
			continue
		}
		for i := range m.n {
			m.res[i] = m.fitted(i, j, 0)
		}
		m.data.DrawCutpoints(rng, k, m.res, *m.scales)
		for _, c := range m.latent[k] {
			m.drawCell(rng, c)
		}
	}
	m.forget()
}
