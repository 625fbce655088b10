package weighted

import (
	"math"
	"math/rand/v2"

	"aibd/internal/collapsed"
)

// SetPower raises the density of each cell given the features, their loadings and the intercept to a
// power, which must be positive. Features, loadings and weights then have the law of cells with noise
// SigmaX over the root of the power. Only the laws of SigmaX and of the noise scales have a further
// factor: that of LogPath. Missing cells are drawn with the larger noise.
func (m *Model) SetPower(power float64) {
	m.power = power
	m.Stale()
}

// heated returns scales with the noise of a power.
func heated(s collapsed.Scales, power float64) collapsed.Scales {
	s.SigmaX /= math.Sqrt(power)
	return s
}

// hot returns the scales with the noise of the current power.
func (m *Model) hot() collapsed.Scales { return heated(*m.scales, m.power) }

// counted returns the number of observed cells of a column, less one with an intercept.
func (m *Model) counted(j int) float64 { return float64(m.n - len(m.columns[j]) - m.ones) }

// LogPath returns the log of an integral over the loadings and the intercept: of the density of the
// observed cells to a power b from 0 to 1. A factor that depends on b alone makes it 0 at b = 0 if no cell
// is between bounds. At b = 1 it is the log likelihood. With logs and q of collapse at noise
// SigmaX/sqrt(b), and n observed cells of a column, less one with an intercept, it is the sum over columns of
//
//	logs/2 - b n log(sqrt(2 pi) s SigmaX) - b q/(2 s^2 SigmaX^2)
//
// A column with missing cells and an intercept contributes contrasts of its observed rows.
func (m *Model) LogPath(power float64) float64 {
	sum := 0.0
	if power == 0 {
		return sum
	}
	hot := heated(*m.scales, power)
	if power == m.power {
		m.current()
	} else {
		m.factor(hot, 1)
		m.known = false
	}
	p, r, x := m.p, ratio(hot), m.scales.SigmaX
	for j := range m.d {
		logs, q := m.logs, m.q[j]
		if len(m.columns[j]) > 0 {
			logs, q = m.logsOf(j, p, r)
		}
		sum += logs/2 - power*m.counted(j)*(math.Log(x*m.noise[j])+logRoot2Pi) - power*q/(2*x*x*m.noise[j]*m.noise[j])
	}
	return sum
}

// DrawMissing draws the missing cells given the observed ones, with the loadings integrated out.
func (m *Model) DrawMissing(rng *rand.Rand) {
	m.current()
	p, hot := m.p, m.hot()
	for j, items := range m.columns {
		if len(items) == 0 {
			continue
		}
		m.logsOf(j, p, ratio(hot))
		sd := hot.SigmaX * m.noise[j]
		for a := range m.gapC {
			m.gapC[a] += sd * rng.NormFloat64()
		}
		backward(m.gapC, m.gapM, p, 1)
		for _, i := range items {
			x := m.shift[j] + sd/math.Sqrt(m.omega[i])*rng.NormFloat64()
			m.list(i, 1)
			for e, a := range m.entries {
				x += m.values[e] * m.gapC[a]
			}
			for c := m.first[i]; c < m.first[i+1]; c++ {
				if m.cells[c][1] == j {
					m.setCell(c, x)
				}
			}
		}
	}
	m.changed()
}
