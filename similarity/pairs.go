package similarity

// Pairs are the distances, or correlations, of all pairs of items, stored or computed.
type Pairs interface {
	N() int
	// At returns the entry of items i and j, of i > j.
	At(i, j int) float64
}
