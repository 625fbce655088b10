package posterior

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"aibd/feature"
)

// The values of the R package fangs 0.2.22 (see testdata/faro_loss.json).
func TestFAROOfR(t *testing.T) {
	text, err := os.ReadFile("testdata/faro_loss.json")
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		Records []struct {
			ID     string
			A      float64
			Z1, Z2 [][]int
			Value  float64
		}
	}
	if err := json.Unmarshal(text, &golden); err != nil || len(golden.Records) == 0 {
		t.Fatalf("%d records, %v", len(golden.Records), err)
	}
	for _, r := range golden.Records {
		if got := FARO(fromRows(t, r.Z1), fromRows(t, r.Z2), r.A); math.Abs(got-r.Value) > 1e-10 {
			t.Errorf("%s: %v, expected %v", r.ID, got, r.Value)
		}
	}
}

// fromRows allows features without items, which FARO disregards.
func fromRows(t *testing.T, rows [][]int) *feature.Allocation {
	t.Helper()
	z := feature.New(len(rows))
	for k := range rows[0] {
		size := 0
		for _, row := range rows {
			size += row[k]
		}
		if size == 0 {
			continue
		}
		a := z.Append()
		for i, row := range rows {
			if row[k] == 1 {
				z.Flip(i, a)
			}
		}
	}
	return z
}

// randomZ returns an allocation of up to k features.
func randomZ(rng *rand.Rand, n, k int, p float64) *feature.Allocation {
	rows := make([][]int, n)
	for i := range rows {
		rows[i] = make([]int, k)
		for j := range rows[i] {
			if rng.Float64() < p {
				rows[i][j] = 1
			}
		}
	}
	z := feature.New(n)
	for j := range k {
		a := -1
		for i := range rows {
			if rows[i][j] == 1 {
				if a < 0 {
					a = z.Append()
				}
				z.Flip(i, a)
			}
		}
	}
	return z
}

// Against all matchings.
func TestFAROIsTheLeast(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		z, est := randomZ(rng, 70, rng.IntN(6), 0.4), randomZ(rng, 70, rng.IntN(6), 0.4)
		a := 2 * rng.Float64()
		n := max(z.K(), est.K())
		f, m := newFaro(est, n, a), newMatched(z, n)
		for k := range n {
			f.overlap(k, m)
		}
		least := math.Inf(1)
		var all func(k int, used uint, sum float64)
		all = func(k int, used uint, sum float64) {
			if k == n {
				least = math.Min(least, sum)
				return
			}
			for l := range n {
				if used>>l&1 == 0 {
					all(k+1, used|1<<l, sum+f.cost(k, l, m))
				}
			}
		}
		all(0, 0, 0)
		if got := FARO(z, est, a); math.Abs(got-least) > 1e-10 {
			t.Fatalf("%v, expected %v of\n%v\n%v", got, least, z, est)
		}
	}
}
