package lab

// The table of docs/lab/sentences.md: simulated tables, and how many sentences of aibd fit on them are right. make
// sentences-table prints it.

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"aibd/draws"
	"aibd/internal/cli"
	"aibd/internal/lists"
	"aibd/internal/results"
	"aibd/lglfm"
	"aibd/mcmc"
	"aibd/posterior"
)

var (
	sentenceTables = flag.Int("sentences", 0, "tables of each kind to simulate: print the table of docs/lab/sentences.md")
	sentenceKind   = flag.String("sentence", "", "the only kind to simulate, a regular expression")
)

// An output is what aibd fit says of a table.
type output struct {
	notes, text string // standard error and output, on one line each
	checks      string // of aibd check, if asked for
	*results.Judged
	t *testing.T
}

// says reports whether a pattern is in the notes or in the text.
func (o output) says(pattern string) bool {
	return regexp.MustCompile(pattern).MatchString(o.notes + " " + o.text + " " + o.checks)
}

// number returns the last number that a pattern captures in the text, NaN if there is none.
func (o output) number(pattern string) float64 {
	got := regexp.MustCompile(pattern).FindStringSubmatch(o.text)
	if got == nil {
		return math.NaN()
	}
	x, err := strconv.ParseFloat(got[len(got)-1], 64)
	if err != nil {
		return math.NaN()
	}
	return x
}

// A sentence is a kind of tables with what the fit should say of them.
type sentence struct {
	name string
	args []string
	// simulate returns a table and what says how many sentences on it are right, of how many.
	simulate func(rng *rand.Rand) (x [][]float64, right func(o output) (right, all int))
	read     bool // only the notes before sampling matter
	check    bool
}

// one is right for one sentence.
func one(truth bool) (right, all int) { return int(indicator(truth)), 1 }

// TestSentencesTable: one table of each kind with short chains in the usual test, the whole table with -sentences.
func TestSentencesTable(t *testing.T) {
	t.Chdir(t.TempDir())
	text := "| tables | right |\n|---|--:|\n"
	for k, s := range sentences {
		if !regexp.MustCompile(*sentenceKind).MatchString(s.name) {
			continue
		}
		right, all := 0, 0
		for table := range max(1, *sentenceTables) {
			rng := mcmc.NewStream(7, fmt.Sprintf("sentences/%s/%d", s.name, table)).Rand
			x, judge := s.simulate(rng)
			r, a := judge(fitted(t, s, x, fmt.Sprintf("run-%d-%d", k, table)))
			right, all = right+r, all+a
		}
		text += fmt.Sprintf("| %s | %d of %d |\n", s.name, right, all)
	}
	if *sentenceTables > 0 {
		fmt.Print(text)
	} else if strings.Count(text, "\n") != 2+len(sentences) {
		t.Errorf("found the table\n%s", text)
	}
}

// fitted fits a table with two chains of one round, and returns the output.
func fitted(t *testing.T, s sentence, x [][]float64, run string) (o output) {
	t.Helper()
	var table strings.Builder
	for j := range x[0] {
		fmt.Fprintf(&table, ",v%d", j+1)
	}
	for i, row := range x {
		fmt.Fprintf(&table, "\ni%d", i+1)
		for _, v := range row {
			fmt.Fprintf(&table, ",%.5g", v)
		}
	}
	if err := os.WriteFile(run+".csv", []byte(table.String()+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	length := []string{"--warmup", "500", "--draws", "500"}
	if s.read || *sentenceTables == 0 {
		length = []string{"--warmup", "10", "--draws", "10"}
	}
	call := func(args ...string) (string, string) {
		var out, log bytes.Buffer
		if err := cli.Run(args, nil, &out, &log); err != nil {
			t.Fatalf("%v: %s", args, log.String())
		}
		line := func(b bytes.Buffer) string { return strings.Join(strings.Fields(b.String()), " ") }
		return line(out), line(log)
	}
	o.t = t
	o.text, o.notes = call(slices.Concat([]string{"fit", run + ".csv", "--out", run, "--chains", "2", "--budget", "0"}, length, s.args)...)
	if s.check {
		o.checks, _ = call("check", run)
	}
	var err error
	if o.Judged, err = results.Open(run); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(".", run)); err != nil {
		t.Fatal(err)
	}
	return o
}

// noisy returns n rows of d columns of standard normal noise.
func noisy(rng *rand.Rand, n, d int) [][]float64 {
	return lists.Make(n, func(int) []float64 { return lists.Make(d, func(int) float64 { return rng.NormFloat64() }) })
}

// signals returns the fitted values of features: w has their weights by item.
func signals(rng *rand.Rand, w [][]float64, d int) [][]float64 {
	a := noisy(rng, len(w[0]), d)
	return lists.Map(w, func(row []float64) []float64 {
		x := make([]float64, d)
		for k, v := range row {
			for j := range x {
				x[j] += v * a[k][j]
			}
		}
		return x
	})
}

// having returns weights of features that items have with given probabilities, normal or 1.
func having(rng *rand.Rand, n int, degrees bool, p ...float64) [][]float64 {
	return lists.Make(n, func(int) []float64 {
		return lists.Map(p, func(p float64) float64 {
			switch {
			case rng.Float64() >= p:
				return 0
			case degrees:
				return rng.NormFloat64()
			}
			return 1
		})
	})
}

// plus adds noise of given standard deviations, by column, in turn.
func plus(rng *rand.Rand, x [][]float64, sds ...float64) [][]float64 {
	for _, row := range x {
		for j := range row {
			row[j] += sds[j%len(sds)] * rng.NormFloat64()
		}
	}
	return x
}

const nearMinimum = `(?:at|near) its minimum, [^:]*: [^.]*v%d\b`

const onOrOff = "Features are on or off:"

// explained captures the lower end of what features explain.
const explained = `features (?:that several items and columns share )?explain (?:next to nothing: )?[-0-9.*]+ \((-?[0-9.]+)`

// certainOf counts the features that are called certain, and those of them that are a feature of the truth: nine tenths of
// the items have it, and it has nine tenths of those with a weight of at least 0.5.
func certainOf(t *testing.T, o output, w [][]float64) (right, all int) {
	e, err := o.StandardEstimate()
	if err != nil {
		t.Fatal(err)
	}
	for k := range e.Z.K() {
		if !e.Certain(k) || e.Z.Size(k) < 2 {
			continue
		}
		all++
		for f := range w[0] {
			both, clear, got := 0.0, 0.0, 0.0
			for i, row := range w {
				present := math.Abs(row[f]) >= 0.5
				both += indicator(e.Z.Has(i, k) && row[f] != 0)
				clear, got = clear+indicator(present), got+indicator(present && e.Z.Has(i, k))
			}
			if both >= 0.9*float64(e.Z.Size(k)) && got >= 0.9*clear {
				right++
				break
			}
		}
	}
	return right, all
}

// alone is the width of the 90% interval, in percent, above which the share of a single feature is not determined.
const alone = 30

// grouped reports whether an output shows several features as a group, and whether it shows a share of a single feature that is not
// determined.
func grouped(o output) (group, undetermined bool) {
	e, err := o.StandardEstimate()
	if err != nil {
		o.t.Fatal(err)
	}
	for _, p := range e.Parts {
		percent := posterior.Summarize(p.Percent)
		group = group || len(p.Features) > 1
		undetermined = undetermined || len(p.Features) == 1 && percent.Q95-percent.Q5 > alone
	}
	return group, undetermined
}

// pair returns weights of two features of 24 items each, of which they have some in common.
func pair(rng *rand.Rand, common int) [][]float64 {
	return lists.Make(48, func(i int) []float64 {
		return []float64{indicator(i < 24) * rng.NormFloat64(), indicator(24-common <= i && i < 48-common) * rng.NormFloat64()}
	})
}

var sentences = []sentence{
	{name: "four features by degrees, of 3 to 25 of 50 items: those called certain are of the truth", simulate: func(rng *rand.Rand) ([][]float64, func(output) (int, int)) {
		w := having(rng, 50, true, 0.5, 0.3, 0.15, 0.06)
		return plus(rng, signals(rng, w, 10), 0.3), func(o output) (int, int) { return certainOf(o.t, o, w) }
	}},
	{name: "four features on or off, --features binary: those called certain are of the truth", args: []string{"--features", "binary"}, simulate: func(rng *rand.Rand) ([][]float64, func(output) (int, int)) {
		w := having(rng, 50, false, 0.45, 0.3, 0.15, 0.06)
		return plus(rng, signals(rng, w, 10), 0.3), func(o output) (int, int) { return certainOf(o.t, o, w) }
	}},
	{name: "a feature of 20 of 35 items, --features binary: named by the other 15, and the output says so", args: []string{"--features", "binary"}, simulate: func(rng *rand.Rand) ([][]float64, func(output) (int, int)) {
		w := lists.Make(35, func(i int) []float64 { return []float64{indicator(i < 20)} })
		return plus(rng, signals(rng, w, 8), 0.5), func(o output) (int, int) {
			return one(o.says(`\(1[3-7] items\).*a feature is named by the side of fewer items`))
		}
	}},
	{name: "noise of columns of unlike scale, eight features on or off", simulate: func(rng *rand.Rand) ([][]float64, func(output) (int, int)) {
		const d = 6
		x := signals(rng, having(rng, 60, false, slices.Repeat([]float64{0.4}, 8)...), d)
		scales, sds := []float64{1, 10, 100, 1, 10, 100}, make([]float64, d)
		for i := range x {
			for j := range d {
				x[i][j] *= scales[j]
			}
		}
		for j, column := range lists.Transposed(x) {
			sds[j] = stat.StdDev(column, nil) * []float64{0.1, 0.2, 0.4}[j/2]
		}
		return plus(rng, x, sds...), func(o output) (right, all int) {
			for j, sd := range sds {
				noise := lists.MapRows(o.Chains, func(d *draws.Draw) float64 { return d.SigmaX * lglfm.NoiseScale(d, j) * o.Seen.Units.Scale(j) })
				low := posterior.Summarize(noise).Q5
				right += int(indicator(low <= sd || o.says(fmt.Sprintf(nearMinimum, j+1))))
			}
			return right, d
		}
	}},
	{name: "independent columns, 3% outliers", check: true, simulate: func(rng *rand.Rand) ([][]float64, func(output) (int, int)) {
		x := noisy(rng, 60, 6)
		for _, row := range x {
			for j := range row {
				if rng.Float64() < 0.03 {
					row[j] *= 8
				}
			}
		}
		return x, func(o output) (int, int) { return one(o.number(explained) < 5 && o.says("[Oo]utliers")) }
	}},
	{name: "independent columns, t with 3 degrees of freedom", simulate: func(rng *rand.Rand) ([][]float64, func(output) (int, int)) {
		x := noisy(rng, 60, 6)
		for _, row := range x {
			for j := range row {
				row[j] /= math.Sqrt((sq(rng.NormFloat64()) + sq(rng.NormFloat64()) + sq(rng.NormFloat64())) / 3)
			}
		}
		return x, func(o output) (int, int) { return one(o.number(explained) < 5) }
	}},
	{name: "noise of columns with two features by degrees: not named as near its minimum", simulate: func(rng *rand.Rand) ([][]float64, func(output) (int, int)) {
		return plus(rng, signals(rng, having(rng, 60, true, 0.5, 0.5), 8), 0.7), func(o output) (right, all int) {
			for j := range 8 {
				right += int(indicator(!o.says(fmt.Sprintf(nearMinimum, j+1))))
			}
			return right, 8
		}
	}},
	{name: "two features, no outliers: none are named", check: true, simulate: func(rng *rand.Rand) ([][]float64, func(output) (int, int)) {
		return plus(rng, signals(rng, having(rng, 60, true, 0.5, 0.5), 6), 0.5), func(o output) (int, int) { return one(!o.says("[Oo]utliers:")) }
	}},
	{name: "features that explain a quarter", simulate: func(rng *rand.Rand) ([][]float64, func(output) (int, int)) {
		return plus(rng, signals(rng, having(rng, 30, true, 0.6), 6), 1.3), func(o output) (int, int) { return one(!o.says("explain nothing")) }
	}},
	{name: "three features on or off, --features graded: it says on or off", args: []string{"--features", "graded"}, simulate: func(rng *rand.Rand) ([][]float64, func(output) (int, int)) {
		return plus(rng, signals(rng, having(rng, 40, false, 0.5, 0.4, 0.3), 8), 0.3), func(o output) (int, int) { return one(o.says(onOrOff)) }
	}},
	{name: "three features on or off, with a distance: it says on or off", args: []string{"--distance", "absolute:v9"}, simulate: func(rng *rand.Rand) ([][]float64, func(output) (int, int)) {
		x := plus(rng, signals(rng, having(rng, 40, false, 0.5, 0.4, 0.3), 8), 0.3)
		for i := range x {
			x[i] = append(x[i], 10*rng.Float64())
		}
		return x, func(o output) (int, int) { return one(o.says(onOrOff)) }
	}},
	{name: "three features by degrees, --features graded: it does not say on or off", args: []string{"--features", "graded"}, simulate: func(rng *rand.Rand) ([][]float64, func(output) (int, int)) {
		return plus(rng, signals(rng, having(rng, 40, true, 0.5, 0.4, 0.3), 8), 0.3), func(o output) (int, int) { return one(!o.says(onOrOff)) }
	}},
	{name: "two features by degrees: the share that they explain is in its interval", simulate: func(rng *rand.Rand) ([][]float64, func(output) (int, int)) {
		signal := signals(rng, having(rng, 60, true, 0.6, 0.6), 6)
		share := about(signal)
		x := plus(rng, signal, 0.7)
		share *= 100 / about(x)
		return x, func(o output) (int, int) {
			return one(o.number(explained) <= share && share <= o.number(explained+` to (-?[0-9.]+)`))
		}
	}},
	{name: "cells missing because they are large: the output says what it assumes", simulate: func(rng *rand.Rand) ([][]float64, func(output) (int, int)) {
		x := plus(rng, signals(rng, having(rng, 40, true, 0.8, 0.8), 6), 0.5)
		for _, row := range x {
			if row[0] > 0.5 {
				row[0] = math.NaN()
			}
		}
		return x, func(o output) (int, int) { return one(o.says("Missing.{0,300}depend")) }
	}},
	{name: "abundances of 20 species: one treatment for all", read: true, simulate: func(rng *rand.Rand) ([][]float64, func(output) (int, int)) {
		x := signals(rng, having(rng, 40, true, 0.8, 0.8), 20)
		rare := lists.Make(20, func(int) float64 { return -2 + 3*rng.Float64() })
		for _, row := range x {
			for j := range row {
				row[j] = float64(poisson(rng, math.Exp(rare[j]+0.7*row[j])))
			}
		}
		return some(rng, x), func(o output) (int, int) {
			return one(o.says(`--count 'v\*' takes counts`) && !o.says("they are binary"))
		}
	}},
	{name: "five metals that are alike: logarithms of all or of none", read: true, simulate: func(rng *rand.Rand) ([][]float64, func(output) (int, int)) {
		x := noisy(rng, 100, 5)
		for _, row := range x {
			common := rng.NormFloat64()
			for j := range row {
				row[j] = math.Exp(4 + []float64{0.3, 0.4, 0.5, 0.6, 0.7}[j]*(common+0.3*row[j]))
			}
		}
		return x, func(o output) (int, int) {
			logs := len(o.Run.Spec.Data.Log)
			return one(logs == 0 || logs == 5)
		}
	}},
	{name: "a questionnaire of 12 items of 7 levels: proposed as ordinal", read: true, simulate: func(rng *rand.Rand) ([][]float64, func(output) (int, int)) {
		x := plus(rng, signals(rng, having(rng, 60, true, 0.9, 0.9), 12), 0.8)
		for _, row := range x {
			for j := range row {
				row[j] = min(7, max(1, math.Round(4+row[j])))
			}
		}
		return x, func(o output) (int, int) { return one(o.says(`--ordinal 'v\*' takes categories`)) }
	}},
	{name: "plain numbers of 60 items: no column is proposed as a rating", read: true, simulate: func(rng *rand.Rand) ([][]float64, func(output) (int, int)) {
		x := signals(rng, having(rng, 60, true, 0.9, 0.9), 6)
		for _, row := range x {
			for j := range row {
				row[j] = math.Round(10 * (4 + row[j]))
			}
		}
		return x, func(o output) (int, int) { return one(!o.says("takes (counts|categories)")) }
	}},
	{name: "two features by degrees of 23 common items: shown as a group, no share of one that is not determined", simulate: func(rng *rand.Rand) ([][]float64, func(output) (int, int)) {
		return plus(rng, signals(rng, pair(rng, 23), 6), 0.3), func(o output) (int, int) {
			group, undetermined := grouped(o)
			return one(group && !undetermined)
		}
	}},
	{name: "two features by degrees of 16 common items: no share of one that is not determined", simulate: func(rng *rand.Rand) ([][]float64, func(output) (int, int)) {
		return plus(rng, signals(rng, pair(rng, 16), 6), 0.3), func(o output) (int, int) {
			_, undetermined := grouped(o)
			return one(!undetermined)
		}
	}},
	{name: "two features by degrees of different items: no group", simulate: func(rng *rand.Rand) ([][]float64, func(output) (int, int)) {
		return plus(rng, signals(rng, pair(rng, 0), 6), 0.3), func(o output) (int, int) {
			group, _ := grouped(o)
			return one(!group)
		}
	}},
}

// about returns the sum of squares about column means.
func about(x [][]float64) (sum float64) {
	for _, column := range lists.Transposed(x) {
		sum += stat.Variance(column, nil) * float64(len(x)-1)
	}
	return sum
}

func sq(x float64) float64 { return x * x }

// poisson returns a Poisson number.
func poisson(rng *rand.Rand, mean float64) (n int) {
	for sum := rng.ExpFloat64(); sum < mean; sum += rng.ExpFloat64() {
		n++
	}
	return n
}

// some gives a column of zeros a one.
func some(rng *rand.Rand, x [][]float64) [][]float64 {
	for j, column := range lists.Transposed(x) {
		if slices.Max(column) == 0 {
			x[rng.IntN(len(x))][j] = 1
		}
	}
	return x
}
