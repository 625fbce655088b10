package exhibits

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"aibd/internal/runs"
)

// silent is a Meter that shows nothing.
func silent(string, int, func() int) func() { return func() {} }

func quick(t *testing.T) Options {
	t.Helper()
	return Options{Dir: t.TempDir(), Version: "test", Quick: true, Seed: 1, Meter: silent, Log: io.Discard}
}

func makeNamed(t *testing.T, o Options, names ...string) {
	t.Helper()
	exhibits, err := Named(names)
	if err != nil {
		t.Fatal(err)
	}
	if err := Make(t.Context(), o, exhibits); err != nil {
		t.Fatal(err)
	}
}

// readCSV returns the numbers of a file by column, without those of texts.
func readCSV(t *testing.T, o Options, file string) (header []string, columns [][]float64) {
	t.Helper()
	f, err := os.Open(filepath.Join(o.Dir, file))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	columns = make([][]float64, len(rows[0]))
	for _, row := range rows[1:] {
		for i, cell := range row {
			if x, err := strconv.ParseFloat(cell, 64); err == nil {
				columns[i] = append(columns[i], x)
			}
		}
	}
	return rows[0], columns
}

// testFiveStates compares the tables of the five states with sums over all sets of
// states and all orders, made by other code (see the file).
func testFiveStates(t *testing.T, o Options) {
	content, err := os.ReadFile("testdata/five_states.json")
	if err != nil {
		t.Fatal(err)
	}
	var want struct {
		Distance, Temperatures []float64
		AIBD, Sequential       [][]float64
		SequentialFeatures     [][]float64 `json:"sequential_features"`
	}
	if err := json.Unmarshal(content, &want); err != nil {
		t.Fatal(err)
	}
	same := func(what string, got, want []float64, error float64) {
		t.Helper()
		if len(got) < len(want) {
			t.Fatalf("%s: found %d numbers, want %d", what, len(got), len(want))
		}
		for i, x := range want {
			if !(math.Abs(got[i]-x) <= error) {
				t.Errorf("%s, row %d: found %v, want %v", what, i+1, got[i], x)
			}
		}
	}
	_, distances := readCSV(t, o, "states-distances.csv")
	same("distance", distances[1], want.Distance, 1e-12)
	_, sharing := readCSV(t, o, "sharing.csv")
	_, features := readCSV(t, o, "features.csv")
	_, sequential := readCSV(t, o, "laws-ddibp_sequential-5.csv")
	for i, temperature := range want.Temperatures {
		same(fmt.Sprint("sharing at ", temperature), sharing[i+1], want.AIBD[i], 1e-12)
		same(fmt.Sprint("features at ", temperature), features[i+2], want.SequentialFeatures[i], 1e-12)
		if row := slices.Index(sequential[0], temperature); row >= 0 {
			var got []float64
			for _, column := range sequential[3:] {
				got = append(got, column[row])
			}
			same(fmt.Sprint("dd-IBP, sharing at ", temperature), got, want.Sequential[i], 1e-7)
		}
	}

	// All distances and similarities, and 28 of the 30 values of sharing, are as the paper prints them.
	for name, differ := range map[string]int{"states": 0, "sharing": 2} {
		r, err := ReadResult(o.Dir, name)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(r.Compared) - agreeing(r.Compared); got != differ {
			t.Errorf("%s: %d of %d values differ from the paper, want %d", name, got, len(r.Compared), differ)
		}
	}
}

// The proximities give the laws: a set of one item has the intensity of the new dish of
// that item, taken by no other.
func TestWeights(t *testing.T) {
	p := fiveStates()
	for _, k := range kinds {
		law := k.law(p, 0.7)
		_, shares := weights(p, 0.7, k)
		total := 0.0
		for o := range shares {
			nu := shares[o][o]
			total += nu
			for i := range shares {
				if i != o {
					nu *= 1 - shares[i][o]
				}
			}
			if want := math.Exp(law.LogIntensity([]uint64{1 << o})); math.Abs(nu-want) > 1e-12 {
				t.Errorf("%v, item %d: found the intensity %v, want %v", k, o+1, nu, want)
			}
		}
		if want := law.TotalIntensity(); math.Abs(total-want) > 1e-12 {
			t.Errorf("%v: found H = %v, want %v", k, total, want)
		}
	}
}

// Sharing estimated from draws is what it is exactly. With 2000 draws a z value of 4.5
// is a false alarm for one of 10 pairs once in 15,000 seeds; the AIBD stands in as the
// broken twin of the sequential dd-IBP.
func TestSampledSharing(t *testing.T) {
	p := fiveStates()
	j := &job{ctx: t.Context(), Options: quick(t)}
	worst := func(sampled, exact kind) float64 {
		const draws = 2000
		got, err := j.sampledSharing(sampled, sampled.law(p, 1), draws, func(int) {})
		if err != nil {
			t.Fatal(err)
		}
		want, err := exactSharing(exact, exact.law(p, 1))
		if err != nil {
			t.Fatal(err)
		}
		z := math.Abs(got.mean-want.mean) / got.meanErr
		for i := range got.sharing {
			for k := range i {
				// A Poisson count, or a number that varies less.
				z = max(z, math.Abs(got.sharing[i][k]-want.sharing[i][k])/math.Sqrt(want.sharing[i][k]/draws))
			}
		}
		return z
	}
	for _, k := range kinds {
		if z := worst(k, k); z > 4.5 {
			t.Errorf("%v: sampled and exact sharing are %.1f standard errors apart", k, z)
		}
	}
	if z := worst(aibd, sequential); z < 4.5 {
		t.Errorf("the wrong law: %.1f standard errors apart, want it rejected", z)
	}
}

// testAccuracy asks of the exhibit what it is to show: the exact update and direct draws return the
// prior. A prior whose means are a tenth larger is rejected. Of eight numbers one is beyond 4.5
// standard errors by chance once in 10,000 seeds, as these errors are estimated.
func testAccuracy(t *testing.T, o Options) {
	r, err := ReadResult(o.Dir, "accuracy")
	if err != nil {
		t.Fatal(err)
	}
	worst, wrong := map[string]float64{}, map[string]float64{}
	for _, row := range r.Tables[0].Rows {
		sampler, exact, got, stdErr := row[1].Text, *row[2].Value, *row[3].Value, *row[5].Value
		worst[sampler] = max(worst[sampler], math.Abs(got-exact)/stdErr)
		wrong[sampler] = max(wrong[sampler], math.Abs(got-1.1*exact)/stdErr)
	}
	for _, sampler := range []string{"direct draws", "exact update"} {
		if right, other := worst[sampler], wrong[sampler]; right == 0 || right >= 4.5 || other < 4.5 {
			t.Errorf("%s: off by %.1f standard errors, and from a wrong prior by %.1f", sampler, right, other)
		}
	}
}

// testProperties says which laws have which properties: + yes, - no.
func testProperties(t *testing.T, o Options) {
	r, err := ReadResult(o.Dir, "properties")
	if err != nil {
		t.Fatal(err)
	}
	// IBP, AIBD fixed and averaged, sequential dd-IBP fixed and averaged, symmetric.
	want := []string{"+++++-", "+++---", "+++++-", "+-+-++", "+-----", "++-+--", "+-----", "+-----", "------"}
	for i, row := range r.Tables[0].Rows {
		got := ""
		for _, cell := range row[1:] {
			if cell.Text == "yes" {
				got += "+"
			} else {
				got += "-"
			}
		}
		if got != want[i] {
			t.Errorf("%s: found %s, want %s", row[0].Text, got, want[i])
		}
	}
}

// unwanted is what a number or a format may have become; letters around it may be
// those of an image.
var unwanted = regexp.MustCompile(`(?:^|[^A-Za-z0-9+/])(?:NaN|[+-]?Inf|%!\w)(?:[^A-Za-z0-9+/]|$)`)

// Every exhibit can be made, its files are there and hold no NaN, and so does the page.
func TestAll(t *testing.T) {
	o := quick(t)
	if folder := os.Getenv("AIBD_DATA"); folder != "" {
		o.Alzheimers, o.People = filepath.Join(folder, "alzheimers.csv"), filepath.Join(t.TempDir(), "people.csv")
		content, err := os.ReadFile(o.Alzheimers)
		if err != nil {
			t.Fatal(err)
		}
		// A stand-in for the people, which are not part of the project: three rows each.
		lines := []string{"id,inferred_person"}
		for i, line := range strings.Split(strings.TrimSpace(string(content)), "\n")[1:] {
			id, _, _ := strings.Cut(line, ",")
			lines = append(lines, fmt.Sprintf("%s,%d", id, i/3))
		}
		if err := os.WriteFile(o.People, []byte(strings.Join(lines, "\n")), 0o666); err != nil {
			t.Fatal(err)
		}
	} else {
		t.Log("AIBD_DATA is not set: the exhibits of the application are not made")
	}
	dirs, err := Prepare(o, All())
	if err != nil {
		t.Fatal(err)
	}
	if o.Alzheimers != "" {
		if len(dirs) != 26 {
			t.Errorf("prepared the runs %q, expected 26", dirs)
		}
		// A chain is sampled elsewhere.
		run, _, err := runs.Resume(dirs[0], runs.ResumeOptions{Version: o.Version, Chain: 2})
		if err == nil {
			err = run.Sample(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := Make(t.Context(), o, All()); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(o.Dir, PageFile))
	if err != nil {
		t.Fatal(err)
	}
	check := func(name string, content []byte) {
		if got := unwanted.Find(content); got != nil {
			t.Errorf("%s holds %q", name, got)
		}
	}
	check(PageFile, page)
	for _, e := range All() {
		if o.Missing(e) != "" {
			if !bytes.Contains(page, []byte("Not made. It needs the Alzheimer")) {
				t.Errorf("%s: the page does not name the missing input", e.Name)
			}
			continue
		}
		r, err := ReadResult(o.Dir, e.Name)
		if err != nil {
			t.Error(err)
			continue
		}
		if len(r.Findings) == 0 || r.About == "" || len(r.Tables) == 0 {
			t.Errorf("%s: nothing is said or no table made", e.Name)
		}
		var files []string
		for _, table := range r.Tables {
			files = append(files, table.File)
		}
		for _, f := range r.Figures {
			files = append(files, f.Name+".svg", f.Name+".png")
		}
		for _, file := range files {
			content, err := os.ReadFile(filepath.Join(o.Dir, file))
			if err != nil {
				t.Error(err)
			}
			if filepath.Ext(file) != ".png" {
				check(file, content)
			}
			if !bytes.Contains(page, []byte(file)) {
				t.Errorf("%s: not on the page", file)
			}
		}
	}
	t.Run("five states", func(t *testing.T) { testFiveStates(t, o) })
	t.Run("accuracy", func(t *testing.T) { testAccuracy(t, o) })
	t.Run("properties", func(t *testing.T) { testProperties(t, o) })
}

// An exhibit is made again only for other settings, or when asked for.
func TestAgain(t *testing.T) {
	o := quick(t)
	made := func() bool {
		t.Helper()
		var log bytes.Buffer
		o.Log = &log
		makeNamed(t, o, "states")
		return strings.Contains(log.String(), "made in")
	}
	if !made() {
		t.Error("not made at first")
	}
	if made() {
		t.Error("made again")
	}
	if o.Again = true; !made() {
		t.Error("not made again when asked for")
	}
	o.Again = false
	for name, change := range map[string]func(){
		"version": func() { o.Version = "other" },
		"seed":    func() { o.Seed = 2 },
		"size":    func() { o.Quick = false },
	} {
		if change(); !made() || made() {
			t.Errorf("another %s: expected it made once", name)
		}
	}

	// The page names the version of each exhibit, whichever wrote the page.
	o.Version = "last"
	makeNamed(t, o, "sharing")
	page, err := os.ReadFile(filepath.Join(o.Dir, PageFile))
	if err != nil || !bytes.Contains(page, []byte(" by aibd last and other.")) {
		t.Errorf("the page does not name both versions (%v)", err)
	}
}

// What an interrupt leaves goes on to the same numbers as without it, on any number
// of cores.
func TestInterrupted(t *testing.T) {
	makeIn := func(o Options) (string, error) {
		exhibits, err := Named([]string{"scatter"})
		if err != nil {
			t.Fatal(err)
		}
		if err := Make(t.Context(), o, exhibits); err != nil {
			return "", err
		}
		content, err := os.ReadFile(filepath.Join(o.Dir, "scatter-pairs.csv"))
		return string(content), err
	}
	one := quick(t)
	cores := runtime.GOMAXPROCS(1)
	want, err := makeIn(one)
	runtime.GOMAXPROCS(cores)
	if err != nil {
		t.Fatal(err)
	}
	o := quick(t)
	ctx, cancel := context.WithCancel(t.Context())
	o.Meter = func(what string, all int, done func() int) func() {
		cancel()
		return silent(what, all, done)
	}
	exhibits, err := Named([]string{"states", "scatter"})
	if err != nil {
		t.Fatal(err)
	}
	if err := Make(ctx, o, exhibits); !errors.Is(err, context.Canceled) {
		t.Fatalf("found %v, want it to be cancelled", err)
	}
	if _, err := ReadResult(o.Dir, "states"); err != nil {
		t.Error("what was complete is lost:", err)
	}
	if _, err := ReadResult(o.Dir, "scatter"); err == nil {
		t.Error("what was interrupted is there")
	}
	o.Meter = silent
	if got, err := makeIn(o); err != nil || got != want {
		t.Errorf("the numbers differ after an interrupt, or on other cores (%v)", err)
	}
}

func TestVerdict(t *testing.T) {
	for _, c := range []struct {
		printed, got, stdErr float64
		want                 string
	}{
		{0.65, 0.6466, 0, "same as printed"},
		{0.65, 0.655, 0, "same as printed"},
		{0.72, 0.7148, 0, "differs"},
		{0.72, 0.7148, 0.001, "within Monte Carlo error"},
		{0.72, 0.7048, 0.001, "differs"},
	} {
		got := Compared{Printed: c.printed, Decimals: 2, Found: c.got, StdErr: c.stdErr}.Verdict()
		if got != c.want {
			t.Errorf("%v beside %v (%v): found %q, want %q", c.got, c.printed, c.stdErr, got, c.want)
		}
	}
}

func TestNamed(t *testing.T) {
	got, err := Named([]string{"sharing", "states"})
	if err != nil || len(got) != 2 || got[0].Name != "states" {
		t.Errorf("found %v, %v, want states and sharing in the order of the page", got, err)
	}
	if _, err := Named([]string{"shearing"}); err == nil || err.Error() != `unknown exhibit "shearing", did you mean "sharing"?` {
		t.Errorf("found the error %v", err)
	}
}
