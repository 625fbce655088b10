package model

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"aibd/internal/spec"
)

// tailed returns n numbers whose logarithms are evenly spaced, and symmetric about mean.
func tailed(n int, mean, step float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = math.Exp(mean + step*(float64(i)-float64(n-1)/2))
	}
	return x
}

// Each clause of the rule alone keeps the numbers.
func TestHasLongTail(t *testing.T) {
	change := func(x []float64, f func(i int, v float64) float64) []float64 {
		for i, v := range x {
			x[i] = f(i, v)
		}
		return x
	}
	whole := func(_ int, v float64) float64 { return math.Ceil(v) }
	for name, c := range map[string]struct {
		numbers []float64
		want    bool
	}{
		"logarithms without a tail":      {tailed(10, 0, 0.5), true},
		"in another unit":                {tailed(10, -300, 0.5), true},
		"nine numbers":                   {tailed(9, 0, 0.5), false},
		"a zero":                         {change(tailed(10, 0, 0.5), func(i int, v float64) float64 { return v * float64(min(1, i)) }), false},
		"a negative number":              {change(tailed(10, 0, 0.5), func(i int, v float64) float64 { return v * float64(2*min(1, i)-1) }), false},
		"five values":                    {append(tailed(5, 0, 1), tailed(5, 0, 1)...), false},
		"six values":                     {append(tailed(6, 0, 1), tailed(6, 0, 1)...), true},
		"whole numbers":                  {change(tailed(10, 6, 0.5), whole), true},
		"whole numbers with a small one": {change(tailed(10, 4, 0.5), whole), false},
		"a tail to the left":             {change(tailed(10, 0, 0.5), func(_ int, v float64) float64 { return 10 - v }), false},
		"a tail of the logarithms too":   {change(tailed(20, 0, 0.5), func(_ int, v float64) float64 { return math.Exp(v / 40) }), false},
		"a short tail":                   {tailed(10, 0, 0.28), false},
		"two groups":                     {change(tailed(20, 0, 0.05), func(i int, v float64) float64 { return v * []float64{1, 30}[i%2] }), false},
		"one value":                      {change(tailed(10, 0, 0.5), func(int, float64) float64 { return 2 }), false},
		"beyond the range of a variance": {tailed(10, 700, 1), false},
	} {
		if got := tailOf(c.numbers).long(); got != c.want {
			t.Errorf("%s: found %v, expected %v", name, got, c.want)
		}
	}
}

// TestFalseTails: few columns of normal numbers have a tail by chance, few log-normal ones have none.
func TestFalseTails(t *testing.T) {
	const columns = 20_000
	rng := rand.New(rand.NewPCG(1, 2))
	share := func(n int, draw func() float64) float64 {
		got := 0
		for range columns {
			x := make([]float64, n)
			for i := range x {
				x[i] = draw()
			}
			if tailOf(x).long() {
				got++
			}
		}
		return float64(got) / columns
	}
	for _, c := range []struct {
		n         int
		mean, sd  float64 // of a normal distribution
		log       bool    // of the logarithms
		low, high float64
	}{
		{10, 4, 1, false, 0, 0.001},
		{10, 2.5, 1, false, 0, 0.002},
		{50, 4, 1, false, 0, 0.001},
		{50, 0, 1, true, 0.9, 1},
	} {
		normal := distuv.Normal{Mu: c.mean, Sigma: c.sd, Src: rng}
		draw := normal.Rand
		if c.log {
			draw = func() float64 { return math.Exp(normal.Rand()) }
		}
		got := share(c.n, draw)
		t.Logf("%d numbers, normal(%v, %v), logarithms %v: %.4f", c.n, c.mean, c.sd, c.log, got)
		if got < c.low || got > c.high {
			t.Errorf("%d numbers, normal(%v, %v), logarithms %v: found %v, expected %v to %v", c.n, c.mean, c.sd, c.log, got, c.low, c.high)
		}
	}
}

// tails returns a table of n items with columns of the given names. All but even have long tails.
func tails(n int, names ...string) string {
	text := "item," + strings.Join(names, ",")
	for i, v := range tailed(n, 5, 5/float64(n)) {
		text += fmt.Sprintf("\ni%d", i)
		for j, name := range names {
			if name == "even" {
				text += fmt.Sprintf(",%v", float64(i*i%n)+0.5)
				continue
			}
			text += fmt.Sprintf(",%v", v*float64(j+1+(i+j)%3))
		}
	}
	return text + "\n"
}

// Logarithms are taken by default if the spec leaves it open and nothing keeps the numbers. A note names them.
func TestLogAuto(t *testing.T) {
	const auto = "[data]\nfile = 'x.csv'\nlog = ['auto']\n"
	for _, c := range []struct {
		items     int
		text, log string
	}{
		{12, auto, "a b"},
		{12, auto + "scale = true", "a b"},
		{12, auto + "[likelihood]\nfeatures = 'weighted'", "a b"},
		{12, auto + "[likelihood]\nfeatures = 'binary'", "a b"}, // kinds that are compared have the same columns
		{12, auto + "columns = ['b', 'even']", "b"},
		{12, auto + "log1p = ['a']", "b"},
		{12, auto + "hellinger = ['b', 'even']", "a"},
		{9, auto, ""},
		{12, auto + "center = false", ""},
		{12, auto + "scale = false", ""},
		{12, "[data]\nfile = 'x.csv'\nlog = ['none']", ""},
		{12, "[data]\nfile = 'x.csv'\n", ""},
	} {
		put(t, "x.csv", tails(c.items, "a", "even", "b"))
		p := build(t, c.text)
		if got := strings.Join(p.Spec.Data.Log, " "); got != c.log {
			t.Errorf("%d items, %s: found logarithms of %q, expected %q", c.items, c.text, got, c.log)
		}
		note := "long tails to the right: " + strings.ReplaceAll(c.log, " ", ", ") + "; logarithms take their place (--log none keeps the numbers)"
		if slices.Contains(p.Notes, note) != (c.log != "") {
			t.Errorf("%d items, %s: found notes %q", c.items, c.text, p.Notes)
		}
		if again, err := Load(p.Spec); err != nil || !reflect.DeepEqual(again.Spec, p.Spec) {
			t.Errorf("%s: built again: found another spec, %v", c.text, err)
		}
	}
}

// Columns of other kinds, with limits, with a hidden number that has no logarithm, or with a word of the setting
// as name keep their numbers. The choice does not depend on other hidden numbers.
func TestLogAutoColumns(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(tails(14, "a", "even", "b", "none")), "\n")
	with := func(column int, cell string) string {
		changed := slices.Clone(lines)
		cells := strings.Split(changed[3], ",")
		cells[column] = cell
		changed[3] = strings.Join(cells, ",")
		return strings.Join(changed, "\n") + "\n"
	}
	put(t, "plain.csv", strings.Join(lines, "\n")+"\n", "limit.csv", with(1, "<0.1"), "gap.csv", with(1, "NA"), "zero.csv", with(1, "0"), "far.csv", with(1, "1e9"), "hide.csv", "item,variable\ni2,a\n")
	const hidden = "\nholdout_file = 'hide.csv'"
	for text, log := range map[string]string{
		"file = 'plain.csv'":         "a b",
		"file = 'limit.csv'":         "b",
		"file = 'gap.csv'":           "a b",
		"file = 'zero.csv'":          "", // b rises with a
		"file = 'zero.csv'" + hidden: "",
		"file = 'far.csv'":           "b",
		"file = 'far.csv'" + hidden:  "a b",
	} {
		if p := build(t, "[data]\nlog = ['auto']\n"+text); strings.Join(p.Spec.Data.Log, " ") != log {
			t.Errorf("%s: found logarithms of %q, expected %q", text, p.Spec.Data.Log, log)
		}
	}
}

// The words for the default and for none stand alone.
func TestLogWords(t *testing.T) {
	put(t, "x.csv", tails(12, "a", "b"))
	for _, word := range []string{spec.NoLog, spec.AutoLog} {
		_, err := Load(parse(t, "[data]\nfile = 'x.csv'\nlog = ['"+word+"', 'a']"))
		wantError(t, err, "data.log: found "+word+" with others, expected it alone")
	}
}

// Columns with tails that rise and fall together get one decision. One that is nearly linear in its logarithm, or rises
// alone, does not count.
func TestSisters(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	text := "zinc,copper,zero,mag,alone\n"
	for range 60 {
		common, v := rng.NormFloat64(), rng.NormFloat64()
		zinc, copper := math.Exp(5+common), math.Exp(3+0.4*common+0.02*v)
		text += fmt.Sprintf("%v,%v,%v,%v,%v\n", zinc, copper, max(0, zinc-60), math.Exp(3+0.1*common), math.Exp(2+rng.NormFloat64()))
	}
	put(t, "x.csv", text)
	for columns, want := range map[string]string{
		"'zinc','copper','alone'":        "zinc copper alone",
		"'copper','alone'":               "alone",
		"'zinc','copper','zero','alone'": "alone",
		"'zinc','mag'":                   "zinc",
	} {
		p := build(t, "[data]\nfile = 'x.csv'\nlog = ['auto']\ncolumns = ["+columns+"]")
		if got := strings.Join(p.Spec.Data.Log, " "); got != want {
			t.Errorf("%s: found logarithms of %q, expected %q", columns, got, want)
		}
	}
}
