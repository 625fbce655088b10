package predict

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"aibd/draws"
	"aibd/feature"
	"aibd/internal/lists"
	"aibd/lglfm"
	"aibd/similarity"
)

// Moran's I agrees with its definition, leaves out missing values, and is NaN of equal ones.
func TestMoran(t *testing.T) {
	points := []float64{0, 1, 3, 3.5, 7, 8}
	d := similarity.AbsDifference(points)
	near := NewNear("place", d, 0.7)
	x := []float64{1.5, -0.3, 0, 0.4, 2, 0.1}
	for _, missing := range []int{-1, 2} {
		x := slices.Clone(x)
		n, mean, squares, cross, sum := 0.0, 0.0, 0.0, 0.0, 0.0
		for i := range x {
			if i != missing {
				n, mean = n+1, mean+x[i]
			}
		}
		mean /= n
		for i := range x {
			for j := range x {
				switch {
				case i == missing || j == missing:
				case i == j:
					squares += (x[i] - mean) * (x[i] - mean)
				case math.Exp(-0.7*d.At(i, j)) > leastClose:
					w := math.Exp(-0.7 * d.At(i, j))
					cross, sum = cross+w*(x[i]-mean)*(x[j]-mean), sum+w
				}
			}
		}
		if missing >= 0 {
			x[missing] = math.NaN()
		}
		if got, want := near.moran(x), n/sum*cross/squares; math.Abs(got-want) > 1e-12 {
			t.Errorf("without item %d: found %v, expected %v", missing, got, want)
		}
	}
	if got := near.moran(make([]float64, len(points))); !math.IsNaN(got) {
		t.Errorf("found %v of equal values", got)
	}
}

// Residuals that follow a place are a misfit, and those that do not are none.
func TestNearResiduals(t *testing.T) {
	const n, draw = 60, 200
	rng := rand.New(rand.NewPCG(1, 2))
	points := lists.Make(n, func(i int) float64 { return float64(i) })
	x := lists.Make(n, func(i int) []float64 { return []float64{1.4 * math.Sin(float64(i)/5), rng.NormFloat64()} })
	data, err := lglfm.NewData(x)
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewReplicator(data)
	if err != nil {
		t.Fatal(err)
	}
	r.Near = []Near{NewNear("place", similarity.AbsDifference(points), 1)}
	c := NewChecker(r)
	for range draw {
		d := &draws.Draw{Z: feature.New(n), Mass: 1, SigmaX: 1, SigmaA: 1}
		y, err := r.Draw(d, rng)
		if err != nil {
			t.Fatal(err)
		}
		c.Add(d, y)
	}
	for _, kind := range c.Checks() {
		if kind.Name != NearResiduals {
			continue
		}
		if checks := kind.Checks; len(checks) != 2 || checks[0].Distance != "place" || checks[0].P > 0 || checks[1].Indices[0] != 1 || checks[1].P < 0.01 || checks[1].P > 0.99 || math.Abs(checks[1].Observed) > 0.3 || checks[0].Observed < 0.7 {
			t.Errorf("found %+v", checks)
		}
		return
	}
	t.Error("found no check of near residuals")
}
