package similarity

// Pairs are the distances, or correlations, of all pairs of items, stored or computed.
type Pairs interface {
	N() int
	// At returns the entry of items i and j, of i > j.
	At(i, j int) float64
}

// Alike returns the correlations of items of groups, 1 within a group and 0 between groups, of their distances 0 and 1.
func Alike(distances Pairs) Pairs { return alike{distances} }

type alike struct{ Pairs }

func (a alike) At(i, j int) float64 { return 1 - a.Pairs.At(i, j) }
