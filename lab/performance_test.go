package lab

// The tables and the picture of docs/lab/performance.md: what a scan costs, and how long chains take to agree. make
// performance-table writes them.

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"aibd/draws"
	"aibd/fit"
	"aibd/internal/cli"
	"aibd/internal/compare"
	"aibd/internal/figure"
	"aibd/internal/results"
	"aibd/internal/runs"
	"aibd/predict"
)

var (
	performanceData = flag.String("performance", "", "folder with the tables of lab/testdata/large.R, california_housing.csv and its side file: write the tables and the picture of docs/lab/performance.md")
	performanceTime = flag.Duration("budget", 3*time.Minute, "budget of each table of -performance")
)

// The page and the picture, seen from this folder before the test leaves it.
var (
	performancePage, _    = filepath.Abs("../docs/lab/performance.md")
	performancePicture, _ = filepath.Abs("../docs/images/performance.png")
)

// parts are the parts of a fit, each with functions of which one is on the stack of its samples. The first part counts.
// A sample within a chain that has none of them belongs to the rest of a scan.
var parts = []struct {
	name      string
	functions []string
}{
	{"verdict", []string{"results.Fit.func", "runs.(*Store).Draws"}},
	{"law", []string{"internal/intensity."}},
	{"near weights", []string{"DrawShares", "weighted.(*network)", "weighted.(*Model).drawOthers", "weighted.(*Model).predict", "weighted.(*Model).drawNear", "weighted.(*Model).factorC"}},
	{"own features", []string{"weighted.(*Model).DrawSingletons"}},
	{"scales", []string{"mcmc.deviations.Step", "mcmc.scales.Step", "mcmc.noise.Step"}},
	{"columns", []string{"weighted.(*Model).drawColumns", "weighted.(*Model).DrawFeatures"}},
	{"loadings", []string{"weighted.(*Model).DrawLoadings", "weighted.(*Model).Rescale", "weighted.(*Model).Shear"}},
	{"rows", []string{"weighted.(*Model).DrawRows", "mcmc.(*rows).Step"}},
}

// Names of the rest of a scan, and of a fit, in profiles.
const restOfScan, notSampling = "rest", "not sampling"

// TestPerformanceTable: one short row in the usual test, all with -performance.
func TestPerformanceTable(t *testing.T) {
	t.Chdir(t.TempDir())
	if *performanceData == "" {
		if row := performanceRow(t, "states", []string{"--chains", "2", "--warmup", "20", "--draws", "20"}, 0); strings.Count(row, "|") != 9+len(parts) || strings.Contains(row, "NaN") {
			t.Errorf("found the row %s", row)
		}
		return
	}
	path := func(name string) string { return filepath.Join(*performanceData, name) }
	text := "| table | scan |"
	for _, p := range parts[1:] {
		text += " " + p.name + " |"
	}
	text += " rest | effective draws a second | slowest | large | agree | score | factor analysis |\n|---" + strings.Repeat("|--:", len(parts)+2) + "|---|--:|--:|--:|--:|\n"
	for _, set := range [][]string{
		{"meuse"}, {"birthwt"}, {"infert"}, {"plantTraits"}, {"bfi"}, {"mafragh"}, {"Boston"}, {"CreditCard"}, {"economics"}, {"quakes"}, {"Cigar"}, {"ALL"}, {"ALL3000"},
		{"california_housing", "--side", path("california_housing_side.csv"), "--distance", "great-circle"},
	} {
		row := performanceRow(t, set[0], append([]string{path(set[0] + ".csv")}, set[1:]...), *performanceTime)
		fmt.Fprint(os.Stderr, row)
		text += row
	}
	writeTable(t, performancePage, "table", text)
}

// TestGrowthTable: one small size in the usual test, all with -performance.
func TestGrowthTable(t *testing.T) {
	t.Chdir(t.TempDir())
	if *performanceData == "" {
		if seconds, _ := costOf(t, 20, 5, true, 0.2); !(seconds > 0) {
			t.Errorf("found %g s a scan", seconds)
		}
		return
	}
	writeTable(t, performancePage, "growth", growth(t))
}

// cpu returns the processor time of this process in seconds.
func cpu() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

// prepare makes a run that is not sampled.
func prepare(t *testing.T, args ...string) (dir string) {
	t.Helper()
	dir, err := os.MkdirTemp(".", "run-")
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(dir, "run")
	if err := cli.Run(slices.Concat([]string{"fit", "--prepare", "--quiet", "--out", dir}, args), nil, io.Discard, os.Stderr); err != nil {
		t.Fatal(err)
	}
	return dir
}

// performanceRow fits a table, a tenth of whose cells is hidden, until the chains agree or the budget is used up, and
// returns its row.
func performanceRow(t *testing.T, name string, args []string, budget time.Duration) string {
	t.Helper()
	build := runs.ResumeOptions{OtherBuild: true} // a test has no version
	run, _, err := runs.Resume(prepare(t, append(args, "--holdout", "0.1")...), build)
	if err != nil {
		t.Fatal(err)
	}
	began := cpu()
	large, agreed := "-", "-"
	scans := 0
	note := func(p fit.Progress) {
		if scans = p.Done; p.Verdict == nil {
			return
		}
		now := fmt.Sprintf("%.0f", cpu()-began)
		if p.Verdict.OnLarge && large == "-" {
			large = now
		}
		if p.Verdict.Agreed {
			agreed = now
		}
	}
	var profile bytes.Buffer
	if err := pprof.StartCPUProfile(&profile); err != nil {
		t.Fatal(err)
	}
	j, _, err := results.Fit(t.Context(), &runs.Store{Run: run, NextRound: build, Note: func(...string) {}}, fit.Options{Budget: fit.Budget{Time: budget}, Progress: note}, nil)
	pprof.StopCPUProfile()
	switch {
	case errors.Is(err, fit.ErrNoDraws):
		return fmt.Sprintf("| %s, %d x %d |%s\n", name, run.Data.N, run.Data.D, strings.Repeat(" - |", 7+len(parts)))
	case err != nil:
		t.Fatal(err)
	}
	seconds := secondsByPart(t, profile.Bytes())
	sampling := 0.0
	for part, s := range seconds {
		if part != notSampling && part != parts[0].name {
			sampling += s
		}
	}
	ms := func(s float64) string { return fmt.Sprintf(" %.3g |", 1000*s/float64(scans)) }
	row := fmt.Sprintf("| %s, %d x %d |%s", name, j.Run.Data.N, j.Run.Data.D, ms(sampling))
	for _, p := range parts[1:] {
		row += ms(seconds[p.name])
	}
	row += ms(seconds[restOfScan])
	slowest := "-"
	if len(j.Disagree) > 0 {
		slowest = fmt.Sprintf("%s (R-hat %.3g)", j.Disagree[0].Name, j.Disagree[0].RHat)
	}
	held := heldCells(t, j)
	ours := 0.0
	for _, s := range held {
		ours += s.LogDensity
	}
	n := float64(len(held))
	row += fmt.Sprintf(" %.2g | %s | %s | %s | %.3f |", j.MinESS/sampling, slowest, large, agreed, ours/n)
	for _, b := range compare.Baselines(j) {
		if strings.HasPrefix(b.Name, "factor analysis") {
			var differences []float64
			for c, s := range b.InOrder(held) {
				differences = append(differences, s.LogDensity-held[c].LogDensity)
			}
			total, se := predict.SumSE(differences, func(x float64) float64 { return x })
			row += fmt.Sprintf(" %+.3f (%.3f) |", total/n, se/n)
		}
	}
	return row + "\n"
}

// secondsByPart returns the seconds of a profile by part of a fit.
func secondsByPart(t *testing.T, profile []byte) map[string]float64 {
	t.Helper()
	if err := os.WriteFile("profile", profile, 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "tool", "pprof", "-traces", "-unit=ms", "profile").Output()
	if err != nil {
		t.Fatal(err)
	}
	seconds := map[string]float64{}
	_, stacks, _ := strings.Cut(string(out), "-----------+")
	for stack := range strings.SplitSeq(stacks, "-----------+") {
		fields := strings.Fields(stack)
		k := slices.IndexFunc(fields, func(f string) bool { return strings.HasSuffix(f, "ms") && f[0] >= '0' && f[0] <= '9' })
		if k < 0 {
			continue
		}
		ms, err := strconv.ParseFloat(strings.TrimSuffix(fields[k], "ms"), 64)
		if err != nil {
			t.Fatal(err)
		}
		part := notSampling
		if strings.Contains(stack, "mcmc.(*Chain)") {
			part = restOfScan
		}
		for _, p := range parts {
			if slices.ContainsFunc(p.functions, func(f string) bool { return strings.Contains(stack, f) }) {
				part = p.name
				break
			}
		}
		seconds[part] += ms / 1000
	}
	return seconds
}

// The sizes of the picture: items with 10 variables, with and without places, and variables of 100 items.
var (
	growthItems     = []int{100, 300, 1000, 3000, 10000, 20000}
	growthVariables = []int{10, 30, 100, 300, 1000, 3000}
)

// costSeconds is how long a chain is timed.
const costSeconds = 6

// growthCurves are the curves of the picture.
var growthCurves = []struct {
	name   string
	sizes  []int
	places bool
	table  func(size int) (n, d int)
}{
	{"items, 10 variables", growthItems, false, func(n int) (int, int) { return n, 10 }},
	{"items with places, 10 variables", growthItems, true, func(n int) (int, int) { return n, 10 }},
	{"variables, 100 items", growthVariables, false, func(d int) (int, int) { return 100, d }},
}

// growth draws the picture, and returns its numbers as a table.
func growth(t *testing.T) string {
	t.Helper()
	text := "| items | variables | places | seconds a scan | features |\n|--:|--:|---|--:|--:|\n"
	curves := make([]plotter.XYs, len(growthCurves))
	for c, curve := range growthCurves {
		for _, size := range curve.sizes {
			n, d := curve.table(size)
			seconds, features := costOf(t, n, d, curve.places, costSeconds)
			curves[c] = append(curves[c], plotter.XY{X: float64(size), Y: seconds})
			row := fmt.Sprintf("| %d | %d | %s | %.2g | %d |\n", n, d, map[bool]string{true: "yes", false: "no"}[curve.places], seconds, features)
			fmt.Fprint(os.Stderr, row)
			text += row
		}
	}
	drawGrowth(t, curves)
	return text
}

// drawGrowth draws the picture.
func drawGrowth(t *testing.T, curves []plotter.XYs) {
	t.Helper()
	p := figure.New()
	p.X.Label.Text, p.Y.Label.Text = "number of items, or of variables", "seconds of processor time a scan"
	p.X.Tick.Marker, p.Y.Tick.Marker = figure.LogTicks{}, figure.LogTicks{}
	for c, points := range curves {
		for i, xy := range points {
			points[i] = plotter.XY{X: math.Log10(xy.X), Y: math.Log10(xy.Y)}
		}
		figure.AddLine(p, points, figure.Color(c), 1)
		figure.AddPoints(p, points, figure.Color(c), 2)
	}
	const edge, names = 4 * vg.Millimeter, 50 * vg.Millimeter
	sheet := figure.Figure{Title: "Time of a scan", About: []string{"Simulated tables of five features, with the defaults."}, Height: 9 * vg.Centimeter, Paint: func(dc draw.Canvas) {
		panel := draw.Crop(dc, edge, -names, edge, -edge)
		p.Draw(panel)
		data := p.DataCanvas(panel)
		_, y := p.Transforms(&data)
		var ends []figure.EndLabel
		for c, points := range curves {
			ends = append(ends, figure.EndLabel{Text: growthCurves[c].name, Y: y(points[len(points)-1].Y)})
		}
		figure.DrawEndLabels(dc, figure.Text(figure.TickSize), data, ends)
	}}
	png, err := sheet.Encode("png")
	if err == nil {
		err = os.WriteFile(performancePicture, png, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// costOf returns the processor time of a scan of a simulated table, over the second half of some seconds of a chain, and
// the number of features at its end.
func costOf(t *testing.T, n, d int, places bool, seconds float64) (perScan float64, features int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(uint64(n), uint64(d)))
	loadings := make([][]float64, 5)
	for k := range loadings {
		for range d {
			loadings[k] = append(loadings[k], rng.NormFloat64())
		}
	}
	var x, side strings.Builder
	x.WriteString("id")
	for v := range d {
		fmt.Fprintf(&x, ",v%d", v+1)
	}
	side.WriteString("id,lon,lat\n")
	for i := range n {
		lon, lat := 10*rng.Float64(), 10*rng.Float64()
		fmt.Fprintf(&x, "\ns%d", i+1)
		fmt.Fprintf(&side, "s%d,%.4f,%.4f\n", i+1, lon, lat)
		row := make([]float64, d)
		for _, loading := range loadings {
			if w := rng.NormFloat64() + math.Sin(lon); rng.Float64() < 0.4 {
				for v, a := range loading {
					row[v] += w * a
				}
			}
		}
		for _, e := range row {
			fmt.Fprintf(&x, ",%.4f", e+0.7*rng.NormFloat64())
		}
	}
	args := []string{"simulated.csv"}
	if places {
		args = append(args, "--side", "simulated_side.csv", "--distance", "great-circle")
	}
	if err := cmp.Or(os.WriteFile("simulated.csv", []byte(x.String()+"\n"), 0o666), os.WriteFile("simulated_side.csv", []byte(side.String()), 0o666)); err != nil {
		t.Fatal(err)
	}
	run, err := runs.Open(prepare(t, args...))
	if err != nil {
		t.Fatal(err)
	}
	problem, err := run.Problem()
	if err != nil {
		t.Fatal(err)
	}
	chain, err := problem.NewChain(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	began := cpu()
	moment, begin := began, 0
	timed := &timed{Context: t.Context(), over: func() bool {
		if now := cpu(); now-began < seconds/2 {
			moment, begin = now, chain.Done()
		} else if now-began > seconds && chain.Done() > begin {
			return true
		}
		return false
	}}
	if err := chain.Run(timed, draws.RecorderFunc(func(*draws.Draw) error { return nil })); err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	return (cpu() - moment) / float64(chain.Done()-begin), chain.State().Z.K()
}

// timed is a context that is done when over returns true.
type timed struct {
	context.Context
	over func() bool
}

func (c *timed) Err() error {
	if c.over() {
		return context.Canceled
	}
	return nil
}
