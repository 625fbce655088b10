package similarity

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestArrivals: a new point has the near points that it would have in the matrix of all these
// points, the others keep their rows, and far points stand for all that are not near. Of several distances, points
// that are near by one of them have an entry for each.
func TestArrivals(t *testing.T) {
	const n, more = 60, 5
	rng := rand.New(rand.NewPCG(5, 6))
	lon, lat, ages, hours, labels := make([]float64, n+more), make([]float64, n+more), make([][]float64, n+more), make([]float64, n+more), make([]int, n+more)
	for i := range lon {
		lon[i], lat[i] = 20*rng.Float64(), 20*rng.Float64()
		ages[i], hours[i], labels[i] = []float64{80 * rng.Float64()}, 24*rng.Float64(), rng.IntN(4)
	}
	// of returns the points with the given numbers by as many distances.
	of := func(distances int, numbers []int) []*Points {
		var x, y, hour []float64
		var age [][]float64
		var label []int
		for _, i := range numbers {
			x, y, age, hour, label = append(x, lon[i]), append(y, lat[i]), append(age, ages[i]), append(hour, hours[i]), append(label, labels[i])
		}
		all := []*Points{must(NewPlaces(x, y)), must(NewPoints(age)), NewLabels(label), NewCycle(hour, 24)}
		for m, want := range []*Matrix{must(GreatCircle(x, y)), Euclidean(age), Same(label), Cyclic(hour, 24)} {
			if got := all[m].At(3, 2); got != want.At(3, 2) {
				t.Fatalf("distance %d: %v, want %v", m, got, want.At(3, 2))
			}
		}
		return all[:distances]
	}
	everything, first := make([]int, n+more), make([]int, n)
	for i := range everything {
		everything[i] = i
	}
	copy(first, everything)
	for _, rules := range [][]Rule{
		{{Neighbors: 4}}, {{Neighbors: 100}}, {{Cutoff: 400}}, {{Neighbors: 3, Far: 5, Seed: 2}}, {{Cutoff: 300, Far: 5, Seed: 2}}, {{Neighbors: 3, Far: 100}},
		{{Neighbors: 3}, {Neighbors: 2}}, {{Cutoff: 300, Far: 5, Seed: 2}, {Cutoff: 2}, {}, {}}, {{Far: 4, Seed: 1}, {Neighbors: 3}},
	} {
		all, r := of(len(rules), everything), rules[0]
		arrivals := must(NewArrivals(all, n, rules))
		before := must(Union(of(len(rules), first), rules))
		for i := n; i < n+more; i++ {
			got := arrivals.With(i)
			if got.N() != n+1 || len(got) != len(rules) || !got.Alike() {
				t.Fatalf("%+v: %d items, %d distances", rules, got.N(), len(got))
			}
			for m := range rules {
				for j := range n {
					to, d, w := got[m].Row(j)
					wantTo, wantD, wantW := before[m].Row(j)
					if wantW == nil {
						wantW = slices.Repeat([]float64{1}, len(wantTo))
					}
					if !slices.Equal(to, wantTo) || !slices.Equal(d, wantD) || !slices.Equal(w, wantW) {
						t.Fatalf("%+v: row %d of distance %d changed", rules, j, m)
					}
				}
			}
			var want []int32 // near by one of the distances
			for m, near := range must(nearBy(of(len(rules), append(slices.Clone(first), i)), rules)) {
				to, _, _ := near.Row(n)
				if want = append(want, to...); rules[m].Neighbors+int(rules[m].Cutoff) == 0 && len(to) > 0 {
					t.Errorf("%+v: found near points by distance %d, expected none", rules, m)
				}
			}
			slices.Sort(want)
			want = slices.Compact(want)
			for m := range rules {
				to, d, w := got[m].Row(n)
				var found []int32
				total := 0.0
				for e, j := range to {
					if slices.Contains(want, j) {
						if found = append(found, j); w[e] != 1 {
							t.Errorf("%+v: near point with weight %v", rules, w[e])
						}
					}
					if d[e] != all[m].At(i, int(j)) {
						t.Errorf("%+v: distance %v, expected %v", rules, d[e], all[m].At(i, int(j)))
					}
					total += w[e]
				}
				if !slices.Equal(found, want) {
					t.Errorf("%+v: near points %v, expected %v", rules, found, want)
				}
				far := len(to) - len(found)
				if far != min(r.Far, n-len(found)) || r.Far > 0 && math.Abs(total-n) > 1e-9 {
					t.Errorf("%+v: %d far points, weights add to %v", rules, far, total)
				}
			}
		}
	}
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}
