package spec

// The distances between items.

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"aibd/internal/hint"
)

// Distance says where the distances between items come from. The temperature is
// in units of one over theirs.
type Distance struct {
	Kind        string   `toml:"kind" json:"kind" flag:"*" oneof:"distance absolute euclidean great-circle same cyclic gower matrix edges tree none" help:"Distance between items: absolute:COLUMN, euclidean:COLUMNS, great-circle, same:COLUMN, cyclic:COLUMN,PERIOD, gower:COLUMNS, matrix:FILE, edges:FILE, tree:FILE or none; again for each of several. absolute: difference of one column; great-circle: along the surface of the Earth, of longitude and latitude; same: 0 if a column has the same label or number, else 1; cyclic: difference of one column around a period; gower: mean over columns of numbers, divided by their ranges, and of text, 0 if equal, else 1; matrix and edges (sparse): from a file; tree: along the branches of a tree in a file; none: for law ibp, or proximities from a file. Several distances have a temperature each; a name may be in front: season=cyclic:day,365. In a spec file the kind alone: its columns, period or file have keys of their own."`
	Name        string   `toml:"name" json:"name,omitempty" flag:"-" help:"Name of the distance. Empty: its columns or its file."`
	More        []string `toml:"more" json:"more,omitempty" flag:"-" help:"Further distances, each with a temperature of its own, in the form of the flag --distance: NAME=KIND:COLUMNS or KIND:FILE, the name optional. Similarity is the product of the exponential decays of all."`
	Columns     []string `toml:"columns" json:"columns" flag:"*-columns" help:"Columns to measure, of the data file or the side file. For great-circle: longitude, then latitude; if empty, the columns with these names or lon, long, lng and lat."`
	Period      float64  `toml:"period" json:"period,omitempty" flag:"*-period" range:"[0,1e300]" help:"Period of the column of kind cyclic, such as 24 for hours. 0: none."`
	Standardize bool     `toml:"standardize" json:"standardize" flag:"*-standardize" help:"Divide these columns by their standard deviations first."`
	Per         float64  `toml:"per" json:"per" flag:"*-per" range:"(0,inf)" help:"Unit: divide all distances by this number. 0: by 1, or by 1000 (km) for great-circle."`
	Shift       float64  `toml:"shift" json:"shift" flag:"*-shift" range:"[0,inf)" help:"Add this number to all distances, after the division."`
	File        string   `toml:"file" json:"file" flag:"*-file" help:"For kind matrix a CSV file with a square matrix of distances; for kind tree a Newick file whose tips are the items."`
	Neighbors   int      `toml:"neighbors" json:"neighbors" flag:"neighbors" range:"[0,100000]" help:"Keep the distances of this many nearest items only, for law aibd with many items. The distance of two items is kept if one is among the nearest items of the other. 0: keep all pairs."`
	Cutoff      float64  `toml:"cutoff" json:"cutoff" flag:"cutoff" range:"[0,inf)" help:"Keep distances up to this number only, for law aibd with many items. It is in the unit of the distances. 0: keep all pairs."`
	Far         *int     `toml:"far" json:"far" flag:"far" range:"[0,100000]" help:"With neighbours or a cutoff: number of random items that stand for all that are not near. They are drawn for each item. By default 100. 0: items that are not near do not attract each other."`
	Landmarks   int      `toml:"landmarks" json:"landmarks" flag:"landmarks" range:"[0,100000]" help:"With neighbours or a cutoff: number of random items, the same for all items, that take the place of far items. Items then share more features than under the law of all pairs."`
	Edges       string   `toml:"edges" json:"edges" flag:"edges" help:"CSV file with sparse distances, for kind edges and law aibd. Each line has two items and their distance, below a header line."`
}

// Thinned reports whether only the distances of near items are kept.
func (d Distance) Thinned() bool { return d.Neighbors > 0 || d.Cutoff > 0 }

// Sparse reports whether the distances are not those of all pairs. The spec must be complete.
func (d Distance) Sparse() bool { return d.Thinned() || d.Kind == "edges" }

const defaultFar = 100

// HasPoints reports whether the items are points on a line, in space or on the globe.
func (d Distance) HasPoints() bool {
	return d.Kind == "absolute" || d.Kind == "euclidean" || d.Kind == "great-circle"
}

// set sets name, kind and what belongs to them from a text: KIND or KIND:ARGUMENTS, with NAME= in front
// if the distance has a name. Arguments are the columns, separated by commas, or the file. The last
// argument of cyclic is the period if there are two.
func (d *Distance) set(text string) error {
	kind, arguments, ok := strings.Cut(text, ":")
	if name, of, named := strings.Cut(kind, "="); named {
		d.Name, kind = strings.TrimSpace(name), of
	}
	d.Kind = kind
	switch {
	case !ok:
		return nil
	case strings.TrimSpace(arguments) == "":
		return errors.New("expected columns or a file behind the colon")
	case kind == "matrix" || kind == "tree":
		d.File = arguments
		return nil
	case kind == "edges":
		d.Edges = arguments
		return nil
	}
	d.Columns = names(arguments)
	if last := len(d.Columns) - 1; kind == "cyclic" && last > 0 {
		period, err := strconv.ParseFloat(d.Columns[last], 64)
		if err != nil {
			return errors.New("expected a column and a number, its period")
		}
		d.Period, d.Columns = period, d.Columns[:last]
	}
	return nil
}

// further returns the distance that a text of More describes.
func further(text string) (d Distance, err error) {
	if err := d.set(text); err != nil {
		return d, fmt.Errorf("found %s, %w", hint.Quoted(text), err)
	}
	kinds := settings[slices.IndexFunc(settings, func(s Setting) bool { return s.Key == "distance.kind" })].oneOf
	if !slices.Contains(kinds[1:], d.Kind) {
		return d, hint.Unknown(kinds[0], d.Kind, kinds[1:])
	}
	d.complete()
	return d, nil
}

// complete fills in the defaults that depend on the kind.
func (d *Distance) complete() {
	if d.Per == 0 {
		d.Per = 1
		if d.Kind == "great-circle" {
			d.Per = 1000
		}
	}
	if d.Far == nil && d.Thinned() {
		d.Far = new(0)
		if d.Landmarks == 0 {
			*d.Far = defaultFar
		}
	}
	if d.Columns == nil {
		d.Columns = []string{} // an empty list is the same as none
	}
	if len(d.More) == 0 {
		d.More = nil // files of one distance do not have it
	}
}

// All returns all distances, the first without those after it. The spec must be complete and valid.
func (d Distance) All() []Distance {
	all := []Distance{d}
	all[0].More = nil
	for _, text := range d.More {
		of, err := further(text)
		if err != nil {
			panic("spec: " + err.Error())
		}
		all = append(all, of)
	}
	return all
}

// Label returns the name of the distance, or else its columns or its file.
func (d Distance) Label() string {
	switch {
	case d.Name != "":
		return d.Name
	case d.File != "":
		return d.File
	case len(d.Columns) > 0:
		return hint.Listed(d.Columns, 2)
	}
	return d.Kind
}

// validateMore checks the distances after the first.
func (s Spec) validateMore(v *verdict) {
	const more = Key("distance.more")
	d := s.Distance
	if len(d.More) == 0 {
		return
	}
	v.refuse(s.Prior.Decay != "exponential", "prior.decay", "found %s and %d distances, expected exponential, the only decay of several distances", s.Prior.Decay, 1+len(d.More))
	v.refuse(d.Sparse(), more, "found sparse distances and another one, expected those of all pairs")
	labels := []string{d.Label()}
	for _, text := range d.More {
		if v.err != nil {
			return
		}
		of, _ := further(text) // validateDistance has the error
		v.refuse(of.Kind == "edges" || of.Kind == "none", more, "found %s, expected distances of all pairs", of.Kind)
		v.refuse(of.Kind == "great-circle" && len(of.Columns) == 0, more, "found great-circle without columns, expected longitude and latitude")
		if v.err != nil {
			return
		}
		if of.validate(v); v.err != nil {
			v.err = Errorf(more, "%s: %w", hint.Quoted(text), v.err)
			return
		}
		v.refuse(slices.Contains(labels, of.Label()), more, "found two distances %s, expected different names, such as again=%s", hint.Quoted(of.Label()), text)
		labels = append(labels, of.Label())
	}
}
