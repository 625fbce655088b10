package mcmc

import (
	"fmt"
	"math"
	"testing"

	"aibd/feature"
	"aibd/internal/oracle/fixture"
	"aibd/lglfm"
	"aibd/prior"
)

// TestDrawLast compares the frequencies of rows of the last of four items with their exact
// conditional probabilities, by enumeration of all rows with at most 6 columns of their own:
// with cells observed, in part, beyond a limit, and without any (the prior of an item that arrives
// last).
func TestDrawLast(t *testing.T) {
	z, err := feature.FromRows([][]int{{1, 0, 1}, {1, 1, 0}, {0, 1, 1}, {0, 0, 0}})
	if err != nil {
		t.Fatal(err)
	}
	law := must(prior.NewAIBD(nearness([]float64{0, 0.4, 2, 1.7}), 1.2, 1.5, []int{2, 0, 1, 3}))
	scales := lglfm.Scales{SigmaX: 0.7, SigmaA: 1}
	x := [][]float64{{1.1, -0.3, 0.2}, {0.9, 0.4, nan}, {-0.8, 1.3, 1}, nil}
	const draws, singletons = 2000, 6
	for name, last := range map[string][]float64{
		"observed": {-0.5, 1.1, 0.7}, "in part": {nan, 1.1, nan}, "beyond a limit": {nan, 1.1, nan}, "nothing": {nan, nan, nan},
	} {
		x[3] = last
		data, err := lglfm.NewData(x)
		if err != nil {
			t.Fatal(err)
		}
		c, free := enumerated{x: x, law: law, scales: scales}, data
		if name == "beyond a limit" {
			c.bounds = []lglfm.Bound{{Item: 3, Variable: 0, Lower: 1.4, Upper: math.Inf(1)}}
			data = must(lglfm.NewBounded(x, c.bounds))
		}
		// Log probabilities of all rows: bits of the shared columns, then columns of its own.
		logs, top := map[string]float64{}, math.Inf(-1)
		for bits := range 8 {
			for j := range singletons + 1 {
				with := z.Clone()
				for k := range 3 {
					if bits>>k&1 != 0 {
						with.Flip(3, k)
					}
				}
				for range j {
					with.Flip(3, with.Append())
				}
				// The distribution of the other rows does not depend on the row of the last item.
				p := prior.LogProb(law, with) + with.LogMultiplicities()
				logFactorial, _ := math.Lgamma(float64(j + 1))
				key := fmt.Sprint(bits, j)
				logs[key] = p - logFactorial + lglfm.LogLik(free, with, scales) + c.logBounds(t, with)
				top = max(top, logs[key])
			}
		}
		sum := 0.0
		for _, l := range logs {
			sum += math.Exp(l - top)
		}
		counts := map[string]int{}
		post, rng := &Posterior{Data: data, Law: law}, NewStream(1, "last item "+name).Rand
		for range draws {
			arrival, err := post.DrawLast(rng, Start{Z: z, Scales: scales}, 12)
			if err != nil {
				t.Fatal(err)
			}
			got := arrival.Z
			bits := 0
			for k := range 3 {
				if got.Has(3, k) {
					bits |= 1 << k
				}
			}
			counts[fmt.Sprint(bits, got.K()-3)]++
		}
		for key, l := range logs {
			p := math.Exp(l-top) / sum
			if p*draws < 10 {
				continue
			}
			if z := math.Abs(float64(counts[key])-p*draws) / math.Sqrt(p*(1-p)*draws); z > 5 {
				t.Errorf("%s, row %s: %d draws, want %.1f, |z| = %.1f", name, key, counts[key], p*draws, z)
			}
		}
	}
}

// TestDrawLastWeighted draws data and features with weights from their joint distribution, and then the last item
// again. Its row must have the same distribution as before. The test fails at 4.5 standard errors for any of
// the quantities (false alarms: 2e-5), and finds twice the mass. The short form has half of the cases, each kind of
// weights and of cells in two.
func TestDrawLastWeighted(t *testing.T) {
	limits := func(i, j int) []float64 {
		if i == len(places)-1 && j == 1 {
			return []float64{0.2}
		}
		return nil
	}
	for name, base := range map[string]model{
		"observed": fixedAll(ofIBP), "limits and missing cells": fixedAll(withEnds(ofGaps, "limits", limits)),
	} {
		for f, m := range map[string]model{"independent": withFeatures(base, Weighted), "common part": withWeights(base, "common part"), "near weights": withWeights(base, "near weights", byPlace), "two neighbors": withNeighbors(withWeights(base, "", byPlace))} {
			if !*fixture.Long && (name == "observed") == (f == "independent" || f == "near weights") {
				continue
			}
			for _, mass := range []float64{1, 2} {
				rng := NewStream(1, "last item "+name+f).Rand
				var sums, squares [4]float64
				for range length(6000) {
					s := m.draw(rng)
					u, last := s.Unknowns(), s.N()-1
					before := ofItem(u.Z, u.Weights, last)
					start := Start{Scales: u.Scales, Shares: u.Shares.Shares, Rates: u.Shares.Rates, Cells: u.Cells}
					start.Z, start.Weights = withoutItem(u.Z, u.Weights, last)
					post := *s.post
					post.Law = post.Law.WithMass(mass * post.Law.Mass())
					a, err := post.DrawLast(rng, start, 12)
					if err != nil {
						t.Fatal(err)
					}
					for q, after := range ofItem(a.Z, a.Weights, last) {
						change := after - before[q]
						sums[q] += change
						squares[q] += change * change
					}
				}
				worst := 0.0
				for q, sum := range sums {
					worst = max(worst, math.Abs(sum)/math.Sqrt(squares[q]))
				}
				t.Logf("%s, %s: mass times %v: |z| = %.1f", name, f, mass, worst)
				if (worst > 4.5) != (mass != 1) {
					t.Errorf("%s, %s: mass times %v: |z| = %.1f", name, f, mass, worst)
				}
			}
		}
	}
}

// ofItem returns numbers of an item: of its features, of those that it alone has, and the sums of their
// weights and of the squares.
func ofItem(z *feature.Allocation, weights []float64, i int) (numbers [4]float64) {
	g := z.Weighted(nil, weights)
	for k := range z.K() {
		if z.Has(i, k) {
			w := g[i*z.K()+k]
			numbers[0]++
			numbers[2] += w
			numbers[3] += w * w
			if z.Size(k) == 1 {
				numbers[1]++
			}
		}
	}
	return numbers
}

// withoutItem returns Z and its weights with an item that has no features.
func withoutItem(z *feature.Allocation, weights []float64, i int) (*feature.Allocation, []float64) {
	remaining, index := feature.New(z.N()), 0
	var kept []float64
	for k := range z.K() {
		members := z.Members(nil, k)
		if len(members) > 1 || members[0] != i {
			a := remaining.Append()
			for e, l := range members {
				if l != i {
					remaining.Flip(l, a)
					kept = append(kept, weights[index+e])
				}
			}
		}
		index += len(members)
	}
	return remaining, kept
}
