package similarity

// Several distances of the same items.

// Several is one or more distances between the same items, each with a temperature of its own: the
// similarity of two items is the product of the similarities by each distance.
type Several []*Matrix

// N returns the number of items.
func (s Several) N() int { return s[0].N() }
