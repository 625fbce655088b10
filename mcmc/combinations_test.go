package mcmc

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"aibd/feature"
	"aibd/internal/collapsed"
	"aibd/internal/intensity"
	"aibd/lglfm"
	"aibd/prior"
)

// TestCombinationsReverse: every combination that fits leads to another set of items,
// has a way back that fits there, to the set that it began with, and is weighed with
// the number of these ways. What fits is compared with sums of whole numbers.
func TestCombinationsReverse(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	k := &combinations{tries: 1}
	var kinds [2][2]int // by the number of terms and turned
	for range 60 {
		n := 5
		if rng.IntN(4) == 0 {
			n = 70 // two words, the items of the second like those of the first
		}
		z := feature.New(n)
		for range 3 + rng.IntN(6) {
			a := z.Append()
			for i := range n {
				if i < 5 && rng.IntN(2) == 0 || i >= 65 && z.Has(i-65, a) {
					z.Flip(i, a)
				}
			}
			if z.Size(a) == 0 {
				z.Remove(a)
			}
		}
		s := must(newState(&Posterior{Data: must(lglfm.NewData(make2(n, 1))), Law: must(prior.NewIBP(n, 1))}, Start{Z: z, Scales: lglfm.Scales{SigmaX: 1, SigmaA: 1}}))
		for range 200 {
			a, ok := k.draw(rng, z.K())
			if !ok {
				continue
			}
			var terms []term
			for _, x := range k.terms {
				terms = append(terms, term{x.Column, int(x.Sign)})
			}
			column, blind := z.Column(a), slices.Clone(k.terms)
			got := slices.Clone(k.fits(nil, s, a, column))
			want := new(combinationMove).fitting(s, a, plain(s, a), terms, false, false)
			if len(got) != len(want) {
				t.Fatalf("%v: column %d with %v: %v fit, want %v", z, a, blind, got, want)
			}
			for _, end := range got {
				if !slices.Contains(want, term{end.Column, int(end.Sign)}) {
					t.Fatalf("%v: column %d with %v: %v fits, want %v", z, a, blind, end, want)
				}
				k.terms = append(slices.Clone(blind), end.Term)
				if k.add(s, column); empty(k.column) {
					t.Fatalf("%v: column %d with %v is empty", z, a, k.terms)
				}
				reached := slices.Clone(k.column)
				ways := k.ways(s, a, end.turned)

				sign := -1.0
				if end.turned {
					sign = 1
				}
				k.terms = slices.Clone(blind)
				for i := range k.terms {
					k.terms[i].Sign *= sign
				}
				back := k.fits(nil, s, a, reached)
				if !slices.Contains(back, last{collapsed.Term{Column: end.Column, Sign: sign * end.Sign}, end.turned}) {
					t.Fatalf("%v: column %d with %v and %v: no way back in %v", z, a, blind, end, back)
				}
				if ways != len(back) {
					t.Fatalf("%v: column %d with %v and %v: %d ways back, want %d", z, a, blind, end, ways, len(back))
				}
				kinds[len(blind)-1][btoi(end.turned)]++
			}
		}
	}
	for _, kind := range kinds {
		if slices.Min(kind[:]) < 50 {
			t.Errorf("%v combinations by terms and kind, too few to see anything", kinds)
		}
	}
}

// TestCombinationsRatio: a combination is accepted just when the ratio, with the numbers
// of ways there and back and with all computed afresh, is above exp(-e). Where these
// numbers differ, a ratio without one of them would decide otherwise.
func TestCombinationsRatio(t *testing.T) {
	a := twin(30, 12)
	post := a.posterior(t)
	s, err := newState(post, Start{Z: a.truth.Z, Mass: 10, Scales: lglfm.Scales{SigmaX: 0.9, SigmaA: 0.35}})
	if err != nil {
		t.Fatal(err)
	}
	rng, k := NewStream(1, "ratio").Rand, &combinations{tries: 1}
	highest := math.Log(s.Law().TotalIntensity())
	different := 0
	for range 20_000 {
		a, ok := k.draw(rng, s.K())
		if !ok {
			t.Fatal("too few columns")
		}
		column := s.Column(a)
		k.fit = k.fits(k.fit, s, a, column)
		if len(k.fit) == 0 {
			continue
		}
		end := k.fit[rng.IntN(len(k.fit))]
		k.terms = append(k.terms, end.Term)
		k.add(s, column)
		next := s.Z().Clone()
		next.AppendColumn(k.column)
		next.Remove(a)
		ways := k.ways(s, a, end.turned)
		ratio := lglfm.LogLik(post.Data, next, s.Scales()) - s.LogLik() +
			s.Law().LogIntensity(k.column) - s.Law().LogIntensity(column) +
			math.Log(float64(len(k.fit))) - math.Log(float64(ways))
		if len(k.fit) != ways {
			different++
		}
		for _, e := range []float64{-ratio - 0.01, -ratio + 0.01} {
			if got, want := k.accepted(s, a, end.turned, highest, e), e > -ratio; got != want && e >= 0 {
				t.Fatalf("column %d with %v, %d ways there and %d back, log ratio %v: accepted %v at e = %v", a, k.terms, len(k.fit), ways, ratio, got, e)
			}
		}
	}
	if different < 100 {
		t.Errorf("%d combinations with other numbers of ways back, too few to see anything", different)
	}
}

// TestCombinationsBound: a proposal that the bound of nu rejects would also be rejected
// without the bound. The test detects a bound that is too low; the joint test does not.
func TestCombinationsBound(t *testing.T) {
	a := twin(30, 12)
	post := a.posterior(t)
	run := func(slack float64) *feature.Allocation {
		s, err := newState(post, Start{Z: a.truth.Z, Mass: 10, Scales: lglfm.Scales{SigmaX: 0.9, SigmaA: 0.35}})
		if err != nil {
			t.Fatal(err)
		}
		s.under(func(t intensity.Tracker) intensity.Tracker { return smallTracker{t, slack} })
		k, rng, sum := &combinations{tries: 20_000}, NewStream(1, "bound").Rand, Info{}
		for sum.Proposed < 20_000 {
			sum.add(k.Step(rng, s))
		}
		if sum.Accepted < 50 {
			t.Fatalf("%d moves, too few to see anything", sum.Accepted)
		}
		return s.Z().Clone()
	}
	want := run(1e-100)
	if !run(1).Equal(want) {
		t.Error("the bound rejects what is to be accepted")
	}
	if run(1e5).Equal(want) {
		t.Error("a bound that is too low goes unnoticed")
	}
}
