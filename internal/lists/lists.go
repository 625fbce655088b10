// Package lists makes lists of lists, and takes lists from tables.
package lists

import "slices"

// Of returns what a function makes of each element, nil if there is none.
func Of[E, T any](all []E, of func(E) T) (made []T) {
	made = slices.Grow(made, len(all))
	for _, e := range all {
		made = append(made, of(e))
	}
	return made
}

// Make returns of(0) to of(n-1).
func Make[T any](n int, of func(i int) T) []T {
	made := make([]T, n)
	for i := range made {
		made[i] = of(i)
	}
	return made
}

// Sum returns the sum, added in order.
func Sum[T int | float64](all []T) (sum T) {
	for _, x := range all {
		sum += x
	}
	return sum
}

// Square returns an n x n matrix of zeros.
func Square(n int) [][]float64 {
	m := make([][]float64, n)
	v := make([]float64, n*n)
	for i := range m {
		m[i] = v[i*n : (i+1)*n : (i+1)*n]
	}
	return m
}

// Transposed returns the columns of x, which has at least one row.
func Transposed[E any](x [][]E) [][]E {
	return Make(len(x[0]), func(j int) []E { return Of(x, func(row []E) E { return row[j] }) })
}

// Positions returns the place of each element, of equal ones the last.
func Positions[E comparable](all []E) map[E]int {
	at := make(map[E]int, len(all))
	for i, e := range all {
		at[e] = i
	}
	return at
}

// Pick returns the elements at some places.
func Pick[E any](all []E, at []int) []E {
	return Of(at, func(i int) E { return all[i] })
}

// Each returns what a function makes of each element of each list.
func Each[E, T any](all [][]E, of func(E) T) [][]T {
	return Of(all, func(row []E) []T { return Of(row, of) })
}

// Spread returns at most n elements of a list, evenly spaced.
func Spread[E any](all []E, n int) []E {
	if len(all) <= n {
		return all
	}
	return Make(n, func(i int) E { return all[i*len(all)/n] })
}
