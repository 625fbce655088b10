package lab

// The table of docs/lab/mixing.md on the agreement of chains: two seeds on several data sets, and the
// log evidence from five populations, which have a seed each.
// make agreement-table DATA=FOLDER prints it.

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"aibd/dataset"
	"aibd/draws"
	"aibd/internal/cli"
	"aibd/internal/oracle/fixture"
	"aibd/internal/verdict"
	"aibd/prior"
	"aibd/similarity"
)

var (
	agreementData    = flag.String("agreement", "", "folder with votes_repub_48x16.csv and canadianweather.csv: print the table of docs/lab/mixing.md on agreement")
	agreementProgram = flag.String("program", "", "program to measure; empty: this one")
	agreementFit     = flag.String("fit", "--budget 5m", "arguments of aibd fit for the table")
)

// scalar is a quantity of aibd summary --json.
type scalar struct {
	Name  string
	Fixed bool
	Mean  float64
	MCSE  float64
	RHat  float64 `json:"r_hat"`
	ESS   float64 `json:"ess_bulk"`
}

// agrees reports whether chains agree on the quantity.
func (s scalar) agrees() bool { return s.RHat <= verdict.MaxRHat && s.ESS >= verdict.MinESS }

// A small table in the usual test, the whole one with -agreement.
func TestAgreementTable(t *testing.T) {
	t.Chdir(t.TempDir())
	if *agreementData == "" {
		writeSynthetic(t, 0.3, 12, 4)
		row := agreementRow(t, "synthetic", syntheticArgs, "--draws 100 --warmup 50 --chains 2", "--members 2 --scans 4")
		if strings.Count(row, "|") != 18 || strings.Contains(row, "NaN") || strings.Contains(row, "0.0 (0.0)") {
			t.Errorf("found the rows\n%s, expected two", row)
		}
		return
	}
	file := func(name string) string { return filepath.Join(*agreementData, name) }
	fmt.Println("| data, law | seed | processor seconds | R-hat | ESS | features | difference | log evidence (spread) |\n|---|---|---|---|---|---|---|---|")
	add := func(name string, args ...string) {
		t.Run(name, func(t *testing.T) { fmt.Print(agreementRow(t, name, args, *agreementFit, "")) })
	}
	runProgram(t, []string{"data", "write", "bars", "--items", "100"})
	add("states, AIBD")
	add("weather, IBP", file("canadianweather.csv"), "--prior", "ibp")
	add("votes, IBP", file("votes_repub_48x16.csv"), "--prior", "ibp")
	add("bars, IBP", "bars.csv", "--prior", "ibp")
	for _, noise := range []float64{0.3, 0.6, 1} {
		writeSynthetic(t, noise, 100, 50)
		add(fmt.Sprintf("synthetic, SigmaX %g, AIBD", noise), syntheticArgs...)
	}
}

// agreementRow fits the data with two seeds and returns two rows of the table. The difference is the one of the
// means of the two runs, in standard errors, the largest of the quantities on which the chains of both runs
// agree. The second row has the log evidence.
func agreementRow(t *testing.T, name string, args []string, fit, evidence string) string {
	t.Helper()
	var rows strings.Builder
	var first []scalar
	for seed := 1; seed <= 2; seed++ {
		out := fmt.Sprintf("%s-%d", strings.ReplaceAll(name, " ", ""), seed)
		printed, seconds := runProgram(t, slices.Concat([]string{"fit", "--out", out, "--seed", fmt.Sprint(seed), "--quiet"}, strings.Fields(fit), args))
		run, _, _ := strings.Cut(string(printed), "\n")
		text, _ := runProgram(t, []string{"summary", run, "--json"})
		var summary struct{ Quantities []scalar }
		if err := json.Unmarshal(text, &summary); err != nil {
			t.Fatal(err)
		}
		all := slices.DeleteFunc(summary.Quantities, func(s scalar) bool { return s.Fixed || s.RHat == 0 })
		worst := slices.MaxFunc(all, func(a, b scalar) int { return int(math.Copysign(1, a.RHat-b.RHat)) })
		least := slices.MinFunc(all, func(a, b scalar) int { return int(math.Copysign(1, a.ESS-b.ESS)) })
		features := all[slices.IndexFunc(all, func(s scalar) bool { return s.Name == draws.KeyFeatures })]
		difference, log := "", ""
		if first != nil {
			difference = largestDifference(first, all)
			log = evidenceOfFive(t, args, evidence)
		}
		first = all
		fmt.Fprintf(&rows, "| %s | %d | %.0f | %.3f (%s) | %.0f (%s) | %.2f ± %.2f | %s | %s |\n", name, seed, seconds,
			worst.RHat, worst.Name, least.ESS, least.Name, features.Mean, features.MCSE, difference, log)
	}
	return rows.String()
}

// evidenceOfFive returns the log evidence from five populations, their spread and the processor seconds.
func evidenceOfFive(t *testing.T, args []string, size string) string {
	t.Helper()
	text, seconds := runProgram(t, slices.Concat([]string{"evidence", "--against", "none", "--populations", "5", "--json", "--quiet"}, strings.Fields(size), args))
	var evidence struct {
		Priors []struct {
			Log    float64 `json:"log_evidence"`
			Spread float64 `json:"spread"`
		}
	}
	if err := json.Unmarshal(text, &evidence); err != nil {
		t.Fatal(err)
	}
	p := evidence.Priors[0]
	return fmt.Sprintf("%.1f (%.1f), %.0f s", p.Log, p.Spread, seconds)
}

// largestDifference compares the quantities on which both runs agree.
func largestDifference(a, b []scalar) string {
	worst, name, count := 0.0, "", 0
	for i, x := range a {
		y := b[i]
		if !x.agrees() || !y.agrees() {
			continue
		}
		count++
		if z := math.Abs(x.Mean-y.Mean) / math.Hypot(x.MCSE, y.MCSE); z >= worst {
			worst, name = z, x.Name
		}
	}
	if count == 0 {
		return "none agrees"
	}
	return fmt.Sprintf("%.1f (%s, of %d)", worst, name, count)
}

// runProgram runs the program. It returns what the program writes, and its processor time in seconds.
func runProgram(t *testing.T, args []string) ([]byte, float64) {
	t.Helper()
	var out bytes.Buffer
	if *agreementProgram == "" {
		began := fixture.ProcessorTime().Seconds()
		if err := cli.Run(args, nil, &out, io.Discard); err != nil {
			t.Fatal(args, err)
		}
		return out.Bytes(), fixture.ProcessorTime().Seconds() - began
	}
	command := exec.Command(*agreementProgram, args...)
	command.Stdout = &out
	if err := command.Run(); err != nil {
		t.Fatal(args, err)
	}
	return out.Bytes(), (command.ProcessState.UserTime() + command.ProcessState.SystemTime()).Seconds()
}

var syntheticArgs = []string{"synthetic.csv", "--side", "synthetic_side.csv", "--distance", "absolute:place"}

// writeSynthetic writes data made with the AIBD, with 20 features of 100 items, and the places
// of the items.
func writeSynthetic(t *testing.T, noise float64, items, variables int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(11, 1))
	places := make([]float64, items)
	for i := range places {
		places[i] = 10 * rng.Float64()
	}
	law, err := prior.NewAIBD(prior.NewAffinity(similarity.AbsDifference(places), similarity.Exponential{}), 4, 1, rng.Perm(items))
	if err != nil {
		t.Fatal(err)
	}
	z := law.Rand(rng)
	for z.K() != 20 {
		z = law.Rand(rng)
	}
	x, _ := dataset.Simulate(rng, z, variables, noise, 1)
	data, side := "id", "id,place\n"
	for v := range variables {
		data += fmt.Sprintf(",v%d", v+1)
	}
	for i, row := range x {
		data += fmt.Sprintf("\ni%d", i+1)
		for _, value := range row {
			data += fmt.Sprintf(",%.6g", value)
		}
		side += fmt.Sprintf("i%d,%.6g\n", i+1, places[i])
	}
	for name, content := range map[string]string{"synthetic.csv": data + "\n", "synthetic_side.csv": side} {
		if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
