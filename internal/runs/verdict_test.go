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
		v, err := r.Judge(traces, kept, seen, "next", 1)
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

// TestCoarser: half the power is proposed, but none below the smallest and none with unknown cells.
func TestCoarser(t *testing.T) {
	for _, c := range []struct {
		power   float64
		unknown int
		want    float64
	}{{1, 0, 0.5}, {0.5, 0, 0.25}, {0.25, 0, 0.125}, {0.2, 0, 0}, {1, 3, 0}} {
		if got := coarser(c.power, c.unknown); got != c.want {
			t.Errorf("power %v with %d unknown cells: found %v, expected %v", c.power, c.unknown, got, c.want)
		}
	}
}
