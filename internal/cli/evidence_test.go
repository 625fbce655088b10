package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"aibd/feature"
	"aibd/lglfm"
	"aibd/prior"
	"aibd/similarity"
)

// TestEvidenceExact compares the evidence that the command prints with enumeration of Z and
// of all orders. The test fails if an AIBD or an IBP replaces a dd-IBP.
func TestEvidenceExact(t *testing.T) {
	dir, x := t.TempDir(), [][]float64{{1.9, -0.8, 2.4}, {1.7, -0.9, 2.2}, {-1.2, 1.5, 0.7}}
	places := []float64{0, 0.4, 2}
	var items, side strings.Builder
	items.WriteString("id,a,b,c\n")
	side.WriteString("id,place\n")
	for i, row := range x {
		fmt.Fprintf(&items, "i%d,%v,%v,%v\n", i, row[0], row[1], row[2])
		fmt.Fprintf(&side, "i%d,%v\n", i, places[i])
	}
	put(t, filepath.Join(dir, "x.csv"), items.String())
	put(t, filepath.Join(dir, "side.csv"), side.String())
	args := []string{
		"evidence", "x.csv", "--features", "binary", "--side", "side.csv", "--distance", "absolute:place", "--center=false", "--scale=false",
		"--set", "prior.mass.value=1", "--set", "prior.mass.fixed=true", "--set", "prior.temperature.value=1", "--set", "prior.temperature.fixed=true", "--set", "prior.sigma_x.value=0.5", "--set", "prior.sigma_x.fixed=true", "--set", "prior.sigma_a.value=1", "--set", "prior.sigma_a.fixed=true",
		"--members", "20", "--scans", "20", "--against", "ibp,ddibp,symmetric,reciprocal,window", "--json", "--quiet",
	}
	out, log, status := aibd(t, dir, args...)
	if status != 0 {
		t.Fatal(log)
	}
	var found struct {
		Priors []struct {
			Law, Proximity, Decay string
			Log                   float64 `json:"log_evidence"`
			Error                 float64
		}
	}
	if err := json.Unmarshal([]byte(out), &found); err != nil {
		t.Fatal(err)
	}
	exact := logEvidence(t, x, exactLaws(t, places))
	for i, want := range exact {
		e := found.Priors[i]
		t.Logf("%s %s %s: %.4f (error %.4f), exact %.4f", e.Law, e.Proximity, e.Decay, e.Log, e.Error, want)
		if d := math.Abs(e.Log - want); !(d < 0.1) || !(e.Error < 0.1) {
			t.Errorf("%s: found log evidence %v, expected %v", e.Law, e.Log, want)
		}
	}
	for _, dd := range exact[2:4] {
		for _, other := range exact[:2] {
			if math.Abs(dd-other) < 0.2 {
				t.Errorf("exact log evidence %.4f of a dd-IBP and %.4f of the AIBD or the IBP: expected them further apart than what passes", dd, other)
			}
		}
	}
}

// exactLaws returns the laws of the test in each order: AIBD, IBP, sequential and symmetric
// dd-IBP, AIBD with reciprocal and with window decay.
func exactLaws(t *testing.T, places []float64) [][]prior.Law {
	t.Helper()
	aff := prior.NewAffinity(similarity.AbsDifference(places), similarity.Exponential{})
	reciprocal := prior.NewAffinity(similarity.AbsDifference(places), similarity.Reciprocal{})
	window := prior.NewAffinity(similarity.AbsDifference(places), similarity.Window{Width: 1})
	laws := make([][]prior.Law, 6)
	add := func(i int, law prior.Law, err error) {
		if err != nil {
			t.Fatal(err)
		}
		laws[i] = append(laws[i], law)
	}
	for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		for i, aff := range map[int]*prior.Affinity{0: aff, 4: reciprocal, 5: window} {
			aibd, err := prior.NewAIBD(aff, 1, 1, order)
			add(i, aibd, err)
		}
		sequential, err := prior.NewSequentialDDIBP(aff, 1, 1, order)
		add(2, sequential, err)
	}
	ibp, err := prior.NewIBP(3, 1)
	add(1, ibp, err)
	symmetric, err := prior.NewDDIBP(aff, 1, 1)
	add(3, symmetric, err)
	return laws
}

// logEvidence returns the log evidence of each list of laws of mass 1, with equal weights. It sums
// over all allocations of at most 9 features; more have probability below 1e-4.
func logEvidence(t *testing.T, x [][]float64, laws [][]prior.Law) []float64 {
	t.Helper()
	data, err := lglfm.NewData(x)
	if err != nil {
		t.Fatal(err)
	}
	sums, intensities := make([]float64, len(laws)), map[prior.Law][8]float64{}
	for _, law := range slices.Concat(laws...) {
		var nu [8]float64
		for column := uint64(1); column < 8; column++ {
			nu[column] = law.LogIntensity([]uint64{column})
		}
		nu[0] = -law.TotalIntensity()
		intensities[law] = nu
	}
	feature.Enumerate(3, 9, func(z *feature.Allocation) bool {
		lik := lglfm.LogLik(data, z, lglfm.Scales{SigmaX: 0.5, SigmaA: 1}) - z.LogMultiplicities()
		for i, laws := range laws {
			for _, law := range laws {
				nu := intensities[law]
				log := nu[0]
				for k := range z.K() {
					log += nu[z.Column(k)[0]]
				}
				sums[i] += math.Exp(log+lik) / float64(len(laws))
			}
		}
		return true
	})
	for i := range sums {
		sums[i] = math.Log(sums[i])
	}
	return sums
}

// TestEvidenceInterrupt: ^C ends with a line about what is done, and status 130.
func TestEvidenceInterrupt(t *testing.T) {
	c := exec.CommandContext(t.Context(), "aibd", "evidence", "--populations", "50", "--members", "3", "--scans", "3", "--cores", "1")
	stderr, err := c.StderrPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	last := ""
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		if last = lines.Text(); strings.HasPrefix(last, "AIBD, population 1 of 50: log evidence") {
			c.Process.Signal(os.Interrupt)
		}
	}
	c.Wait()
	if status := c.ProcessState.ExitCode(); status != 130 || !strings.HasPrefix(last, "aibd: stopped early: ") || !strings.Contains(last, " of 100 populations done: log evidence of the AIBD -") {
		t.Errorf("status %d, last line %q", status, last)
	}
}

func put(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}
