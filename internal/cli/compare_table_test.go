package cli

// The table of docs/compare.md: priors of Z and simpler models on several data sets.
// make compare-table DATA=FOLDER writes it.

import (
	"cmp"
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

	"aibd/internal/model"
	"aibd/internal/oracle/baseline"
	"aibd/mcmc"
	"aibd/posterior"
	"aibd/predict"
	"aibd/prior"
)

var compareData = flag.String("compare", "", "folder with votes_repub_48x16.csv, canadianweather.csv and their side files: write the table of docs/compare.md")

// tableSet is a data set of the table, with arguments of aibd compare.
type tableSet struct {
	name string
	args []string
}

// A tableRow is a model of a data set.
type tableRow struct {
	model    string
	points   []float64 // elpd by entry
	bad      int       // entries with a bad Pareto k
	features string
	chains   string
}

// A small table in the usual test, the whole one with -compare.
func TestCompareTable(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if *compareData == "" {
		writeBars(t, 12)
		rows := compareSet(t, tableSet{"bars", []string{"bars.csv", "--side", "places.csv", "--distance", "absolute", "--distance-columns", "place"}},
			[]string{"--chains", "2", "--warmup", "10", "--draws", "20", "--quiet"}, 2, 50)
		if text := markdown("bars", rows); strings.Count(text, "\n| ") != 8 {
			t.Errorf("found the table\n%s, expected 7 rows", text)
		}
		return
	}
	sets := tableSets(t)
	var text strings.Builder
	for _, set := range sets {
		rows := compareSet(t, set, []string{"--warmup", "1000", "--draws", "400", "--thin", "8"}, 8, 2000)
		text.WriteString("\n" + markdown(set.name, rows))
		fmt.Fprintln(os.Stderr, markdown(set.name, rows))
	}
	writeTable(t, "table", text.String())
}

// tableSets writes files and returns the data sets.
func tableSets(t *testing.T) []tableSet {
	writeBars(t, 40)
	writeSubset(t, filepath.Join(*compareData, "votes_repub_side.csv"), filepath.Join(*compareData, "votes_repub_48x16.csv"), "votes_side.csv")
	around := []string{"--distance", "great-circle", "--scale=false", "--side"}
	return []tableSet{
		{"50 states, 12 variables", nil},
		{"Canadian weather, 35 stations x 12 months", append([]string{filepath.Join(*compareData, "canadianweather.csv")}, slices.Concat(around, []string{filepath.Join(*compareData, "canadianweather_side.csv")})...)},
		{"votes, 48 states x 16 elections", append([]string{filepath.Join(*compareData, "votes_repub_48x16.csv")}, slices.Concat(around, []string{"votes_side.csv"})...)},
		{"bars, 40 images x 36 pixels, random places", []string{"bars.csv", "--side", "places.csv", "--distance", "absolute", "--distance-columns", "place", "--scale=false"}},
	}
}

// How far PSIS-LOO is off: factor analysis by PSIS-LOO and by ten folds, with -compare.
func TestOptimismTable(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	ranks, sets := []int{1, 2, 3, 4, 6, 8}, []tableSet{{"bars", []string{"bars.csv"}}}
	draws := 1000
	if *compareData != "" {
		sets = tableSets(t)
	} else {
		writeBars(t, 12)
		ranks, draws = []int{1}, 40
	}
	var text strings.Builder
	text.WriteString("| data | factors | PSIS-LOO | bad k | ten folds |\n|---|--:|--:|--:|--:|\n")
	for _, set := range sets {
		x := setX(t, set)
		scales := mcmc.DefaultScales(x, false)
		for _, rank := range ranks {
			row := factorAnalysis(x, rank, draws)
			folds := baseline.HeldOut(x, rank, 10, scales.SigmaX, scales.SigmaA, draws/2, draws, rand.New(rand.NewPCG(uint64(rank), 2)))
			entries := float64(len(folds))
			fmt.Fprintf(&text, "| %s | %d | %.3f | %.0f%% | %.3f |\n", set.name, rank, sum(row.points)/entries, 100*float64(row.bad)/entries, sum(folds)/entries)
		}
	}
	if *compareData != "" {
		writeTable(t, "optimism", text.String())
	} else if strings.Count(text.String(), "\n") != 3 || strings.Contains(text.String(), "NaN") {
		t.Errorf("found the table\n%s", text.String())
	}
}

// setX returns X of a data set.
func setX(t *testing.T, set tableSet) [][]float64 {
	t.Helper()
	if err := Run(slices.Concat([]string{"fit", "--prior", "ibp", "--intercept=false", "--chains", "1", "--warmup", "1", "--draws", "2", "--quiet"}, set.args), nil, io.Discard, os.Stderr); err != nil {
		t.Fatal(err)
	}
	j, err := judgeAt("aibd-run")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll("aibd-run"); err != nil {
		t.Fatal(err)
	}
	return j.Seen.X
}

// page is docs/compare.md, seen from this folder before the test leaves it.
var page, _ = filepath.Abs("../../docs/compare.md")

// writeTable replaces the part of the page between the marks of a name.
func writeTable(t *testing.T, name, table string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), "<!-- "+name+" -->\n")
	_, after, ended := strings.Cut(rest, "<!-- end -->\n")
	if !found || !ended {
		t.Fatalf("%s: found no marks of the table", page)
	}
	if err := os.WriteFile(page, []byte(before+"<!-- "+name+" -->\n"+table+"\n<!-- end -->\n"+after), 0o666); err != nil {
		t.Fatal(err)
	}
}

// writeBars writes bars.csv, and places.csv with random places.
func writeBars(t *testing.T, items int) {
	t.Helper()
	if err := Run([]string{"data", "write", "bars", "--items", fmt.Sprint(items)}, nil, io.Discard, os.Stderr); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile("bars.csv")
	if err != nil {
		t.Fatal(err)
	}
	lines, rng := strings.Split(strings.TrimSpace(string(content)), "\n"), rand.New(rand.NewPCG(1, 2))
	id, _, _ := strings.Cut(lines[0], ",")
	places := id + ",place\n"
	for _, line := range lines[1:] {
		id, _, _ := strings.Cut(line, ",")
		places += fmt.Sprintf("%s,%.4f\n", id, rng.Float64())
	}
	if err := os.WriteFile("places.csv", []byte(places), 0o666); err != nil {
		t.Fatal(err)
	}
}

// writeSubset writes the lines of a side file that have the ids of a data file.
func writeSubset(t *testing.T, side, data, to string) {
	t.Helper()
	ids := map[string]bool{}
	first := func(line string) string { id, _, _ := strings.Cut(line, ","); return id }
	var text [2]string
	for i, name := range []string{data, side} {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text[i] = string(content)
	}
	for line := range strings.Lines(text[0]) {
		ids[first(line)] = true
	}
	var kept string
	for line := range strings.Lines(text[1]) {
		if ids[first(line)] {
			kept += line
		}
	}
	if err := os.WriteFile(to, []byte(kept), 0o666); err != nil {
		t.Fatal(err)
	}
}

// compareSet fits the models to a data set.
func compareSet(t *testing.T, set tableSet, settings []string, maxRank, draws int) (rows []tableRow) {
	t.Helper()
	dir, err := newDirectory("", "set")
	if err != nil {
		t.Fatal(err)
	}
	dir += "/runs"
	args := slices.Concat([]string{"compare", "--priors", "ibp,aibd,ddibp,symmetric", "--intercept=false", "--out", dir}, set.args, settings)
	if err := Run(args, nil, io.Discard, os.Stderr); err != nil {
		t.Fatal(err)
	}
	var all []*judged
	for _, name := range []string{"ibp", "aibd", "ddibp", "symmetric"} {
		j, err := judgeAt(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, j)
	}
	found, err := compareRuns(all, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range found.runs {
		row := tableRow{model: r.Run.Spec.Prior.LawName(), bad: r.bad(), features: known(r.features, 1), chains: "agree"}
		if !r.Agreed {
			row.chains = "disagree"
		}
		for _, p := range r.loo.Points {
			row.points = append(row.points, p.ELPD)
		}
		rows = append(rows, row)
	}
	p, err := model.Build(all[1].Run.Spec)
	if err != nil {
		t.Fatal(err)
	}
	distances := p.Posterior.Law.(prior.Attraction).Affinity().Distance()
	var distance [][]float64
	for i := range distances.N() {
		distance = append(distance, distances.Row(i))
	}
	x := all[0].Seen.X
	rows = append(rows, factorAnalysis(x, 0, draws), bestFactorAnalysis(x, maxRank, draws), tableRow{
		model: "Gaussian process by column", points: baseline.GaussianProcess(x, distance), features: "-", chains: "exact",
	})
	slices.SortStableFunc(rows, func(a, b tableRow) int { return cmp.Compare(sum(b.points), sum(a.points)) })
	return rows
}

func sum(x []float64) float64 {
	s, _ := predict.SumSE(x, func(x float64) float64 { return x })
	return s
}

// factorAnalysis returns the row of factor analysis of a rank.
func factorAnalysis(x [][]float64, rank, draws int) tableRow {
	scales := mcmc.DefaultScales(x, false)
	row := tableRow{model: fmt.Sprintf("factor analysis, %d factors", rank), features: fmt.Sprint(rank), chains: "one"}
	if rank == 0 {
		row.model = "noise alone"
	}
	for _, logs := range baseline.FactorAnalysis(x, rank, scales.SigmaX, scales.SigmaA, draws/2, draws, rand.New(rand.NewPCG(uint64(rank), 1))) {
		p := predict.EstimateLOO(logs, posterior.RelativeEfficiency([][]float64{logs}))
		row.points = append(row.points, p.ELPD)
		if !(p.K <= predict.MaxParetoK(draws)) {
			row.bad++
		}
	}
	return row
}

// bestFactorAnalysis returns the rank of at least 1 with the largest elpd.
func bestFactorAnalysis(x [][]float64, maxRank, draws int) (best tableRow) {
	for rank := 1; rank <= min(maxRank, len(x[0])-1); rank++ {
		if row := factorAnalysis(x, rank, draws); best.points == nil || sum(row.points) > sum(best.points) {
			best = row
		}
	}
	return best
}

// markdown returns the rows, the best first.
func markdown(name string, rows []tableRow) string {
	var b strings.Builder
	entries := len(rows[0].points)
	fmt.Fprintf(&b, "**%s**: %d entries\n\n| model | elpd by entry | elpd less that of the best (SE) | bad k | features | chains |\n|---|--:|--:|--:|--:|---|\n", name, entries)
	for i, r := range rows {
		difference := "best"
		if i > 0 {
			d, err := predict.SumSE(r.minus(rows[0]), func(x float64) float64 { return x })
			difference = fmt.Sprintf("%.0f (%.0f)", math.Min(d, 0), err)
		}
		fmt.Fprintf(&b, "| %s | %.3f | %s | %d%% | %s | %s |\n", r.model, sum(r.points)/float64(entries), difference, int(math.Round(100*float64(r.bad)/float64(entries))), r.features, r.chains)
	}
	return b.String()
}

// minus returns the differences from another row.
func (r tableRow) minus(other tableRow) []float64 {
	d := make([]float64, len(r.points))
	for p, x := range r.points {
		d[p] = x - other.points[p]
	}
	return d
}
