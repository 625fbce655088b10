package similarity

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestArrivals: a new point has the near points that it would have in the matrix of all these
// points, the others keep their rows, and far points stand for all that are not near.
func TestArrivals(t *testing.T) {
	const n, more = 60, 5
	rng := rand.New(rand.NewPCG(5, 6))
	lon, lat := make([]float64, n+more), make([]float64, n+more)
	for i := range lon {
		lon[i], lat[i] = 20*rng.Float64(), 20*rng.Float64()
	}
	all, err := NewPlaces(lon, lat)
	if err != nil {
		t.Fatal(err)
	}
	first, err := NewPlaces(lon[:n], lat[:n])
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []Rule{{Neighbors: 4}, {Neighbors: 100}, {Cutoff: 400}, {Neighbors: 3, Far: 5, Seed: 2}, {Cutoff: 300, Far: 5, Seed: 2}, {Neighbors: 3, Landmarks: 7, Seed: 2}, {Neighbors: 3, Far: 100}} {
		arrivals, err := NewArrivals(all, n, r)
		if err != nil {
			t.Fatal(err)
		}
		before, err := r.Edges(first)
		if err != nil {
			t.Fatal(err)
		}
		for i := n; i < n+more; i++ {
			got := arrivals.With(i)
			if got.N() != n+1 {
				t.Fatalf("%+v: %d items, expected %d", r, got.N(), n+1)
			}
			for j := range n {
				to, d, w := got.Row(j)
				wantTo, wantD, wantW := before.Row(j)
				if wantW == nil {
					wantW = slices.Repeat([]float64{1}, len(wantTo))
				}
				if !slices.Equal(to, wantTo) || !slices.Equal(d, wantD) || !slices.Equal(w, wantW) {
					t.Fatalf("%+v: row %d changed", r, j)
				}
			}
			with, err := NewPlaces(append(slices.Clone(lon[:n]), lon[i]), append(slices.Clone(lat[:n]), lat[i]))
			if err != nil {
				t.Fatal(err)
			}
			near, err := r.near(with)
			if err != nil {
				t.Fatal(err)
			}
			want, _, _ := near.Row(n)
			to, d, w := got.Row(n)
			var found []int32
			total := 0.0
			for e, j := range to {
				if slices.Contains(want, j) {
					if found = append(found, j); w[e] != 1 {
						t.Errorf("%+v: near point with weight %v", r, w[e])
					}
				}
				if d[e] != all.Distance(i, int(j)) {
					t.Errorf("%+v: distance %v, expected %v", r, d[e], all.Distance(i, int(j)))
				}
				total += w[e]
			}
			if !slices.Equal(found, want) {
				t.Errorf("%+v: near points %v, expected %v", r, found, want)
			}
			far := len(to) - len(found)
			if r.Landmarks == 0 && far != min(r.Far, n-len(found)) || r.Far+r.Landmarks > 0 && math.Abs(total-n) > 1e-9 {
				t.Errorf("%+v: %d far points, weights add to %v", r, far, total)
			}
		}
	}
}
