package picture

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"image/color"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"aibd/draws"
	"aibd/internal/figure"
	"aibd/internal/input"
	"aibd/internal/oracle/fixture"
	"aibd/internal/results"
	"aibd/internal/runs"
	"aibd/internal/spec"
	"aibd/internal/verdict"
	"aibd/posterior"
)

// gallery samples a run of a spec in TOML and returns its gallery.
func gallery(t *testing.T, text string) *Gallery {
	t.Helper()
	s, err := spec.ParseTOML([]byte(fixture.Binary(text)), "spec.toml")
	if err != nil {
		t.Fatal(err)
	}
	p, err := input.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	run, err := runs.Create("run", p, "v1")
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Sample(t.Context()); err != nil {
		t.Fatal(err)
	}
	j, err := results.Open("run")
	if err != nil {
		t.Fatal(err)
	}
	return NewGallery(j)
}

// figureOf draws the picture with a name.
func figureOf(t *testing.T, g *Gallery, name string) figure.Figure {
	t.Helper()
	f, err := g.Draw(Kinds[slices.IndexFunc(Kinds, func(k Kind) bool { return k.Name == name })])
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return f
}

// A written text is what a picture says and where.
type written struct {
	text string
	box  vg.Rectangle
}

// A shape is a line or an area of a picture.
type shape struct {
	path   vg.Path
	shade  color.Color
	filled bool
}

// drawn holds the marks of a picture without its title.
type drawn struct {
	width, height vg.Length
	texts         []written
	shapes        []shape
	images        int
}

func drawnOf(f figure.Figure) *drawn {
	var c recorder.Canvas
	d := &drawn{width: f.Width, height: f.Height}
	if d.width == 0 {
		d.width = figure.Width
	}
	f.Paint(draw.NewCanvas(&c, d.width, d.height))
	angle, shade := []float64{0}, []color.Color{color.Black}
	for _, a := range c.Actions {
		last := len(angle) - 1
		switch a := a.(type) {
		case *recorder.Push:
			angle, shade = append(angle, angle[last]), append(shade, shade[last])
		case *recorder.Pop:
			angle, shade = angle[:last], shade[:last]
		case *recorder.Rotate:
			angle[last] += a.Angle
		case *recorder.SetColor:
			shade[last] = a.Color
		case *recorder.Stroke:
			d.shapes = append(d.shapes, shape{a.Path, shade[last], false})
		case *recorder.Fill:
			d.shapes = append(d.shapes, shape{a.Path, shade[last], true})
		case *recorder.DrawImage:
			d.images++
		case *recorder.FillString:
			style := figure.Text(a.Size.Points())
			wide, high := style.Width(a.String), 0.7*a.Size
			sin, cos := math.Sincos(angle[last])
			corner := func(p vg.Point) vg.Point {
				return vg.Point{X: p.X*vg.Length(cos) - p.Y*vg.Length(sin), Y: p.X*vg.Length(sin) + p.Y*vg.Length(cos)}
			}
			begin, end := corner(a.Point), corner(a.Point.Add(vg.Point{X: wide, Y: high}))
			d.texts = append(d.texts, written{a.String, vg.Rectangle{
				Min: vg.Point{X: min(begin.X, end.X), Y: min(begin.Y, end.Y)}, Max: vg.Point{X: max(begin.X, end.X), Y: max(begin.Y, end.Y)}}})
		}
	}
	return d
}

// count returns how often a text is written.
func (d *drawn) count(text string) (n int) {
	for _, w := range d.texts {
		if w.text == text {
			n++
		}
	}
	return n
}

// lines returns the number of lines of a color with at least the given number of points.
func (d *drawn) lines(shade color.Color, points int) (n int) {
	for _, s := range d.shapes {
		r, g, b, _ := s.shade.RGBA()
		rr, gg, bb, _ := shade.RGBA()
		if !s.filled && len(s.path) >= points && r == rr && g == gg && b == bb {
			n++
		}
	}
	return n
}

// checkCanvas reports texts that leave the canvas or are too small to read, and SVG that is
// not well-formed.
func checkCanvas(t *testing.T, name string, f figure.Figure) *drawn {
	t.Helper()
	d := drawnOf(f)
	const slack = 0.6 // points, as characters have some space around them
	for _, w := range d.texts {
		if w.box.Min.X < -slack || w.box.Min.Y < -slack || w.box.Max.X > d.width+slack || w.box.Max.Y > d.height+slack {
			t.Errorf("%s: %q is at %v, expected it within %v x %v", name, w.text, w.box, d.width, d.height)
		}
	}
	content, err := f.Encode("svg")
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	for decoder := xml.NewDecoder(bytes.NewReader(content)); ; {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	if f.Title == "" || len(f.About) == 0 || !strings.Contains(string(content), "<title>"+f.Title+"</title>") {
		t.Errorf("%s: found no title or no explanation", name)
	}
	return d
}

// allOf draws all pictures of a run and checks them.
func allOf(t *testing.T, g *Gallery) map[string]*drawn {
	t.Helper()
	all := map[string]*drawn{}
	for _, k := range Kinds {
		f, err := g.Draw(k)
		if errors.Is(err, ErrNone) {
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", k.Name, err)
		}
		if f.Warning != g.Short() {
			t.Errorf("%s: found the warning %q, expected %q", k.Name, f.Warning, g.Short())
		}
		all[k.Name] = checkCanvas(t, k.Name, f)
	}
	return all
}

// The pictures of a small run have the marks that they promise.
func TestPicturesOfStates(t *testing.T) {
	t.Chdir(t.TempDir())
	// With 30 draws a scalar of a chain may have the same value in all.
	g := gallery(t, strings.Replace(fixture.Small, "draws = 30", "draws = 100", 1))
	all := allOf(t, g)
	if g.Short() == "" {
		t.Error("expected chains that disagree after so few scans")
	}
	quantities := sampled(g.Quantities())
	for _, name := range []string{"trace", "density", "rank"} {
		for _, q := range quantities {
			if !slices.ContainsFunc(all[name].texts, func(w written) bool { return strings.HasPrefix(w.text, q.Label()) }) {
				t.Errorf("%s: found no panel of %s", name, q.Label())
			}
		}
	}
	// A curve for each chain; curves have at least 5 points, axes fewer.
	for c := range 3 {
		shade := figure.Color(c)
		if n := all["density"].lines(shade, 5); n != len(quantities) {
			t.Errorf("density: found %d curves of chain %d, expected one for each of %d scalars", n, c+1, len(quantities))
		}
	}
	for _, item := range g.Run.Data.IDs {
		if n := all["sharing"].count(item); n != 2 {
			t.Errorf("sharing: found %s %d times, expected it at both sides", item, n)
		}
		if n := all["z"].count(item); n != 1 {
			t.Errorf("z: found %s %d times, expected one row", item, n)
		}
	}
	e, err := g.Estimate()
	if err != nil {
		t.Fatal(err)
	}
	for k := range min(e.Z.K(), maxFeatures) {
		if !slices.ContainsFunc(all["features"].texts, func(w written) bool { return strings.HasPrefix(w.text, fmt.Sprintf("Feature %d: ", k+1)) }) {
			t.Errorf("features: found no feature %d", k+1)
		}
	}
	for _, variable := range g.Run.Data.Columns {
		if all["loadings"].count(variable) != 1 || all["fit"].count(variable) != 1 {
			t.Errorf("found no row or column of %s", variable)
		}
	}
}

// Pairs of items with weighted features have correlations in place of numbers of shared features, which the sharing
// of the gallery keeps.
func TestSharingOfWeights(t *testing.T) {
	t.Chdir(t.TempDir())
	g := gallery(t, fixture.Small+"\n[likelihood]\nfeatures = \"weighted\"\n")
	d := checkCanvas(t, "sharing", figureOf(t, g, "sharing"))
	if d.count("correlation") != 1 || d.count("shared") != 0 || d.count("\u22121") != 1 || g.Sharing().Covariance != nil {
		t.Errorf("found %v, expected a scale of correlations", d.texts)
	}
	for _, item := range g.Run.Data.IDs {
		if n := d.count(item); n != 2 {
			t.Errorf("found %s %d times, expected it at both sides", item, n)
		}
	}
}

// Residuals are in units of the noise of their column.
func TestNoises(t *testing.T) {
	run := &runs.Run{}
	run.Data.Columns = []string{"a", "b"}
	j := &results.Judged{Run: run, Chains: [][]*draws.Draw{{{SigmaX: 1, NoiseScales: []float64{1, 50}}}, {{SigmaX: 2, NoiseScales: []float64{1, 50}}, {SigmaX: 3, NoiseScales: []float64{1, 50}}}}}
	if got := noises(j); !slices.Equal(got, []float64{2, 100}) {
		t.Errorf("found %v, expected 2 and 100", got)
	}
}

// The trace of each chain begins in warmup, with the first scan, and ends with the last.
func TestTraceShowsWarmup(t *testing.T) {
	t.Chdir(t.TempDir())
	g := gallery(t, fixture.Small) // 20 scans of warmup and 30 draws
	d := drawnOf(Trace(g.Judged))
	var shaded []vg.Path
	for _, s := range d.shapes {
		if s.filled && s.shade == (color.Gray{0xdc}) {
			shaded = append(shaded, s.path)
		}
	}
	quantities := len(sampled(g.Quantities()))
	if len(shaded) != quantities {
		t.Fatalf("found %d shaded areas, expected one for each of %d scalars", len(shaded), quantities)
	}
	left, right := shaded[0][0].Pos.X, shaded[0][1].Pos.X
	for _, s := range d.shapes {
		if s.filled || len(s.path) != 50 {
			continue // no trace of 20 and 30 scans
		}
		first, last := s.path[0].Pos, s.path[49].Pos
		if math.Abs(float64(first.X-left)) < 10 {
			quantities--
			scan := (right - left) / 20
			if math.Abs(float64(first.X-left-scan)) > 0.1 || math.Abs(float64(last.X-left-50*scan)) > 0.1 {
				t.Errorf("found a trace from %v to %v, expected it from %v to %v", first.X, last.X, left+scan, left+50*scan)
			}
		}
	}
	if quantities == len(shaded) {
		t.Error("found no trace that begins in warmup")
	}
	// The trace of the warmup of a chain needs its checkpoint.
	dir := g.Run.Dir
	if err := os.Remove(dir + "/chain-1/checkpoint.json"); err != nil {
		t.Fatal(err)
	}
	want := "Scans before the first draw are not shown: " + dir + "/chain-1/checkpoint.json: no such file or directory."
	if about := Trace(g.Judged).About; !slices.Contains(about, want) {
		t.Errorf("found %q, expected %q", about, want)
	}
}

// table returns a CSV table of items with long names, three variables and an age.
func table(items int) string {
	var b strings.Builder
	b.WriteString("id,first,second,third,age\n")
	for i := range items {
		fmt.Fprintf(&b, "a rather long name of item %d,%d,%d,%d,%d\n", i+1, i*7%11, i*5%13, i*3%4, 20+i*17%53)
	}
	return b.String()
}

const tableSpec = `
[data]
file = "table.csv"
[distance]
kind = "absolute"
columns = ["age"]
[sampler]
chains = 2
warmup = 10
draws = 20
`

// Of many cutpoints those that the chains disagree on most have a panel.
func TestPanelled(t *testing.T) {
	all := []verdict.Quantity{{Key: "mass"}, {Key: "sigma_x", Kind: verdict.Fixed}}
	for k := range 9 {
		chains := [][]float64{make([]float64, 100), make([]float64, 100)}
		for i := range 100 {
			chains[0][i] = math.Sin(float64(i * i))
			chains[1][i] = math.Cos(float64(i*i)) + float64(k*4%9)/5 // the larger, the worse
		}
		all = append(all, verdict.Quantity{Key: draws.CutpointKey(k), Chains: chains})
	}
	keys := func(shown []verdict.Quantity) string {
		var got []string
		for _, q := range shown {
			got = append(got, strings.TrimPrefix(q.Key, draws.KeyCutpoint))
		}
		return strings.Join(got, " ")
	}
	shown, note := panelled(slices.Clone(all))
	if got, want := keys(shown), "mass 2 3 4 5 7 9"; got != want || note != " Of 9 cutpoints, the 6 with the largest R-hat are shown." {
		t.Errorf("found %s and %q, expected %s", got, note, want)
	}
	if shown, note := panelled(slices.Clone(all[:8])); keys(shown) != "mass 1 2 3 4 5 6" || note != "" {
		t.Errorf("found %s and %q, expected all", keys(shown), note)
	}
}

// Bars of explained shares are sorted. Of many the largest are drawn, and unknown ones never.
func TestExplainedBars(t *testing.T) {
	e := explained(45)
	e.Fit = &posterior.Fit{}
	for v := range e.Variables {
		e.Fit.Variables = append(e.Fit.Variables, posterior.Share{Mean: float64((v*7)%45) / 45, SD: 0.01})
	}
	e.Fit.Variables[0].Mean = math.NaN()
	bars := byShare(e)
	if len(bars) != 44 || bars[0] != 32 || !slices.IsSortedFunc(bars, func(a, b int) int {
		return cmp.Compare(e.Fit.Variables[b].Mean, e.Fit.Variables[a].Mean)
	}) {
		t.Errorf("found the order %v", bars)
	}
	f := sheet{figure.Figure{Paint: func(draw.Canvas) {}}}
	f.explained(e, bars[:maxBars])
	if d := drawnOf(f.Figure); d.count("v33") != 1 || d.count("v1") != 0 || f.Height > 170*vg.Millimeter {
		t.Errorf("found a height of %v and %v", f.Height, d.texts)
	}
	before := f.Height
	if f.explained(e, nil); f.Height != before {
		t.Error("found bars of nothing")
	}
}

// Names are readable and on the canvas with 100 items, and with 3.
func TestPicturesBySize(t *testing.T) {
	for _, items := range []int{3, 100} {
		fixture.Put(t, "table.csv", table(items))
		g := gallery(t, tableSpec)
		all := allOf(t, g)
		heights := map[string]vg.Length{}
		for _, name := range []string{"sharing", "z"} {
			for _, w := range all[name].texts {
				if strings.HasPrefix(w.text, "a rather long name") {
					heights[name] = min(w.box.Max.X-w.box.Min.X, w.box.Max.Y-w.box.Min.Y)
				}
			}
			if e, _ := g.Estimate(); name == "z" && e.Z.K() == 0 {
				continue
			}
			if heights[name] < 0.7*minName {
				t.Errorf("%d items: %s has names %v points high, expected at least %v", items, name, heights[name], 0.7*minName)
			}
		}
		if images := all["sharing"].images; (images == 1) != (items == 100) {
			t.Errorf("%d items: found %d images, expected one for many cells only", items, images)
		}
	}
}

// Without features, distances or unknowns, pictures say so.
func TestPicturesOfLittle(t *testing.T) {
	fixture.Put(t, "table.csv", table(4))
	fixed := "[prior]\nlaw = \"ibp\"\n"
	for name, value := range map[string]float64{"mass": 1e-9, "sigma_x": 5, "sigma_a": 0.1} {
		fixed += fmt.Sprintf("[prior.%s]\nvalue = %g\nfixed = true\n", name, value)
	}
	g := gallery(t, strings.Replace(tableSpec, "[distance]\nkind = \"absolute\"\ncolumns = [\"age\"]\n", fixed, 1))
	if all := allOf(t, g); all["map"] != nil || all["sharing-distance"] != nil {
		t.Error("found pictures of distances, expected none under the IBP")
	}
	for _, name := range []string{"z", "features", "loadings"} {
		says := "The estimate has no features."
		if f := figureOf(t, g, name); !slices.Contains(f.About, says) {
			t.Errorf("%s: found %q, expected %q", name, f.About, says)
		}
	}
}

// Ranks of chains that agree are uniform. Equal draws share their ranks.
func TestRankShares(t *testing.T) {
	for _, c := range []struct {
		chains   [][]float64
		expected [][]float64
	}{
		{[][]float64{{1, 3, 5, 7}, {2, 4, 6, 8}}, [][]float64{{1, 1}, {1, 1}}},
		{[][]float64{{1, 2, 3, 4}, {5, 6, 7, 8}}, [][]float64{{2, 0}, {0, 2}}},
		{[][]float64{{1, 1, 1, 1}, {1, 1, 1, 1}}, [][]float64{{1, 1}, {1, 1}}},
		{[][]float64{{0, 0, 0, 0, 0, 0}, {0, 0, 1, 1, 1, 1}}, [][]float64{{1.5, 0.5}, {0.5, 1.5}}},
	} {
		got := rankShares(c.chains, 2)
		for i := range got {
			for b := range got[i] {
				if math.Abs(got[i][b]-c.expected[i][b]) > 1e-9 {
					t.Errorf("%v: found %v, expected %v", c.chains, got, c.expected)
				}
			}
		}
	}
}
