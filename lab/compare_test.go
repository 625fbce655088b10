package lab

// The table of docs/lab/comparison.md: hidden cells, halves of items and whole items, under the default, without
// distances in the prior of Z, and under simpler models. make compare-table DATA=FOLDER writes it.

import (
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"aibd/internal/cli"
	"aibd/internal/compare"
	"aibd/internal/results"
	"aibd/predict"
)

var compareData = flag.String("compare", "", "folder with the data of lab/testdata/tables.R, votes_repub_48x16.csv, canadianweather.csv and side files of these two: write the table of docs/lab/comparison.md")

// hiddenUnits are what is hidden, with its share.
var hiddenUnits = [][2]string{{"cells", "0.1"}, {"half-items", "0.2"}, {"items", "0.1"}}

// compareModels are the models to compare with the default: a prior of Z, or the beginnings of the names of baselines.
var compareModels = []string{"ibp", "kriging", "mean of the 5", "factor analysis"}

// A small table in the usual test, the whole one with -compare.
func TestCompareTable(t *testing.T) {
	t.Chdir(t.TempDir())
	short := []string{"--chains", "2", "--budget", "0", "--quiet"}
	if *compareData == "" {
		row := compareRow(t, "states", nil, hiddenUnits[2], 1, append(short, "--warmup", "10", "--draws", "20"))
		if strings.Count(row, "|") != 9 || strings.Contains(row, "NaN") {
			t.Errorf("found the row %s", row)
		}
		return
	}
	path := func(name string) string { return filepath.Join(*compareData, name) }
	writeSubset(t, path("votes_repub_side.csv"), path("votes_repub_48x16.csv"), "votes_side.csv")
	text := "| table | hidden | cells | default | less IBP | less kriging | less 5 nearest | less factor analysis |\n|---|---|--:|--:|--:|--:|--:|--:|\n"
	for _, set := range [][]string{
		{"states, 50 x 8"},
		{"votes, 48 x 16", path("votes_repub_48x16.csv"), "--side", "votes_side.csv", "--distance", "great-circle"},
		{"weather, 35 x 12", path("canadianweather.csv"), "--side", path("canadianweather_side.csv"), "--distance", "great-circle"},
		{"doubs, 30 x 11", path("doubs.csv"), "--side", path("doubs_side.csv"), "--distance", "euclidean:x,y"},
		{"meuse, 155 x 7", path("meuse.csv"), "--side", path("meuse_side.csv"), "--distance", "euclidean:x,y"},
	} {
		for _, unit := range hiddenUnits {
			text += compareRow(t, set[0], set[1:], unit, 3, append(short, "--warmup", "500", "--draws", "500"))
		}
	}
	writeTable(t, page, "table", text)
}

// compareRow returns a row of the table: the mean log density of a hidden cell under the default, and how much smaller
// that of each model is, with a standard error over items.
func compareRow(t *testing.T, name string, args []string, unit [2]string, seeds int, settings []string) string {
	t.Helper()
	var defaults []float64
	differences := make([][]float64, len(compareModels)) // by model, the sum of each item and seed
	for seed := range seeds {
		fit := func(flags ...string) (j *results.Judged) {
			dir, err := os.MkdirTemp(".", "run-")
			if err != nil {
				t.Fatal(err)
			}
			run := filepath.Join(dir, "run")
			fixed := []string{"fit", "--holdout-unit", unit[0], "--holdout", unit[1], "--seed", fmt.Sprint(seed + 1), "--out", run}
			if err := cli.Run(slices.Concat(fixed, args, settings, flags), nil, io.Discard, os.Stderr); err != nil {
				t.Fatal(err)
			}
			if j, err = results.Open(run); err != nil {
				t.Fatal(err)
			}
			return j
		}
		j := fit()
		held := heldCells(t, j)
		scores := make([][]predict.Scored, len(compareModels))
		scores[0] = heldCells(t, fit("--prior", compareModels[0]))
		for _, b := range compare.Baselines(j) {
			if m := slices.IndexFunc(compareModels, func(m string) bool { return strings.HasPrefix(b.Name, m) }); m >= 0 {
				scores[m] = b.InOrder(held)
			}
		}
		for _, s := range held {
			defaults = append(defaults, s.LogDensity)
		}
		for m, scored := range scores {
			byItem := map[int]float64{}
			for c, s := range scored {
				byItem[s.Item] += held[c].LogDensity - s.LogDensity
			}
			for i := range j.Seen.X {
				if sum, hidden := byItem[i]; hidden {
					differences[m] = append(differences[m], sum)
				}
			}
		}
	}
	n := float64(len(defaults))
	row := fmt.Sprintf("| %s | %s | %.0f | %.3f", name, unit[0], n, sum(defaults)/n)
	for _, d := range differences {
		total, se := predict.SumSE(d, func(x float64) float64 { return x })
		row += fmt.Sprintf(" | %+.2f (%.2f)", total/n, se/n)
	}
	return row + " |\n"
}

// page is docs/lab/comparison.md, seen from this folder before the test leaves it.
var page, _ = filepath.Abs("../docs/lab/comparison.md")

// writeTable replaces the table between two marks of a page, <!-- NAME --> and <!-- end -->.
func writeTable(t *testing.T, page, name, table string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, tail, ok := strings.Cut(string(text), "<!-- "+name+" -->\n")
	_, after, ended := strings.Cut(tail, "<!-- end -->\n")
	if !ok || !ended {
		t.Fatalf("%s: found no marks of the table %s", page, name)
	}
	if err := os.WriteFile(page, []byte(before+"<!-- "+name+" -->\n"+table+"\n<!-- end -->\n"+after), 0o666); err != nil {
		t.Fatal(err)
	}
}

// writeSubset writes the lines of a side file that have the ids of a data file.
func writeSubset(t *testing.T, side, data, target string) {
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
	if err := os.WriteFile(target, []byte(kept), 0o666); err != nil {
		t.Fatal(err)
	}
}

// trueX returns X as fitted with categories and the true values of hidden entries, 0 where a cell is
// missing, and the places of hidden and missing entries in it, row after row.
func trueX(j *results.Judged) (x [][]float64, hidden []int) {
	for _, row := range j.Seen.X {
		x = append(x, slices.Clone(row))
	}
	for _, column := range j.Seen.Ordinal {
		for i, level := range column.Level {
			if level >= 0 {
				x[i][column.Variable] = float64(level)
			}
		}
	}
	for i, row := range x {
		for v, e := range row {
			if math.IsNaN(e) {
				hidden, row[v] = append(hidden, i*len(row)+v), 0
			}
		}
	}
	for _, h := range j.Seen.Held {
		x[h.Item][h.Variable] = j.Seen.Units.Do(h.Variable, h.Value)
	}
	return x, hidden
}

// heldCells returns the scores of the hidden entries of a run.
func heldCells(t *testing.T, j *results.Judged) []predict.Scored {
	t.Helper()
	p, err := j.Predict(results.DefaultPredicted)
	if err != nil {
		t.Fatal(err)
	}
	return p.Scored
}

// asFitted returns the log densities of the hidden entries of a run, row after row, in the units of X as fitted.
func asFitted(j *results.Judged, scored []predict.Scored) (logs []float64) {
	scores := map[[2]int]float64{}
	for _, s := range scored {
		scores[[2]int{s.Item, s.Variable}] = s.LogDensity
	}
	for _, h := range j.Seen.Held { // row after row
		log := scores[[2]int{h.Item, h.Variable}]
		if j.Seen.Categories[h.Variable] == nil {
			log -= j.Seen.Units.LogSlope(h.Variable, h.Value)
		}
		logs = append(logs, log)
	}
	return logs
}

func sum(x []float64) float64 {
	s, _ := predict.SumSE(x, func(x float64) float64 { return x })
	return s
}

// differences returns a - b by entry.
func differences(a, b []float64) []float64 {
	d := make([]float64, len(a))
	for p := range d {
		d[p] = a[p] - b[p]
	}
	return d
}
