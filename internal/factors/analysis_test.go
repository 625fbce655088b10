package factors

import (
	"math"
	"math/rand/v2"
	"testing"
)

// An analysis fits the seen cells, and leaves noise. Rotation and medians change scores and loadings, and not what they
// explain; scores become sparse where factors are.
func TestAnalyze(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	const n, d = 150, 8
	var loadings [2][d]float64
	for k := range loadings {
		for v := range d {
			loadings[k][v] = 10 * rng.NormFloat64()
		}
	}
	x, truth := make([][]float64, n), make([][]float64, n)
	for i := range x {
		for v := range d {
			fit := 100.0
			for k := range loadings {
				if (i/10)%3 == k {
					fit += (1 + float64(i%10)/5) * loadings[k][v]
				}
			}
			truth[i] = append(truth[i], fit)
			x[i] = append(x[i], fit+rng.NormFloat64())
		}
		x[i][i%d] = nan
	}
	a := Analyze(rng, x)
	missed, spread := 0.0, 0.0
	for i := range x {
		for v := range d {
			e, total := a.fit(i, v)-truth[i][v], truth[i][v]-100
			missed, spread = missed+e*e, spread+total*total
		}
	}
	if len(a.Loadings) != d-1 || len(a.Scores) != n || missed > 0.05*spread {
		t.Errorf("found %d factors that miss %v of the sum of squares", len(a.Loadings), missed/spread)
	}
	for v, noise := range a.Noise {
		if !(noise > 0.1 && noise < 3) {
			t.Errorf("column %d: found noise %v, expected about 1", v+1, noise)
		}
	}
	before := a.fit(3, 4)
	a.turn(2, 1)
	a.center()
	if after := a.fit(3, 4); math.Abs(after-before) > 1e-9*math.Abs(before) {
		t.Errorf("found the fit %v after a turn, %v before", after, before)
	}
}

// Two sparse factors that were mixed are apart again after rotation.
func TestRotate(t *testing.T) {
	rng, a := rand.New(rand.NewPCG(6, 1)), &Analysis{Loadings: [][]float64{{1}, {1}}, Mean: []float64{0}}
	sin, cos := math.Sincos(0.6)
	for i := range 90 {
		s, w := [2]float64{}, rng.NormFloat64()
		if i%3 < 2 {
			s[i%3] = w
		}
		a.Scores = append(a.Scores, []float64{cos*s[0] - sin*s[1], sin*s[0] + cos*s[1]})
	}
	a.rotate()
	for i, s := range a.Scores {
		if math.Abs(s[0]*s[1]) > 1e-3 {
			t.Errorf("row %d: found the scores %v, expected one of them at 0", i+1, s)
		}
	}
}

// fit returns what factors explain of a cell.
func (a *Analysis) fit(i, v int) float64 {
	sum := a.Mean[v]
	for k, loading := range a.Loadings {
		sum += a.Scores[i][k] * loading[v]
	}
	return sum
}
