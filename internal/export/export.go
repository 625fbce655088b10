// Package export writes the draws of a run in the formats that R, Python and other
// programs read without further software. docs/guide/export.md describes the files.
package export

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"aibd/draws"
	"aibd/feature"
	"aibd/internal/hint"
	"aibd/internal/lists"
)

// Contents is what a file has.
type Contents struct {
	Items, Variables []string
	Numbers          []int           // of the chains, from one
	Planned          int             // draws of each chain when the run is complete
	Chains           [][]*draws.Draw // of equal length
	X                [][]float64     // N x D; nil without the data
	Spec, Summary    []byte          // of the run, as aibd summary --json prints it; JSON
	ByCell           []ByCell

	columns []column
}

// ByCell is numbers for each cell of X and draw, as the group of this name has them in ArviZ.
type ByCell struct {
	Group  string      // log_likelihood or posterior_predictive
	Values [][]float64 // by draw, of all chains; each N x D, row by row
}

// A column has an entry for each draw, chain after chain, in one of its slices.
type column struct {
	name   string
	vector string // the vector, with an entry for each column of X, of which it is one; "": none
	ints   []int
	floats []float64
	lists  [][]int               // items of a permutation, from zero
	z      []*feature.Allocation // features
	// weights of the ones of z; nil in the column of the features themselves
	weights [][]float64
}

// symbol returns the name of the matrices of a column of features or weights.
func (c *column) symbol() string {
	if c.weights != nil {
		return "W"
	}
	return "Z"
}

// chosenBy returns the name of a column in Choose.
func (c *column) chosenBy() string { return cmp.Or(c.vector, c.name) }

// noiseScale is the vector of the noise scales. CSV has a column for each entry, whose name ends
// in the number of its column of X from one.
const noiseScale = "noise_scale"

// Names of columns that are not numbers.
const (
	permutation = "permutation"
	features    = "features"
	weights     = "weights"
)

// index names the columns that identify the draw of a row.
var index = []string{".chain", ".iteration", ".draw"}

// Choose makes the columns. The names come from package draws; without names Choose
// takes all columns that the run has. It returns an error if the run has no column of a
// name.
func (c *Contents) Choose(names []string) error {
	all := slices.Concat(c.Chains...)
	var columns []column
	ints := func(name string, value func(number int, d *draws.Draw) int) {
		y := make([]int, 0, len(all))
		for i, chain := range c.Chains {
			for _, d := range chain {
				y = append(y, value(c.Numbers[i], d))
			}
		}
		columns = append(columns, column{name: name, ints: y})
	}
	floats := func(name string, value func(d *draws.Draw) float64) {
		columns = append(columns, column{name: name, floats: lists.Map(all, value)})
	}
	ints(index[0], func(number int, _ *draws.Draw) int { return number })
	ints(index[1], func(_ int, d *draws.Draw) int { return d.Iteration + 1 })
	ints(index[2], func(number int, d *draws.Draw) int { return (number-1)*c.Planned + d.Iteration + 1 })
	for _, s := range draws.HasOf(all[0]).Scalars() {
		switch {
		case s.Count != nil:
			ints(s.Key, func(_ int, d *draws.Draw) int { row := draws.RowOf(d); return *s.Count(&row) })
		case s.Stored() || strings.HasPrefix(s.Key, draws.KeyCutpoint) || strings.HasPrefix(s.Key, draws.KeyTemperature+"_") || slices.Equal(s.Depends, []string{draws.UnknownShares}):
			floats(s.Key, func(d *draws.Draw) float64 { row := draws.RowOf(d); return s.Value(&row) })
		}
	}
	for j := range all[0].NoiseScales {
		floats(noiseScale+"_"+strconv.Itoa(j+1), func(d *draws.Draw) float64 { return d.NoiseScales[j] })
		columns[len(columns)-1].vector = noiseScale
	}
	if all[0].Permutation != nil {
		columns = append(columns, column{name: permutation, lists: lists.Map(all, func(d *draws.Draw) []int { return d.Permutation })})
	}
	z := lists.Map(all, func(d *draws.Draw) *feature.Allocation { return d.Z })
	columns = append(columns, column{name: features, z: z})
	if all[0].Weights != nil {
		columns = append(columns, column{name: weights, z: z, weights: lists.Map(all, func(d *draws.Draw) []float64 { return d.Weights })})
	}

	var expected []string
	for _, col := range columns[len(index):] {
		if name := col.chosenBy(); !slices.Contains(expected, name) {
			expected = append(expected, name)
		}
	}
	for _, name := range names {
		if !slices.Contains(expected, name) {
			return hint.Unknown("column", name, expected)
		}
	}
	c.columns = slices.DeleteFunc(columns, func(col column) bool {
		return len(names) > 0 && !slices.Contains(names, col.chosenBy()) && !slices.Contains(index, col.name)
	})
	return nil
}

// column returns the chosen column of a name, or nil.
func (c *Contents) column(name string) *column {
	i := slices.IndexFunc(c.columns, func(col column) bool { return col.name == name })
	if i < 0 {
		return nil
	}
	return &c.columns[i]
}

// perChain returns the number of draws of each chain.
func (c *Contents) perChain() int { return len(c.Chains[0]) }

// A Format is a kind of file.
type Format struct {
	Extension string
	Write     func(c *Contents, w io.Writer) error // nil for a directory
	// Tree calls do with each file of a directory, in whose names are slashes. It returns the
	// first error of do.
	Tree func(c *Contents, do func(name string, content []byte) error) error
}

// CSV is the format of one row for each draw, without X and densities of cells.
var CSV = Format{".csv", (*Contents).csv, nil}

// Formats are all formats.
var Formats = []Format{
	{".rds", (*Contents).rds, nil},
	{".npz", (*Contents).npz, nil},
	{".zarr", nil, (*Contents).zarr},
	{".zarr.zip", (*Contents).zarrZip, nil},
	CSV,
}

// FormatOf returns the format of a file by its name.
func FormatOf(file string) (Format, error) {
	var extensions []string
	for _, f := range Formats {
		if strings.HasSuffix(strings.ToLower(file), f.Extension) {
			return f, nil
		}
		extensions = append(extensions, f.Extension)
	}
	return Format{}, fmt.Errorf("%s: expected a name that ends in %s or %s", file, strings.Join(extensions[:len(extensions)-1], ", "), extensions[len(extensions)-1])
}
