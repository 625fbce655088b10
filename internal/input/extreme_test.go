package input

import (
	"fmt"
	"testing"
)

// Distances of 0 and 1e300 at temperatures of 0 and a million, under every law and
// decay: chains draw numbers.
func TestExtremeDistances(t *testing.T) {
	put(t, "x.csv", "a,b\n1,2\n2,1\n4,3\n4,9\n",
		"zeros.csv", "0,0,0,0\n0,0,0,0\n0,0,0,0\n0,0,0,0\n",
		"large.csv", "0,1e300,1e300,1e300\n1e300,0,1e300,1e300\n1e300,1e300,0,1e300\n1e300,1e300,1e300,0\n",
		"both.csv", "0,1e300,0,1e-300\n1e300,0,1,0\n0,1,0,1e300\n1e-300,0,1e300,0\n")
	for _, matrix := range []string{"zeros", "large", "both"} {
		for _, decay := range []string{"exponential", "reciprocal", "given"} {
			for _, law := range []string{"aibd", "ddibp", "ddibp'\nproximity = 'symmetric"} {
				for _, temperature := range []float64{0, 1e6} {
					text := fmt.Sprintf("[data]\nfile = 'x.csv'\n[distance]\nkind = 'matrix'\nfile = '%s.csv'\n[prior]\nlaw = '%s'\ndecay = '%s'\ntemperature = { fixed = true, value = %g }\n[sampler]\nwarmup = 2\ndraws = 3\nother_updates = 2", matrix, law, decay, temperature)
					p, err := Build(parse(t, text))
					if err != nil && err.Error() == "prior: proximity: row 1, column 2: found 1e+300, expected at most 1e+06" {
						continue // which says what it wants
					}
					if err != nil {
						t.Fatalf("%s\n%v", text, err)
					}
					chain, err := p.NewChain(t.Context(), 0)
					if err == nil {
						err = chain.Run(t.Context(), finiteDraws{t})
					}
					if err != nil || t.Failed() {
						t.Fatalf("%s\n%v", text, err)
					}
				}
			}
		}
	}
}
