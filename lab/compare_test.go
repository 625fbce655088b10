package lab

// The table of docs/lab/comparison.md: priors of Z and simpler models on several data sets.
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

	"aibd/internal/cli"
	"aibd/internal/compare"
	"aibd/internal/input"
	"aibd/internal/results"
	"aibd/predict"
	"aibd/prior"
)

var compareData = flag.String("compare", "", "folder with alzheimers.csv, votes_repub_48x16.csv, canadianweather.csv and side files of the last two: write the table of docs/lab/comparison.md")

// tableSet is a data set of the table, with arguments of aibd compare.
type tableSet struct {
	name string
	args []string
}

// tableData is a data set: X as fitted, and the distances.
type tableData struct {
	x        [][]float64 // complete
	binary   bool        // all of x are 0 and 1
	hidden   []int       // entries that models do not see, row after row
	distance [][]float64
}

// A tableRow is a model of a data set.
type tableRow struct {
	model string
	held  []float64 // log density of hidden entries, in the units of X as fitted
}

// A small table in the usual test, the whole one with -compare.
func TestCompareTable(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if *compareData == "" {
		writeTaxonomy(t, 12, 8)
		set := tableSet{"taxonomy", taxonomyArgs}
		rows := compareSet(t, set, []string{"--chains", "2", "--warmup", "10", "--draws", "20", "--quiet"})
		if text := markdown([]tableSet{set}, [][]tableRow{rows}); strings.Count(text, "\n") != 11 || strings.Count(text, "best") != 1 || strings.Contains(text, "NaN") {
			t.Errorf("found the table\n%s, expected 9 rows", text)
		}
		return
	}
	sets := tableSets(t)
	var rows [][]tableRow
	for _, set := range sets {
		rows = append(rows, compareSet(t, set, []string{"--warmup", "300", "--draws", "200", "--thin", "2", "--cores", "1", "--quiet"}))
	}
	writeTable(t, markdown(sets, rows))
}

// tableSets writes files and returns the data sets.
func tableSets(t *testing.T) []tableSet {
	writeBars(t, 40)
	writeTaxonomy(t, 40, 60)
	writeSubset(t, filepath.Join(*compareData, "votes_repub_side.csv"), filepath.Join(*compareData, "votes_repub_48x16.csv"), "votes_side.csv")
	around := []string{"--distance", "great-circle", "--scale=false", "--side"}
	return []tableSet{
		{"states, 50 x 12", nil},
		{"weather, 35 x 12", append([]string{filepath.Join(*compareData, "canadianweather.csv")}, slices.Concat(around, []string{filepath.Join(*compareData, "canadianweather_side.csv")})...)},
		{"votes, 48 x 16", append([]string{filepath.Join(*compareData, "votes_repub_48x16.csv")}, slices.Concat(around, []string{"votes_side.csv"})...)},
		{"bars at random places, 40 x 36", []string{"bars.csv", "--side", "places.csv", "--distance", "absolute:place", "--scale=false"}},
		{"taxonomy, 40 x 60 yes/no", taxonomyArgs},
		{"application, 62 x 224", []string{filepath.Join(*compareData, "alzheimers.csv"), "--set", "data.preset=alzheimers", "--set", "data.intercept=true", "--set", "data.noise=columns", "--set", "prior.temperature_unit=median"}},
	}
}

var taxonomyArgs = []string{"taxonomy.csv", "--distance", "matrix:taxonomy_distances.csv", "--binary", "a*"}

// writeTaxonomy writes taxonomy.csv, species with yes/no attributes, and their distances,
// taxonomy_distances.csv: 1 within a genus of three species, 2 within a family of three genera, 3
// otherwise. The common ancestor has an attribute with probability 0.35. The attribute flips on
// the branches to families, genera and species with probabilities 0.25, 0.12 and 0.06. Attributes
// that nearly all species have, or nearly none, are drawn again.
func writeTaxonomy(t *testing.T, species, attributes int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 7))
	flipped := func(p float64, has bool) bool { return has != (rng.Float64() < p) }
	table, distances := make([]string, species+1), ""
	table[0] = "species"
	for a := 0; a < attributes; {
		root, family, genus, count := rng.Float64() < 0.35, false, false, 0
		column := make([]bool, species)
		for i := range column {
			if i%9 == 0 {
				family = flipped(0.25, root)
			}
			if i%3 == 0 {
				genus = flipped(0.12, family)
			}
			if column[i] = flipped(0.06, genus); column[i] {
				count++
			}
		}
		if least := species / 8; count <= least || count >= species-least {
			continue
		}
		a++
		table[0] += fmt.Sprintf(",a%d", a)
		for i, has := range column {
			table[i+1] += map[bool]string{false: ",no", true: ",yes"}[has]
		}
	}
	for i := range species {
		table[i+1] = fmt.Sprintf("s%d", i+1) + table[i+1]
		row := make([]string, species)
		for k := range row {
			switch {
			case k == i:
				row[k] = "0"
			case k/3 == i/3:
				row[k] = "1"
			case k/9 == i/9:
				row[k] = "2"
			default:
				row[k] = "3"
			}
		}
		distances += strings.Join(row, ",") + "\n"
	}
	for name, content := range map[string]string{"taxonomy.csv": strings.Join(table, "\n") + "\n", "taxonomy_distances.csv": distances} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// page is docs/lab/comparison.md, seen from this folder before the test leaves it.
var page, _ = filepath.Abs("../docs/lab/comparison.md")

// writeTable replaces the table of the page.
func writeTable(t *testing.T, table string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), "<!-- table -->\n")
	_, after, ended := strings.Cut(rest, "<!-- end -->\n")
	if !found || !ended {
		t.Fatalf("%s: found no marks of the table", page)
	}
	if err := os.WriteFile(page, []byte(before+"<!-- table -->\n"+table+"\n<!-- end -->\n"+after), 0o666); err != nil {
		t.Fatal(err)
	}
}

// writeBars writes bars.csv, and places.csv with random places.
func writeBars(t *testing.T, items int) {
	t.Helper()
	if err := cli.Run([]string{"data", "write", "bars", "--items", fmt.Sprint(items)}, nil, io.Discard, os.Stderr); err != nil {
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

// compareSet fits the models to a data set with a tenth of its cells hidden.
func compareSet(t *testing.T, set tableSet, settings []string) (rows []tableRow) {
	t.Helper()
	dir, err := os.MkdirTemp(".", "set-")
	if err != nil {
		t.Fatal(err)
	}
	var all []*results.Judged
	for _, law := range [][]string{{"ibp"}, {"aibd"}, {"ddibp"}, {"ddibp", "--set", "prior.proximity=symmetric"}} {
		run := filepath.Join(dir, law[len(law)-1])
		args := slices.Concat([]string{"fit", "--holdout", "0.1", "--out", run}, set.args, settings, []string{"--prior"}, law)
		if err := cli.Run(args, nil, io.Discard, os.Stderr); err != nil {
			t.Fatal(err)
		}
		j, err := results.Open(run)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, j)
		rows = append(rows, tableRow{j.Run.Spec.LawName(), asFitted(j, heldCells(t, j))})
	}
	for _, b := range compare.Baselines(all[1], heldCells(t, all[1])) {
		name, _, _ := strings.Cut(b.Name, " (")
		rows = append(rows, tableRow{name, asFitted(all[1], b.Scored)})
	}
	if data := newTableData(t, all[1]); !data.binary {
		rows = append(rows, tableRow{"Gaussian process by column", data.ofHidden(gaussianProcess(data.x, data.hidden, data.distance))})
	}
	return rows
}

// newTableData returns the data of a run with distances, with the true values of hidden entries.
func newTableData(t *testing.T, j *results.Judged) *tableData {
	t.Helper()
	data := &tableData{binary: len(j.Seen.Ordinal) > 0}
	data.x, data.hidden = trueX(j)
	p, err := input.Build(j.Run.Spec)
	if err != nil {
		t.Fatal(err)
	}
	distances := p.Posterior.Law.(prior.Attraction).Affinity().Distance()
	for i := range distances.N() {
		data.distance = append(data.distance, distances.Row(i))
	}
	return data
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

// ofHidden returns the values of the entries that are hidden.
func (d *tableData) ofHidden(values []float64) (hidden []float64) {
	for p, x := range values {
		if _, found := slices.BinarySearch(d.hidden, p); found {
			hidden = append(hidden, x)
		}
	}
	return hidden
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
	at := map[[2]int]float64{}
	for _, s := range scored {
		at[[2]int{s.Item, s.Variable}] = s.LogDensity
	}
	for _, h := range j.Seen.Held { // row after row
		log := at[[2]int{h.Item, h.Variable}]
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

// markdown returns the table: for each model and data set the mean log density of a hidden entry, and
// the sum of the differences from the best model with its standard error.
func markdown(sets []tableSet, rows [][]tableRow) string {
	var models []string
	head, rule := "| hidden", "|---"
	for s, set := range sets {
		head += fmt.Sprintf(" | %s, %d", set.name, len(rows[s][0].held))
		rule += "|--:"
		for _, r := range rows[s] {
			if !slices.Contains(models, r.model) {
				models = append(models, r.model)
			}
		}
	}
	text := head + " |\n" + rule + "|\n"
	for _, model := range models {
		text += "| " + model
		for _, set := range rows {
			best := slices.MaxFunc(set, func(a, b tableRow) int { return cmp.Compare(sum(a.held), sum(b.held)) })
			text += " | " + scored(set, model, best)
		}
		text += " |\n"
	}
	return text
}

// scored returns a cell of the table.
func scored(set []tableRow, model string, best tableRow) string {
	i := slices.IndexFunc(set, func(r tableRow) bool { return r.model == model })
	if i < 0 {
		return "-"
	}
	mean := fmt.Sprintf("%.3f; ", sum(set[i].held)/float64(len(set[i].held)))
	if model == best.model {
		return mean + "best"
	}
	d, err := predict.SumSE(differences(set[i].held, best.held), func(x float64) float64 { return x })
	return mean + fmt.Sprintf("%.0f (%.0f)", math.Min(d, 0), err)
}

// differences returns a - b by entry.
func differences(a, b []float64) []float64 {
	d := make([]float64, len(a))
	for p := range d {
		d[p] = a[p] - b[p]
	}
	return d
}
