package mcmc

import (
	"math"
	"reflect"
	"runtime"
	"testing"

	"aibd/draws"
	"aibd/feature"
	"aibd/lglfm"
	"aibd/prior"
	"aibd/similarity"
)

// A start at factors is in the support, also with missing cells, limits, categories, bounds on the noise and
// distances. Its log likelihood is that of its state as a draw. It leaves what is given. Other features have none.
func TestStartAtFactors(t *testing.T) {
	models := append([]model{
		withFeatures(ofNoiseLimits, Weighted), withFeatures(ofNoiseBinary, Weighted), withFeatures(ofNoiseOrdinal, Weighted), withFeatures(ofCounts, Weighted),
		withFeatures(ofWindow, Weighted), withFeatures(ofUniform, Weighted), withFeatures(ofXAlone, Weighted), withFeatures(ofAAlone, Weighted), withFeatures(ofWideGaps, Weighted),
	}, weightedModels...)
	features := 0
	for number, m := range models {
		for replicate := range 20 {
			rng := NewStream(uint64(replicate), m.name).Rand
			s := m.draw(rng)
			given := Start{Mass: s.Mass, Temperature: s.Temperature(), FurtherTemperatures: s.Temperatures().Tail, Permutation: s.Permutation()}
			if math.IsNaN(given.Temperature) {
				given.Temperature = 0
			}
			if !s.post.SigmaX.Random() {
				given.Scales.SigmaX = s.Scales().SigmaX
			}
			if !s.post.SigmaA.Random() {
				given.Scales.SigmaA = s.Scales().SigmaA
			}
			start, err := s.post.DrawStart(rng, given, InitFactors)
			if err != nil {
				t.Fatalf("%s: %v", m.name, err)
			}
			if fixed := start.Scales; !s.post.SigmaX.Random() && fixed.SigmaX != given.Scales.SigmaX || !s.post.SigmaA.Random() && fixed.SigmaA != given.Scales.SigmaA || start.Temperature != given.Temperature {
				t.Errorf("%s: found %+v, expected what was given", m.name, start)
			}
			state, err := newState(s.post, start)
			if err != nil {
				t.Fatalf("%s: %v", m.name, err)
			}
			var d draws.Draw
			state.Fill(&d)
			if got, err := lglfm.LogLikDraw(s.post.Data, &d); err != nil || math.Abs(got-d.LogLik) > 1e-8*math.Abs(got) {
				t.Errorf("%s: found log likelihood %v, %v, expected %v", m.name, d.LogLik, err, got)
			}
			features += start.Z.K()
		}
		if number == 0 && features == 0 {
			t.Error("found no features")
		}
	}
	s := ofIBP.draw(NewStream(1, "binary").Rand)
	if _, err := s.post.DrawStart(NewStream(1, "start").Rand, Start{}, InitFactors); err == nil || s.post.InitOf(1) != InitEmpty {
		t.Error("binary features start at factors")
	}
}

// Factors find sparse features: a start at them has most of the log likelihood of the truth, and one without features
// little. It is the same on one core and on two, and other seeds give other starts.
func TestFactorsOfFeatures(t *testing.T) {
	const n, d, k = 80, 12, 3
	rng := NewStream(3, "truth").Rand
	truth, weights, x := feature.New(n), []float64{}, make([][]float64, n)
	for i := range x {
		for range d {
			x[i] = append(x[i], 0.3*rng.NormFloat64())
		}
	}
	for range k {
		column, loading := make([]uint64, (n+63)/64), [d]float64{}
		for v := range loading {
			loading[v] = rng.NormFloat64()
		}
		for i := range n {
			if rng.Float64() < 0.4 {
				column[i>>6] |= 1 << (uint(i) & 63)
				weights = append(weights, rng.NormFloat64())
				for v, l := range loading {
					x[i][v] += weights[len(weights)-1] * l
				}
			}
		}
		truth.AppendColumn(column)
	}
	for i := range 10 {
		x[i][i] = math.NaN()
	}
	post := must(NewPosterior(x, must(prior.NewIBP(n, 1))))
	log := func(s Start) float64 { return must(post.LogLik(s)) }
	start := must(post.DrawStart(NewStream(1, "start").Rand, Start{}, InitFactors))
	copied := start
	copied.Z, copied.Weights, copied.Cells = truth, weights, nil
	empty := log(must(post.DrawStart(NewStream(1, "start").Rand, Start{}, InitEmpty)))
	if first, second := log(start), log(copied); first < second-0.2*(second-empty) {
		t.Errorf("found log likelihood %v at factors, %v at the truth, %v without features", first, second, empty)
	}
	if share := float64(start.Z.Ones()) / float64(n*start.Z.K()); start.Z.K() != d-1 || share > 0.8 {
		t.Errorf("found %d features, of which items have %v", start.Z.K(), share)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if one := must(post.DrawStart(NewStream(1, "start").Rand, Start{}, InitFactors)); !one.Z.Equal(start.Z) || !reflect.DeepEqual(one.Weights, start.Weights) || one.Scales != start.Scales || !reflect.DeepEqual(one.Cells, start.Cells) {
		t.Error("one core: found another start")
	}
	if other := must(post.DrawStart(NewStream(2, "start").Rand, Start{}, InitFactors)); other.Z.Equal(start.Z) {
		t.Error("found the same start from another seed")
	}
}

// Items 1 to 3 and items 4 and 5 take nothing from each other. Item 5 cannot have the feature of items 1 and 2, since
// item 4 lacks it. Item 4 attends to all items before it, since none attracts it.
func TestSupported(t *testing.T) {
	far := math.Inf(1)
	distance := must(similarity.NewMatrix([][]float64{{0, 1, 1, far, far}, {1, 0, 1, far, far}, {1, 1, 0, far, far}, {far, far, far, 0, 1}, {far, far, far, 1, 0}}))
	law := must(prior.NewAIBD(prior.NewAffinity(distance, similarity.Exponential{}), 1, 1, prior.Identity(5)))
	for column, want := range map[uint64]uint64{0b10011: 0b00011, 0b11000: 0b11000, 0b11001: 0b11001} {
		if got := Supported(law, []uint64{column}); len(got) != 1 || got[0] != want {
			t.Errorf("column %b: found %b, expected %b", column, got, want)
		}
	}
}
