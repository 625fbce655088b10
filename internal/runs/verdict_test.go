package runs

import (
	"slices"
	"testing"

	"aibd/draws"
)

// TestFamilies: chains are judged by what pairs of items share, and of weighted features by the
// covariances of their signals. Counts of features do not decide.
func TestFamilies(t *testing.T) {
	put(t, "x.csv", ages)
	families := func(dir, text string) (keys []string) {
		r := sampled(t, dir, build(t, tiny+"draws = 20\n"+text), 0)
		traces, kept, _, err := r.Kept()
		if err != nil {
			t.Fatal(err)
		}
		seen, err := r.Observations()
		if err != nil {
			t.Fatal(err)
		}
		v, err := r.Judge(traces, kept, seen, "next")
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range Quantities(traces, r.Spec, r.Data) {
			if count := q.Key == draws.KeyFeatures || q.Key == draws.KeyItemsPerFeature || q.Key == draws.KeyLogJoint; q.Code != count {
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
	if found := families("binary", ""); !slices.Equal(found, []string{"sharing", "fitted"}) {
		t.Errorf("binary features: found %v", found)
	}
	if found := families("weighted", weighted); !slices.Equal(found, []string{"covariance", "fitted"}) {
		t.Errorf("weighted features: found %v", found)
	}
}
