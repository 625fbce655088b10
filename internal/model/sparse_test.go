package model

import (
	"math"
	"slices"
	"testing"

	"aibd/feature"
	"aibd/internal/oracle/dense"
	"aibd/prior"
	"aibd/similarity"
)

const towns = "name,lon,lat,a\np,0,50,1\nq,1,50,2\nr,0,51,4\ns,9,40,3\nt,9.5,40,7\n"

// Each way to give sparse distances stands for the law of package prior that it should.
func TestSparse(t *testing.T) {
	put(t, "x.csv", towns, "e.csv", "from,to,d\nq,p,2\np,r,0.5\ns,t,1\n")
	places, err := similarity.NewPlaces([]float64{0, 1, 0, 9, 9.5}, []float64{50, 50, 51, 40, 40})
	if err != nil {
		t.Fatal(err)
	}
	line, err := similarity.NewPoints([][]float64{{1}, {2}, {4}, {3}, {7}})
	if err != nil {
		t.Fatal(err)
	}
	edges, err := similarity.NewEdges(5, []similarity.Edge{{I: 0, J: 1, Distance: 2}, {I: 0, J: 2, Distance: 0.5}, {I: 3, J: 4, Distance: 1}})
	if err != nil {
		t.Fatal(err)
	}
	per := func(e *similarity.Edges, err error) *similarity.Edges {
		if err == nil {
			e, err = e.Per(1000)
		}
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	const circle = "[distance]\nkind = 'great-circle'\n"
	for _, c := range []struct {
		text string
		want *similarity.Edges
		unit string
	}{
		{circle + "neighbors = 1\nfar = 0\n", per(places.Nearest(1), nil), "1000 km"},
		{circle + "cutoff = 0.2\nfar = 0\n", per(places.Within(200)), "1000 km"},
		{circle + "neighbors = 1\nfar = 2\n", per(places.WithFar(places.Nearest(1), 2, 1), nil), "1000 km"},
		{circle + "neighbors = 1\n", per(places.WithFar(places.Nearest(1), 100, 1), nil), "1000 km"},
		{"[distance]\nkind = 'absolute'\ncolumns = ['a']\nneighbors = 2\nfar = 0\nshift = 0.5\n", line.Nearest(2).Shift(0.5), "a"},
		{"[distance]\nedges = 'e.csv'\n", edges, "unit of e.csv"},
	} {
		s := parse(t, "[data]\nfile = 'x.csv'\n"+c.text+"[prior]\npermutation = { kind = 'fixed' }")
		p, err := Load(s)
		if err != nil {
			t.Fatalf("%s: %v", c.text, err)
		}
		law, err := prior.NewAIBD(prior.NewAffinity(c.want, similarity.Exponential{}), p.Posterior.Law.Mass(), p.Posterior.Law.(prior.Attraction).Temperature(), prior.Identity(5))
		if err != nil {
			t.Fatal(err)
		}
		for z := uint64(1); z < 1<<5; z++ {
			if got, want := p.Posterior.Law.LogIntensity([]uint64{z}), law.LogIntensity([]uint64{z}); got != want {
				t.Errorf("%s: log nu(%b) is %v, expected %v", c.text, z, got, want)
			}
		}
		if p.Unit != c.unit || p.TemperatureUnit != c.want.Median() {
			t.Errorf("%s: unit %q, of the temperature %v, expected %q, %v", c.text, p.Unit, p.TemperatureUnit, c.unit, c.want.Median())
		}
		again, err := Load(p.Spec)
		if err != nil || again.DataHash != p.DataHash {
			t.Errorf("%s: built again: %v, hash %s, expected %s", c.text, err, again.DataHash, p.DataHash)
		}
	}
	hashes := []string{}
	for _, text := range []string{"neighbors = 1\nfar = 0\n", "neighbors = 2\nfar = 0\n", "neighbors = 1\nfar = 2\n", ""} {
		s := parse(t, "[data]\nfile = 'x.csv'\n"+circle+text)
		p, err := Load(s)
		if err != nil {
			t.Fatal(err)
		}
		if slices.Contains(hashes, p.DataHash) {
			t.Errorf("%q: the hash of other distances", text)
		}
		hashes = append(hashes, p.DataHash)
	}
}

// TestSparseNewcomers compares the law of the items of a run and a new item with the dense AIBD.
// The dense law has the same similarities, and 0 for pairs that have no entry.
func TestSparseNewcomers(t *testing.T) {
	const fresh = "name,lon,lat,a\nu,0.5,50,1\nv,9,41,2\nw,0,50,3\n"
	for _, c := range []struct {
		text string
		near [][]int // items with an entry in the row of each new item
		far  int     // further entries
	}{
		{"[distance]\nkind = 'great-circle'\nneighbors = 1\nfar = 0\n", [][]int{{0, 1}, {3}, {0}}, 0},
		{"[distance]\nkind = 'great-circle'\ncutoff = 0.1\nfar = 0\nshift = 0.01\n", [][]int{{0, 1}, nil, {0, 1}}, 0},
		{"[distance]\nkind = 'great-circle'\nneighbors = 1\nfar = 2\n", [][]int{{0, 1}, {3}, {0}}, 2},
		// Near by one of two distances; a label has no near items.
		{"[[distance]]\nkind = 'absolute'\ncolumns = ['lon']\nneighbors = 1\nfar = 1\n[[distance]]\nkind = 'absolute'\ncolumns = ['lat']\nneighbors = 2\nstandardize = true\n", [][]int{{0, 1}, {3, 4}, {0, 1}}, 1},
		{"[[distance]]\nkind = 'same'\ncolumns = ['lat']\nneighbors = 1\nfar = 0\n[[distance]]\nkind = 'absolute'\ncolumns = ['lon']\n[[distance]]\nkind = 'cyclic'\nname = 'around'\ncolumns = ['lon']\nperiod = 5\nshift = 0.1\n", [][]int{{0, 1}, {3}, {0}}, 0},
	} {
		put(t, "x.csv", towns, "new.csv", fresh)
		p := build(t, "[data]\nfile = 'x.csv'\ncolumns = ['a']\n"+c.text)
		seen, err := Rerun(p).Observations(p.Columns)
		if err != nil {
			t.Fatal(err)
		}
		fresh, err := Rerun(p).Newcomers(seen, p.Columns, "new.csv", "")
		if err != nil {
			t.Fatal(err)
		}
		for k, near := range c.near {
			law, err := fresh.Law(k)
			if err != nil {
				t.Fatal(err)
			}
			edges := law.(prior.Attraction).Affinity().Edges()
			const temperature = 1.7
			f := make([][]float64, 6)
			for i := range f {
				f[i] = make([]float64, 6)
				to, distance, weight := edges[0].Row(i)
				for e, j := range to {
					f[i][j] = weight[e] * math.Exp(-temperature*distance[e])
					for _, further := range edges[1:] {
						_, distance, _ := further.Row(i)
						f[i][j] *= math.Exp(-distance[e]) // at temperature 1
					}
				}
			}
			to, _, _ := edges[0].Row(5)
			var got []int
			for _, j := range to {
				if slices.Contains(near, int(j)) {
					got = append(got, int(j))
				}
			}
			if !slices.Equal(got, near) || len(to) != len(near)+c.far {
				t.Errorf("%s: entries of new item %d: %v, expected %v and %d more", c.text, k+1, to, near, c.far)
			}
			perm := []int{3, 1, 0, 4, 2, 5}
			tempered := law.(prior.Attraction).With(temperature, perm)
			for z := uint64(1); z < 1<<6; z++ {
				rows := make([][]int, 6)
				for i := range rows {
					rows[i] = []int{int(z >> i & 1)}
				}
				one := feature.New(6)
				one.AppendColumn([]uint64{z})
				got, want := prior.LogProb(tempered, one), dense.LogAIBD(rows, 1, f, perm)
				if math.Abs(got-want) > 1e-9 && got != want {
					t.Errorf("%s: new item %d, column %b: log probability %v, dense %v", c.text, k+1, z, got, want)
				}
			}
		}
	}
}
