package results

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"aibd/draws"
	"aibd/feature"
	"aibd/internal/runs"
	"aibd/internal/verdict"
	"aibd/posterior"
)

// A feature is certain if 90% of the draws have each of its items in a feature that overlaps with it by as much. With
// weights, one of nearly all items is a degree.
func TestCertain(t *testing.T) {
	const n, drawn = 100, 200
	for _, c := range []struct {
		items    int
		flips    float64 // probability that a draw lacks an item, and has another
		comes    float64 // probability that a draw has the feature
		weighted bool
		want     bool
	}{
		{50, 0, 1, false, true}, {50, 0.02, 1, false, true}, {50, 0.12, 1, false, false}, {50, 0, 0.95, false, true}, {50, 0, 0.8, false, false},
		{50, 0, 1, true, true}, {4, 0, 1, true, true}, {97, 0, 1, true, false}, {97, 0, 1, false, true}, {3, 0.05, 1, false, false},
	} {
		rng := rand.New(rand.NewPCG(1, 2))
		allocation := func(flips float64) (z *feature.Allocation) {
			z = feature.New(n)
			k := z.Append()
			for i := range n {
				if (i < c.items) != (rng.Float64() < flips) {
					z.Flip(i, k)
				}
			}
			return z
		}
		e := &posterior.Estimate{Z: allocation(0)}
		if c.weighted {
			e.Weights = [][]float64{slices.Repeat([]float64{0}, n)}
			for i := range c.items {
				e.Weights[0][i] = 1
			}
		}
		var ds []*draws.Draw
		for range drawn {
			d := &draws.Draw{Z: allocation(c.flips)}
			if rng.Float64() > c.comes {
				d.Z = feature.New(n)
			}
			if c.weighted {
				d.Weights = slices.Repeat([]float64{1}, d.Z.Ones())
			}
			ds = append(ds, d)
		}
		m := posterior.NewMatching(e.Z, e.Weights, ds)
		if got := certain(e, m)[0]; got != c.want {
			t.Errorf("%+v: found %v", c, got)
		}
	}
}

// Features come by what they add, groups as one, and small ones in one line. A star marks what not all chains have.
func TestBySize(t *testing.T) {
	z, err := feature.FromRows([][]int{{1, 1, 1, 0, 1}, {1, 1, 1, 0, 0}, {1, 0, 1, 1, 0}, {1, 0, 1, 0, 0}})
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"a", "b", "c", "d"}
	run := &runs.Run{}
	run.Data.IDs = names
	e := &Estimate{Judged: &Judged{Run: run, Verdict: &verdict.Verdict{OnLarge: true}, Chains: make([][]*draws.Draw, 2)}, Items: names, Variables: []string{"u", "v"}}
	e.Estimate = &posterior.Estimate{Z: z, Share: make([][]float64, 5)}
	same := &draws.Draw{Z: z}
	other := &draws.Draw{Z: feature.New(4)}
	m := posterior.NewMatching(z, nil, []*draws.Draw{same, same, same, other})
	share := func(x float64) []float64 { return []float64{x, x, x, x} }
	order := e.arrange(m, []posterior.Part{
		{Features: []int{1}, Share: share(0.1), Overlap: []float64{1, 1, 1, 1}},
		{Features: []int{3}, Share: share(0.02), Overlap: share(0)},
		{Features: []int{0, 2}, Share: share(0.8), Overlap: []float64{1, 1, 1, 0}, Items: []float64{3, 9, 1, 2}, Variables: []float64{0.25, 0.75}},
		{Features: []int{4}, Share: share(0.03), Overlap: share(0)},
	})
	if !slices.Equal(order, []int{0, 2, 1, 4, 3}) || e.Z.Size(2) != 2 || e.Share[0][0] != 0.75 {
		t.Errorf("found the order %v of features of %d items, and shares %v", order, e.Z.Size(2), e.Share)
	}
	if p := e.Parts[0]; !slices.Equal(p.Features, []int{0, 1}) || p.Found != 0.75 || p.Chains != 2 || p.Percent[1][1] != 80 {
		t.Errorf("found %+v", p)
	}
	e.Parts[0].Chains = 1
	want := []string{
		"Features 1 and 2, 80 percent of what all features explain, identified only as a group, up to rotation: 4 items, most b, a, d and c; by variable v 75% and u 25%; in 1* of 2 chains.",
		"3 features of one or two items, small or in few draws, and those of single draws, explain 20 percent.",
	}
	if got := e.BySize(); !slices.Equal(got, want) {
		t.Errorf("found %q\nexpected %q", got, want)
	}
	e.Parts[0].Variables = []float64{0.04, 0.03}
	if got := e.BySize()[0]; !strings.Contains(got, "; by variable at most 4%; ") {
		t.Errorf("found %q", got)
	}
	if got := e.Groups(); !strings.HasPrefix(got, "Features 1 and 2 are identified only as a group, up to rotation: ") {
		t.Errorf("found %q", got)
	}
}
