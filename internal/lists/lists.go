// Package lists makes lists of lists, and takes lists from tables.
package lists

import "slices"

// Map returns the values of a function at each element, nil if there is none.
func Map[E, T any](all []E, f func(E) T) (values []T) {
	values = slices.Grow(values, len(all))
	for _, e := range all {
		values = append(values, f(e))
	}
	return values
}

// Make returns f(0) to f(n-1).
func Make[T any](n int, f func(i int) T) []T {
	values := make([]T, n)
	for i := range values {
		values[i] = f(i)
	}
	return values
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
	return Make(len(x[0]), func(j int) []E { return Map(x, func(row []E) E { return row[j] }) })
}

// Positions returns the place of each element, of equal ones the last.
func Positions[E comparable](all []E) map[E]int {
	places := make(map[E]int, len(all))
	for i, e := range all {
		places[e] = i
	}
	return places
}

// Pick returns the elements at some places.
func Pick[E any](all []E, places []int) []E {
	return Map(places, func(i int) E { return all[i] })
}

// MapRows returns the values of a function at each element of each list.
func MapRows[E, T any](all [][]E, f func(E) T) [][]T {
	return Map(all, func(row []E) []T { return Map(row, f) })
}

// Thin returns at most n elements of a list, evenly spaced.
func Thin[E any](all []E, n int) []E {
	if len(all) <= n {
		return all
	}
	return Make(n, func(i int) E { return all[i*len(all)/n] })
}
