package posterior

import (
	"math/rand/v2"
	"slices"
	"testing"

	"aibd/draws"
	"aibd/feature"
)

// Draws of which features are complements are oriented alike, each feature on the side of at
// most half of the items in the draw of largest density. Columns of all items stay.
func TestOrient(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 1))
	for _, n := range []int{7, 64, 70} {
		z := randomZ(rng, n, 3, 0.3)
		for slices.ContainsFunc([]int{0, 1, 2}, func(k int) bool { return 2*z.Size(k) >= n }) {
			z = randomZ(rng, n, 3, 0.3)
		}
		ones := feature.New(n)
		ones.Append()
		for i := range n {
			ones.Flip(i, 0)
		}
		z.AppendColumn(ones.Column(0))
		var ds []*draws.Draw
		for flips := range 8 {
			other := feature.New(n)
			for k := range z.K() {
				other.AppendColumn(z.Column(k))
				for i := range n {
					if k < 3 && flips>>k&1 == 1 {
						other.Flip(i, k)
					}
				}
			}
			ds = append(ds, &draws.Draw{Z: other, LogLik: -2, LogPrior: -1, SigmaX: 3})
		}
		ds[5].LogLik = -1
		before := ds[7].Z.String()
		for t2, d := range Orient(ds) {
			if !d.Z.Equal(z) || d.SigmaX != 3 {
				t.Errorf("%d items: found draw %d\n%v\nexpected\n%v", n, t2, d.Z, z)
			}
		}
		ds[6].Weights = make([]float64, ds[6].Z.Ones())
		if Orient(ds)[6].Z != ds[6].Z {
			t.Error("weighted features are oriented")
		}
		if ds[7].Z.String() != before {
			t.Error("the draws themselves are changed")
		}
	}
}

// Features match up to complements, and the match says which ones are complements.
func TestMatchSides(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 3))
	for range 50 {
		est, z := randomZ(rng, 70, 3, 0.3), feature.New(70)
		order, flipped := rng.Perm(3), make([]bool, 3)
		for l, k := range order {
			column := est.Column(k)
			if flipped[k] = rng.IntN(2) == 0; flipped[k] {
				column = feature.Complement(nil, column, 70)
			}
			z.AppendColumn(column)
			z.Flip(rng.IntN(70), l)
		}
		matched, complement := MatchSides(z, est)
		if !slices.Equal(complement, flipped) {
			t.Errorf("found complements %v, expected %v", complement, flipped)
		}
		for k, l := range matched {
			if l < 0 || order[l] != k {
				t.Errorf("found matches %v of columns %v", matched, order)
			}
		}
	}
}

// A feature that no feature of the reference resembles is on the side of at most half of the
// items, whatever its small correlations.
func TestOrientAlone(t *testing.T) {
	allocation := func(n int, items ...int) *feature.Allocation {
		z := feature.New(n)
		z.Append()
		for _, i := range items {
			z.Flip(i, 0)
		}
		return z
	}
	best := &draws.Draw{Z: allocation(8, 0, 1, 2), LogLik: -1}
	got := Orient([]*draws.Draw{best, {Z: allocation(8, 0, 1, 2, 3, 4, 5, 6), LogLik: -2}, {Z: allocation(8, 0, 1, 2, 3, 4), LogLik: -2}})
	if want := allocation(8, 7); !got[1].Z.Equal(want) {
		t.Errorf("found\n%v\nexpected\n%v", got[1].Z, want)
	}
	if want := allocation(8, 0, 1, 2, 3, 4); !got[2].Z.Equal(want) {
		t.Errorf("found\n%v\nexpected\n%v", got[2].Z, want)
	}
}
