package picture

// Rank plots (Vehtari, Gelman, Simpson, Carpenter and Bürkner, 2021).

import (
	"cmp"
	"fmt"
	"image/color"
	"slices"
	"strconv"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"aibd/internal/figure"
	"aibd/internal/results"
	"aibd/internal/verdict"
)

// facets is the max number of chains with a histogram each. More chains are rows of a heat map.
const facets = 8

// Rank draws, for each scalar that is not fixed, how the ranks of the draws of each chain among
// those of all chains are distributed.
func Rank(j *results.Judged) figure.Figure {
	about := "Ranks are among the draws of all chains, low ones at the left. If the chains agree, each bar is near 1, the dashed line: all chains have as many high as low draws."
	if len(j.Chains) > facets {
		about = "Ranks are among the draws of all chains, low ones at the left. Rows are chains, the first at the top. Red: more draws than expected if the chains agree, up to twice as many; blue: fewer."
	}
	shown, note := panelled(j.Quantities())
	f := newSheet(j, "Ranks of the draws of each chain", about+note)
	bins := min(max(len(j.Chains[0])/20, 5), 20)
	switch {
	case len(shown) == 0:
		return f.empty("All quantities are fixed.")
	case len(j.Chains) < 2:
		return f.empty("Ranks compare chains, of which this run has one.")
	case len(j.Chains) > facets:
		f.rankMaps(shown, j.Numbers(), bins)
	default:
		f.rankBars(shown, j.Numbers(), bins)
	}
	return f.Figure
}

// rankBars draws a row of histograms for each quantity, one for each chain.
func (f *sheet) rankBars(shown []verdict.Quantity, chains []int, bins int) {
	const (
		head   = 6 * vg.Millimeter
		height = 12 * vg.Millimeter
		pitch  = height + 7*vg.Millimeter
		apart  = 3 * vg.Millimeter
	)
	width := (figure.Width-axis-edge+apart)/vg.Length(len(chains)) - apart
	f.Height = head + vg.Length(len(shown))*pitch + 3*vg.Millimeter
	f.Paint = func(dc draw.Canvas) {
		label := figure.Text(figure.TickSize)
		thin := draw.LineStyle{Color: color.Black, Width: vg.Points(0.5)}
		for i, q := range shown {
			shares := rankShares(q.Chains, bins)
			top := 2.0
			for _, share := range shares {
				top = max(top, slices.Max(share))
			}
			y := dc.Max.Y - head - vg.Length(i)*pitch
			for c, share := range shares {
				area := dc
				area.Min = vg.Point{X: dc.Min.X + axis + vg.Length(c)*(width+apart), Y: y - height}
				area.Max = vg.Point{X: area.Min.X + width, Y: y}
				var bars []vg.Rectangle
				for b, x := range share {
					left := area.Min.X + width*vg.Length(b)/vg.Length(bins)
					bars = append(bars, vg.Rectangle{
						Min: vg.Point{X: left + 0.2, Y: area.Min.Y},
						Max: vg.Point{X: left + width/vg.Length(bins) - 0.2, Y: area.Min.Y + height*vg.Length(x/top)},
					})
				}
				figure.Fill(area, figure.Color(c), bars)
				area.StrokeLine2(thin, area.Min.X, area.Min.Y, area.Max.X, area.Min.Y)
				dashed := draw.LineStyle{Color: color.Black, Width: vg.Points(0.6), Dashes: figure.Dashes}
				area.StrokeLine2(dashed, area.Min.X, area.Min.Y+height/vg.Length(top), area.Max.X, area.Min.Y+height/vg.Length(top))
				if i == len(shown)-1 {
					style := label
					style.XAlign, style.YAlign = text.XCenter, text.YTop
					dc.FillText(style, vg.Point{X: area.Min.X + width/2, Y: area.Min.Y - gap}, "chain "+strconv.Itoa(chains[c]))
				}
			}
			style := label
			style.XAlign, style.YAlign = text.XRight, text.YCenter
			for _, v := range []float64{0, 1} {
				dc.FillText(style, vg.Point{X: dc.Min.X + axis - gap, Y: y - height + height*vg.Length(v/top)}, fmt.Sprint(v))
			}
			panelTitle(draw.Canvas{Canvas: dc.Canvas, Rectangle: vg.Rectangle{Min: vg.Point{X: dc.Min.X + axis, Y: y - height}, Max: vg.Point{X: dc.Max.X, Y: y}}}, q.Label())
		}
	}
}

// rankMaps draws a heat map for each quantity, a row for each chain.
func (f *sheet) rankMaps(shown []verdict.Quantity, chains []int, bins int) {
	height := max(vg.Millimeter*0.8*vg.Length(len(chains)), 15*vg.Millimeter)
	f.panels(len(shown), 2, height, height+8*vg.Millimeter, func(i int, area draw.Canvas) {
		shares := rankShares(shown[i].Chains, bins)
		figure.DrawCells(area, len(chains), bins, func(c, b int) color.Color {
			return figure.Diverging(figure.Position(max(shares[c][b], 0), 0, 2))
		})
		style := figure.Text(figure.TickSize)
		style.XAlign = text.XRight
		area.FillText(style, vg.Point{X: area.Min.X - gap, Y: area.Min.Y}, strconv.Itoa(chains[len(chains)-1]))
		style.YAlign = text.YTop
		area.FillText(style, vg.Point{X: area.Min.X - gap, Y: area.Max.Y}, strconv.Itoa(chains[0]))
		panelTitle(area, shown[i].Label())
	})
}

// rankShares returns how many draws of each chain have ranks in each bin, as multiples of
// what is expected of chains that agree. Equal draws share their ranks.
func rankShares(chains [][]float64, bins int) [][]float64 {
	type ranked struct {
		x     float64
		chain int
	}
	var all []ranked
	shares := make([][]float64, len(chains))
	for c, chain := range chains {
		shares[c] = make([]float64, bins)
		for _, x := range chain {
			all = append(all, ranked{x, c})
		}
	}
	slices.SortFunc(all, func(a, b ranked) int { return cmp.Compare(a.x, b.x) })
	for begin := 0; begin < len(all); {
		end := begin + 1
		for end < len(all) && all[end].x == all[begin].x {
			end++
		}
		count := make([]float64, len(chains))
		for _, r := range all[begin:end] {
			count[r.chain]++
		}
		// Ranks from to to, in units of bins.
		first, last := float64(begin*bins)/float64(len(all)), float64(end*bins)/float64(len(all))
		for b := int(first); b < bins && float64(b) < last; b++ {
			overlap := (min(last, float64(b+1)) - max(first, float64(b))) / (last - first)
			for c := range chains {
				shares[c][b] += count[c] * overlap
			}
		}
		begin = end
	}
	for c, chain := range chains {
		for b := range shares[c] {
			shares[c][b] *= float64(bins) / float64(len(chain))
		}
	}
	return shares
}
