package feature

import (
	"math/big"
	"testing"
)

// Enumerate visits as many allocations as there are multisets of at most maxK
// non-empty columns, binomial(2^n - 1 + maxK, maxK); they are all valid and no two
// are equal, so it visits each.
func TestEnumerateVisitsAllOnce(t *testing.T) {
	for _, test := range []struct{ n, maxK int }{
		{0, 0}, {0, 3}, {1, 0}, {1, 1}, {1, 6}, {2, 5}, {3, 1}, {3, 4}, {4, 3}, {5, 2},
	} {
		seen := map[string]bool{}
		Enumerate(test.n, test.maxK, func(a *Allocation) bool {
			if a.N() != test.n || a.K() > test.maxK {
				t.Fatalf("%d items, at most %d features: visited %d x %d", test.n, test.maxK, a.N(), a.K())
			}
			for k := range a.K() {
				if a.Size(k) == 0 {
					t.Fatalf("visited a zero column:\n%v", a)
				}
			}
			if seen[a.Key()] {
				t.Fatalf("visited twice:\n%v", a)
			}
			seen[a.Key()] = true
			return true
		})
		want := new(big.Int).Binomial(int64(1<<test.n-1+test.maxK), int64(test.maxK))
		if want.Cmp(big.NewInt(int64(len(seen)))) != 0 {
			t.Errorf("%d items, at most %d features: visited %d, want %v", test.n, test.maxK, len(seen), want)
		}
	}
}

// Whenever yield asks to stop, it is not called again.
func TestEnumerateStops(t *testing.T) {
	for stop := 1; stop <= 35; stop++ { // binomial(7, 4) = 35 allocations
		visits := 0
		Enumerate(2, 4, func(*Allocation) bool {
			visits++
			return visits < stop
		})
		if visits != stop {
			t.Errorf("asked to stop at visit %d, visited %d", stop, visits)
		}
	}
}

func TestEnumerateMisuse(t *testing.T) {
	for _, n := range []int{-1, 31} {
		mustPanic(t, "feature: Enumerate is for 0 to 30 items and at least 0 features", func() { Enumerate(n, 1, nil) })
	}
}
