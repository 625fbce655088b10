package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"aibd/internal/oracle/fixture"
	"aibd/internal/oracle/markup"
	"aibd/internal/results"
	"aibd/internal/runs"
	"aibd/internal/verdict"
	"aibd/internal/words"
	"aibd/posterior"
)

// call runs the program and returns what it prints.
func call(t *testing.T, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	if err := Run(args, strings.NewReader(""), &out, &errs); err != nil {
		t.Fatalf("aibd %s: %v\n%s", strings.Join(args, " "), err, &errs)
	}
	return out.String()
}

// reportOf writes a report and returns it parsed. It has no problems.
func reportOf(t *testing.T, args ...string) *html.Node {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.html")
	call(t, append([]string{"report", "--out", file}, args...)...)
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	root := markup.Parse(t, content)
	for _, problem := range markup.Problems(root) {
		t.Errorf("the report of %s: %s", strings.Join(args, " "), problem)
	}
	return root
}

// tableOf returns the rows of the table with a caption in a section.
func tableOf(t *testing.T, root *html.Node, section, caption string) [][]string {
	t.Helper()
	for _, table := range markup.All(markup.ByID(root, section), "table") {
		if markup.Text(markup.All(table, "caption")[0]) == caption {
			return markup.Rows(table)
		}
	}
	t.Fatalf("section %s: found no table with the caption %q", section, caption)
	return nil
}

// hostileNames are names of items that would leave their places in HTML or on a terminal.
const hostileNames = "id,a,b,\"</style><b onclick=x>\"\n\"</script><script>alert(1)</script>\",9,0,0\n\"\x1b[31mred\",9,0,0\n\"a\"\" onload=\"\"x\",0,8,8\n&lt;,0,8,8\nz,0,8,8\n"

func TestReport(t *testing.T) {
	fixture.Put(t, "hostile.csv", hostileNames,
		"zero.csv", "id,a,b\np,1,2\nq,2,1\nr,3,3\n",
		"gaps.csv", "id,a,b\np,1,2\nq,NA,1\nr,3,3\ns,4,0\n",
		"places.csv", "id,lon,lat\np,1,2\nq,5,1\nr,30,3\ns,45,0\n")
	short := func(args ...string) {
		call(t, append([]string{"fit", "--quiet", "--warmup", "10", "--draws", "20"}, args...)...)
	}
	short("--out", "states", "--chains", "3", "--draws", "15") // too few for Bayes factors

	root := reportOf(t, "states")
	t.Run("numbers", func(t *testing.T) {
		run, err := runs.Open("states")
		if err != nil {
			t.Fatal(err)
		}
		traces, _, err := run.Scalars()
		if err != nil {
			t.Fatal(err)
		}
		rows := tableOf(t, root, "chains", "The draws of each quantity")
		quantities := runs.Quantities(traces, run.Spec, run.Data)
		if len(rows) != len(quantities)+1 {
			t.Fatalf("found %d rows, expected one for each of %d quantities", len(rows), len(quantities))
		}
		for i, q := range quantities {
			summary := posterior.Summarize(q.Chains)
			row := rows[i+1]
			if !strings.HasPrefix(row[0], q.Name) {
				t.Errorf("found the row %q, expected %s", row, q.Name)
			}
			for column, expected := range map[int]float64{1: summary.Mean, 4: summary.Q5, 5: summary.Q50, 6: summary.Q95} {
				got, err := strconv.ParseFloat(row[column], 64)
				_, decimals, _ := strings.Cut(row[column], ".")
				if words.Fixed(got, len(decimals)) != words.Fixed(expected, len(decimals)) || err != nil {
					t.Errorf("%s, %s: found %s, expected %v", q.Name, rows[0][column], row[column], expected)
				}
			}
			if row[7] != verdict.RHat(summary.RHat) || row[8] != verdict.ESS(summary.ESSBulk) {
				t.Errorf("%s: found the R-hat %s and the bulk ESS %s, expected %v and %v", q.Name, row[7], row[8], summary.RHat, summary.ESSBulk)
			}
		}
		j, err := results.Open("states")
		if err != nil {
			t.Fatal(err)
		}
		answer := markup.Text(markup.ByID(root, "answer"))
		for _, line := range append(j.Summary().Found, j.Reasons()...) {
			if !strings.Contains(answer, line) {
				t.Errorf("the answer lacks %q", line)
			}
		}
		if first := strings.Replace(markup.Text(markup.All(markup.ByID(root, "answer"), "p")[0]), " :", ":", 1); first != j.Line() {
			t.Errorf("found the verdict %q, expected %q", first, j.Line())
		}
		r, err := newReported(j)
		if err != nil {
			t.Fatal(err)
		}
		expected := []string{"The intercept"}
		for k := range r.estimate.Z.K() {
			if size := r.estimate.Z.Size(k); size > 1 {
				expected = append(expected, fmt.Sprintf("Feature %d: %d items, %s", k+1, size, r.estimate.Size(k)))
			}
		}
		var got []string
		for _, card := range markup.All(markup.ByID(root, "features"), "h3") {
			title, _ := strings.CutSuffix(markup.Text(card), ", certain")
			got = append(got, title)
		}
		if !slices.Equal(got, expected) {
			t.Errorf("found the features %q, expected %q", got, expected)
		}
		items := tableOf(t, root, "z", "Features of each item in the estimate")[1:]
		for i, row := range items {
			var which []string
			for k := range r.estimate.Z.K() {
				if r.estimate.Z.Has(i, k) {
					which = append(which, strconv.Itoa(k+1))
				}
			}
			if row[0] != run.Data.IDs[i] || row[2] != strings.Join(which, ", ") {
				t.Errorf("found the row %q, expected %s with %q", row, run.Data.IDs[i], which)
			}
		}
	})

	// Every section that rests on chains that disagree says so.
	t.Run("caution", func(t *testing.T) {
		for _, section := range markup.All(root, "section") {
			id, _ := markup.Attribute(section, "id")
			if text := markup.Text(section); !strings.Contains(text, "Caution: ") && !strings.Contains(text, "do not agree") {
				t.Errorf("section %s does not say that the chains disagree", id)
			}
		}
	})

	t.Run("two", func(t *testing.T) {
		short("--out", "plain", "--chains", "2", "--prior", "ibp")
		root := reportOf(t, "states", "plain", "--title", "Two <runs>")
		if title := markup.Text(markup.All(root, "h1")[0]); title != "Two <runs>" {
			t.Errorf("found the title %q", title)
		}
		rows := tableOf(t, root, "comparison", "Quantities of each run: "+results.FoundLegend)
		if !slices.Equal(rows[0], []string{"", "states", "plain"}) || rows[2][0] != "temperature (per 1000 km)" || rows[2][2] != "-" {
			t.Errorf("found %q", rows[:3])
		}
		for _, id := range []string{"answer", "features", "chains"} {
			var panes []string
			for _, h := range markup.All(markup.ByID(root, id), "h3") {
				panes = append(panes, markup.Text(h))
			}
			if !slices.Equal(panes, []string{"states", "plain"}) {
				t.Errorf("section %s: found the runs %q", id, panes)
			}
		}
	})

	for _, c := range []struct {
		name  string
		wants map[string]string // by section
		args  []string
	}{
		{"hostile", map[string]string{"features": `</script><script>alert(1)</script>`}, []string{"hostile.csv", "--features", "binary", "--prior", "ibp", "--center=false", "--scale=false", "--set", "data.noise=common"}},
		{"terminal", map[string]string{"z": `\x1b[31mred`}, []string{"hostile.csv", "--features", "binary", "--prior", "ibp", "--center=false", "--scale=false", "--seed", "2"}},
		{"none", map[string]string{"features": "The estimate has no features of several items."}, []string{"zero.csv", "--prior", "ibp", "--set", "prior.mass.value=1e-9", "--set", "prior.mass.fixed=true"}},
		{"near", map[string]string{"sharing": "Sharing and distance"}, []string{"gaps.csv", "--distance", "great-circle", "--side", "places.csv"}},
		{"gaps", map[string]string{"fit": "The features explain", "answer": "No distance was given (--distance).", "z": "g is the weight of an item in a feature of a draw"}, []string{"gaps.csv", "--prior", "ibp"}},
		{"loss", map[string]string{"z": "The FARO loss counts the entries of Z"}, []string{"gaps.csv", "--prior", "ibp", "--features", "binary"}},
		{"intercept", map[string]string{"features": "The intercept"}, []string{"hostile.csv", "--prior", "ibp", "--set", "data.intercept=true"}},
		{"fixed", map[string]string{"answer": "This run cannot say: the temperature is fixed at 2."}, []string{"gaps.csv", "--distance", "great-circle", "--side", "places.csv", "--features", "binary", "--set", "prior.temperature.value=2", "--set", "prior.temperature.fixed=true"}},
		{"single", map[string]string{"answer": "The halves of the chain "}, []string{"zero.csv", "--prior", "ibp", "--chains", "1"}},
	} {
		if !*fixture.Long && slices.Contains([]string{"terminal", "loss", "intercept", "single"}, c.name) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			short(append(c.args, "--out", c.name)...)
			root := reportOf(t, c.name)
			for section, want := range c.wants {
				if text := markup.Text(markup.ByID(root, section)); !strings.Contains(text, want) {
					t.Errorf("section %s: found\n%s\nexpected %q in it", section, text, want)
				}
			}
			// Without a distance no heading has one.
			if title := markup.Text(markup.All(markup.ByID(root, "sharing"), "h2")[0]); title != "Sharing" && !slices.Contains(c.args, "--distance") {
				t.Errorf("found the title %q, expected Sharing", title)
			}
		})
	}

	// Without the data file the report says what it lacks.
	t.Run("lost", func(t *testing.T) {
		if err := os.Remove("gaps.csv"); err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		err := Run([]string{"report", "gaps", "--out", "lost.html"}, strings.NewReader(""), &out, &errs)
		if err == nil || !strings.HasPrefix(err.Error(), "the data of gaps: gaps.csv: no such file in the working directory") {
			t.Errorf("found %v, expected that the file is missing", err)
		}
		if _, err := os.Stat("lost.html"); err == nil {
			t.Error("found a report of lost data")
		}
	})
}
