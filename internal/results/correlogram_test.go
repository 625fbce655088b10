package results

import (
	"math"
	"slices"
	"testing"

	"aibd/internal/oracle/fixture"
	"aibd/posterior"
)

// The curve begins at the share of the variance between items that follows the distance, falls, and has mean 0
// over pairs under each draw. The products of standardized fitted values have the sum -n/2 over all pairs.
func TestCorrelogram(t *testing.T) {
	j := judgeSpec(t, fixture.Small+"\n[likelihood]\nfeatures = \"weighted\"\n")
	all, err := j.Correlograms()
	if err != nil || len(all) != 1 {
		t.Fatalf("found %d correlograms, %v", len(all), err)
	}
	c := all[0]
	follows := slices.Concat(j.follows(0)...)
	for b, p := range []float64{0.05, 0.5, 0.95} {
		if got, expected := c.Posterior[b][0], posterior.Quantile(follows, p); c.Distances[0] != 0 || math.Abs(got-expected) > 1e-12 {
			t.Errorf("found %v at distance %v, expected %v", got, c.Distances[0], expected)
		}
		for g := 1; g < len(c.Distances); g++ {
			if c.Prior[1][g] > c.Prior[1][g-1] || c.Posterior[1][g] > c.Posterior[1][g-1] {
				t.Fatalf("found a median that rises with distance at %v", c.Distances[g])
			}
		}
	}
	if c.Unit != "km" || c.Given || c.Prior[0][0] < 0 || c.Prior[2][0] > 1 {
		t.Errorf("found %q, the prior %v to %v", c.Unit, c.Prior[0][0], c.Prior[2][0])
	}
	n := j.Run.Data.N
	pairs, sum := 0, 0.0
	for _, class := range c.Classes {
		pairs, sum = pairs+class.Pairs, sum+class.Correlation*float64(class.Pairs)
	}
	if pairs != n*(n-1)/2 || math.Abs(sum+float64(n)/2) > 1e-9 {
		t.Errorf("found %d pairs whose products have the sum %v, expected %d and %v", pairs, sum, n*(n-1)/2, -float64(n)/2)
	}
}
