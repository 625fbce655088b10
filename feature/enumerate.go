package feature

// Enumerate calls yield with every allocation of n items that has at most
// maxK features, each exactly once, until yield returns false. The allocation
// passed is reused: clone it to keep it. There are binomial(2^n - 1 + maxK, maxK)
// of them, so this serves for n up to about 4. It panics if n is not in 0..30 or maxK < 0.
func Enumerate(n, maxK int, yield func(*Allocation) bool) {
	if n < 0 || n > 30 || maxK < 0 {
		panic("feature: Enumerate is for 0 to 30 items and at least 0 features")
	}
	a := New(n)
	enumerate(a, 1, maxK, yield)
}

// enumerate extends a by columns numbered from column upwards (the bitset read
// as an integer), which visits each multiset of columns once.
func enumerate(a *Allocation, column uint64, maxK int, yield func(*Allocation) bool) bool {
	if !yield(a) {
		return false
	}
	if a.k == maxK {
		return true
	}
	for c := column; c < 1<<a.n; c++ {
		a.AppendColumn([]uint64{c})
		ok := enumerate(a, c, maxK, yield)
		a.Remove(a.k - 1)
		if !ok {
			return false
		}
	}
	return true
}
