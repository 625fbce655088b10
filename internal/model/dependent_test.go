package model

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// A column that is a linear function of several others, exactly or up to its rounding, is named with them. Columns
// that are nearly so are not.
func TestDependent(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	table := func(noise float64, round func(float64) float64) (x [][]float64) {
		for range 30 {
			a, b := round(10+5*rng.NormFloat64()), round(20+4*rng.NormFloat64())
			x = append(x, []float64{a, b, round((a+b)/2 + noise*rng.NormFloat64()), round(rng.NormFloat64())})
		}
		return x
	}
	tenths := func(v float64) float64 { return math.Round(10*v) / 10 }
	exact := func(v float64) float64 { return v }
	names := []string{"min", "max", "mean", "other"}
	for label, c := range map[string]struct {
		x    [][]float64
		want string
	}{
		"rounded": {table(0, tenths), "mean"},
		"exact":   {table(0, exact), "min, max, mean"},
		"noisy":   {table(0.3, tenths), ""},
		"few":     {table(0, tenths)[:12], ""},
	} {
		got := strings.Join((&noted{names: names, x: c.x}).dependent(), ", ")
		if !strings.HasPrefix(got, c.want) || (c.want == "") != (got == "") || strings.Contains(got, "other") {
			t.Errorf("%s: found %q, expected %q", label, got, c.want)
		}
	}
}

// Columns of categories and of counts do not hide the functions among the others.
func TestDependentBesideCategories(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	rows := "part,rest,total,grade,seen,both\n"
	for i := range 30 {
		a, b := math.Round(100*rng.NormFloat64()), math.Round(90*rng.NormFloat64())
		rows += fmt.Sprintf("%v,%v,%v,%d,%d,%d\n", a, b, a+b, i%3, i*i%7, i*i%2)
	}
	put(t, "x.csv", rows)
	p := build(t, "[prior]\nlaw = 'ibp'\n[data]\nfile = 'x.csv'\nordinal = ['grade']\ncount = ['seen']\nbinary = ['both']")
	if got := strings.Join(p.Notes, "\n"); !strings.Contains(got, "up to rounding: part, rest, total;") {
		t.Errorf("found the notes %q", p.Notes)
	}
}
