package model

// The distances between the items and their unit.

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"aibd/internal/hint"
	"aibd/internal/lists"
	"aibd/internal/names"
	"aibd/internal/spec"
	"aibd/internal/words"
	"aibd/similarity"
)

// hashDistances adds distances to a hash.
func hashDistances(h *hasher, distances similarity.Several) {
	for i := range distances.N() {
		for _, m := range distances {
			h.floats(m.Row(i))
		}
	}
}

// distances returns the distances of a complete spec. It sets their units and adds notes in a.
func (in *Input) distances(s spec.Spec, a *attraction) (several similarity.Several, err error) {
	for k, d := range s.Distances() {
		read := in.Distances
		if k > 0 {
			read = in.FurtherMatrices[k-1]
		}
		m, unit, notes, err := in.distance(d, s.Prior.Decay == "given", s.Prior.HasPermutation(), read)
		if err == nil {
			if d.HasPoints() {
				notes = append(notes, noteFarPlace(m, in.IDs(), d.Label(), unit)...)
			}
			if s.Prior.Decay != "given" && m.Median() == 0 {
				notes = append(notes, "all distances are 0: nearness says nothing about the items")
			}
			m, err = adjusted(d, m)
		}
		if a.notes = append(a.notes, notes...); err != nil {
			return nil, err
		}
		a.addUnit(k, unitPer(d, unit))
		several = append(several, m)
	}
	return several, nil
}

// storedItems is the max number of items of which all distances are stored if weights alone follow them.
const storedItems = 1000

// pairs sets the distances that weights alone follow, their units and notes in a.
func (in *Input) pairs(s spec.Spec, a *attraction, h *hasher) error {
	if !in.computes(s, in.Items.N()) {
		m, err := in.distances(s, a)
		if err == nil {
			a.set(m)
			hashDistances(h, m)
		}
		return err
	}
	all, err := in.computed(s, nil)
	for k, p := range all {
		a.addUnit(k, p.unit)
		a.pairs = append(a.pairs, p)
		if d := s.Distances()[k]; d.HasPoints() {
			a.notes = append(a.notes, noteFarPlace(p, in.IDs(), d.Label(), p.unit)...)
		}
		for _, column := range p.values {
			h.floats(column)
		}
	}
	return err
}

// computes reports whether distances of n items are computed when they are needed.
func (in *Input) computes(s spec.Spec, n int) bool {
	return s.Prior.Law == "ibp" && n > storedItems && !slices.ContainsFunc(s.Distances(), func(d spec.Distance) bool {
		return !d.HasPoints() && d.Kind != "same" && d.Kind != "cyclic"
	})
}

// computedPairs are distances between columns, computed when they are needed, after the division and the shift.
type computedPairs struct {
	similarity.Pairs                        // before them
	bound            func(i, j int) float64 // lower, before them
	per, shift       float64
	unit             string
	values           [][]float64 // of the columns, by item
}

func (c computedPairs) At(i, j int) float64 { return c.Pairs.At(i, j)/c.per + c.shift }

// LowerBound is LowerBound of similarity.Points after the division and the shift.
func (c computedPairs) LowerBound(i, j int) float64 { return c.bound(i, j)/c.per + c.shift }

// computed returns the distances of the items, and then of new ones in fresh, nil for none.
func (in *Input) computed(s spec.Spec, fresh *Input) (all []computedPairs, err error) {
	for _, d := range s.Distances() {
		columns, err := in.measuredColumns(d)
		if err != nil {
			return nil, err
		}
		values, names, err := in.measuredValues(d, columns, fresh)
		if err != nil {
			return nil, err
		}
		p, err := points(d, values)
		if err != nil {
			return nil, spec.Errorf("distance.columns", "%s: %w", strings.Join(names, " and "), err)
		}
		all = append(all, computedPairs{p, p.LowerBound, d.Per(), d.Shift, unitPer(d, unitOf(d, names)), values})
	}
	return all, nil
}

// unitPer returns the unit after the division.
func unitPer(d spec.Distance, unit string) string {
	if per := d.Per(); per != 1 {
		return words.Exact(per) + " " + unit
	}
	return unit
}

// distance returns a distance before the division and the shift, its unit, and notes on its matrix if it is from a file,
// which was read.
func (in *Input) distance(d spec.Distance, given, ordered bool, read *similarity.Matrix) (m *similarity.Matrix, unit string, notes []string, err error) {
	switch d.Kind {
	case "tree":
		return read, "unit of " + d.File, nil, nil
	case "matrix":
		if !given {
			var note string
			if read, note = mirrored(d.File, read); note != "" {
				notes = append(notes, note)
			}
			names := words.Numbered("", read.N())
			if in.Items != nil {
				names = in.IDs()
			}
			notes = append(notes, noteMatrix(d.File, read, names, ordered)...)
		}
		return read, "unit of " + d.File, notes, nil
	}
	m, unit, err = in.measured(d, nil)
	return m, unit, nil, err
}

// noteFarPlace returns a line if one of the items, with the given names, is further from all others than they are from
// each other.
func noteFarPlace(m similarity.Pairs, names []string, label, unit string) []string {
	n := m.N()
	if n < minAlike {
		return nil
	}
	entry := func(i, j int) float64 { return m.At(max(i, j), min(i, j)) }
	far := 1 // such an item is the furthest from each other one
	for i := 2; i < n; i++ {
		if entry(i, 0) > entry(far, 0) {
			far = i
		}
	}
	for _, item := range []int{far, 0} {
		center := 1 - min(item, 1)
		least, radius := math.Inf(1), 0.0
		for i := range n {
			if i != item {
				least, radius = min(least, entry(i, item)), max(radius, entry(i, center))
			}
		}
		limit := 2 * radius // at least the largest distance
		if n <= storedItems {
			limit = largestBelow(least, entry, n, item)
		}
		if limit < least {
			return []string{fmt.Sprintf("%s: item %s is at least %s from all others, which are at most %s %s from each other: is it in another unit?",
				label, hint.Quoted(names[item]), words.Significant(least, 3), words.Significant(limit, 3), unit)}
		}
	}
	return nil
}

// largestBelow returns the largest distance of n items without one, or any that is not below a limit.
func largestBelow(limit float64, entry func(i, j int) float64, n, without int) (largest float64) {
	for i := range n {
		for j := range i {
			if i != without && j != without {
				if largest = max(largest, entry(i, j)); largest >= limit {
					return largest
				}
			}
		}
	}
	return largest
}

// adjusted returns the distances after the division and the shift.
func adjusted(d spec.Distance, m *similarity.Matrix) (_ *similarity.Matrix, err error) {
	if per := d.Per(); per != 1 {
		if m, err = m.Per(per); err != nil {
			return nil, err
		}
	}
	if d.Shift != 0 {
		m = m.Shift(d.Shift)
	}
	return m, nil
}

// mirrored returns a matrix of three items or more that has only zeros on one side of the diagonal
// with the distances of the other side on both, and a note.
func mirrored(file string, m *similarity.Matrix) (*similarity.Matrix, string) {
	above, below := false, false // there is a distance
	for i := range m.N() {
		for j := range i {
			above, below = above || m.At(j, i) != 0, below || m.At(i, j) != 0
		}
	}
	if m.N() < 3 || above == below {
		return m, ""
	}
	rows := lists.Square(m.N())
	for i := range rows {
		for j := range i {
			rows[i][j] = max(m.At(i, j), m.At(j, i))
			rows[j][i] = rows[i][j]
		}
	}
	side := "above"
	if above {
		side = "below"
	}
	full, err := similarity.NewMatrix(rows)
	if err != nil {
		panic("model: " + err.Error()) // it has the entries of a matrix
	}
	return full, fmt.Sprintf("%s: all entries %s the diagonal are 0: the other side has the distances", file, side)
}

// noteMatrix returns a line for each sign that a matrix of items with the given names does not hold distances.
func noteMatrix(file string, m *similarity.Matrix, names []string, ordered bool) (notes []string) {
	if i, v := m.IgnoredDiagonal(); v != 0 {
		notes = append(notes, fmt.Sprintf("%s: the diagonal is not 0 and is ignored: item %s has %v; if the matrix has similarities: --decay given", file, hint.Quoted(names[i]), v))
	}
	if adjacency(m) {
		notes = append(notes, fmt.Sprintf("%s: all entries are 0 or 1, as in a matrix of neighbors; as distances, they make neighbors far and all others equal: --decay given takes 1 for near", file))
	}
	if m.Symmetric() {
		return notes
	}
	for i := range m.N() {
		for j := range i {
			if m.At(i, j) == m.At(j, i) {
				continue
			}
			meaning := "at which item i links to item j"
			if ordered {
				meaning = "from the arriving item i to the earlier item j"
			}
			a, b := hint.Quoted(names[j]), hint.Quoted(names[i])
			return append(notes, fmt.Sprintf("%s: the matrix is not symmetric: row %s, column %s is %v, and row %[3]s, column %[2]s is %[5]v; row i, column j is the distance %s", file, a, b, m.At(j, i), m.At(i, j), meaning))
		}
	}
	return notes
}

// adjacency reports whether the entries off the diagonal are 0 and 1, and violate the triangle inequality as distances:
// two items are at 0 from a third, and at 1 from each other.
func adjacency(m *similarity.Matrix) bool {
	broken := false
	for i := range m.N() {
		first := -1 // at 0 from i
		for j := range m.N() {
			switch x := m.At(i, j); {
			case i == j:
			case x != 0 && x != 1:
				return false
			case x == 0 && first < 0:
				first = j
			case x == 0:
				broken = broken || m.At(first, j) == 1
			}
		}
	}
	return broken
}

// measured returns the distances between columns of the items, and then of new ones in fresh, nil for none,
// before the division and the shift.
func (in *Input) measured(d spec.Distance, fresh *Input) (m *similarity.Matrix, unit string, err error) {
	columns, err := in.measuredColumns(d)
	if err != nil {
		return m, "", err
	}
	if d.Kind == "gower" {
		m, err = gower(columns, in, fresh)
		return m, "range", err
	}
	values, units, err := in.measuredValues(d, columns, fresh)
	if err != nil {
		return m, "", err
	}
	return measure(d, units, values)
}

// measuredValues returns the values of the columns to measure, standardized if the spec says so, and
// their units: those of the items, and then of new ones in fresh, nil for none. Of labels they are the codes.
func (in *Input) measuredValues(d spec.Distance, columns []string, fresh *Input) (values [][]float64, units []string, err error) {
	if d.Kind == "same" {
		labels, err := in.groups(columns[0])
		if err != nil {
			return nil, nil, spec.Errorf("distance.columns", "%w", err)
		}
		if fresh != nil {
			after, err := fresh.groups(columns[0])
			if err != nil {
				return nil, nil, err
			}
			labels = slices.Concat(labels, after)
		}
		return [][]float64{coded(labels)}, columns, nil
	}
	values, units = make([][]float64, len(columns)), make([]string, len(columns))
	for j, column := range columns {
		covariate := func(source *Input) (c covariate, err error) {
			if c, err = source.covariate(column); err == nil && d.Kind == "great-circle" {
				err = c.degrees(column, []string{"longitude", "latitude"}[j], []float64{similarity.MaxLongitude, similarity.MaxLatitude}[j])
			}
			return c, err
		}
		c, err := covariate(in)
		if err != nil {
			return nil, nil, spec.Errorf("distance.columns", "%w", err)
		}
		values[j], units[j] = c.values, c.unit(column)
		if fresh != nil {
			after, err := covariate(fresh)
			if err != nil {
				return nil, nil, err
			}
			if c.dates != after.dates {
				return nil, nil, fmt.Errorf("%s: column %s: found dates in one of the run and the new items, expected them in both or none", fresh.Items.Name, hint.Quoted(column))
			}
			values[j] = slices.Concat(c.values, after.values)
		}
		if d.Standardize {
			if err := standardize(values[j], c.values, column); err != nil {
				return nil, nil, spec.Errorf("distance.columns", "%w", err)
			}
		}
	}
	return values, units, nil
}

// measuredColumns returns the columns to measure.
func (in *Input) measuredColumns(d spec.Distance) (columns []string, err error) {
	if d.Kind == "great-circle" && isCalled(d.Columns[0], likeLatitude) && isCalled(d.Columns[1], likeLongitude) {
		return nil, spec.Errorf("distance.columns", "found the latitude %s first, by its name, expected the longitude first: great-circle:%s,%[1]s", d.Columns[0], d.Columns[1])
	}
	if d.Kind != "euclidean" && d.Kind != "gower" {
		return d.Columns, nil
	}
	for _, pattern := range d.Columns {
		matches, err := in.matching(pattern)
		if err != nil {
			return nil, spec.Errorf("distance.columns", "%w", err)
		}
		columns = append(columns, matches...)
	}
	return columns, nil
}

// unitOf returns the unit of a distance between columns.
func unitOf(d spec.Distance, columns []string) string {
	switch d.Kind {
	case "great-circle":
		return "km"
	case "same":
		return ""
	}
	shown := 4
	if len(columns) > shown {
		shown = 1 // a unit is part of headers and sentences
	}
	unit := hint.Listed(columns, shown)
	if d.Standardize {
		unit = "sd of " + unit
	}
	return unit
}

// measure returns the distances between the items with the given values of columns.
func measure(d spec.Distance, columns []string, values [][]float64) (m *similarity.Matrix, unit string, err error) {
	switch d.Kind {
	case "absolute":
		m = similarity.AbsDifference(values[0])
	case "great-circle":
		m, err = similarity.GreatCircle(values[0], values[1])
	case "same":
		m = similarity.Same(values[0])
	case "cyclic":
		m = similarity.Cyclic(values[0], d.Period)
	default:
		m = similarity.Euclidean(lists.Transposed(values))
	}
	if err != nil {
		return m, "", spec.Errorf("distance.columns", "%s: %w", strings.Join(columns, " and "), err)
	}
	return m, unitOf(d, columns), nil
}

// points returns the items at the given values of columns, in space or not.
func points(d spec.Distance, values [][]float64) (*similarity.Points, error) {
	switch d.Kind {
	case "great-circle":
		return similarity.NewPlaces(values[0], values[1])
	case "same":
		return similarity.NewLabels(values[0]), nil
	case "cyclic":
		return similarity.NewCycle(values[0], d.Period), nil
	}
	return similarity.NewPoints(lists.Transposed(values))
}

// fillPlace fills in the columns of longitude and latitude by their usual names.
func (in *Input) fillPlace(d *spec.Distance) {
	if d.Kind == "great-circle" && len(d.Columns) == 0 {
		d.Columns, _ = in.place()
	}
	d.FurtherDistances = slices.Clone(d.FurtherDistances)
	for m := range d.FurtherDistances {
		in.fillPlace(&d.FurtherDistances[m])
	}
}

// place returns the columns of longitude and latitude by their usual names. It reports whether
// there are both. A column that is missing has its most usual name.
func (in *Input) place() (columns []string, ok bool) {
	all := slices.Clone(in.Items.Columns)
	if in.Side != nil {
		all = append(all, in.Side.Columns...)
	}
	ok = true
	for _, names := range [][]string{longitudes, latitudes} {
		i := slices.IndexFunc(all, func(c string) bool { return slices.Contains(names, strings.ToLower(c)) })
		if i < 0 {
			columns, ok = append(columns, names[0]), false
			continue
		}
		columns = append(columns, all[i])
	}
	return columns, ok
}

// longitudes and latitudes are the usual names of coordinates on the globe, whatever the case. Names of other columns of
// coordinates begin or end with one of likeLongitude or likeLatitude.
var (
	longitudes    = []string{"lon", "long", "lng", "longitude", "decimallongitude"}
	latitudes     = []string{"lat", "latitude", "decimallatitude"}
	likeLongitude = append([]string{"longitud", "longitudine", "länge", "längengrad", "x", "easting"}, longitudes...)
	likeLatitude  = append([]string{"latitud", "latitudine", "breite", "breitengrad", "y", "northing"}, latitudes...)
)

// isCalled reports whether the name of a column begins or ends with one of some names.
func isCalled(column string, like []string) bool {
	column = strings.ToLower(names.Canonical(column))
	return slices.ContainsFunc(like, func(name string) bool { return strings.HasPrefix(column, name) || strings.HasSuffix(column, name) })
}

// inPlane are usual names of coordinates in the plane.
var inPlane = [][2]string{{"x", "y"}, {"easting", "northing"}, {"east", "north"}, {"utm_e", "utm_n"}, {"utme", "utmn"}, {"utm_x", "utm_y"},
	{"utmx", "utmy"}, {"utm_easting", "utm_northing"}, {"xcoord", "ycoord"}, {"x_coord", "y_coord"}, {"coord_x", "coord_y"}, {"coordx", "coordy"}, {"coords.x1", "coords.x2"}}

// notePlaces returns lines on coordinates by their usual names: those in X, unless the spec names its
// columns, those on the globe that nothing uses, if the spec left the law open, and those whose degrees are
// taken for distances in the plane.
func (in *Input) notePlaces(s spec.Spec, x []string, open bool) (notes []string) {
	note := func(columns []string, flags string) {
		named := fmt.Sprintf("columns %s and %s", hint.Quoted(columns[0]), hint.Quoted(columns[1]))
		inX := slices.Contains(x, columns[0]) && slices.Contains(x, columns[1])
		switch measured := s.Distance.Kind != "none"; {
		case inX && s.Data.NamesColumns():
		case inX && measured:
			notes = append(notes, fmt.Sprintf("%s, coordinates by their names, are in X: %s", named, leavingOut(columns)))
		case inX:
			notes = append(notes, fmt.Sprintf("%s are in X: %s measures distances with them, %s", named, flags, leavingOut(columns)))
		case open && !measured:
			notes = append(notes, fmt.Sprintf("%s are not used: %s measures distances with them", named, flags))
		}
	}
	if columns, ok := in.place(); ok {
		note(columns, "--distance great-circle")
		if d := s.Distance; d.Kind == "euclidean" && !d.Standardize && slices.Contains(d.Columns, columns[0]) && slices.Contains(d.Columns, columns[1]) {
			notes = append(notes, fmt.Sprintf("distances in degrees of %s and %s, which differ in length: --distance great-circle measures them on the Earth", columns[0], columns[1]))
		}
	}
	if columns := in.planePlace(x); columns != nil {
		note(columns, "--distance euclidean:"+strings.Join(columns, ","))
	}
	return notes
}

// planePlace returns the two columns of X that are coordinates in the plane by their usual names, nil
// if there are none.
func (in *Input) planePlace(x []string) []string {
	columns := map[string]string{}
	for _, c := range x {
		columns[strings.ToLower(c)] = c
	}
	for _, pair := range inPlane {
		first, ok := columns[pair[0]]
		if second, both := columns[pair[1]]; ok && both && len(x) > 2 {
			return []string{first, second}
		}
	}
	return nil
}
