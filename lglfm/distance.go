package lglfm

// SquaredDistance returns the squared distance of rows i and j of X, up to a factor
// that all pairs of rows share.
func (m *Data) SquaredDistance(i, j int) float64 {
	sum := 0.0
	for f, x := range m.rows[i] {
		x -= m.rows[j][f]
		sum += x * x
	}
	return sum
}
