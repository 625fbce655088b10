package dense

// All allocations of a few items.

// allAllocations returns every allocation of n items with at most maxK
// features, each equivalence class once. There are
// binomial(2^n - 1 + maxK, maxK) of them: it is for n up to about 4.
func allAllocations(n, maxK int) [][][]int {
	var all [][][]int
	// A class is a non-decreasing sequence of columns, each read as the binary
	// number whose i-th digit says whether item i has the feature.
	var visit func(columns []int)
	visit = func(columns []int) {
		z := make([][]int, n)
		for i := range z {
			z[i] = make([]int, len(columns))
			for k, c := range columns {
				z[i][k] = c >> i & 1
			}
		}
		all = append(all, z)
		if len(columns) == maxK {
			return
		}
		first := 1
		if len(columns) > 0 {
			first = columns[len(columns)-1]
		}
		for c := first; c < 1<<n; c++ {
			visit(append(columns, c))
		}
	}
	visit(nil)
	return all
}
