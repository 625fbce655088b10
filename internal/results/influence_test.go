package results

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"

	"aibd/draws"
	"aibd/feature"
	"aibd/internal/lists"
	"aibd/internal/oracle/fixture"
	"aibd/lglfm"
	"aibd/mcmc"
	"aibd/prior"
	"aibd/similarity"
)

// twoDistances is a law of four items and two distances, the second of which the data of
// TestInfluenceByEnumeration contradict.
func twoDistances(t *testing.T, decays ...similarity.Decay) prior.Attraction {
	t.Helper()
	d := similarity.Several{similarity.AbsDifference([]float64{0, 0.3, 2, 2.4}), similarity.Same([]string{"a", "b", "a", "b"})}
	law, err := prior.NewAIBD(prior.NewAffinity(d, decays...), 1.5, 1, []int{2, 0, 3, 1})
	if err != nil {
		t.Fatal(err)
	}
	return law
}

// The Bayes factors of two distances, from draws of the posterior, agree with those by enumeration of Z and
// quadrature of both temperatures. Twins that hold the other temperature at 0, or have another prior, are rejected.
func TestInfluenceByEnumeration(t *testing.T) {
	if *fixture.Long {
		t.Run("one decay", func(t *testing.T) { testInfluence(t, twoDistances(t, similarity.Exponential{})) })
	}
	t.Run("a decay each", func(t *testing.T) {
		testInfluence(t, twoDistances(t, similarity.Reciprocal{Shift: 0.1}, similarity.Exponential{}))
	})
}

func testInfluence(t *testing.T, law prior.Attraction) {
	const maxK, cells, size = 4, 20, 4000
	data, err := lglfm.NewData([][]float64{{2, 0.1, 1.8, -2}, {2.2, -0.2, 2.1, -1.7}, {-0.1, 1.9, -0.3, 2.2}, {0.2, 2.1, 0.1, 1.9}})
	if err != nil {
		t.Fatal(err)
	}
	var allocations []*feature.Allocation
	var logLik []float64
	feature.Enumerate(4, maxK, func(z *feature.Allocation) bool {
		allocations = append(allocations, z.Clone())
		logLik = append(logLik, lglfm.LogLik(data, z, lglfm.Scales{SigmaX: 0.5, SigmaA: 1.5}))
		return true
	})
	priors := []distuv.Gamma{{Alpha: 1, Beta: 0.5}, {Alpha: 2, Beta: 1}}
	temperature := func(m, cell int) float64 { return priors[m].Quantile((float64(cell) + 0.5) / cells) }
	// evidence returns log p(X) at temperatures, and the terms of Z.
	evidence := func(first, second float64) (log float64, terms []float64) {
		conditional := law.WithFurtherTemperatures([]float64{second}).With(first, law.Permutation())
		for a, z := range allocations {
			terms = append(terms, logLik[a]+prior.LogProb(conditional, z))
		}
		return floats.LogSumExp(terms), terms
	}
	var all, firstAtZero, secondAtZero []float64
	terms := make([][]float64, cells*cells)
	for a := range cells {
		firstAtZero = append(firstAtZero, first(evidence(0, temperature(1, a))))
		secondAtZero = append(secondAtZero, first(evidence(temperature(0, a), 0)))
		for b := range cells {
			log, values := evidence(temperature(0, a), temperature(1, b))
			all, terms[a*cells+b] = append(all, log), values
		}
	}
	total := floats.LogSumExp(all) - 2*math.Log(cells)
	want := []float64{total - floats.LogSumExp(firstAtZero) + math.Log(cells), total - floats.LogSumExp(secondAtZero) + math.Log(cells)}

	rng := rand.New(rand.NewPCG(1, 2))
	pick := func(logs []float64) int {
		u, sum := rng.Float64(), floats.LogSumExp(logs)
		for i, x := range logs {
			if u -= math.Exp(x - sum); u < 0 {
				return i
			}
		}
		return len(logs) - 1
	}
	chains := make([][]*draws.Draw, 2)
	for i := range size {
		index := pick(all)
		d := &draws.Draw{Z: allocations[pick(terms[index])], Mass: 1.5, Temperature: temperature(0, index/cells), FurtherTemperatures: []float64{temperature(1, index%cells)}}
		chains[i%2] = append(chains[i%2], d)
	}
	off := func(chains [][]*draws.Draw, m int, gamma distuv.Gamma) float64 {
		got := sharingRatios(t.Context(), law, chains, m, gamma).influence()
		if got == nil || got.AtLeast || got.StdErr > 0.1 {
			t.Fatalf("distance %d: found %+v, expected a Bayes factor", m+1, got)
		}
		t.Logf("distance %d: log Bayes factor %.3f (%.3f), exactly %.3f", m+1, got.Log, got.StdErr, want[m])
		return math.Abs(got.Log-want[m]) / got.StdErr
	}
	const limit = 4
	for m, gamma := range priors {
		if z := off(chains, m, gamma); z > limit {
			t.Errorf("distance %d: found |z| = %.1f", m+1, z)
		}
	}
	if z := off(chains, 0, distuv.Gamma{Alpha: 1, Beta: 2}); z < limit {
		t.Errorf("another prior passes with |z| = %.1f", z)
	}
	held := lists.MapRows(chains, func(d *draws.Draw) *draws.Draw {
		c := *d
		c.Temperature = 0
		return &c
	})
	if z := off(held, 1, priors[1]); z < limit {
		t.Errorf("a temperature that is held passes with |z| = %.1f", z)
	}
}

func first(x float64, _ []float64) float64 { return x }

// The density of a temperature given the rest is normalized: nodes and cells are fine enough.
func TestTemperatureGrid(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const n = 30
	points := make([]float64, n)
	for i := range points {
		points[i] = 10 * rng.Float64()
	}
	affinity := prior.NewAffinity(similarity.AbsDifference(points), similarity.Exponential{})
	for _, temperature := range []float64{0.01, 0.3, 3, 30} {
		for _, gamma := range []distuv.Gamma{{Alpha: 1, Beta: 3}, {Alpha: 0.3, Beta: 1}, {Alpha: 3, Beta: 1}} {
			law, err := prior.NewAIBD(affinity, 2, temperature, rng.Perm(n))
			if err != nil {
				t.Fatal(err)
			}
			d := &draws.Draw{Z: law.Rand(rng), Mass: 2, Temperature: temperature, Permutation: law.Permutation()}
			grid := newTemperatureGrid(gamma, [][]*draws.Draw{{d}}, 0)
			got := grid.logRatios(law, d, 0)
			const cells = 4000
			var logs []float64
			start, end := 0.0, 1.2*grid.roots[len(grid.roots)-1]
			for cell := range cells {
				right := end * float64(cell+1) / cells
				x := (start + right) / 2
				logs = append(logs, prior.LogProb(law.With(x*x, d.Permutation), d.Z)+gamma.LogProb(x*x)+math.Log(right*right-start*start))
				start = right
			}
			want := prior.LogProb(law.With(0, d.Permutation), d.Z) - floats.LogSumExp(logs)
			if !(math.Abs(got[0]-want) < 0.02) {
				t.Errorf("temperature %v, prior %+v: found %v, expected %v", temperature, gamma, got[0], want)
			}
		}
	}
}

// Far from 0 draws do not determine the Bayes factor. The result is then a bound, below the estimate from the draws near 0.
// The Bayes factor for a share of the weights, given fixed weights, is computed from draws of the prior. Draws of the shares
// and the rates are draws of the prior resampled by their densities. |z| is above the limit with probability 6e-5.
func TestInfluenceOnWeights(t *testing.T) {
	const size, limit = 1000, 4
	near := mcmc.Nearness{Distances: similarity.AbsDifference([]float64{0, 0.2, 1, 3, 3.1}), MinRate: 0.3, MaxRate: 5}
	same, err := similarity.NewMatrix([][]float64{{1, 0, 1, 0, 1}, {0, 1, 0, 1, 0}, {1, 0, 1, 0, 1}, {0, 1, 0, 1, 0}, {1, 0, 1, 0, 1}})
	if err != nil {
		t.Fatal(err)
	}
	z := feature.New(5)
	for k := range 2 {
		z.Append()
		for i := range 5 - k {
			z.Flip(i, k)
		}
	}
	for _, c := range []struct {
		name    string
		near    []mcmc.Nearness
		weights []float64
	}{
		{"near weights", []mcmc.Nearness{near}, []float64{2, 1.9, -0.3, -1.2, -1, -1, -0.7, 0.4, 2}},
		{"other weights", []mcmc.Nearness{near}, []float64{2, -1, 0.3, -1.2, 1, -1, 0.7, 0.9, 0.8}},
		{"near weights beside groups", []mcmc.Nearness{near, {Distances: same}}, []float64{2, 1.9, -0.3, -1.2, -1, -1, -0.7, 0.4, 2}},
	} {
		post := &mcmc.Posterior{Features: mcmc.Weighted, Weights: &mcmc.WeightPrior{Near: c.near}}
		density := post.WeightDensity(&draws.Draw{Z: z, Weights: c.weights})
		rng := rand.New(rand.NewPCG(1, 3))
		var all []*draws.Draw
		var logs, null []float64
		for range 30_000 {
			d := &draws.Draw{Z: z, Weights: c.weights, Rates: []float64{0.3 * math.Pow(5/0.3, rng.Float64()), 0}[:len(c.near)]}
			total := rng.ExpFloat64()
			for range 1 + len(c.near) {
				d.Shares = append(d.Shares, rng.ExpFloat64())
				total += d.Shares[len(d.Shares)-1]
			}
			floats.Scale(1/total, d.Shares)
			all, logs = append(all, d), append(logs, density(d.Shares, d.Rates))
			without := slices.Clone(d.Shares)
			without[1] = 0
			null = append(null, density(without, d.Rates))
		}
		want := floats.LogSumExp(logs) - floats.LogSumExp(null)
		cumulative, sum := make([]float64, len(logs)), floats.LogSumExp(logs)
		for i, x := range logs {
			cumulative[i] = math.Exp(x - sum)
		}
		floats.CumSum(cumulative, cumulative)
		chains := make([][]*draws.Draw, 2)
		for i := range size {
			index, _ := slices.BinarySearch(cumulative, rng.Float64())
			chains[i%2] = append(chains[i%2], all[min(index, len(all)-1)])
		}
		got := weightRatios(t.Context(), post, chains, 0).influence()
		if got == nil || got.AtLeast || got.StdErr > 0.1 {
			t.Fatalf("%s: found %+v, expected a Bayes factor", c.name, got)
		}
		t.Logf("%s: log Bayes factor %.3f (%.3f), by draws of the prior %.3f", c.name, got.Log, got.StdErr, want)
		if z := math.Abs(got.Log-want) / math.Hypot(got.StdErr, 0.03); z > limit {
			t.Errorf("%s: found |z| = %.1f", c.name, z)
		}
		held := lists.MapRows(chains, func(d *draws.Draw) *draws.Draw {
			c := *d
			c.Shares = slices.Clone(d.Shares)
			c.Shares[0], c.Shares[1] = 0.9, 0.05*d.Shares[1]
			for m := range c.Shares[2:] {
				c.Shares[2+m] = 0.01
			}
			return &c
		})
		if got := weightRatios(t.Context(), post, held, 0).influence(); got != nil && math.Abs(got.Log-want)/math.Hypot(got.StdErr, 0.03) < limit {
			t.Errorf("%s: draws of other shares pass", c.name)
		}
	}
}

func TestInfluenceAtLeast(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const n = 40
	points := make([]float64, n)
	for i := range points {
		points[i] = float64(i)
	}
	law, err := prior.NewAIBD(prior.NewAffinity(similarity.AbsDifference(points), similarity.Exponential{}), 3, 0.5, prior.Identity(n))
	if err != nil {
		t.Fatal(err)
	}
	chains := make([][]*draws.Draw, 2)
	for c := range chains {
		for range 100 {
			chains[c] = append(chains[c], &draws.Draw{Z: law.Rand(rng), Mass: 3, Temperature: 0.4 + 0.2*rng.Float64()})
		}
	}
	gamma := distuv.Gamma{Alpha: 1, Beta: 10}
	got := sharingRatios(t.Context(), law, chains, 0, gamma).influence()
	if got == nil || !got.AtLeast || got.Log < 0.5 {
		t.Fatalf("found %+v, expected a bound", got)
	}
	grid, largest := newTemperatureGrid(gamma, chains, 0), math.Inf(-1)
	for _, chain := range chains {
		for _, d := range chain {
			largest = max(largest, grid.logRatios(law, d, 0)[0])
		}
	}
	if !(got.Log < -largest+math.Log(200)) {
		t.Errorf("found the bound %v, expected less than %v", got.Log, -largest+math.Log(200))
	}
}

// The data do not separate distances that go together, with temperatures that make up for each other; they separate others.
func TestEntangled(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	const n = 20
	points, near, other := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range points {
		points[i], other[i] = rng.NormFloat64(), rng.NormFloat64()
		near[i] = points[i] + 0.2*rng.NormFloat64()
	}
	distances := similarity.Several{similarity.AbsDifference(points), similarity.AbsDifference(other), similarity.AbsDifference(near)}
	var ds []*draws.Draw
	for range 400 {
		sum, share := 2+0.2*rng.NormFloat64(), rng.Float64()
		ds = append(ds, &draws.Draw{Temperature: sum * share, FurtherTemperatures: []float64{rng.ExpFloat64(), sum * (1 - share)}})
	}
	names := []string{"a", "b", "c"}
	got := entangled(names, distances, ds)
	if len(got) != 1 || got[0].First != "a" || got[0].Second != "c" || got[0].Distances < 0.8 || got[0].Temperatures > -0.8 {
		t.Errorf("found %+v, expected a and c", got)
	}
	for _, d := range ds { // temperatures that rise together do not make up for each other
		d.FurtherTemperatures[1] = d.Temperature
	}
	if got := entangled(names, distances, ds); got != nil {
		t.Errorf("found %+v, expected none", got)
	}
}

// The unit of a distance has no influence.
func TestTemperatureGridInAnyUnit(t *testing.T) {
	ratios := func(unit float64) []float64 {
		points := lists.Make(20, func(i int) float64 { return unit * float64(i) })
		law, err := prior.NewAIBD(prior.NewAffinity(similarity.AbsDifference(points), similarity.Exponential{}), 2, 0.3/unit, prior.Identity(20))
		if err != nil {
			t.Fatal(err)
		}
		d := &draws.Draw{Z: law.Rand(rand.New(rand.NewPCG(9, 10))), Mass: 2, Temperature: law.Temperature(), Permutation: law.Permutation()}
		return newTemperatureGrid(distuv.Gamma{Alpha: 1, Beta: 3 * unit}, [][]*draws.Draw{{d}}, 0).logRatios(law, d, 0)
	}
	if got, want := ratios(1e18), ratios(1); !floats.EqualApprox(got, want, 1e-6) {
		t.Errorf("found %v, expected %v", got, want)
	}
}
