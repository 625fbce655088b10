package results

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/combin"

	"aibd/similarity"
)

// Mean and variance of Moran's I agree with those over all orders of the items.
func TestMoranMoments(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const n = 6
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = make([]float64, n)
		for j := range rows[i] {
			if i != j {
				rows[i][j] = 3 * rng.Float64()
			}
		}
	}
	d, err := similarity.NewMatrix(rows) // not symmetric
	if err != nil {
		t.Fatal(err)
	}
	m := newMoran(d, similarity.Exponential{}, 0.7)
	for _, x := range [][]float64{{1, 1, 0, 0, 0, 0}, {1.5, -0.3, 0, 0, 2, 0.1}} {
		var all, zs []float64
		for _, order := range combin.Permutations(n, n) {
			y := make([]float64, n)
			for i, from := range order {
				y[i] = x[from]
			}
			i, z := m.of(y)
			all, zs = append(all, i), append(zs, z)
		}
		if mean := stat.Mean(all, nil); math.Abs(mean+1/float64(n-1)) > 1e-12 {
			t.Errorf("%v: found the mean %v, expected %v", x, mean, -1/float64(n-1))
		}
		if mean, variance := stat.PopMeanVariance(zs, nil); math.Abs(mean) > 1e-9 || math.Abs(variance-1) > 1e-9 {
			t.Errorf("%v: found z with mean %v and variance %v, expected 0 and 1", x, mean, variance)
		}
	}
	want, sum, s0 := 0.0, 0.0, 0.0 // I as defined
	x := []float64{1.5, -0.3, 0, 0, 2, 0.1}
	mean := stat.Mean(x, nil)
	for i := range n {
		sum += (x[i] - mean) * (x[i] - mean)
		for j := range n {
			if w := math.Exp(-0.7 * d.At(i, j)); i != j {
				s0, want = s0+w, want+w*(x[i]-mean)*(x[j]-mean)
			}
		}
	}
	if found, _ := m.of(x); math.Abs(found-n/s0*want/sum) > 1e-12 {
		t.Errorf("found I %v, expected %v", found, n/s0*want/sum)
	}
	for _, constant := range [][]float64{{1, 1, 1, 1, 1, 1}, {0, 0, 0, 0, 0, 0}} {
		if _, z := m.of(constant); !math.IsNaN(z) {
			t.Errorf("found z %v of %v", z, constant)
		}
	}
	if _, z := newMoran(d, similarity.Exponential{}, 0).of(x); !math.IsNaN(z) {
		t.Errorf("found z %v under equal similarities", z)
	}
}

// Scores of values without any order exceed 2.33 about once in a hundred times, and 3 hardly ever. Without the
// skewness they exceed both several times as often: 40 items on a line, with similarities that fall slowly.
func TestNormalScore(t *testing.T) {
	const n, times = 40, 4000
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = make([]float64, n)
		for j := range rows[i] {
			rows[i][j] = math.Abs(float64(i - j))
		}
	}
	d, err := similarity.NewMatrix(rows)
	if err != nil {
		t.Fatal(err)
	}
	m, rng := newMoran(d, similarity.Exponential{}, 0.05), rand.New(rand.NewPCG(1, 2))
	x := make([]float64, n)
	draw := func() {
		for i := range x {
			x[i] = rng.NormFloat64()
		}
	}
	draw()
	skewness := m.skewness(x)
	var above, far, rawFar int
	for range times {
		draw()
		_, z := m.of(x)
		score := normalScore(z, skewness)
		if score > 2.33 {
			above++
		}
		if score > 3 {
			far++
		}
		if z > 3 {
			rawFar++
		}
	}
	if above < 20 || above > 65 || far > 18 {
		t.Errorf("found %d scores above 2.33 and %d above 3, expected about 40 and 5", above, far)
	}
	if rawFar < 40 {
		t.Errorf("found %d above 3 without the skewness, expected far more than 5", rawFar)
	}
	for _, c := range []struct{ z, skewness, want float64 }{{2, 0.001, 2}, {2, -1, 2}, {-1, -0.4, -1.01}} {
		if found := normalScore(c.z, c.skewness); math.Abs(found-c.want) > 0.1 {
			t.Errorf("z %v, skewness %v: found %v, expected %v", c.z, c.skewness, found, c.want)
		}
	}
}

// The nearness of a feature is large by a distance that its items follow, and not by one that has been shuffled.
func TestNearness(t *testing.T) {
	j := judge(t)
	e, err := j.Estimate(DefaultEstimate())
	if err != nil {
		t.Fatal(err)
	}
	if len(e.Near) != e.Z.K() {
		t.Fatalf("found the nearness of %d features, expected %d", len(e.Near), e.Z.K())
	}
	for k, near := range e.Near {
		if len(near) != 1 || near[0].Distance != "distance" || math.IsNaN(float64(near[0].Z)) != (e.Z.Size(k) < 2) {
			t.Errorf("feature %d of %d items: found %+v", k+1, e.Z.Size(k), near)
		}
	}
	rng := rand.New(rand.NewPCG(3, 4))
	const n = 40
	at, feature := make([]float64, n), make([]float64, n)
	for i := range at {
		if at[i] = rng.Float64(); at[i] < 0.3 {
			feature[i] = 1
		}
	}
	if _, z := newMoran(similarity.AbsDifference(at), similarity.Exponential{}, 3).of(feature); z < 5 {
		t.Errorf("found z %v of neighbours", z)
	}
	rng.Shuffle(n, func(a, b int) { at[a], at[b] = at[b], at[a] })
	if _, z := newMoran(similarity.AbsDifference(at), similarity.Exponential{}, 3).of(feature); math.Abs(z) > 4 {
		t.Errorf("found z %v of shuffled items", z)
	}
}
