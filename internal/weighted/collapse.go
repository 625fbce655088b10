package weighted

import (
	"math"
	"math/rand/v2"
	"slices"

	"aibd/internal/collapsed"
	"aibd/internal/vector"
)

// collapse is the form with the loadings integrated out. With Omega = diag(1/(1 + t_i/r)) for the
// squared weights t_i of the singletons of item i, and Y = [1 G] of the shared features,
//
//	M = Y' Omega Y + diag(0, r, ..., r),  C = Y' Omega X
//
// are the precision of the intercept and the loadings, in units of SigmaX^2, and M times their mean.
type collapse struct {
	valid bool    // chol, c, q and logs belong to the current state
	p     int     // columns of Y
	pos   []int32 // column of Y of each feature, -1 for a feature of one item
	omega []float64
	chol  []float64 // p x p: the Cholesky factor of M
	c     []float64 // p x D: the inverse of chol times C
	q     []float64 // x'Omega x - c'c of each variable; -q/(2 SigmaX^2 s_d^2) is the exponent of the likelihood
	logs  float64   // log |Omega| - log |M| + K log r, with an intercept plus log N

	inverse []float64 // p x p
	b       []float64 // p x D
	u, res  []float64 // p, D

	entries []int32   // columns of Y in the row of an item
	values  []float64 // and their values

	summed           bool      // the sums below, pos, p and owners belong to the current Z, weights and cells
	owners           []int     // items with singletons
	sumM, sumC, sumQ []float64 // Y'Y, Y'X and the squares of X over the other items

	gapM, gapC []float64
	shift      []float64 // means of the columns, subtracted from X
}

// place numbers the shared features.
func (m *Model) place() {
	m.pos, m.p = vector.Extend(m.pos, m.z.K()), m.ones
	for k := range m.pos {
		m.pos[k] = -1
		if !m.single(k) {
			m.pos[k] = int32(m.p)
			m.p++
		}
	}
}

// list puts the row of Y of an item into entries and values.
func (m *Model) list(i int) {
	m.entries, m.values = m.entries[:0], m.values[:0]
	if m.ones > 0 {
		m.entries, m.values = append(m.entries, 0), append(m.values, 1)
	}
	for _, k := range m.features[i] {
		if p := m.pos[k]; p >= 0 {
			m.entries, m.values = append(m.entries, p), append(m.values, m.column(int(k))[i])
		}
	}
}

// sum adds up the rows of the items without singletons, whose omega is 1.
func (m *Model) sum() {
	m.place()
	p, d := m.p, m.d
	m.omega, m.owners = vector.Extend(m.omega, m.n), m.owners[:0]
	m.sumM, m.sumC, m.sumQ = vector.Extend(m.sumM, p*p), vector.Extend(m.sumC, p*d), vector.Extend(m.sumQ, d)
	clear(m.sumM)
	clear(m.sumC)
	clear(m.sumQ)
	for i := range m.n {
		if t, _ := m.singletonSquares(i); t > 0 {
			m.owners = append(m.owners, i)
			continue
		}
		m.omega[i] = 1
		m.addItem(i, m.sumM, m.sumC, m.sumQ)
	}
	m.summed = true
}

// addItem adds an item to M, C and the sums of squares.
func (m *Model) addItem(i int, mm, c, squares []float64) {
	x, om := m.row(i), m.omega[i]
	for j, v := range x {
		squares[j] += om * v * v
	}
	m.list(i)
	m.addRow(mm, c, x, om)
}

// factor computes everything at scales.
func (m *Model) factor(scales collapsed.Scales) {
	if !m.summed {
		m.sum()
	}
	p, d, r := m.p, m.d, ratio(scales)
	m.chol, m.c, m.q = append(m.chol[:0], m.sumM...), append(m.c[:0], m.sumC...), append(m.q[:0], m.sumQ...)
	m.logs = float64(p-m.ones) * math.Log(r)
	if m.ones > 0 {
		m.logs += math.Log(float64(m.n))
	}
	for _, i := range m.owners {
		t, _ := m.singletonSquares(i)
		m.omega[i] = 1 / (1 + t/r)
		m.logs += math.Log(m.omega[i])
		m.addItem(i, m.chol, m.c, m.q)
	}
	for a := m.ones; a < p; a++ {
		m.chol[a*p+a] += r
	}
	m.logs -= 2 * m.solve(m.chol, m.c, m.q, p, d)
}

// addRow adds the listed row of Y with weight om to M and C.
func (m *Model) addRow(mm, c, x []float64, om float64) {
	p, d := m.p, len(x)
	for e, a := range m.entries {
		v := om * m.values[e]
		for f, b := range m.entries {
			if b <= a {
				mm[int(a)*p+int(b)] += v * m.values[f]
			}
		}
		vector.Axpy(c[int(a)*d:(int(a)+1)*d], v, x)
	}
}

// solve replaces M by its Cholesky factor and C by the inverse of the factor times C, and subtracts
// the squares of the latter from q. It returns the log of the determinant of the factor.
func (m *Model) solve(mm, c, q []float64, p, d int) (logDet float64) {
	logDet = vector.Cholesky(mm, p, p) // NaN: lost to rounding, no likelihood, see lglfm.Data.Check
	for a := range p {
		row := mm[a*p : (a+1)*p]
		y := c[a*d : (a+1)*d]
		vector.SubRows(y, a, row, 1, c, d)
		inverse := 1 / row[a]
		for j := range y {
			y[j] *= inverse
			q[j] -= y[j] * y[j]
		}
	}
	for j := range q {
		q[j] = max(q[j], 0)
	}
	return logDet
}

// current computes everything at the current state.
func (m *Model) current() {
	if !m.valid {
		m.factor(*m.scales)
		m.valid = true
	}
}

// log returns the log likelihood of all cells after factor. free integrates the noise scales out.
func (m *Model) log(scales collapsed.Scales, free bool) float64 {
	rows, d := float64(m.n-m.ones), float64(m.d)
	sum := -rows*d*(math.Log(scales.SigmaX)+logRoot2Pi) + d/2*m.logs
	for j, q := range m.q {
		size, half := rows, q/(2*scales.SigmaX*scales.SigmaX)
		if free && m.noisePrior.Free(j) {
			sum += m.noisePrior.LogIntegral(j, 1+size/2, 1+half, scales)
			continue
		}
		sum -= size*math.Log(m.noise[j]) + half/(m.noise[j]*m.noise[j])
	}
	return sum
}

// LogFreeAt returns the log likelihood of all cells at scales, with loadings and noise scales
// integrated out.
func (m *Model) LogFreeAt(scales collapsed.Scales) float64 {
	m.valid = false
	m.factor(scales)
	return m.log(scales, true)
}

// LogLikAt returns the log likelihood of all cells at scales and the current values of missing cells.
func (m *Model) LogLikAt(scales collapsed.Scales) float64 {
	m.valid = false
	m.factor(scales)
	return m.log(scales, false)
}

// LogLik returns the log likelihood of all cells at the current values of missing cells.
func (m *Model) LogLik() float64 {
	m.current()
	return m.log(*m.scales, false)
}

// LogObserved returns the log likelihood of the observed cells and of those between bounds. It is the
// sum over columns, with n observed cells less one with an intercept, of
//
//	logs/2 - n log(sqrt(2 pi) s SigmaX) - q/(2 s^2 SigmaX^2)
//
// A column with missing cells and an intercept contributes contrasts of its observed rows.
func (m *Model) LogObserved() (sum float64) {
	m.current()
	r, x := ratio(*m.scales), m.scales.SigmaX
	for j := range m.d {
		logs, q := m.logs, m.q[j]
		if len(m.columns[j]) > 0 {
			logs, q = m.logsOf(j, m.p, r)
		}
		cells := float64(m.n - len(m.columns[j]) - m.ones)
		sum += logs/2 - cells*(math.Log(x*m.noise[j])+logRoot2Pi) - q/(2*x*x*m.noise[j]*m.noise[j])
	}
	return sum
}

// logsOf returns logs and q of column j without its missing cells, after factor. p is the number of
// columns of Y.
func (m *Model) logsOf(j, p int, r float64) (logs, q float64) {
	m.gapM, m.gapC = append(m.gapM[:0], m.sumM...), vector.Extend(m.gapC, p)
	for a := range m.gapC {
		m.gapC[a] = m.sumC[a*m.d+j]
	}
	logs = float64(p-m.ones) * math.Log(r)
	if m.ones > 0 {
		logs += math.Log(float64(m.n - len(m.columns[j])))
	}
	one := [1]float64{m.sumQ[j]}
	square := one[:]
	add := func(i int, times float64) {
		x := m.x[i*m.d+j : i*m.d+j+1]
		square[0] += times * x[0] * x[0]
		m.list(i)
		m.addRow(m.gapM, m.gapC, x, times)
	}
	for _, i := range m.owners {
		if _, gap := slices.BinarySearch(m.columns[j], i); !gap {
			logs += math.Log(m.omega[i])
			add(i, m.omega[i])
		}
	}
	for _, i := range m.columns[j] {
		if _, owner := slices.BinarySearch(m.owners, i); !owner {
			add(i, -1) // it is in the sums
		}
	}
	for a := m.ones; a < p; a++ {
		m.gapM[a*p+a] += r
	}
	logs -= 2 * m.solve(m.gapM, m.gapC, square, p, 1)
	return logs, square[0]
}

// DrawNoise draws the noise scales given everything else, with the loadings integrated out.
func (m *Model) DrawNoise(rng *rand.Rand) {
	if !m.noisePrior.Has() {
		return
	}
	m.current()
	rows, x := float64(m.n-m.ones), m.scales.SigmaX
	for j, q := range m.q {
		if m.noisePrior.Free(j) {
			m.noise[j] = m.noisePrior.Draw(rng, j, 1+rows/2, 1+q/(2*x*x), *m.scales)
		}
	}
	m.fresh = false
}

// DrawLoadings draws the loadings, and the intercept, given everything else.
func (m *Model) DrawLoadings(rng *rand.Rand) {
	m.current()
	p, d, x := m.p, m.d, m.scales.SigmaX
	m.b = vector.Extend(m.b, p*d)
	copy(m.b, m.c)
	for a := p - 1; a >= 0; a-- {
		y := m.b[a*d : (a+1)*d]
		for j := range y {
			y[j] += x * m.noise[j] * rng.NormFloat64()
		}
	}
	backward(m.b, m.chol, p, d)
	if m.ones > 0 {
		copy(m.mu, m.b[:d])
	}
	for k, a := range m.pos {
		if a >= 0 {
			copy(m.loading(k), m.b[int(a)*d:int(a+1)*d])
		}
	}
	for i := range m.n {
		m.drawSingletonLoadings(rng, i, nil)
	}
	m.fresh = true
}

// loading returns the loadings of feature k.
func (m *Model) loading(k int) []float64 { return m.a[k*m.d : (k+1)*m.d : (k+1)*m.d] }

// drawSingletonLoadings draws the loadings of the singletons of item i given everything else. It ignores the cells of
// the given variables: their loadings come from the prior.
func (m *Model) drawSingletonLoadings(rng *rand.Rand, i int, ignored []int) {
	t, count := m.singletonSquares(i)
	if count == 0 {
		return
	}
	x, a := m.scales.SigmaX, m.scales.SigmaA
	m.res = vector.Extend(m.res, m.d)
	copy(m.res, m.row(i))
	vector.Axpy(m.res, -1, m.mu)
	for j := range m.res {
		m.res[j] -= x * m.noise[j] * rng.NormFloat64()
	}
	// Matheron's rule: draw loadings and noise from the prior, then add the gain times the residual.
	for _, k := range m.features[i] {
		loading := m.loading(int(k))
		if m.single(int(k)) {
			for j := range loading {
				loading[j] = a * m.noise[j] * rng.NormFloat64()
			}
		}
		vector.Axpy(m.res, -m.column(int(k))[i], loading)
	}
	for _, j := range ignored {
		m.res[j] = 0
	}
	gain := a * a / (x*x + t*a*a)
	for _, k := range m.features[i] {
		if m.single(int(k)) {
			vector.Axpy(m.loading(int(k)), gain*m.column(int(k))[i], m.res)
		}
	}
}

// ready draws the loadings if they are stale.
func (m *Model) ready(rng *rand.Rand) {
	if !m.fresh {
		m.DrawLoadings(rng)
	}
}
