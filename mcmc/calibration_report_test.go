package mcmc

import (
	"encoding/csv"
	"fmt"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// The pictures of docs/theory/calibration.md, and its table.

const (
	tableFile = "../docs/theory/calibration.csv"
	imageDir  = "../docs/images/calibration"
)

// report is all that came of the calibration.
type report struct {
	plan                                       plan
	kernels, samplers, mutants, samplerMutants []outcome
}

// write writes the pictures and the table.
func (r *report) write(t *testing.T) {
	t.Helper()
	var b strings.Builder
	w := csv.NewWriter(&b)
	if err := w.WriteAll(r.table()); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(tableFile, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, paint := range map[string]func() (*vgimg.Canvas, error){"ranks.png": r.paintRanks, "mutants.png": r.paintMutants} {
		canvas, err := paint()
		if err != nil {
			t.Fatal(err)
		}
		file, err := os.Create(filepath.Join(imageDir, name))
		if err != nil {
			t.Fatal(err)
		}
		_, err = vgimg.PngCanvas{Canvas: canvas}.WriteTo(file)
		if e := file.Close(); err != nil || e != nil {
			t.Fatal(err, e)
		}
	}
}

// table returns a header and a row for each test.
func (r *report) table() [][]string {
	rows := [][]string{{"kind", "test", "kernel", "what", "model", "replicates", "stages", "p", "least uniform", "verdict"}}
	add := func(kind, test, quiet, alarm string, outcomes []outcome) {
		for _, o := range outcomes {
			verdict := quiet
			if o.verdict.Alarm {
				verdict = alarm
			}
			rows = append(rows, []string{kind, test, o.kernel, o.what, o.on.name, fmt.Sprint(o.verdict.Replicates),
				fmt.Sprint(o.verdict.Stages), fmt.Sprintf("%.2g", o.verdict.P), o.worst(), verdict})
		}
	}
	add("correct", "joint test", "passes", "alarm", r.kernels)
	add("correct", "simulation-based calibration", "passes", "alarm", r.samplers)
	add("mutant", "joint test", "missed", "caught", r.mutants)
	add("mutant", "simulation-based calibration", "missed", "caught", r.samplerMutants)
	return rows
}

// Colors of Okabe and Ito, for quantities of interest; gray for the others.
var lineColors = map[string]color.Color{
	"log likelihood": color.NRGBA{0x00, 0x72, 0xb2, 0xff},
	"log prior":      color.NRGBA{0xd5, 0x5e, 0x00, 0xff},
	"features":       color.NRGBA{0x00, 0x9e, 0x73, 0xff},
	"mass":           color.NRGBA{0xcc, 0x79, 0xa7, 0xff},
	"temperature":    color.NRGBA{0xe6, 0x9f, 0x00, 0xff},
}

// lineOrder is the order of the legend.
var lineOrder = []string{"log likelihood", "log prior", "features", "mass", "temperature"}

func letters(size float64) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Points(size)}
}

func newFigure(title string) *plot.Plot {
	p := plot.New()
	p.Title.Text = title
	p.Title.TextStyle.Font = letters(8)
	p.Title.Padding = vg.Points(3)
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font = letters(8)
		a.Tick.Label.Font = letters(7)
		a.Tick.Length = vg.Points(3)
		a.Tick.LineStyle.Width = vg.Points(0.5)
		a.LineStyle.Width = vg.Points(0.5)
	}
	p.Legend.TextStyle.Font = letters(7)
	return p
}

// Of all pictures.
const (
	pictureWidth = 180 * vg.Millimeter
	dotsPerInch  = 150
)

// paintRanks draws, for each default scan on whose model there is a mutant, the difference between
// the ECDF of the ranks and the uniform one, the right sampler on the left and one with a
// mutant on the right, both with as many replicates.
func (r *report) paintRanks() (*vgimg.Canvas, error) {
	var plots [][]*plot.Plot
	for i, o := range r.samplers {
		m, ok := beside(o.on)
		if !ok {
			continue
		}
		wrong := NewRanks(len(m.on.testQuantities()), r.plan.cells)
		sbc(m.sampler(), NewStream(1, "picture, "+m.wrong), wrong, o.ranks.N())
		left, err := ranksPlot(o.on, o.on.name, o.ranks, i == 1)
		if err != nil {
			return nil, err
		}
		right, err := ranksPlot(o.on, "mutant: "+m.kernel+", "+m.wrong, wrong, false)
		if err != nil {
			return nil, err
		}
		plots = append(plots, []*plot.Plot{left, right})
	}
	rows := len(plots)
	canvas := vgimg.NewWith(vgimg.UseWH(pictureWidth, vg.Length(rows)*48*vg.Millimeter), vgimg.UseDPI(dotsPerInch))
	tiles := draw.Tiles{Rows: rows, Cols: 2, PadX: vg.Millimeter * 5, PadY: vg.Millimeter * 3, PadTop: vg.Millimeter * 2, PadBottom: vg.Millimeter, PadLeft: vg.Millimeter, PadRight: vg.Millimeter * 2}
	cells := plot.Align(plots, tiles, draw.New(canvas))
	for i := range plots {
		for j, p := range plots[i] {
			p.Draw(cells[i][j])
		}
	}
	return canvas, nil
}

// beside returns a mutant to draw beside the right sampler of a model.
func beside(on model) (m mutant, ok bool) {
	all := slices.Concat(scanMutants, jointScanMutants, mutants)
	i := slices.IndexFunc(all, func(m mutant) bool { return m.on.name == on.name })
	if i < 0 {
		return m, false
	}
	return all[i], true
}

// The picture of ranks has a row for each sampler on whose model there is a mutant.
func TestRanksPicture(t *testing.T) {
	r := report{plan: shortPlan}
	for _, s := range samplers {
		c := sbcTrial(s, r.plan.cells)
		c.o.ranks = c.newRanks()
		c.add(NewStream(1, "picture of "+s.on.name), c.o.ranks, 0, 1)
		r.samplers = append(r.samplers, c.o)
	}
	if _, err := r.paintRanks(); err != nil {
		t.Error(err)
	}
}

// ranksPlot draws one panel. Uniform ranks leave the band for any of the quantities
// with probability at most 0.05.
func ranksPlot(m model, title string, ranks *Ranks, legend bool) (*plot.Plot, error) {
	qs := m.testQuantities()
	p := newFigure(title)
	p.X.Min, p.X.Max = 0, 1
	p.X.Label.Text, p.Y.Label.Text = "rank", "ECDF − uniform"
	cells, n := len(ranks.Counts(0)), float64(ranks.N())
	low, high := Envelope(ranks.N(), cells, 0.05/float64(len(qs)))
	outline, back := plotter.XYs{{X: 0, Y: 0}}, plotter.XYs{}
	index := func(j int, count float64) plotter.XY {
		u := float64(j+1) / float64(cells)
		return plotter.XY{X: u, Y: count/n - u}
	}
	for j := range low {
		outline = append(outline, index(j, float64(high[j])))
		back = append(back, index(j, float64(low[j])))
	}
	outline = append(outline, plotter.XY{X: 1, Y: 0})
	for j := len(back) - 1; j >= 0; j-- {
		outline = append(outline, back[j])
	}
	band, err := plotter.NewPolygon(outline)
	if err != nil {
		return nil, err
	}
	band.Color, band.LineStyle.Width = color.Gray{0xe4}, 0
	p.Add(band)
	add := func(q int, c color.Color, width float64) (*plotter.Line, error) {
		points, sum := plotter.XYs{{X: 0, Y: 0}}, 0
		for j, count := range ranks.Counts(q) {
			sum += count
			points = append(points, index(j, float64(sum)))
		}
		line, err := plotter.NewLine(points)
		if err != nil {
			return nil, err
		}
		line.LineStyle = draw.LineStyle{Color: c, Width: vg.Points(width)}
		p.Add(line)
		return line, nil
	}
	for q := range qs {
		if lineColors[qs[q].name] == nil {
			if _, err := add(q, color.Gray{0xa0}, 0.4); err != nil {
				return nil, err
			}
		}
	}
	for _, name := range lineOrder {
		for q := range qs {
			if qs[q].name == name {
				line, err := add(q, lineColors[name], 1.1)
				if err != nil {
					return nil, err
				}
				if legend {
					p.Legend.Add(name, line)
				}
			}
		}
	}
	p.Legend.Top = true
	limit := math.Max(0.12, 1.05*math.Max(p.Y.Max, -p.Y.Min))
	p.Y.Min, p.Y.Max = -limit, limit
	return p, nil
}

// paintMutants draws how many replicates it took to catch each mutant.
func (r *report) paintMutants() (*vgimg.Canvas, error) {
	n := len(r.mutants)
	canvas := vgimg.NewWith(vgimg.UseWH(pictureWidth, vg.Length(n)*3.6*vg.Millimeter+14*vg.Millimeter), vgimg.UseDPI(dotsPerInch))
	p := newFigure("")
	p.X.Label.Text = "replicates that caught the mutant"
	p.X.Scale = plot.LogScale{}
	sizes := r.plan.mutants
	p.X.Min, p.X.Max = float64(sizes[0])*0.8, float64(sizes[len(sizes)-1])*1.25
	var xTicks, yTicks []plot.Tick
	for _, size := range sizes {
		xTicks = append(xTicks, plot.Tick{Value: float64(size), Label: fmt.Sprint(size)})
	}
	points := make(plotter.XYs, 0, n)
	grid := plotter.NewGrid()
	grid.Vertical = draw.LineStyle{Color: color.Gray{0xdd}, Width: vg.Points(0.5)}
	grid.Horizontal = draw.LineStyle{Color: color.Gray{0xee}, Width: vg.Points(0.5)}
	p.Add(grid)
	for i, o := range r.mutants {
		y := float64(n - 1 - i)
		yTicks = append(yTicks, plot.Tick{Value: y, Label: o.kernel + ": " + o.what})
		if o.verdict.Alarm {
			points = append(points, plotter.XY{X: float64(o.verdict.Replicates), Y: y})
		}
	}
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.ConstantTicks(xTicks), plot.ConstantTicks(yTicks)
	p.Y.Min, p.Y.Max = -0.7, float64(n)-0.3
	dots, err := plotter.NewScatter(points)
	if err != nil {
		return nil, err
	}
	dots.GlyphStyle = draw.GlyphStyle{Color: lineColors["log likelihood"], Radius: vg.Points(2.2), Shape: draw.CircleGlyph{}}
	p.Add(dots)
	area := draw.New(canvas)
	p.Draw(draw.Crop(area, vg.Millimeter, -2*vg.Millimeter, vg.Millimeter, -2*vg.Millimeter))
	return canvas, nil
}
