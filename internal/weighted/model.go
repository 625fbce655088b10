package weighted

import (
	"slices"

	"aibd/feature"
	"aibd/internal/collapsed"
	"aibd/internal/intensity"
	"aibd/internal/vector"
)

// A Model holds the weights, the loadings and the unknown cells of one chain. It changes an allocation
// and its tracker and keeps all of them consistent. It belongs to one goroutine. It does not allocate
// once it has held the largest problem.
type Model struct {
	n, d, ones int
	x          []float64       // N x D; unknown cells hold their current values
	missing    [][]int         // variables of the missing cells of each item, ascending
	gaps       bool            // some cells are missing
	cells      [][2]int        // row and column of each unknown cell, missing or between bounds, row by row
	filled     []float64       // values of the unknown cells, row by row
	first      []int           // number of the first unknown cell of each item, and of all
	columns    [][]int         // items of the missing cells of each variable, ascending
	data       *collapsed.Data // the bounds of the unknown cells and the cutpoints
	ordinal    []int           // variables of the ordinal columns
	levels     []int           // and the numbers of their categories
	latent     [][]int         // and their cells, numbered as in cells, by item
	noisePrior collapsed.NoisePrior

	z       *feature.Allocation
	tracker intensity.Tracker
	scales  *collapsed.Scales
	noise   []float64 // s_d
	limit   int       // of features
	Limited bool      // a birth was rejected because of the limit
	// DrawRows calls Abandon before each row, unless it is nil. If it returns true, the model is of no use any more.
	Abandon func() bool

	features [][]int32 // features of each item, in any order
	w        []float64 // K x N: weights. Those of items without the feature are in use within DrawRows only, with a network until a scan ends
	mu       []float64 // D; 0 without an intercept
	a        []float64 // K x D
	fresh    bool      // mu, a and the missing cells are a draw given everything else

	collapse
	rows rows
	covariance
}

// New returns the model of data at an allocation. The model changes the allocation and its tracker.
// SetZ must be called next. Unknown cells start at the values in data. The model adds no
// feature beyond limit. It changes the cutpoints of the data, which must not be shared if there are any.
// A nil prior stands for independent weights.
func New(data *collapsed.Data, z *feature.Allocation, tracker intensity.Tracker, scales *collapsed.Scales, prior *Prior, limit int) *Model {
	m := &Model{n: data.N(), d: data.D(), data: data, z: z, tracker: tracker, scales: scales, limit: limit, noisePrior: data.NoisePrior().Joint()}
	m.prior = prior
	if data.Intercept() {
		m.ones = 1
	}
	m.x = make([]float64, 0, m.n*m.d)
	for _, row := range data.Completed() {
		m.x = append(m.x, row...)
	}
	m.missing, m.columns = make([][]int, m.n), make([][]int, m.d)
	m.cells = data.UnknownCells()
	m.first = make([]int, m.n+1)
	for c, cell := range m.cells {
		i, j := cell[0], cell[1]
		m.first[i+1] = c + 1
		m.filled = append(m.filled, m.row(i)[j])
		if _, _, bounded := m.bounds(c); !bounded {
			m.missing[i] = append(m.missing[i], j)
			m.columns[j] = append(m.columns[j], i)
			m.gaps = true
		}
	}
	for i := range m.n {
		m.first[i+1] = max(m.first[i+1], m.first[i])
	}
	for k, o := range data.Ordinal() {
		m.ordinal, m.levels = append(m.ordinal, o.Variable), append(m.levels, o.Levels)
		m.latent = append(m.latent, data.OrdinalCells(k))
	}
	m.shift = make([]float64, m.d)
	if m.ones > 0 {
		for i := range m.n {
			for j, x := range m.row(i) {
				m.shift[j] += x / float64(m.n)
			}
		}
		// The likelihood does not depend on the means. Centered columns keep their digits.
		for i := range m.n {
			row := m.row(i)
			for j := range row {
				row[j] -= m.shift[j]
			}
		}
	}
	m.mu, m.noise = make([]float64, m.d), make([]float64, m.d)
	vector.Fill(m.noise, 1)
	m.features = make([][]int32, m.n)
	return m
}

func (m *Model) row(i int) []float64 { return m.x[i*m.d : (i+1)*m.d : (i+1)*m.d] }

// SetZ must be called after the allocation was replaced. It sets the weights, one for each one of Z,
// feature by feature with ascending items, and their prior.
func (m *Model) SetZ(weights []float64, shares Shares) {
	for i := range m.n {
		m.features[i] = m.features[i][:0]
	}
	m.w = vector.Extend(m.w, m.z.K()*m.n)
	count := 0
	for k := range m.z.K() {
		for i := range feature.Items(m.z.Column(k)) {
			m.features[i] = append(m.features[i], int32(k))
			m.column(k)[i] = weights[count]
			count++
		}
	}
	m.setShares(shares)
	m.links.drawn = false
	if count != len(weights) {
		panic("weighted: the number of weights differs from the number of ones of Z")
	}
	m.a = vector.Extend(m.a, m.z.K()*m.d)
	m.changed()
}

// Stale marks the loadings and the collapsed form as out of date. It must be called after the scales
// have changed.
func (m *Model) Stale() { m.fresh, m.valid = false, false }

// forget marks the collapsed form as out of date, after Z, weights or cells have changed.
func (m *Model) forget() { m.valid, m.summed, m.weighed = false, false, false }

// changed marks the loadings and the collapsed form as out of date.
func (m *Model) changed() {
	m.fresh = false
	m.forget()
}

// Refresh drops all that a checkpoint does not hold: the loadings, the weights of items without a feature, and the order
// of the features of each item.
func (m *Model) Refresh() {
	for _, features := range m.features {
		slices.Sort(features)
	}
	m.links.drawn = false
	m.changed()
}

// Weights appends the weights of the ones of Z to out, feature by feature, items ascending.
func (m *Model) Weights(out []float64) []float64 {
	for k := range m.z.K() {
		for i := range feature.Items(m.z.Column(k)) {
			out = append(out, m.column(k)[i])
		}
	}
	return out
}

// entry returns the place of a feature among those that an item has.
func (m *Model) entry(i, k int) int {
	for e, f := range m.features[i] {
		if int(f) == k {
			return e
		}
	}
	panic("weighted: an item lacks a feature")
}

// column returns the weights of feature k.
func (m *Model) column(k int) []float64 { return m.w[k*m.n : (k+1)*m.n : (k+1)*m.n] }

const logRoot2Pi = 0.91893853320467274178032973640561763986139747363778341

// Noise returns the noise scales, which must not be changed; nil if all columns share SigmaX.
func (m *Model) Noise() []float64 {
	if !m.noisePrior.Has() {
		return nil
	}
	return m.noise
}

// SetNoise sets the noise scales; nil sets each to the allowed value that is nearest to 1.
func (m *Model) SetNoise(noise []float64) {
	for j := range m.noise {
		if m.noise[j] = m.noisePrior.Least(j, *m.scales); noise != nil {
			m.noise[j] = noise[j]
		}
	}
	m.Stale()
}

// LogNoise returns the log prior density of the noise scales at scales.
func (m *Model) LogNoise(scales collapsed.Scales) float64 {
	if !m.noisePrior.Has() {
		return 0
	}
	return m.noisePrior.LogDensity(m.noise, scales)
}

// Cells appends the values of the unknown cells to out, row by row.
func (m *Model) Cells(out []float64) []float64 { return append(out, m.filled...) }

// SetCells sets the values of the unknown cells, row by row.
func (m *Model) SetCells(values []float64) {
	for c := range m.cells {
		m.setCell(c, values[c])
	}
	m.changed()
}

// setCell sets an unknown cell. It computes the centered value from the one that Cells returns, so that
// a resumed chain has the same bits.
func (m *Model) setCell(c int, value float64) {
	i, j := m.cells[c][0], m.cells[c][1]
	m.filled[c], m.row(i)[j] = value, value-m.shift[j]
}

// Loadings returns the intercept and the loadings, K x D, as they were last drawn. The intercept is
// relative to the means of the columns. They must not be changed.
func (m *Model) Loadings() (mu, a []float64) { return m.mu, m.a }

// SetLoadings sets the intercept and the loadings.
func (m *Model) SetLoadings(mu, a []float64) {
	copy(m.mu, mu)
	copy(m.a, a)
	m.fresh = true
}

// add gives feature k to item i.
func (m *Model) add(i, k int, w float64) {
	m.features[i] = append(m.features[i], int32(k))
	m.column(k)[i] = w
}

// drop removes entry e from the features of item i.
func (m *Model) drop(i, e int) {
	last := len(m.features[i]) - 1
	m.features[i][e] = m.features[i][last]
	m.features[i] = m.features[i][:last]
}

// appendSingleton adds a singleton of item i.
func (m *Model) appendSingleton(i int, w float64) {
	k := m.z.Append()
	m.z.Flip(i, k)
	m.tracker.Append(i)
	m.a, m.w, m.pos = vector.Extend(m.a, m.z.K()*m.d), vector.Extend(m.w, m.z.K()*m.n), append(m.pos, -1)
	m.add(i, k, w)
	m.unfactor(k)
}

// appendColumn adds a feature of several items, with the weights w of all items.
func (m *Model) appendColumn(items []uint64, w []float64) {
	k := m.z.K()
	m.z.AppendColumn(items)
	m.tracker.AppendColumn(items)
	m.a, m.w, m.pos = vector.Extend(m.a, m.z.K()*m.d), vector.Extend(m.w, m.z.K()*m.n), vector.Extend(m.pos, m.z.K())
	copy(m.column(k), w)
	m.unfactor(k)
	for i := range feature.Items(items) {
		m.features[i] = append(m.features[i], int32(k))
	}
}

// removeColumn deletes feature k. The last one takes its number.
func (m *Model) removeColumn(k int) {
	last := m.z.K() - 1
	for i := range feature.Items(m.z.Column(k)) {
		m.drop(i, m.entry(i, k))
	}
	if k != last {
		for l := range feature.Items(m.z.Column(last)) {
			m.features[l][m.entry(l, last)] = int32(k)
		}
		copy(m.loading(k), m.loading(last))
		copy(m.column(k), m.column(last))
		if last < len(m.common) {
			m.common[k] = m.common[last]
		}
		m.unfactor(k)
		if last < len(m.factors) {
			m.factors[k], m.factors[last] = m.factors[last], m.factors[k]
		}
	}
	m.unfactor(last)
	m.pos[k] = m.pos[last]
	m.a, m.w, m.pos = m.a[:last*m.d], m.w[:last*m.n], m.pos[:last]
	m.z.Remove(k)
	m.tracker.Remove(k)
}

// single reports whether exactly one item has feature k.
func (m *Model) single(k int) bool { return m.z.Size(k) == 1 }

// singletonSquares returns the sum of the squared weights of the singletons of item i, and their number.
func (m *Model) singletonSquares(i int) (t float64, count int) {
	for _, k := range m.features[i] {
		if m.single(int(k)) {
			w := m.column(int(k))[i]
			t += w * w
			count++
		}
	}
	return t, count
}

// ratio returns r = SigmaX^2/SigmaA^2.
func ratio(s collapsed.Scales) float64 {
	q := s.SigmaX / s.SigmaA
	return q * q
}
