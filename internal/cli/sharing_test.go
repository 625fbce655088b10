package cli

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
)

// TestPriorCovariance: the prior covariances are centered, and items have the expected variance
// SigmaA^2 mass (1 - 1/N). No pair shares more features clearly than it shares.
func TestPriorCovariance(t *testing.T) {
	t.Chdir(t.TempDir())
	call(t, "fit", "--builtin", "usstates", "--features", "weighted", "--prior", "ibp", "--set", "prior.mass.value=2", "--set", "prior.mass.fixed=true", "--set", "prior.sigma_a.value=3", "--set", "prior.sigma_a.fixed=true", "--chains", "2", "--warmup", "20", "--draws", "120", "--quiet", "--out", "run")
	var s struct {
		Mean, Clear [][]float64
		Prior       [][]float64 `json:"prior_covariance"`
	}
	if err := json.Unmarshal([]byte(call(t, "sharing", "run", "--json")), &s); err != nil {
		t.Fatal(err)
	}
	variance := 0.0
	for i, row := range s.Prior {
		sum := 0.0
		for j, x := range row {
			sum += x
			if s.Clear[i][j] > s.Mean[i][j]+1e-9 {
				t.Errorf("pair %d, %d: found %v features, %v clear", i, j, s.Mean[i][j], s.Clear[i][j])
			}
		}
		if math.Abs(sum) > 1e-9 {
			t.Fatalf("item %d: found the sum %v of prior covariances, expected 0", i, sum)
		}
		variance += row[i] / float64(len(s.Prior))
	}
	// In units of 9, the mean over items has a standard deviation of some 1.5 in a draw, and there are 240.
	if math.Abs(variance/9-1.96) > 0.5 {
		t.Errorf("found the variance %v, expected %v", variance, 9*1.96)
	}
}

// TestSharingOfWeights: weighted features add the covariance of pairs, the largest first, and binary
// ones do not. Both kinds are predicted and checked by the same commands.
func TestSharingOfWeights(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, features := range []string{"binary", "weighted"} {
		call(t, "fit", "--builtin", "usstates", "--features", features, "--holdout", "0.05", "--chains", "2", "--warmup", "20", "--draws", "20", "--quiet", "--out", features)
		var s struct {
			Items      []string
			Intercept  bool
			Covariance [][]float64
		}
		if err := json.Unmarshal([]byte(call(t, "sharing", features, "--json")), &s); err != nil {
			t.Fatal(err)
		}
		weighted := features == "weighted"
		if s.Intercept == weighted || (len(s.Covariance) == len(s.Items)) != weighted {
			t.Fatalf("%s: found complements %v, %d rows of covariances", features, s.Intercept, len(s.Covariance))
		}
		text := call(t, "sharing", features, "--top", "1")
		if strings.Contains(text, "covariance: that of") != weighted {
			t.Errorf("%s: found\n%s", features, text)
		}
		if weighted {
			first := slices.MaxFunc(pairsBy(s.Covariance), func(a, b [2]int) int {
				return cmp.Compare(s.Covariance[a[0]][a[1]], s.Covariance[b[0]][b[1]])
			})
			if pair := s.Items[first[0]] + " - " + s.Items[first[1]]; !strings.Contains(text, pair) {
				t.Errorf("%s is not the first pair of\n%s", pair, text)
			}
		}
		call(t, "predict", features)
		call(t, "check", features)
		call(t, "estimate", features)
	}
}
