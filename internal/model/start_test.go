package model

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"aibd/internal/collapsed"
	"aibd/mcmc"
)

// The starts of chains are draws from the priors, those of the scales from the
// part above the mean. The means of 2000 starts lie within 5 standard errors of
// the exact means: 7 checks with a false alarm rate of 6e-7 each. The broken twin has
// the quantities multiplied by 1.15, which the same checks reject (except the
// ones, whose bound is crude).
func TestStartsAreDrawnFromThePriors(t *testing.T) {
	p := build(t, small+`
init = "prior"
[prior]
temperature_unit = "distance"
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
		s, err := p.Start(t.Context(), c)
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
	a, _ := p.Start(t.Context(), 1)
	again, _ := p.Start(t.Context(), 1)
	other, _ := p.Start(t.Context(), 2)
	reseeded, _ := q.Start(t.Context(), 1)
	if !reflect.DeepEqual(a, again) || reflect.DeepEqual(a, other) || reflect.DeepEqual(a, reseeded) {
		t.Errorf("starts %+v, %+v, %+v, %+v", a, again, other, reseeded)
	}
}

func TestStartsAtGivenValues(t *testing.T) {
	put(t, "z.txt", strings.Repeat("10\n01\n", 25))
	p := build(t, "[sampler]\ninit = 'z.txt'\n[prior]\nmass = { value = 2 }\ntemperature = { value = 3 }\nsigma_x = { value = 0.25 }\nsigma_a = { fixed = true, value = 0.75 }")
	s, err := p.Start(t.Context(), 3)
	if err != nil || s.Mass != 2 || s.Temperature != 3 || s.Scales.SigmaX != 0.25 || s.Scales.SigmaA != 0.75 || s.Z.K() != 2 || !s.Z.Has(49, 1) {
		t.Errorf("start %+v, %v", s, err)
	}
}

// By default chains start without features, and a SigmaX with a uniform prior and no
// value is near its end: uniform from 0.9 to 0.99 of it. The mean of 1000 starts lies
// within 5 standard errors of the middle (a false alarm of 6e-7); the broken twin is
// the start of init "prior", uniform from 0.5 to 1.
func TestEmptyStarts(t *testing.T) {
	const chains, max = 1000, 3
	mean := func(p *Problem, features bool) float64 {
		sum := 0.0
		for c := range chains {
			s, err := p.Start(t.Context(), c)
			if err != nil || !features && s.Z.K() != 0 {
				t.Fatalf("start %+v, %v", s, err)
			}
			if x := s.Scales.SigmaX / max; !features && (x < 0.9 || x > 0.99) {
				t.Fatalf("SigmaX starts at %v of its maximum", x)
			}
			sum += s.Scales.SigmaX / max / chains
		}
		return (sum - 0.945) / (0.09 / math.Sqrt(12*chains))
	}
	const uniform = "\n[prior.sigma_x]\nmax = 3\n"
	if z := mean(build(t, small+uniform), false); math.Abs(z) > 5 {
		t.Errorf("the mean is %.1f standard errors off", z)
	}
	if z := mean(build(t, small+"init = 'prior'"+uniform), true); math.Abs(z) <= 5 {
		t.Errorf("the broken twin passes with %.1f standard errors", z)
	}
	// With a value it starts there, with a gamma prior above the mean of that.
	s, err := build(t, small+uniform+"value = 0.25").Start(t.Context(), 0)
	if err != nil || s.Z.K() != 0 || s.Scales.SigmaX != 0.25 {
		t.Errorf("start %+v, %v", s, err)
	}
	s, err = build(t, small+"[prior.sigma_x]\nshape = 9\nrate = 2").Start(t.Context(), 0)
	if err != nil || s.Z.K() != 0 || s.Scales.SigmaX < 4.5 {
		t.Errorf("start %+v, %v", s, err)
	}
}

// A start of thousands of features is an error, which a prior of the mass with that mean is not.
func TestStartWithTooManyFeatures(t *testing.T) {
	p := build(t, "[prior]\nmass = { value = 1000 }\n[sampler]\ninit = 'prior'")
	_, err := p.Start(t.Context(), 0)
	wantError(t, err, "chain-1: the start drawn from the prior has mass 1e+03 and would have about 4.5e+03 features, expected at most 1000: give prior.mass.value, or sampler.init")
	p = build(t, "[prior]\nmass = { value = 1000 }")
	if _, err := p.Start(t.Context(), 0); err != nil {
		t.Error(err)
	}
}

// Gamma priors that are nearly all at 0 still give a start.
func TestStartFromTinyShapes(t *testing.T) {
	p := build(t, "[prior]\nmass = { shape = 1e-9, rate = 1 }\nsigma_x = { shape = 1e-9, rate = 1e-9 }\nsigma_a = { shape = 1e-9, rate = 1e-9 }")
	if s, err := p.Start(t.Context(), 0); err != nil || s.Mass != 1e-9 || s.Scales.SigmaX < 1 || s.Scales.SigmaA < 1 {
		t.Errorf("start %+v, %v", s, err)
	}
}

// Starts by the data have clusters of the tree as features, each once and only those
// that the law allows.
func TestDataStarts(t *testing.T) {
	for _, decay := range []string{"exponential", "reciprocal"} {
		p := build(t, small+"init = 'data'\n[prior]\ndecay = '"+decay+"'\n[prior.mass]\nshape = 20\nrate = 2\n")
		tree := collapsed.Unwrap(p.Posterior.Data).Linkage()
		nodes := map[string]bool{}
		for v := range tree.Nodes() {
			nodes[fmt.Sprint(tree.Node(v))] = true
		}
		different := map[string]bool{}
		for c := range 20 {
			s, err := p.Start(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			if err := p.checkStart(c); err != nil {
				t.Errorf("%s: chain %d: %v", decay, c+1, err)
			}
			seen := map[string]bool{}
			for k := range s.Z.K() {
				column := fmt.Sprint(s.Z.Column(k))
				if !nodes[column] || seen[column] {
					t.Fatalf("%s: chain %d: feature %d is no node of the tree, or was there before", decay, c+1, k+1)
				}
				seen[column] = true
			}
			if decay == "exponential" && s.Z.K() < 5 {
				t.Errorf("chain %d starts with %d features", c+1, s.Z.K())
			}
			different[s.Z.Key()] = true
		}
		if len(different) < 10 {
			t.Errorf("%s: 20 chains start at %d allocations", decay, len(different))
		}
	}
}

func TestDataStartOfTooManyItems(t *testing.T) {
	p := &Problem{IDs: make([]string, mcmc.MaxClustered+1)}
	want := "sampler.init: found data and 2001 items, expected at most 2000"
	if err := p.setInit("data", nil, nil); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}
