package lab

// The table of docs/lab/weights.md: tables are simulated from the model of near weights, with all unknowns drawn from
// their priors, and the draws of fits should be exchangeable with the truth. make weights-table prints it.

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"aibd/draws"
	"aibd/feature"
	"aibd/lglfm"
	"aibd/mcmc"
	"aibd/prior"
	"aibd/similarity"
)

var weightsTables = flag.Int("weights", 0, "tables to simulate: print the table of docs/lab/weights.md")

// nearKept is the number of draws of a fit. The 90% interval is from the fifth to the fifth last but one.
const nearKept = 99

// nearAlarm is the probability that Kolmogorov's test rejects a quantity of a right sampler whose draws are independent. With
// dependent draws it is somewhat larger. The two parts of the table have nine quantities each.
const nearAlarm = 1e-4

var nearQuantities = []string{"common share", "near share", "own share", "part that follows the distance", "half distance", "noise (SigmaX)", "a fitted cell", "a hidden cell", "a cell of a new item"}

// TestWeightsTable: two short fits in the usual test, the whole table with -weights.
func TestWeightsTable(t *testing.T) {
	length, tables := mcmc.Config{Warmup: 20, Draws: nearKept, Thin: 1}, 2
	if *weightsTables > 0 {
		length, tables = mcmc.Config{Warmup: 500, Draws: nearKept, Thin: 20}, *weightsTables
	}
	text := nearTable(t, 1, tables, length) + nearTable(t, 2, max(1, tables/5), length)
	if *weightsTables > 0 {
		fmt.Print(text)
	} else if strings.Count(text, "\n") != 2*(4+len(nearQuantities)) || strings.Contains(text, "NaN") {
		t.Errorf("found the table\n%s", text)
	}
}

// nearTable simulates tables with a number of distances and returns the coverage of each quantity. With many tables it
// fails where the ranks of the truth are not uniform.
func nearTable(t *testing.T, distances, tables int, length mcmc.Config) string {
	covered, ranks := make([]float64, len(nearQuantities)), make([][]float64, len(nearQuantities))
	for table := range tables {
		rng := mcmc.NewStream(11, fmt.Sprintf("near/%d/%d", distances, table)).Rand
		truth, kept := nearFit(t, rng, distances, length)
		for q, x := range truth {
			below, ties := 0.0, 1 // an item may have no features
			for _, d := range kept {
				if below += indicator(d[q] < x); d[q] == x {
					ties++
				}
			}
			below += float64(rng.IntN(ties))
			covered[q] += indicator(below >= 5 && below < 95) / float64(tables)
			ranks[q] = append(ranks[q], (below+rng.Float64())/(nearKept+1))
		}
	}
	var text strings.Builder
	fmt.Fprintf(&text, "**%d tables, distances: %d**\n\n| quantity | in the 90%% interval | p value of the ranks |\n|---|--:|--:|\n", tables, distances)
	for q, name := range nearQuantities {
		slices.Sort(ranks[q])
		n, largest := float64(tables), 0.0
		for i, u := range ranks[q] {
			largest = max(largest, u-float64(i)/n, float64(i+1)/n-u)
		}
		p := min(1, 2*math.Exp(-2*n*largest*largest)) // Massart's bound
		if p < nearAlarm && *weightsTables > 0 {
			t.Errorf("%d distances, %s: p value %.2g", distances, name, p)
		}
		fmt.Fprintf(&text, "| %s | %.2f | %.2f |\n", name, covered[q], p)
	}
	return text.String()
}

// nearFit simulates a table of 20 items and one without cells, in four columns, and returns the true quantities and those of
// the draws of a fit. One more cell is hidden.
func nearFit(t *testing.T, rng *rand.Rand, distances int, length mcmc.Config) (truth []float64, kept [][]float64) {
	const n, d = 21, 4
	places, labels := make([][]float64, n), make([]string, n)
	for i := range places {
		places[i], labels[i] = []float64{3 * rng.Float64(), 3 * rng.Float64()}, fmt.Sprint(i%4)
	}
	several := similarity.Several{similarity.Euclidean(places)}
	near, err := mcmc.NewNearness(several[0], similarity.Exponential{})
	if err != nil {
		t.Fatal(err)
	}
	weights := &mcmc.WeightPrior{Near: []mcmc.Nearness{near}}
	if distances == 2 {
		several = append(several, similarity.Same(labels))
		groups := make([][]float64, n)
		for i := range groups {
			for j := range n {
				groups[i] = append(groups[i], indicator(labels[i] == labels[j]))
			}
		}
		same, err := similarity.NewMatrix(groups)
		if err != nil {
			t.Fatal(err)
		}
		weights.Near = append(weights.Near, mcmc.Nearness{Distances: same})
	}
	mass, temperature, scaleX, scaleA := mcmc.Gamma{Shape: 4, Rate: 4}, mcmc.Gamma{Shape: 2, Rate: 2}, mcmc.ScalePrior{Max: 1}, mcmc.ScalePrior{Max: 3}
	law, err := prior.NewAIBD(prior.NewAffinity(several, similarity.Exponential{}), gammaOf(rng, mass), gammaOf(rng, temperature), rng.Perm(n))
	if err != nil {
		t.Fatal(err)
	}
	var start prior.Attraction = law
	if distances == 2 {
		start = start.WithFurtherTemperatures([]float64{gammaOf(rng, temperature)})
	}
	draw := &draws.Draw{Z: start.Rand(rng), SigmaX: scaleX.Max * (1 - rng.Float64()), SigmaA: scaleA.Max * (1 - rng.Float64()), Rates: make([]float64, distances)}
	draw.Rates[0] = near.MinRate * math.Pow(near.MaxRate/near.MinRate, rng.Float64())
	for range 2 + distances {
		draw.Shares = append(draw.Shares, rng.ExpFloat64())
	}
	floats.Scale(1/floats.Sum(draw.Shares), draw.Shares)
	draw.Shares = draw.Shares[:1+distances]
	post := &mcmc.Posterior{Law: start, Mass: &mass, Temperature: &temperature, Permutation: true, SigmaX: scaleX, SigmaA: scaleA, Features: mcmc.Weighted, Weights: weights}
	draw.Weights = post.DrawWeights(rng, draw.Z, draw)
	x, loadings := make([][]float64, n), make([]float64, draw.Z.K()*d)
	for e := range loadings {
		loadings[e] = draw.SigmaA * rng.NormFloat64()
	}
	fitted := product(draw.Z, draw.Weights, loadings, d)
	for i := range x {
		for j := range d {
			x[i] = append(x[i], fitted.At(i, j)+draw.SigmaX*rng.NormFloat64())
		}
	}
	truth = append(nearOf(draw, weights, several[0]), fitted.At(1, 1), x[0][0], x[n-1][d-1])
	x[0][0] = math.NaN()
	for j := range d {
		x[n-1][j] = math.NaN()
	}
	if post.Data, err = lglfm.NewData(x); err != nil {
		t.Fatal(err)
	}
	if err := mcmc.Sample(t.Context(), post, mcmc.OptionsFor(post, length.Warmup), length, rng.Uint64(), draws.RecorderFunc(func(drawn *draws.Draw) error {
		fitted := product(drawn.Z, drawn.Weights, drawLoadings(rng, x, drawn), d)
		noise := func() float64 { return drawn.SigmaX * rng.NormFloat64() }
		kept = append(kept, append(nearOf(drawn, weights, several[0]), fitted.At(1, 1), fitted.At(0, 0)+noise(), fitted.At(n-1, d-1)+noise()))
		return nil
	})); err != nil {
		t.Fatal(err)
	}
	return truth, kept
}

func gammaOf(rng *rand.Rand, g mcmc.Gamma) (x float64) {
	for range int(g.Shape) {
		x += rng.ExpFloat64() / g.Rate
	}
	return x
}

// nearOf returns the first six quantities.
func nearOf(d *draws.Draw, weights *mcmc.WeightPrior, distance *similarity.Matrix) []float64 {
	ownShare := draws.OwnShare(d.Shares)
	part, sum := 0.0, ownShare
	for m, near := range weights.Near {
		apart, pairs := 0.0, 0.0
		for i := range distance.N() {
			for j := range i {
				x := near.Distances.At(i, j)
				if near.MaxRate > 0 {
					x = math.Exp(-d.Rates[m] * x)
				}
				apart, pairs = apart+1-x, pairs+1
			}
		}
		apart *= d.Shares[1+m] / pairs
		if sum += apart; m == 0 {
			part = apart
		}
	}
	return []float64{d.Shares[0], d.Shares[1], ownShare, part / sum, math.Ln2 / d.Rates[0], d.SigmaX}
}

// product returns the weights of Z times loadings.
func product(z *feature.Allocation, weights, loadings []float64, d int) *mat.Dense {
	fitted := mat.NewDense(z.N(), d, nil)
	if z.K() > 0 {
		fitted.Mul(mat.NewDense(z.N(), z.K(), z.Weighted(nil, weights)), mat.NewDense(z.K(), d, loadings))
	}
	return fitted
}

// drawLoadings draws loadings given the rest of a draw and the observed cells.
func drawLoadings(rng *rand.Rand, x [][]float64, drawn *draws.Draw) []float64 {
	k, d := drawn.Z.K(), len(x[0])
	loadings := make([]float64, k*d)
	if k == 0 {
		return loadings
	}
	g := drawn.Z.Weighted(nil, drawn.Weights)
	for j := range d {
		precision, products := mat.NewSymDense(k, nil), mat.NewVecDense(k, nil)
		for a := range k {
			precision.SetSym(a, a, 1/(drawn.SigmaA*drawn.SigmaA))
		}
		for i, row := range x {
			if !math.IsNaN(row[j]) {
				itemWeights := mat.NewVecDense(k, g[i*k:(i+1)*k])
				precision.SymRankOne(precision, 1/(drawn.SigmaX*drawn.SigmaX), itemWeights)
				products.AddScaledVec(products, row[j]/(drawn.SigmaX*drawn.SigmaX), itemWeights)
			}
		}
		var factor mat.Cholesky
		factor.Factorize(precision)
		var root mat.TriDense
		factor.LTo(&root)
		a, normal := mat.NewVecDense(k, nil), mat.NewVecDense(k, nil)
		for e := range k {
			normal.SetVec(e, rng.NormFloat64())
		}
		_ = a.SolveVec(root.T(), normal)
		_ = factor.SolveVecTo(products, products)
		for e := range k {
			loadings[e*d+j] = a.AtVec(e) + products.AtVec(e)
		}
	}
	return loadings
}
