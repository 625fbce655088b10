package runs

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"aibd/draws"
	"aibd/internal/model"
	"aibd/internal/verdict"
)

// TestFamilies: chains are judged by what pairs of items share, and of weighted features by the
// covariances of their signals. Counts of features and shares of weights do not decide.
func TestFamilies(t *testing.T) {
	put(t, "x.csv", ages)
	families := func(dir, text string) (keys []string) {
		r := sampled(t, dir, build(t, tiny+"draws = 20\n"+text), 0)
		traces, kept, _, err := r.Kept()
		if err != nil {
			t.Fatal(err)
		}
		p, err := r.Problem()
		if err != nil {
			t.Fatal(err)
		}
		v, err := r.Judge(traces, kept, &p.Observed, "next")
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range Quantities(traces, r.Spec, r.Data) {
			if code := q.Key == draws.KeyFeatures || q.Key == draws.KeyItemsPerFeature || q.Key == draws.KeyLogJoint || strings.HasPrefix(q.Key, "weight_"); q.Code != code {
				t.Errorf("%s of %s: found that it decides: %v", q.Name, dir, !q.Code)
			}
		}
		for _, f := range v.Families {
			if !f.Code {
				keys = append(keys, f.Key)
			}
		}
		return keys
	}
	if got := families("binary", ""); !slices.Equal(got, []string{"sharing", "fitted"}) {
		t.Errorf("binary features: found %v", got)
	}
	if got := families("weighted", weighted); !slices.Equal(got, []string{"covariance", "fitted"}) {
		t.Errorf("weighted features: found %v", got)
	}
}

// TestWeightQuantities: run.json says which distances the weights follow and how many shares draws have, and the shares
// and rates are quantities with the names of the distances. Another number of shares is refused.
func TestWeightQuantities(t *testing.T) {
	put(t, "x.csv", ages)
	const (
		age     = "[[distance]]\nkind = 'absolute'\ncolumns = ['age']\n"
		weight  = "[[distance]]\nkind = 'same'\ncolumns = ['weight']\n"
		common  = "weight_common: common share of the weights"
		ownLine = "weight_own: own share of the weights"
	)
	first := model.WeightDistance{MinRate: 0.5 / 11, MaxRate: 0.1} // ages are 10, 11 and 21 years apart
	second := first
	second.Distance = 1
	without := strings.Replace(tiny, "[distance]\nkind = \"absolute\"\ncolumns = [\"age\"]\n", "", 1)
	for i, c := range []struct {
		text   string
		shares int
		follow []model.WeightDistance
		want   []string
	}{
		{weighted, 0, nil, nil},
		{graded, 1, nil, []string{common, ownLine}},
		{weighted + age, 2, []model.WeightDistance{first}, []string{common, "weight_near: near share of the weights", "weight_rate: rate of the weights", ownLine}},
		{graded + age + "[prior]\nlaw = 'ibp'\n", 2, []model.WeightDistance{first}, []string{common, "weight_near: near share of the weights", "weight_rate: rate of the weights", ownLine}},
		{weighted + weight, 2, []model.WeightDistance{{}}, []string{common, "weight_near: near share of the weights", ownLine}},
		{weighted + weight + age, 3, []model.WeightDistance{{}, second}, []string{common, "weight_near: share of the weights near by weight",
			"weight_near_2: share of the weights near by age", "weight_rate_2: rate of the weights by age", ownLine}},
		{age, 0, nil, nil}, // binary
	} {
		dir := fmt.Sprint("run", i)
		sampled(t, dir, build(t, without+"draws = 20\n"+c.text), 0)
		r := opened(t, dir)
		if r.Data.Shares != c.shares || !slices.Equal(r.Data.Weights, c.follow) {
			t.Errorf("%s: found %d shares and distances %v, expected %d and %v", c.text, r.Data.Shares, r.Data.Weights, c.shares, c.follow)
		}
		traces, _, err := r.Scalars()
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, q := range Quantities(traces, r.Spec, r.Data) {
			if !strings.HasPrefix(q.Key, "weight_") {
				continue
			}
			got = append(got, q.Key+": "+q.Name)
			if q.Kind != verdict.Continuous || !q.Code || slices.ContainsFunc(q.Chains, func(x []float64) bool { return len(x) != 20 || slices.Min(x) < 0 }) {
				t.Errorf("%s: found %+v", c.text, q)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: found %q, expected %q", c.text, got, c.want)
		}
	}

	edited := func(dir, old, new string) (*Run, error) {
		name := filepath.Join(dir, recordFile)
		good, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(strings.Replace(string(good), old, new, 1)), 0o666); err != nil {
			t.Fatal(err)
		}
		return Open(dir)
	}
	_, err := edited("run2", `"shares": 2`, `"shares": 3`)
	wantError(t, err, "run2/run.json: data: found 3 shares of the weights and 1 distances that weights follow, expected one share more")
	r, err := edited("run1", `"shares": 1`, `"shares": 2`)
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = r.Scalars()
	if err == nil || !strings.Contains(err.Error(), "run1/chain-1/draws-00001.parquet: found a segment of run ") {
		t.Errorf("found %v, expected no segments with another number of shares", err)
	}
}
