package runs

// The same draws: on any number of cores, beside any number of other chains, and
// from one version of the program to the next unless a change says so.

import (
	"crypto/sha256"
	"encoding/binary"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"aibd/internal/input"
)

var update = flag.Bool("update", false, "write the golden draws anew")

// A chain is the same whatever other chains are run with it.
func TestChainsDoNotDependOnOthers(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, chains := range []int{1, 2, 3, 7} {
		p := build(t, small)
		p.Spec.Sampler.Chains = chains
		sampled(t, fmt.Sprintf("run%d", chains), p, 2)
	}
	for _, chain := range []string{"chain-1", "chain-2", "chain-3"} {
		want := timeless(t, "run7/"+chain)
		for _, dir := range []string{"run1", "run2", "run3"} {
			if _, err := os.Stat(dir + "/" + chain); err != nil {
				continue
			}
			if !maps.Equal(timeless(t, dir+"/"+chain), want) {
				t.Errorf("%s of %s differs from that of run7", chain, dir)
			}
		}
	}
}

// exponential marks golden draws under the default priors of the scales.
const exponential = "exponential scales"

// goldenFloat is the arithmetic of the golden draws.
const goldenFloat = "amd64: portable, exp by fma"

// Short chains under every law equal those of testdata/draws.txt. A change that moves
// them on purpose writes them anew with -update, and says so in CHANGELOG.md: runs
// made before can then not be resumed.
func TestGoldenDraws(t *testing.T) {
	if machine := runtime.GOARCH + ": " + float(); machine != goldenFloat {
		t.Skipf("the golden draws are of %s, this is %s", goldenFloat, machine)
	}
	name, err := filepath.Abs("testdata/draws.txt") // from where the test begins
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(name)
	if err != nil && !*update {
		t.Fatal(err)
	}
	var text strings.Builder
	fmt.Fprintf(&text, "# SHA-256 of the draws of short chains, and the last draw (go test ./internal/runs -run GoldenDraws -update)\n")
	t.Chdir(t.TempDir())
	// Columns of numbers as they are, and noise that the other columns do not bound.
	small := strings.Replace(small, "[data]", "[data]\nlog = ['none']\nmin_noise = 0", 1)
	common := strings.Replace(small, "[data]", "[data]\nnoise = 'common'", 1)
	plain := strings.Replace(common, "[data]", "[data]\nintercept = false", 1)
	holdout := strings.NewReplacer("[data]", "[data]\nholdout = 0.3").Replace
	var many strings.Builder
	many.WriteString("a,b,c,place\n")
	for i := range 130 { // more than mcmc.MaxExact
		place := i * 37 % 130
		fmt.Fprintf(&many, "%d,%d,%d,%d\n", place*place%29, (place/10*7+i)%13, i*i%7, place)
	}
	put(t, "signs.csv", "a,b,c\n0,1,0\n1,1,0\n0,0,1\n1,0,1\n0,1,1\n1,1,0\n", "many.csv", many.String())
	signs := strings.NewReplacer(`builtin = "usarrests"`, `file = "signs.csv"`, `"Murder", "Assault", "Rape", "UrbanPop"`, `"a", "b", "c"`).Replace(small)
	neighbors := strings.NewReplacer(`builtin = "usarrests"`, `file = "many.csv"`, `"Murder", "Assault", "Rape", "UrbanPop"`, `"a", "b", "c"`).Replace(small) + "[distance]\nkind = 'absolute'\ncolumns = ['place']\n"
	for i, c := range []struct{ spec, law string }{
		{plain, "law = 'ibp'"},
		{plain, "law = 'aibd'"},
		{plain, "law = 'aibd'\npermutation = { kind = 'fixed' }\ndecay = 'reciprocal'"},
		{plain, "law = 'ddibp'"},
		{plain, "law = 'ddibp'\nproximity = 'symmetric'"},
		{common, "law = 'ibp' # with an intercept and blocks"},
		{common, "law = 'aibd' # with an intercept and blocks"},
		{holdout(common), "law = 'ibp' # with missing cells"},
		{holdout(common), "law = 'aibd' # with missing cells"},
		{small, "law = 'ibp' # with noise scales"},
		{holdout(small), "law = 'aibd' # with noise scales and missing cells"},
		{plain, "law = 'ibp' # with the paper's update of singletons"},
		{common + weighted, "law = 'ibp' # with weighted features"},
		{holdout(small) + weighted, "law = 'aibd' # with weighted features, noise scales and missing cells"},
		{holdout(common) + graded, "law = 'ibp' # with graded features and missing cells"},
		{small + graded, "law = 'aibd' # with graded features and noise scales"},
		{small, "law = 'ibp' # " + exponential},
		{holdout(common), "law = 'aibd' # with missing cells, " + exponential},
		{strings.Replace(holdout(small), "min_noise = 0", "min_noise = 0.5", 1) + weighted, "law = 'ibp' # with weighted features, and noise bounded by the other columns"},
		{strings.Replace(small, "[sampler]", "[sampler]\ninit = 'subsample'", 1), "law = 'ibp' # from the start of a subsample"},
		{signs, "law = 'ibp' # with binary columns"},
		{signs + weighted, "law = 'ibp' # with binary columns and weighted features"},
		{neighbors + weighted, "law = 'ibp' # with weights that depend on neighbors"},
	} {
		law := c.law
		p := build(t, c.spec+"[prior]\n"+law)
		if !strings.HasSuffix(law, exponential) && !p.Spec.Prior.SigmaX.Fixed {
			s := p.Spec // under the paper's uniform priors
			s.Prior.SigmaX.Max, s.Prior.SigmaX.Mean = s.Prior.SigmaX.Mean, 0
			s.Prior.SigmaA.Max, s.Prior.SigmaA.Mean = s.Prior.SigmaA.Mean, 0
			if p, err = input.Build(s); err != nil {
				t.Fatal(err)
			}
		}
		if c.spec == plain {
			p.Options.Blocks = 0
		}
		if strings.Contains(law, "the paper's update") {
			p.Options.Truncation = 10
		}
		r := sampled(t, fmt.Sprint(i), p, 2)
		for chain := range 2 {
			fmt.Fprintf(&text, "%s, chain %d: %s\n", strings.ReplaceAll(law, "\n", ", "), chain+1, digest(t, r, chain))
		}
	}
	if *update {
		if err := os.WriteFile(name, []byte(text.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, want := strings.Split(text.String(), "\n"), strings.Split(string(file), "\n")
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Errorf("found\n%s, expected\n%s", got[i], want[i])
		}
	}
	if len(got) != len(want) {
		t.Errorf("found %d lines, expected %d", len(got), len(want))
	}
}

// digest returns the hash of all numbers of a chain, and the last ones.
func digest(t *testing.T, r *Run, chain int) string {
	t.Helper()
	h := sha256.New()
	last := ""
	for d, err := range r.Draws(chain) {
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range []float64{d.Mass, d.Temperature, d.SigmaX, d.SigmaA, d.LogLik, d.LogPrior} {
			binary.Write(h, binary.LittleEndian, math.Float64bits(x))
		}
		fmt.Fprintln(h, d.Permutation, d.Z)
		for _, x := range d.NoiseScales {
			binary.Write(h, binary.LittleEndian, math.Float64bits(x))
		}
		binary.Write(h, binary.LittleEndian, d.Shares)
		binary.Write(h, binary.LittleEndian, d.Rates)
		binary.Write(h, binary.LittleEndian, d.Weights)
		last = fmt.Sprintf("mass %.6g, temperature %.6g, %d features, log lik %.9g", d.Mass, d.Temperature, d.Z.K(), d.LogLik)
	}
	return fmt.Sprintf("%x; %s", h.Sum(nil)[:8], last)
}
