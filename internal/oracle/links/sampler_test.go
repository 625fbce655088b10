package links

// The sampler against exact laws: posteriors by enumeration, and the prior when
// there are no data. Each test has broken twins that it must reject.

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// quantity is a function of the state whose expectation is known.
type quantity struct {
	name     string
	expected float64
	of       func(s *Sampler, z [][]int) float64
}

// result says how far a chain is from the expectations of its quantities.
type result struct {
	means []float64
	p     float64 // p-value, of all quantities together
	worst string  // the quantity that is furthest off
	t     float64 // by so many standard errors
}

// run makes a chain of scans and tests the means of the quantities. The chain
// begins with a draw from the prior and 500 scans that do not count. The others
// are cut into 100 batches. The mean of a quantity less its expectation, over
// the standard error that the means of the batches give, has nearly Student's
// law with 99 degrees of freedom. The p-value is the two-sided one of the worst
// quantity, times the number of quantities.
func run(s *Sampler, scan func(*Sampler, *rand.Rand), scans int, quantities []quantity) result {
	const batches = 100
	rng := rand.New(rand.NewPCG(2, 1))
	_, s.Dishes = Rand(s.Mass, s.P, rng)
	for range 500 {
		scan(s, rng)
	}
	values := make([][]float64, len(quantities))
	for range batches {
		sums := make([]float64, len(quantities))
		for range scans / batches {
			scan(s, rng)
			z := s.Allocation()
			for i, q := range quantities {
				sums[i] += q.of(s, z)
			}
		}
		for i, sum := range sums {
			values[i] = append(values[i], sum/float64(scans/batches))
		}
	}
	var r result
	for i, q := range quantities {
		mean, sd := stat.MeanStdDev(values[i], nil)
		r.means = append(r.means, mean)
		if t := (mean - q.expected) / (sd / math.Sqrt(batches)); math.Abs(t) > math.Abs(r.t) {
			r.t, r.worst = t, q.name
		}
	}
	tail := distuv.StudentsT{Sigma: 1, Nu: batches - 1}.Survival(math.Abs(r.t))
	r.p = min(1, 2*tail*float64(len(quantities)))
	return r
}

func (r result) String() string {
	return fmt.Sprintf("p = %.3g (%s, t = %.1f)", r.p, r.worst, r.t)
}

// sharingOf is the number of features that items i and j share.
func sharingOf(i, j int, expected float64) quantity {
	return quantity{fmt.Sprintf("sharing of %d and %d", i+1, j+1), expected, func(_ *Sampler, z [][]int) float64 {
		shared := 0
		for k, v := range z[i] {
			shared += v * z[j][k]
		}
		return float64(shared)
	}}
}

// features is the number of features.
func features(expected float64) quantity {
	return quantity{"number of features", expected, func(_ *Sampler, z [][]int) float64 {
		return float64(len(z[0]))
	}}
}

// event is the indicator of an event.
func event(name string, probability float64, happens func(z [][]int) bool) quantity {
	return quantity{name, probability, func(_ *Sampler, z [][]int) float64 {
		if happens(z) {
			return 1
		}
		return 0
	}}
}

// posteriorQuantities returns the sharing, that of the first two items in front,
// the number of features and its probabilities, the probabilities of
// allocations, and the mass if it is random. Probabilities below 0.02 are left
// out, as their batches would not be normal.
func posteriorQuantities(g golden) []quantity {
	quantities := []quantity{sharingOf(0, 1, g.Sharings[0][1]), features(g.MeanT)}
	for i := range g.N {
		for j := range i + 1 {
			if i != 1 || j != 0 {
				quantities = append(quantities, sharingOf(i, j, g.Sharings[i][j]))
			}
		}
	}
	for k, p := range g.PMFT {
		if p >= 0.02 {
			quantities = append(quantities, event(fmt.Sprint("features ", k), p, func(z [][]int) bool {
				return len(z[0]) == k
			}))
		}
	}
	for _, c := range g.TopAllocations {
		if c.P >= 0.02 {
			name := class(c.matrix(g.N))
			quantities = append(quantities, event(fmt.Sprint("allocation ", c.Columns), c.P, func(z [][]int) bool {
				return class(z) == name
			}))
		}
	}
	if g.MeanMass > 0 {
		quantities = append(quantities, quantity{"mass", g.MeanMass, func(s *Sampler, _ [][]int) float64 {
			return s.Mass
		}})
	}
	return quantities
}

// posteriorSampler returns a sampler of the posterior of g.
func posteriorSampler(t *testing.T, g golden, fault Fault) *Sampler {
	s := &Sampler{
		X: g.X, P: g.proximities(t)[0], SigmaX: g.SigmaX, SigmaA: g.SigmaA,
		Mass: g.Mass, Fault: fault,
	}
	if g.MeanMass > 0 {
		s.Mass, s.MassShape, s.MassRate = 1, 1, 1
	}
	return s
}

// False-alarm rate 1e-6 for each of the eight posteriors. The broken twin with
// the link from the whole row must be rejected for each, from an eighth of the
// scans; the one that leaves the link uncut, where its fault shows most (it has
// none for two items, for want of items that can hang on another).
func TestChainFollowsPosterior(t *testing.T) {
	const scans = 40000
	for _, g := range readGolden(t, "ddibp_exact_posterior.json", 8) {
		quantities := posteriorQuantities(g)
		check := func(name string, fault Fault, scans int) {
			r := run(posteriorSampler(t, g, fault), (*Sampler).Scan, scans, quantities)
			message := fmt.Sprintf("%v, mean mass %.2g, %s: sharing of 1 and 2 %.3f, exact %.3f; %v",
				g, max(g.Mass, g.MeanMass), name, r.means[0], quantities[0].expected, r)
			t.Log(message)
			if rejected := r.p < alarm; rejected != (fault != Correct) {
				t.Errorf("%s: rejected %t", message, rejected)
			}
		}
		check("correct", Correct, scans)
		check("link from the whole row", WholeRow, scans/8)
		if g.N == 3 && g.Mode == "sequential" && g.Temperature == 0 {
			check("link uncut", Uncut, scans)
		}
	}
}

// uniformLinks is a scan after which one link of each dish is drawn anew, but
// uniformly.
func uniformLinks(s *Sampler, rng *rand.Rand) {
	s.Scan(rng)
	for _, dish := range s.Dishes {
		dish.Links[rng.IntN(len(s.X))] = rng.IntN(len(s.X))
	}
}

// False-alarm rate 1e-6 for each of the three laws. Without data the numbers of
// dishes with each set of holders, and of all together, have known expectations
// and the latter is Poisson.
func TestChainWithoutDataFollowsPrior(t *testing.T) {
	const mass, scans = 0.8, 20000
	for _, law := range laws {
		nu := Intensities(law.p)
		total := 0.0
		var quantities []quantity
		for set, v := range nu {
			total += mass * v
			if v == 0 {
				continue
			}
			quantities = append(quantities, quantity{
				fmt.Sprintf("columns %04b", set), mass * v,
				func(_ *Sampler, z [][]int) float64 {
					count := 0
					for _, c := range class(z) {
						if int(c) == set {
							count++
						}
					}
					return float64(count)
				},
			})
		}
		quantities = append(quantities, features(total))
		for k := range 4 {
			quantities = append(quantities, event(fmt.Sprint("features ", k), distuv.Poisson{Lambda: total}.Prob(float64(k)),
				func(z [][]int) bool { return len(z[0]) == k }))
		}
		for _, c := range []struct {
			name   string
			scan   func(*Sampler, *rand.Rand)
			broken bool
		}{
			{"correct", (*Sampler).Scan, false},
			{"a link uniform", uniformLinks, true},
		} {
			s := &Sampler{X: make([][]float64, 4), P: law.p, SigmaX: 1, SigmaA: 1, Mass: mass}
			r := run(s, c.scan, scans, quantities)
			message := fmt.Sprintf("%s, %s: %v", law.name, c.name, r)
			t.Log(message)
			if rejected := r.p < alarm; rejected != c.broken {
				t.Errorf("%s: rejected %t", message, rejected)
			}
		}
	}
}
