package posterior

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"aibd/draws"
	"aibd/feature"
	"aibd/internal/mixture"
	"aibd/internal/oracle/dense"
	"aibd/lglfm"
)

// The matching has the largest sum of Jaccard indices of all matchings, pairs without common items are not
// matched, and the order of the columns does not matter.
func TestMatch(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 1))
	tied := 0
	for range 400 {
		z, est := randomZ(rng, 6, 1+rng.IntN(5), 0.4), randomZ(rng, 6, 1+rng.IntN(5), 0.4)
		highest, ways := 0.0, 0
		var all func(k int, used uint, sum float64)
		all = func(k int, used uint, sum float64) {
			if k == est.K() {
				if sum > highest+1e-9 {
					highest, ways = sum, 0
				}
				if sum > highest-1e-9 {
					ways++
				}
				return
			}
			all(k+1, used, sum)
			for l := range z.K() {
				if overlap := jaccard(est.Column(k), z.Column(l)); overlap > 0 && used>>l&1 == 0 {
					all(k+1, used|1<<l, sum+overlap)
				}
			}
		}
		all(0, 0, 0)
		if ways > 1 {
			tied++
		}
		matched, sum := Match(z, est), 0.0
		for k, l := range matched {
			if l < 0 {
				continue
			}
			overlap := jaccard(est.Column(k), z.Column(l))
			if sum += overlap; overlap == 0 || slices.Contains(matched[:k], l) {
				t.Fatalf("found %v, without common items or twice, of\n%v\n%v", matched, z, est)
			}
		}
		if math.Abs(sum-highest) > 1e-9 {
			t.Fatalf("found %v with overlaps of %v in all, expected %v of\n%v\n%v", matched, sum, highest, z, est)
		}
		other, perm := shuffled(rng, z)
		for k, l := range Match(other, est) {
			if (l < 0) != (matched[k] < 0) || l >= 0 && !slices.Equal(z.Column(perm[l]), z.Column(matched[k])) {
				t.Fatalf("in another order found feature %d for %d, expected one like %d", l, k, matched[k])
			}
		}
	}
	if tied < 50 {
		t.Errorf("%d problems with several matchings, expected more", tied)
	}
}

// shuffled returns z with its columns in another order: column l was perm[l].
func shuffled(rng *rand.Rand, z *feature.Allocation) (other *feature.Allocation, perm []int) {
	other, perm = feature.New(z.N()), rng.Perm(z.K())
	for _, l := range perm {
		other.AppendColumn(z.Column(l))
	}
	return other, perm
}

// problem returns X = ZA + E, and draws around Z with different scales.
func problem(rng *rand.Rand, n, d, k, drawn int, flip float64) (x [][]float64, z *feature.Allocation, ds []*draws.Draw) {
	z = randomZ(rng, n, k, 0.5)
	x = observed(rng, z, d, 0.5)
	for _, z := range noisy(rng, z, drawn, flip) {
		ds = append(ds, &draws.Draw{Z: z, SigmaX: 0.3 + rng.Float64(), SigmaA: 0.5 + rng.Float64()})
	}
	return x, z, ds
}

// observed returns X = ZA + E for standard normal loadings.
func observed(rng *rand.Rand, z *feature.Allocation, d int, sigmaX float64) [][]float64 {
	x := make([][]float64, z.N())
	for i := range x {
		x[i] = make([]float64, d)
		for v := range x[i] {
			x[i][v] = sigmaX * rng.NormFloat64()
		}
	}
	for k := range z.K() {
		for v := range d {
			a := rng.NormFloat64()
			for _, i := range z.Members(nil, k) {
				x[i][v] += a
			}
		}
	}
	return x
}

func align(t *testing.T, x [][]float64, est *feature.Allocation, ds []*draws.Draw, cores int) ([]FeatureLoadings, *Fit) {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
	data, err := lglfm.NewData(x)
	if err != nil {
		t.Fatal(err)
	}
	got, err := AlignLoadings(data, est, ds, LoadingsOptions{Quantiles: true})
	if err != nil {
		t.Fatal(err)
	}
	return got.Features, got.Fit
}

func mustEqual(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if math.IsNaN(want) && math.IsNaN(got) {
		return
	}
	if !(math.Abs(got-want) <= tol*math.Max(1, math.Abs(want))) {
		t.Errorf("%s: %.15g, expected %.15g", what, got, want)
	}
}

// With one draw that is the estimate there is no mixture.
func TestLoadingsOfOneDraw(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 1))
	x, z, _ := problem(rng, 9, 4, 3, 0, 0)
	clear(x[5]) // an item with X = 0
	d := &draws.Draw{Z: z, SigmaX: 0.4, SigmaA: 1.2}
	other, perm := shuffled(rng, z)
	got, fit := align(t, x, other, []*draws.Draw{d}, 1)
	mean, covariance := dense.Loadings(x, z.Rows(), d.SigmaX, d.SigmaA)
	for k, f := range got {
		mustEqual(t, "matched", f.Matched, 1, 0)
		mustEqual(t, "overlap", f.Overlap, 1, 0)
		for v, want := range mean[perm[k]] {
			sd := math.Sqrt(covariance[perm[k]][perm[k]])
			mustEqual(t, "mean", f.Mean[v], want, 1e-12)
			mustEqual(t, "sd", f.SD[v], sd, 1e-12)
			mustEqual(t, "lower", f.Lower[v], want-1.959963984540054*sd, 1e-12)
			mustEqual(t, "upper", f.Upper[v], want+1.959963984540054*sd, 1e-12)
		}
	}
	residual, all := squares(x, z, mean)
	for i := range x {
		want := 1 - residual.items[i]/all.items[i]
		if i == 5 {
			want = math.NaN()
		}
		mustEqual(t, "item", fit.Items[i].Mean, want, 1e-12)
		mustEqual(t, "sd of an item", fit.Items[i].SD, math.NaN(), 0)
	}
	for v := range x[0] {
		mustEqual(t, "variable", fit.Variables[v].Mean, 1-residual.variables[v]/all.variables[v], 1e-12)
	}
	mustEqual(t, "total", fit.Total.Mean, 1-residual.total/all.total, 1e-12)
	mustEqual(t, "by SigmaX", fit.BySigmaX.Mean, 1-0.16*36/all.total, 1e-12)
}

// sums are squares by item and by variable.
type sums struct {
	items, variables []float64
	total            float64
}

// squares returns the squares of X - ZB and of X.
func squares(x [][]float64, z *feature.Allocation, mean [][]float64) (residual, all sums) {
	for _, s := range []*sums{&residual, &all} {
		s.items, s.variables = make([]float64, len(x)), make([]float64, len(x[0]))
	}
	for i, row := range x {
		for v, value := range row {
			e := value
			for k := range mean {
				if z.Has(i, k) {
					e -= mean[k][v]
				}
			}
			for s, square := range map[*sums]float64{&residual: e * e, &all: value * value} {
				s.items[i] += square
				s.variables[v] += square
				s.total += square
			}
		}
	}
	return residual, all
}

// Against the definitions, over draws of which some lack a feature.
func TestLoadingsOfDraws(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 1))
	x, z, ds := problem(rng, 8, 3, 3, 15, 0.15)
	lonely := feature.New(8)
	lonely.Append()
	lonely.Flip(2, 0)
	ds = append(ds, &draws.Draw{Z: lonely, SigmaX: 1, SigmaA: 1}, &draws.Draw{Z: feature.New(8), SigmaX: 1, SigmaA: 1})
	got, fit := align(t, x, z, ds, 2)
	means, covariances := make([][][]float64, len(ds)), make([][][]float64, len(ds))
	explained := make([]sums, len(ds))
	for t, d := range ds {
		means[t], covariances[t] = dense.Loadings(x, d.Z.Rows(), d.SigmaX, d.SigmaA)
		residual, all := squares(x, d.Z, means[t])
		explained[t] = sums{items: make([]float64, len(x)), variables: make([]float64, len(x[0])), total: 1 - residual.total/all.total}
		for i := range x {
			explained[t].items[i] = 1 - residual.items[i]/all.items[i]
		}
		for v := range x[0] {
			explained[t].variables[v] = 1 - residual.variables[v]/all.variables[v]
		}
	}
	some := false
	for k, f := range got {
		count, overlap := 0.0, 0.0
		for _, d := range ds {
			if l := Match(d.Z, z)[k]; l >= 0 {
				both := feature.Common(d.Z.Column(l), z.Column(k))
				count++
				overlap += float64(both) / float64(d.Z.Size(l)+z.Size(k)-both)
			}
		}
		mustEqual(t, "matched", f.Matched, count/float64(len(ds)), 1e-12)
		mustEqual(t, "overlap", f.Overlap, overlap/count, 1e-12)
		some = some || count < float64(len(ds)-1) && count > 0
		for v := range x[0] {
			// The moments of the mixture, and its distribution at the quantiles.
			first, second, lower, upper := 0.0, 0.0, 0.0, 0.0
			for t, d := range ds {
				l := Match(d.Z, z)[k]
				if l < 0 {
					continue
				}
				m, s2 := means[t][l][v], covariances[t][l][l]
				first += m / count
				second += (m*m + s2) / count
				lower += math.Erfc((m-f.Lower[v])/math.Sqrt(2*s2)) / 2 / count
				upper += math.Erfc((m-f.Upper[v])/math.Sqrt(2*s2)) / 2 / count
			}
			mustEqual(t, "mean", f.Mean[v], first, 1e-11)
			mustEqual(t, "sd", f.SD[v], math.Sqrt(second-first*first), 1e-9)
			mustEqual(t, "distribution at lower", lower, 0.025, 1e-5)
			mustEqual(t, "distribution at upper", upper, 0.975, 1e-5)
		}
	}
	if !some {
		t.Error("every feature is in every draw but one, expected one that is not")
	}
	share := func(what string, got Share, part func(sums) float64) {
		t.Helper()
		var all []float64
		for _, s := range explained {
			all = append(all, part(s))
		}
		mean, variance := meanVariance(all)
		mustEqual(t, what, got.Mean, mean, 1e-11)
		mustEqual(t, "sd of "+what, got.SD, math.Sqrt(variance), 1e-9)
	}
	for i := range x {
		share("item", fit.Items[i], func(s sums) float64 { return s.items[i] })
	}
	for v := range x[0] {
		share("variable", fit.Variables[v], func(s sums) float64 { return s.variables[v] })
	}
	share("total", fit.Total, func(s sums) float64 { return s.total })
}

// Neither the order of the columns of the draws nor the number of cores nor the
// width of the blocks changes anything.
func TestLoadingsAreOfTheDraws(t *testing.T) {
	rng := rand.New(rand.NewPCG(24, 1))
	x, z, ds := problem(rng, 10, 7, 4, 12, 0.3)
	got, fit := align(t, x, z, ds, 1)
	same := func(what string, other []FeatureLoadings, otherFit *Fit, tol float64) {
		t.Helper()
		for k, f := range got {
			o := other[k]
			mustEqual(t, what+", matched", o.Matched, f.Matched, 0)
			mustEqual(t, what+", overlap", o.Overlap, f.Overlap, tol)
			for _, pair := range [][2][]float64{{o.Mean, f.Mean}, {o.SD, f.SD}, {o.Lower, f.Lower}, {o.Upper, f.Upper}} {
				if len(pair[0]) != 7 || len(pair[1]) != 7 {
					t.Fatalf("%s: found %d and %d variables, expected 7", what, len(pair[0]), len(pair[1]))
				}
				for v := range pair[0] {
					mustEqual(t, what, pair[0][v], pair[1][v], tol)
				}
			}
		}
		for i, s := range append(otherFit.Items, otherFit.Variables...) {
			mustEqual(t, what+", fit", s.Mean, append(fit.Items, fit.Variables...)[i].Mean, tol)
		}
		mustEqual(t, what+", total", otherFit.Total.Mean, fit.Total.Mean, tol)
	}
	other, otherFit := align(t, x, z, ds, 3)
	same("three cores", other, otherFit, 0)
	data, err := lglfm.NewData(x)
	if err != nil {
		t.Fatal(err)
	}
	a, err := newAlignment(data, z, ds, LoadingsOptions{Quantiles: true})
	if err != nil {
		t.Fatal(err)
	}
	a.run(3)
	same("three variables a block", a.loadings, a.residuals.fit(ds), 1e-12)
	var shuffledDraws []*draws.Draw
	for _, d := range ds {
		c := *d
		c.Z, _ = shuffled(rng, d.Z)
		shuffledDraws = append(shuffledDraws, &c)
	}
	other, otherFit = align(t, x, z, shuffledDraws, 1)
	same("columns in another order", other, otherFit, mixture.Tolerance) // of quantiles
}

// Intervals of loadings drawn from their prior cover them in 95% of the cases: 2000
// loadings of the first feature, which are independent, are covered 1900 times with
// standard deviation 9.7; the test fails beyond 5 of these, falsely once in a million
// runs. Intervals computed with half of SigmaX fail it.
func TestIntervalsCover(t *testing.T) {
	covered := func(assumed float64) int {
		rng := rand.New(rand.NewPCG(25, 1))
		count := 0
		for range 40 {
			z := randomZ(rng, 12, 3, 0.5)
			const d = 50
			loadings := make([]float64, d)
			sharedFeatures := feature.New(12)
			for k := 1; k < z.K(); k++ {
				sharedFeatures.AppendColumn(z.Column(k))
			}
			x := observed(rng, sharedFeatures, d, 0.6)
			for v := range loadings {
				loadings[v] = rng.NormFloat64()
				for _, i := range z.Members(nil, 0) {
					x[i][v] += loadings[v]
				}
			}
			got, _ := align(t, x, z, []*draws.Draw{{Z: z, SigmaX: assumed, SigmaA: 1}}, 1)
			for v, a := range loadings {
				if a > got[0].Lower[v] && a < got[0].Upper[v] {
					count++
				}
			}
		}
		return count
	}
	if got := covered(0.6); math.Abs(float64(got)-1900) > 49 {
		t.Errorf("%d of 2000 covered, expected 1900", got)
	}
	if got := covered(0.3); math.Abs(float64(got)-1900) <= 49 {
		t.Errorf("%d of 2000 covered under a wrong SigmaX too", got)
	}
}

// A feature that no draw has is reported as unknown; impossible draws are an error.
func TestLoadingsUnknown(t *testing.T) {
	rng := rand.New(rand.NewPCG(26, 1))
	x, z, _ := problem(rng, 5, 2, 2, 0, 0)
	got, fit := align(t, x, z, []*draws.Draw{{Z: feature.New(5), SigmaX: 1, SigmaA: 1}, {Z: feature.New(5), SigmaX: 1, SigmaA: 1}}, 1)
	mustEqual(t, "matched", got[0].Matched, 0, 0)
	for _, x := range []float64{got[0].Overlap, got[0].Mean[1], got[0].SD[1], got[0].Lower[1], got[0].Upper[1]} {
		mustEqual(t, "of no draw", x, math.NaN(), 0)
	}
	mustEqual(t, "total", fit.Total.Mean, 0, 0)
	mustEqual(t, "sd of total", fit.Total.SD, 0, 0)
	data, err := lglfm.NewData(x)
	if err != nil {
		t.Fatal(err)
	}
	o := LoadingsOptions{}
	if _, err := AlignLoadings(data, z, nil, o); err == nil {
		t.Error("no draws are no error")
	}
	if _, err := AlignLoadings(data, z, []*draws.Draw{{Z: z, SigmaX: 1e-300, SigmaA: 1}}, o); err == nil {
		t.Error("SigmaX of 1e-300 is no error")
	}
	aligned, err := AlignLoadings(data, z, []*draws.Draw{{Z: z, SigmaX: 1, SigmaA: 1}}, o)
	if err != nil || aligned.Features[0].Lower != nil || len(aligned.Features[0].Mean) != 2 {
		t.Errorf("found %+v, %v", aligned, err)
	}
}

// Of the size of the paper's application.
// Clear loadings are more than two standard deviations from 0, in the order of that distance.
func TestClear(t *testing.T) {
	nan := math.NaN()
	f := FeatureLoadings{Mean: []float64{10, -1, 0.3, 0, 2, -0.5, 3}, SD: []float64{6, 0.1, 0.1, 0, 1, nan, 1}}
	if got := f.Clear(); !slices.Equal(got, []int{5, 1, 6, 2}) {
		t.Errorf("found %v", got)
	}
	unknown := FeatureLoadings{Mean: []float64{nan, nan}, SD: []float64{nan, nan}}
	if got := unknown.Clear(); len(got) > 0 {
		t.Errorf("found %v of unknown loadings", got)
	}
}

func BenchmarkAlignLoadings(b *testing.B) {
	rng := rand.New(rand.NewPCG(28, 1))
	z := randomZ(rng, 62, 74, 0.075)
	x := observed(rng, z, 224, 0.5)
	var ds []*draws.Draw
	for _, z := range noisy(rng, z, 200, 0.02) {
		ds = append(ds, &draws.Draw{Z: z, SigmaX: 0.5, SigmaA: 0.4})
	}
	data, err := lglfm.NewData(x)
	if err != nil {
		b.Fatal(err)
	}
	for name, quantiles := range map[string]bool{"moments": false, "quantiles": true} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := AlignLoadings(data, z, ds, LoadingsOptions{Quantiles: quantiles}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// With an intercept the loadings equal the dense formula, and the fit describes X
// about the means of its columns.
func TestIntercept(t *testing.T) {
	rng := rand.New(rand.NewPCG(26, 1))
	x, z, _ := problem(rng, 9, 4, 3, 0, 0)
	d := &draws.Draw{Z: z, SigmaX: 0.4, SigmaA: 1.2}
	data, err := lglfm.NewData(x)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := AlignLoadings(data, z, []*draws.Draw{d}, LoadingsOptions{}); err != nil || got.Intercept != nil {
		t.Fatalf("found the intercept %v of data without one, error %v", got.Intercept, err)
	}
	if data, err = data.WithIntercept(); err != nil {
		t.Fatal(err)
	}
	got, err := AlignLoadings(data, z, []*draws.Draw{d}, LoadingsOptions{})
	if err != nil {
		t.Fatal(err)
	}
	mean, covariance := dense.LoadingsIntercept(x, z.Rows(), d.SigmaX, d.SigmaA)
	for k, f := range append([]FeatureLoadings{*got.Intercept}, got.Features...) {
		mustEqual(t, "matched", f.Matched, 1, 0)
		mustEqual(t, "overlap", f.Overlap, 1, 0)
		for v, want := range mean[k] {
			mustEqual(t, "mean", f.Mean[v], want, 1e-12)
			mustEqual(t, "sd", f.SD[v], math.Sqrt(covariance[k][k]), 1e-12)
		}
	}
	residual, all := 0.0, 0.0
	for v := range data.D() {
		center := 0.0
		for _, row := range x {
			center += row[v] / float64(len(x))
		}
		for i, row := range x {
			e := row[v] - mean[0][v]
			for k := range z.K() {
				if z.Has(i, k) {
					e -= mean[1+k][v]
				}
			}
			residual += e * e
			all += (row[v] - center) * (row[v] - center)
		}
	}
	mustEqual(t, "total", got.Fit.Total.Mean, 1-residual/all, 1e-12)
	mustEqual(t, "by SigmaX", got.Fit.BySigmaX.Mean, 1-d.SigmaX*d.SigmaX*8*4/all, 1e-12)
}
