package lab

// The table of docs/lab/claims.md: what a short fit says without a star, against a fit of five times its length from other
// seeds. make claims-table prints it.

import (
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"aibd/draws"
	"aibd/internal/cli"
	"aibd/internal/lists"
	"aibd/internal/results"
	"aibd/internal/verdict"
	"aibd/lglfm"
	"aibd/posterior"
)

var claimsData = flag.String("claims", "", "folder with the tables of lab/testdata/datasets.R: print the table of docs/lab/claims.md")

// claimsScans are the scans of warmup, and the draws, of each of four chains of the short fits.
const claimsScans = 1000

// A claim is a number that the short fit gives without a star, and the same from the long fit.
type claim struct {
	kind, name string
	z          float64 // their difference in Monte Carlo errors
}

var claimKinds = []string{"scalar", "noise of a column", "share of a feature"}

// TestClaimsTable: one table and short fits in the usual test, all with -claims.
func TestClaimsTable(t *testing.T) {
	work := t.TempDir()
	if *claimsData != "" {
		work = filepath.Join(*claimsData, "fits")
		if err := os.MkdirAll(work, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(work)
	simulated := simulatedClaims(t)
	if *claimsData == "" {
		if row, claims, _ := claimsRow(t, simulated[0], 60); strings.Count(row, "|") != 8 || len(claims) > 0 && claims[0].kind == "" {
			t.Errorf("found the row %s", row)
		}
		return
	}
	files, err := filepath.Glob(filepath.Join(*claimsData, "*.csv"))
	if err != nil || len(files) == 0 {
		t.Fatalf("found the tables %v (%v)", files, err)
	}
	tables := lists.Map(files, func(file string) []string { return []string{strings.TrimSuffix(filepath.Base(file), ".csv"), file} })
	tables = append(tables, []string{"states"})
	fmt.Print("| table | verdict of the short fit | axes, their share | claims | above 2 | above 4 | largest |\n|---|---|---|--:|--:|--:|--:|\n")
	var all []claim
	var moved []float64
	for _, table := range append(tables, simulated...) {
		row, claims, axes := claimsRow(t, table, claimsScans)
		fmt.Print(row)
		all, moved = append(all, claims...), append(moved, axes...)
	}
	fmt.Print("\n| claim | number | above 2 | above 4 | largest |\n|---|--:|--:|--:|--:|\n")
	for _, kind := range append(claimKinds, "all") {
		group := slices.DeleteFunc(slices.Clone(all), func(c claim) bool { return kind != "all" && c.kind != kind })
		fmt.Printf("| %s | %s |\n", kind, counted(group))
	}
	fmt.Printf("\nAxes that are the same in all chains: %d. In the long fits they differ by at most %.0f%% of their size.\n", len(moved), 100*slices.Max(moved))
}

// counted returns how many claims there are, how many moved by more than 2 and by more than 4 errors, and the largest.
func counted(claims []claim) string {
	two, four, largest := 0, 0, claim{}
	for _, c := range claims {
		z := math.Abs(c.z)
		if z > 2 {
			two++
		}
		if z > 4 {
			four++
		}
		if z > math.Abs(largest.z) {
			largest = c
		}
	}
	return fmt.Sprintf("%d | %d | %d | %.1f %s", len(claims), two, four, math.Abs(largest.z), largest.name)
}

// claimsRow fits a table, whose arguments follow its name, and returns its row and the claims of the short fit. Fits that
// do not agree claim nothing.
func claimsRow(t *testing.T, table []string, scans int) (row string, claims []claim, moved []float64) {
	t.Helper()
	fit := func(times int) *results.Judged {
		length := fmt.Sprint(times * scans)
		run := table[0] + " " + length
		if _, err := os.Stat(run); err != nil { // the rule of stars can be changed without fitting again
			args := slices.Concat([]string{"fit"}, table[1:], []string{"--warmup", length, "--draws", length, "--seed", fmt.Sprint(100 + times), "--out", run, "--quiet"})
			if err := cli.Run(args, nil, io.Discard, os.Stderr); err != nil {
				t.Fatal(err)
			}
		}
		j, err := results.Open(run)
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	short, long := fit(1), fit(5)
	verdictOf := map[bool]string{true: "agree on what is large", false: "do not agree"}[short.OnLarge]
	if short.Agreed {
		verdictOf = "agree"
	}
	if short.OnLarge {
		claims, moved = claimsOf(t, short, long)
	}
	return fmt.Sprintf("| %s, %d x %d | %s | %d, %.0f%% | %s |\n", table[0], short.Run.Data.N, short.Run.Data.D, verdictOf, short.Large.Axes, 100*short.Large.Share, counted(claims)), claims, moved
}

// claimsOf returns what the short fit says without a star, beside what the long one says, and how much each axis on which
// the short one agrees differs in the long one, as a share of the axis.
func claimsOf(t *testing.T, short, long *results.Judged) (claims []claim, moved []float64) {
	t.Helper()
	add := func(v *verdict.Verdict, kind, name string, a, b [][]float64) {
		first, other := posterior.Summarize(a), posterior.Summarize(b)
		if z := (first.Mean - other.Mean) / math.Hypot(first.MCSE, other.MCSE); !v.Marks(first) && !math.IsNaN(z) {
			claims = append(claims, claim{kind, name, z})
		}
	}
	quantities := long.Quantities()
	for q, a := range short.Quantities() {
		if a.Kind != verdict.Fixed {
			add(short.Verdict, claimKinds[0], a.Name, a.Chains, quantities[q].Chains)
		}
	}
	for v, name := range short.Run.Data.Columns {
		noise := func(d *draws.Draw) float64 { return d.SigmaX * lglfm.NoiseScale(d, v) }
		add(short.Verdict, claimKinds[1], name, short.Derived(noise), long.Derived(noise))
	}

	data, err := short.Seen.Likelihood(short.Run.Spec.Data)
	if err != nil {
		t.Fatal(err)
	}
	axes := fittedAxes(t, short, nil)
	axisPairs := fittedAxes(t, long, axes)
	axisPairs.mean.Sub(axisPairs.mean, axes.mean)
	for a := range short.Large.Axes {
		size := mat.Inner(axes.u.ColView(a), axes.mean, axes.v.ColView(a))
		var items, variables mat.VecDense
		items.MulVec(axisPairs.mean, axes.v.ColView(a))
		variables.MulVec(axisPairs.mean.T(), axes.u.ColView(a))
		moved = append(moved, max(mat.Norm(&items, 2), mat.Norm(&variables, 2))/size)
	}

	e, err := short.StandardEstimate()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range e.Parts {
		if p.Chains < len(short.Chains) || p.Median() < 100*verdict.Small {
			continue
		}
		const kept = 250 // draws of a chain
		var percent [][]float64
		for _, chain := range long.Chains {
			parts, err := posterior.NewMatching(e.Z, e.Weights, lists.Thin(chain, kept)).Parts(data, [][]int{p.Features})
			if err != nil {
				t.Fatal(err)
			}
			percent = append(percent, lists.Map(parts[0].Share, func(x float64) float64 { return 100 * x }))
		}
		add(short.Verdict, claimKinds[2], "feature "+fmt.Sprint(p.Features[0]+1), p.Percent, percent)
	}
	return claims, moved
}

// axesFound are mean fitted values, centered by variable and over the noise, and their principal axes.
type axesFound struct {
	noise []float64 // by variable
	mean  *mat.Dense
	u, v  mat.Dense
}

// fittedAxes returns the axes of some draws of a run, over its noise or that of other axes.
func fittedAxes(t *testing.T, j *results.Judged, other *axesFound) *axesFound {
	t.Helper()
	n, d := j.Run.Data.N, j.Run.Data.D
	got := &axesFound{mean: mat.NewDense(n, d, nil)}
	if other != nil {
		got.noise = other.noise
	} else {
		got.noise = lists.Make(d, func(v int) float64 {
			return posterior.Summarize(j.Derived(func(d *draws.Draw) float64 { return d.SigmaX * lglfm.NoiseScale(d, v) })).Mean
		})
	}
	fitted, err := j.Fitted(1000)
	if err != nil {
		t.Fatal(err)
	}
	for v := range d {
		center := 0.0
		for i := range n {
			center += fitted[i][v] / float64(n)
		}
		for i := range n {
			got.mean.Set(i, v, (fitted[i][v]-center)/got.noise[v])
		}
	}
	var svd mat.SVD
	svd.Factorize(got.mean, mat.SVDThin)
	svd.UTo(&got.u)
	svd.VTo(&got.v)
	return got
}

// simulatedClaims writes tables of several kinds.
func simulatedClaims(t *testing.T) (tables [][]string) {
	t.Helper()
	add := func(name string, n, d int, fitted func(rng *rand.Rand, i, v int) float64, noise func(rng *rand.Rand, v int) float64, args ...string) {
		rng := rand.New(rand.NewPCG(uint64(len(tables)), 59))
		var text strings.Builder
		for v := range d {
			fmt.Fprintf(&text, ",v%d", v+1)
		}
		for i := range n {
			fmt.Fprintf(&text, "\ns%d", i+1)
			for v := range d {
				fmt.Fprintf(&text, ",%.4f", fitted(rng, i, v)+noise(rng, v))
			}
		}
		if err := os.WriteFile(name+".csv", []byte("id"+text.String()+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		tables = append(tables, append([]string{"simulated " + name, name + ".csv"}, args...))
	}
	rng := rand.New(rand.NewPCG(1, 59))
	normals := func(n, k int) (x [][]float64) {
		for range n {
			x = append(x, lists.Make(k, func(int) float64 { return rng.NormFloat64() }))
		}
		return x
	}
	product := func(w, a [][]float64) func(*rand.Rand, int, int) float64 {
		return func(_ *rand.Rand, i, v int) (x float64) {
			for k := range a {
				x += w[i][k] * a[k][v]
			}
			return x
		}
	}
	sparse := func(w [][]float64, share float64, one bool) [][]float64 {
		return lists.MapRows(w, func(x float64) float64 {
			switch {
			case rng.Float64() > share:
				return 0
			case one:
				return 1
			}
			return x
		})
	}
	normal := func(sd float64) func(*rand.Rand, int) float64 {
		return func(rng *rand.Rand, _ int) float64 { return sd * rng.NormFloat64() }
	}
	add("factors", 60, 8, product(normals(60, 3), normals(3, 8)), normal(0.7))
	add("wide", 30, 30, product(normals(30, 3), normals(3, 30)), normal(1))
	add("on-off", 50, 10, product(sparse(normals(50, 4), 0.4, true), normals(4, 10)), normal(0.4))
	add("degrees", 60, 10, product(sparse(normals(60, 4), 0.4, false), normals(4, 10)), normal(0.4))
	add("small", 15, 4, product(sparse(normals(15, 2), 0.6, false), normals(2, 4)), normal(0.5))
	add("noise", 40, 6, func(*rand.Rand, int, int) float64 { return 0 }, normal(1))
	add("heavy", 50, 6, product(normals(50, 2), normals(2, 6)), func(rng *rand.Rand, _ int) float64 {
		return rng.NormFloat64() / math.Sqrt((rng.ExpFloat64()+rng.ExpFloat64())/2) // Student's t with 4 degrees of freedom
	})
	add("scales", 50, 6, product(normals(50, 2), normals(2, 6)), func(rng *rand.Rand, v int) float64 { return math.Pow(2, float64(v-3)) * rng.NormFloat64() })
	clusters := normals(4, 5)
	add("clusters", 60, 5, func(_ *rand.Rand, i, v int) float64 { return 2 * clusters[i%4][v] }, normal(0.6))
	return tables
}
