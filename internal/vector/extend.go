package vector

// Extend returns s with length n, growing its capacity by half at least.
func Extend[T any](s []T, n int) []T {
	if n > cap(s) {
		grown := make([]T, n, max(n, cap(s)+cap(s)/2))
		copy(grown, s[:cap(s)])
		return grown
	}
	return s[:n]
}

// Fill sets all elements of s.
func Fill[T any](s []T, value T) {
	for i := range s {
		s[i] = value
	}
}
