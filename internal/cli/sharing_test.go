package cli

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

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
