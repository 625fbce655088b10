package model

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"aibd/internal/collapsed"
	"aibd/internal/spec"
)

// Columns of numbers have noise scales by default. The noise of a column is at least
// what its unit allows, in the units of X, whatever the other columns are.
func TestNoiseDefault(t *testing.T) {
	text := "a,b,c,same\n"
	for i := range 40 {
		text += fmt.Sprintf("%d,%d.5,%d,3\n", i*i, i*7%40, 2*(i*7%5))
	}
	put(t, "x.csv", text)
	const abc = "columns = ['a', 'b', 'c']\n"
	for _, c := range []struct{ text, noise string }{
		{abc, spec.NoiseColumns},
		{abc + "noise = 'common'", spec.NoiseCommon},
		{abc + "[prior.sigma_x]\nfixed = true\nvalue = 1", spec.NoiseCommon},
		{abc + "ordinal = ['a', 'c']", spec.NoiseColumns},
		{"columns = ['a', 'c']\nordinal = ['a', 'c']", spec.NoiseCommon},
		{"columns = ['a']", spec.NoiseColumns},
		{"columns = ['a', 'same']\nscale = false", spec.NoiseCommon},
		{"columns = ['a', 'b', 'same']\nscale = false", spec.NoiseCommon},
	} {
		if p := build(t, "[data]\nfile = 'x.csv'\nid = '-'\n"+c.text); p.Spec.Data.Noise != c.noise {
			t.Errorf("%s: noise %s, expected %s", c.text, p.Spec.Data.Noise, c.noise)
		}
	}
	if _, err := Load(parse(t, "[data]\nfile = 'x.csv'\nid = '-'\ncolumns = ['a', 'b', 'same']\nscale = false\nnoise = 'columns'")); err == nil || !strings.Contains(err.Error(), "a constant column") {
		t.Errorf("noise scales with a constant column: found error %v", err)
	}
	p := build(t, "[data]\nfile = 'x.csv'\nid = '-'\nscale = true\n"+abc)
	for j, unit := range []float64{1, 1, 2} {
		if want := unit / math.Sqrt(2*math.Pi) / p.Units.Scale(j); !(math.Abs(collapsed.Unwrap(p.Posterior.Data).NoiseBounds()[j]/want-1) < 1e-9) {
			t.Errorf("column %s: noise is at least %v, expected %v", p.Columns[j], collapsed.Unwrap(p.Posterior.Data).NoiseBounds()[j], want)
		}
	}
}
