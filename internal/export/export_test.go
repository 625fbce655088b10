package export

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"aibd/draws"
	"aibd/feature"
	"aibd/internal/oracle/fixture"
)

// contents returns two chains, the second and the fourth of a run, with names beyond
// ASCII, a missing cell, and a draw without features. With order features have weights, with shares
// of their variance; without the law has neither a temperature nor a permutation.
func contents(t *testing.T, order bool) *Contents {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	c := &Contents{Numbers: []int{2, 4}, Planned: 10, ByCell: []ByCell{{Group: "log_likelihood"}, {Group: "posterior_predictive"}}, Spec: []byte(`{"a":{"b":[1,2.5],"c":null,"d":true},"e":"ü\n"}`), Summary: []byte(`{"ok":[true]}`)}
	const n, d = 11, 3
	for i := range n {
		c.Items = append(c.Items, fmt.Sprintf("ítem \"%d\", 東京", i))
		row := make([]float64, d)
		for v := range row {
			row[v] = rng.NormFloat64()
		}
		c.X = append(c.X, row)
	}
	c.X[3][1] = math.NaN()
	for v := range d {
		c.Variables = append(c.Variables, fmt.Sprint("v", v))
	}
	for range c.Numbers {
		var chain []*draws.Draw
		for i := range 4 {
			z := feature.New(n)
			for range i {
				k := z.Append()
				z.Flip(rng.IntN(n), k)
				for item := range n {
					if rng.IntN(2) == 0 && !z.Has(item, k) {
						z.Flip(item, k)
					}
				}
			}
			draw := &draws.Draw{Iteration: i, Mass: rng.ExpFloat64(), Temperature: math.NaN(), SigmaX: 1e-300, SigmaA: 1.0 / 3,
				LogLik: -rng.ExpFloat64() * 1e5, LogPrior: rng.NormFloat64(), Z: z}
			if order {
				draw.Temperature, draw.Permutation = rng.ExpFloat64(), rng.Perm(n)
			}
			if order {
				draw.Shares, draw.Rates, draw.Weights = []float64{0.5, rng.Float64() / 2}, []float64{rng.ExpFloat64()}, []float64{}
				for range z.Ones() {
					draw.Weights = append(draw.Weights, float64(float32(rng.NormFloat64())))
				}
				draw.NoiseScales = []float64{rng.ExpFloat64(), rng.ExpFloat64(), 1}
				draw.Cells, draw.Cutpoints = []float64{rng.NormFloat64()}, []float64{rng.Float64(), 1 + rng.Float64()}
			}
			chain = append(chain, draw)
			for g := range c.ByCell {
				cells := make([]float64, n*d)
				for i := range cells {
					cells[i] = rng.NormFloat64()
				}
				c.ByCell[g].Values = append(c.ByCell[g].Values, cells)
			}
		}
		c.Chains = append(c.Chains, chain)
	}
	if err := c.Choose(nil); err != nil {
		t.Fatal(err)
	}
	return c
}

// dump writes the values of contents, a line for each column or matrix, as the programs in
// testdata do. Items count from one.
func (c *Contents) dump(table bool) string {
	var b strings.Builder
	line := func(name string, values ...any) {
		b.WriteString(name)
		for _, v := range values {
			if f, ok := v.(float64); ok && math.IsNaN(f) {
				b.WriteString(" NA")
			} else if ok {
				fmt.Fprintf(&b, " %.17g", v)
			} else {
				fmt.Fprintf(&b, " %v", v)
			}
		}
		b.WriteByte('\n')
	}
	for _, col := range c.columns {
		var values []any
		for _, v := range col.ints {
			values = append(values, v)
		}
		for _, v := range col.floats {
			values = append(values, v)
		}
		for _, list := range col.lists {
			for _, item := range list {
				values = append(values, item+1)
			}
		}
		if col.z == nil {
			line(col.name, values...)
		}
		for row, z := range col.z {
			values = []any{z.K()}
			var w []float64
			if col.name == weights {
				w = slices.Concat(c.Chains...)[row].Weights
			}
			for _, v := range z.Weighted(nil, w) {
				if col.name == features {
					values = append(values, int(v))
				} else {
					values = append(values, v)
				}
			}
			line(map[string]string{features: "Z", weights: "W"}[col.name], values...)
		}
	}
	if table {
		return b.String()
	}
	for _, matrix := range []struct {
		name string
		rows [][]float64
	}{{"X", c.X}, {c.ByCell[0].Group, c.ByCell[0].Values}, {c.ByCell[1].Group, c.ByCell[1].Values}} {
		var values []any
		for _, row := range matrix.rows {
			for _, v := range row {
				values = append(values, v)
			}
		}
		line(matrix.name, values...)
	}
	line("items", strings.Join(c.Items, " "))
	line("variables", strings.Join(c.Variables, " "))
	return b.String()
}

// write writes a file of each format and returns their names.
func (c *Contents) write(t *testing.T) []string {
	t.Helper()
	dir := t.TempDir()
	var names []string
	for _, f := range Formats {
		name := filepath.Join(dir, "x"+f.Extension)
		names = append(names, name)
		if f.Tree != nil {
			if err := f.Tree(c, func(part string, content []byte) error {
				part = filepath.Join(name, part)
				if err := os.MkdirAll(filepath.Dir(part), 0o777); err != nil {
					return err
				}
				return os.WriteFile(part, content, 0o666)
			}); err != nil {
				t.Fatal(err)
			}
			continue
		}
		var b bytes.Buffer
		if err := f.Write(c, &b); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return names
}

// R and Python, with what Debian has of them, read every value. AIBD_RSCRIPT and
// AIBD_PYTHON name the programs; Python needs numpy, xarray and zarr.
func TestOtherReaders(t *testing.T) {
	for _, program := range []struct{ variable, script, reads string }{
		{"AIBD_RSCRIPT", "read.R", ".rds .csv"},
		{"AIBD_PYTHON", "read.py", ".npz .zarr .zip .csv"},
	} {
		for _, order := range []bool{true, false} {
			t.Run(fmt.Sprint(program.script, order), func(t *testing.T) {
				command := fixture.Elsewhere(t, program.variable, "a program that reads exports")
				c := contents(t, order)
				for _, name := range c.write(t) {
					extension := filepath.Ext(name)
					if !strings.Contains(program.reads, extension) {
						continue
					}
					run := exec.CommandContext(t.Context(), command, "testdata/"+program.script, name)
					run.Stderr = os.Stderr
					got, err := run.Output()
					if err != nil {
						t.Fatalf("%s: %v", name, err)
					}
					if expected := c.dump(extension == ".csv"); string(got) != expected {
						t.Errorf("%s\nfound\n%s\nexpected\n%s", name, got, expected)
					}
				}
			})
		}
	}
}

func TestCSV(t *testing.T) {
	c := contents(t, true)
	if err := c.Choose([]string{"features", "weights", "mass", "permutation", "weight_near", "weight_rate"}); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := c.csv(&b); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	if lines[0] != ".chain,.iteration,.draw,mass,weight_near,weight_rate,permutation,features,weights" || !strings.HasSuffix(lines[1], ",,") || !strings.HasPrefix(lines[3], "2,3,13,") {
		t.Errorf("found %q", lines[:4])
	}
}

func TestChooseErrors(t *testing.T) {
	c := contents(t, false)
	if err := c.Choose([]string{"temperature"}); err == nil || !strings.Contains(err.Error(), `unknown column "temperature"`) {
		t.Errorf("found %v", err)
	}
	if _, err := FormatOf("x.xlsx"); err == nil || err.Error() != "x.xlsx: expected a name that ends in .rds, .npz, .zarr, .zarr.zip or .csv" {
		t.Errorf("found %v", err)
	}
}
