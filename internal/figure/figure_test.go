package figure

import (
	"image/color"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		limit     int
		low, high float64
		expected  string
	}{
		{4, -0.3, 6.1, "0 2 4 6"},
		{4, -450, -340, "\u2212450 \u2212400 \u2212350"},
		{6, 0, 0.95, "0 0.2 0.4 0.6 0.8"},
		{8, 0, 5, "0 1 2 3 4 5"},
		{4, 0.0001, 0.00061, "0.0002 0.0004 0.0006"},
		{4, 1, 1, ""},
	} {
		var got []string
		for _, tick := range Ticks(c.limit).Ticks(c.low, c.high) {
			got = append(got, tick.Label)
		}
		if strings.Join(got, " ") != c.expected {
			t.Errorf("%d ticks from %v to %v: found %v, expected %s", c.limit, c.low, c.high, got, c.expected)
		}
	}
}

// Few cells are paths, many an image.
func TestDrawCells(t *testing.T) {
	for _, c := range []struct{ n, paths, images int }{{50, 2500, 0}, {51, 0, 1}} {
		content, err := Figure{Height: 80 * vg.Millimeter, Paint: func(dc draw.Canvas) {
			DrawCells(dc, c.n, c.n, func(i, j int) color.Color { return Sequential(float64(i) / 51) })
		}}.Encode("svg")
		if err != nil {
			t.Fatal(err)
		}
		// The ground and the frame are paths too.
		paths, images := strings.Count(string(content), "<path")-2, strings.Count(string(content), "<image")
		if paths != c.paths || images != c.images {
			t.Errorf("%d x %d cells: found %d paths and %d images, expected %d and %d", c.n, c.n, paths, images, c.paths, c.images)
		}
	}
}

// Rectangles that are not finite are left out, and a PNG of them ends.
func TestFillFinite(t *testing.T) {
	f := Figure{Height: 10 * vg.Millimeter, Paint: func(dc draw.Canvas) {
		corner := vg.Point{X: 5, Y: 5}
		Fill(dc, color.Black, []vg.Rectangle{
			{Max: corner}, {Max: vg.Point{X: vg.Length(math.NaN()), Y: 5}}, {Min: vg.Point{Y: vg.Length(math.Inf(-1))}, Max: corner},
		})
	}}
	if _, err := f.Encode("png"); err != nil {
		t.Fatal(err)
	}
	content, err := f.Encode("svg")
	if paths := strings.Count(string(content), "M0 "); err != nil || paths != 2 || strings.Contains(string(content), "NaN") {
		t.Errorf("found %d rectangles, expected the ground and one: %s, %v", paths, content, err)
	}
}

func TestEncodeKind(t *testing.T) {
	for kind, begins := range map[string]string{"svg": "<?xml", "png": "\x89PNG"} {
		content, err := Figure{Height: vg.Centimeter, Paint: func(draw.Canvas) {}}.Encode(kind)
		if err != nil || !strings.HasPrefix(string(content), begins) {
			t.Errorf("%s: found %.10q, %v", kind, content, err)
		}
	}
	if _, err := (Figure{}).Encode("gif"); err == nil {
		t.Error("gif: expected an error")
	}
}

// The scale of both signs is nearly white in the middle, and as dark on one side as on
// the other.
func TestDiverging(t *testing.T) {
	light := func(t float64) int {
		c := Diverging(t)
		return int(c.R) + int(c.G) + int(c.B)
	}
	if c := Diverging(0.5); c != (color.NRGBA{0xf7, 0xf7, 0xf7, 0xff}) {
		t.Errorf("found %v in the middle", c)
	}
	for _, x := range []float64{0.1, 0.25, 0.4, 0.5} {
		if below, above := light(0.5-x), light(0.5+x); math.Abs(float64(below-above)) > 100 || below > light(0.5-x+0.1) || above > light(0.5+x-0.1) {
			t.Errorf("found the sums of colors %d and %d at %v from the middle", below, above, x)
		}
	}
	if below, above := Diverging(0), Diverging(1); below.B < below.R || above.R < above.B {
		t.Errorf("found %v and %v at the ends, expected blue and red", below, above)
	}
}

// Lines above a picture fit its width, and each word is on one of them unless it is longer
// than a line.
func TestWrapped(t *testing.T) {
	style := Text(TickSize)
	const width = 40 * vg.Millimeter
	long := strings.Repeat("abc/", 30)
	lines := wrapped(style, "some words that do not fit in a line of this width "+long+" and more", width)
	for _, line := range lines {
		if style.Width(line) > width {
			t.Errorf("found the line %q of width %v, expected at most %v", line, style.Width(line), width)
		}
	}
	if joined := strings.Join(lines, ""); len(lines) < 4 || !strings.Contains(joined, long) || !strings.HasPrefix(lines[0], "some words that") {
		t.Errorf("found %q", lines)
	}
}

// A stack is as high as both figures, and as wide as the wider one. Titles are escaped.
func TestStack(t *testing.T) {
	var areas []vg.Rectangle
	paint := func(dc draw.Canvas) { areas = append(areas, dc.Rectangle) }
	first := Figure{Title: "A < B", Width: 50 * vg.Millimeter, Height: 20 * vg.Millimeter, Paint: paint}
	second := Figure{Title: "second", Warning: "doubt", About: []string{"one", "two"}, Width: 70 * vg.Millimeter, Height: 30 * vg.Millimeter, Paint: paint}
	both := Stack(first, second)
	if both.Width != second.Width || both.Height != first.total(first.above())+second.total(second.above()) {
		t.Errorf("found %v x %v", both.Width, both.Height)
	}
	if _, err := both.Encode("svg"); err != nil {
		t.Fatal(err)
	}
	for i, f := range []Figure{first, second} {
		size := areas[i].Size()
		if math.Abs(float64(size.X-f.Width)) > 1e-6 || math.Abs(float64(size.Y-f.Height)) > 1e-6 {
			t.Errorf("figure %d: found the area %v, expected %v x %v", i+1, size, f.Width, f.Height)
		}
	}
	if areas[1].Max.Y > areas[0].Min.Y {
		t.Errorf("found the second figure at %v and the first at %v, expected it below", areas[1], areas[0])
	}
	content, err := first.Encode("svg")
	if err != nil || !strings.Contains(string(content), "<title>A &lt; B</title>") {
		t.Errorf("found %.300s, %v", content, err)
	}
}

// Many cells are a PNG, which the SVG calls by its name, and which fills its area with sharp edges.
func TestImageType(t *testing.T) {
	content, err := Figure{Height: 80 * vg.Millimeter, Paint: func(dc draw.Canvas) {
		DrawCells(dc, 60, 60, func(i, j int) color.Color { return Sequential(0.5) })
	}}.Encode("svg")
	if err != nil || !strings.Contains(string(content), `"data:image/png;base64,`) || !strings.Contains(string(content), `<image preserveAspectRatio="none" style="image-rendering:pixelated"`) || strings.Contains(string(content), "image/jpg") {
		t.Errorf("found no PNG in %.600s, %v", content, err)
	}
}

// Images of very many cells stay small: a cell then is a pixel.
func TestManyCells(t *testing.T) {
	f := Figure{Height: 80 * vg.Millimeter, Paint: func(dc draw.Canvas) {
		DrawCells(dc, 20_000, 5, func(i, j int) color.Color { return color.Black })
	}}
	svg, err := f.Encode("svg")
	if err != nil {
		t.Fatal(err)
	}
	if len(svg) > 100_000 {
		t.Errorf("found %d bytes, expected at most 100,000", len(svg))
	}
}
