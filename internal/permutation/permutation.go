// Package permutation checks permutations of items, where perm[p] is the item at
// position p, both from zero.
package permutation

import "fmt"

// Check returns an error unless perm has each of 0 to n-1 once, where n is the length of
// seen, which Check overwrites. The error counts items and positions from one.
func Check(perm []int, seen []bool) error {
	n := len(seen)
	if len(perm) != n {
		return fmt.Errorf("found %d entries, expected one for each of %d items", len(perm), n)
	}
	clear(seen)
	for p, item := range perm {
		if item < 0 || item >= n {
			return fmt.Errorf("found item %d at position %d, expected 1 to %d", item+1, p+1, n)
		}
		if seen[item] {
			return fmt.Errorf("found item %d again at position %d, expected each item once", item+1, p+1)
		}
		seen[item] = true
	}
	return nil
}

// Identity returns the permutation in which item p is at position p.
func Identity(n int) []int {
	perm := make([]int, n)
	for p := range perm {
		perm[p] = p
	}
	return perm
}

// Means returns the mean position of the items 0 to N/2-1 and that of the items 0, 2, 4, ...,
// with positions counted from one.
func Means(perm []int) (firstHalf, even float64) {
	n := len(perm)
	for p, item := range perm {
		if item < n/2 {
			firstHalf += float64(p + 1)
		}
		if item%2 == 0 {
			even += float64(p + 1)
		}
	}
	return firstHalf / float64(n/2), even / float64((n+1)/2)
}
