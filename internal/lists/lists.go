// Package lists makes lists of lists.
package lists

// Of returns what a function makes of each element, nil if there is none.
func Of[E, T any](all []E, of func(E) T) (made []T) {
	for _, e := range all {
		made = append(made, of(e))
	}
	return made
}
