package runs

import (
	"math"
	"reflect"
	"strings"
	"testing"
)

// The starts of chains are draws from the priors, those of the scales from the
// part above the mean. The means of 2000 starts lie within 5 standard errors of
// what they should be: 7 checks with a false alarm of 6e-7 each. The broken twin has
// the quantities multiplied by 1.15, which the same checks reject (but for the
// ones, whose bound is crude).
func TestStartsAreDrawnFromThePriors(t *testing.T) {
	p := build(t, small+`
[prior.mass]
shape = 2
rate = 4
[prior.temperature]
shape = 9
rate = 2
[prior.sigma_x]
max = 3
[prior.sigma_a]
shape = 1
rate = 2
`)
	const chains = 2000
	var mass, temperature, sigmaX, sigmaA, k, ones, first []float64
	for c := range chains {
		s, err := p.Start(c)
		if err != nil {
			t.Fatal(err)
		}
		mass = append(mass, s.Mass)
		temperature = append(temperature, s.Temperature)
		sigmaX = append(sigmaX, s.Scales.SigmaX)
		sigmaA = append(sigmaA, s.Scales.SigmaA)
		k = append(k, float64(s.Z.K()))
		ones = append(ones, float64(s.Z.Ones()))
		first = append(first, float64(s.Permutation[0]))
		if s.Scales.SigmaX < 1.5 || s.Scales.SigmaX > 3 || s.Scales.SigmaA < 0.5 {
			t.Fatalf("chain %d starts at %+v", c, s.Scales)
		}
	}
	h := 0.0
	for i := 1; i <= 50; i++ {
		h += 1 / float64(i)
	}
	for _, factor := range []float64{1, 1.15} {
		for _, c := range []struct {
			name     string
			x        []float64
			mean, sd float64
		}{
			{"mass", mass, 0.5, math.Sqrt(2) / 4},
			{"temperature", temperature, 4.5, 1.5},
			{"SigmaX", sigmaX, 2.25, 1.5 / math.Sqrt(12)},
			{"SigmaA", sigmaA, 1, 0.5}, // an exponential above its mean is memoryless
			// Given the mass, the features are Poisson(mass*H) and each item has mass
			// features in the mean; the bound on the sd of the ones is crude.
			{"features", k, 0.5 * h, math.Sqrt(0.5*h + h*h/8)},
			{"ones", ones, 25, 40},
			{"first to arrive", first, 24.5, math.Sqrt((50*50 - 1) / 12.)},
		} {
			sum := 0.0
			for _, x := range c.x {
				sum += factor * x
			}
			z := (sum/chains - c.mean) / (c.sd / math.Sqrt(chains))
			switch {
			case factor == 1 && math.Abs(z) > 5:
				t.Errorf("%s: mean %v, expected %v: %.1f standard errors", c.name, sum/chains, c.mean, z)
			case factor != 1 && math.Abs(z) <= 5 && c.name != "ones":
				t.Errorf("%s: the broken twin passes with %.1f standard errors", c.name, z)
			}
		}
	}
}

// A start is a function of seed and chain.
func TestStartsAreRepeated(t *testing.T) {
	p, q := build(t, small), build(t, small)
	q.Spec.Sampler.Seed++
	a, _ := p.Start(1)
	again, _ := p.Start(1)
	other, _ := p.Start(2)
	reseeded, _ := q.Start(1)
	if !reflect.DeepEqual(a, again) || reflect.DeepEqual(a, other) || reflect.DeepEqual(a, reseeded) {
		t.Errorf("starts %+v, %+v, %+v, %+v", a, again, other, reseeded)
	}
}

func TestStartsAtGivenValues(t *testing.T) {
	put(t, "z.txt", strings.Repeat("10\n01\n", 25))
	p := build(t, "[sampler]\ninit = 'z.txt'\n[prior]\nmass = { value = 2 }\ntemperature = { value = 3 }\nsigma_x = { value = 0.25 }\nsigma_a = { fixed = true, value = 0.75 }")
	s, err := p.Start(3)
	if err != nil || s.Mass != 2 || s.Temperature != 3 || s.Scales.SigmaX != 0.25 || s.Scales.SigmaA != 0.75 || s.Z.K() != 2 || !s.Z.Has(49, 1) {
		t.Errorf("start %+v, %v", s, err)
	}
	p = build(t, "[sampler]\ninit = 'empty'")
	if s, err := p.Start(0); err != nil || s.Z.K() != 0 {
		t.Errorf("start %+v, %v", s, err)
	}
}

// A prior of the mass that expects thousands of features is told from one to
// start at.
func TestStartWithTooManyFeatures(t *testing.T) {
	p := build(t, "[prior]\nmass = { value = 1000 }")
	_, err := p.Start(0)
	wantError(t, err, "chain-1: the start drawn from the prior has mass 1e+03 and would have about 4.5e+03 features, expected at most 1000: give prior.mass.value, or sampler.init")
	p = build(t, "[prior]\nmass = { value = 1000 }\n[sampler]\ninit = 'empty'")
	if _, err := p.Start(0); err != nil {
		t.Error(err)
	}
}

// Gamma priors that are nearly all at 0 still give a start.
func TestStartFromTinyShapes(t *testing.T) {
	p := build(t, "[prior]\nmass = { shape = 1e-9, rate = 1 }\nsigma_x = { shape = 1e-9, rate = 1e-9 }\nsigma_a = { shape = 1e-9, rate = 1e-9 }")
	if s, err := p.Start(0); err != nil || s.Mass != 1e-9 || s.Scales.SigmaX < 1 || s.Scales.SigmaA < 1 {
		t.Errorf("start %+v, %v", s, err)
	}
}
