package exhibits

// The five states: distances, similarities and proximities under each law.

import (
	"fmt"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"aibd/internal/figure"
	"aibd/internal/lists"
)

// printedDistances are the distances in the paper, by pair.
var printedDistances = []float64{0.12, 0.66, 3.74, 3.78, 0.59, 3.65, 3.69, 3.32, 3.46, 1.01}

// printedSimilarities holds the similarities in the paper, by pair, at each of
// tableTemperatures.
var printedSimilarities = [][]float64{
	{0.98, 0.88, 0.47, 0.47, 0.89, 0.48, 0.48, 0.51, 0.50, 0.82},
	{0.89, 0.51, 0.02, 0.02, 0.55, 0.03, 0.02, 0.04, 0.03, 0.36},
	{0.55, 0.04, 0.00, 0.00, 0.05, 0.00, 0.00, 0.00, 0.00, 0.01},
}

// weights returns the similarities of the items and their proximities: the weight of an
// item (row) for each earlier one and, on the diagonal, for new features. Rows sum to 1.
func weights(p places, temperature float64, k kind) (similarity, shares [][]float64) {
	n := len(p.names)
	similarity, shares = lists.Square(n), lists.Square(n)
	for i := range n {
		sum := 0.0
		for j := range n {
			similarity[i][j] = math.Exp(-temperature * p.distance.At(i, j))
			if j < i || k == symmetric && j != i {
				sum += similarity[i][j]
			}
		}
		for j := range n {
			switch {
			case j > i && k != symmetric:
			case k != aibd:
				shares[i][j] = similarity[i][j] / (1 + sum)
			case j < i:
				shares[i][j] = float64(i) / float64(i+1) * similarity[i][j] / sum
			default:
				shares[i][i] = 1 / float64(i+1)
			}
		}
	}
	return similarity, shares
}

func makeStates(j *job) error {
	p := fiveStates()
	j.result.About = "Five states of the USA: arrests for murder, assault and rape, and urban population, each centered and scaled over the five. Euclidean distance d, similarity exp(−d) (temperature 1). In the proximity matrices, a row shows the weight that an arriving state gives to each other state; the diagonal is its weight for new features. Items arrive in the order shown."
	var rows [][]Cell
	for i, pair := range p.pairs() {
		d := p.distanceOf(pair)
		rows = append(rows, []Cell{word(p.pairName(pair)), fixed(d, 4), fixed(math.Exp(-d), 4)})
		j.compare("distance "+p.pairName(pair), printedDistances[i], 2, d, 0)
	}
	for m, t := range tableTemperatures {
		for i, pair := range p.pairs() {
			similarity := math.Exp(-t * p.distanceOf(pair))
			j.compare(fmt.Sprintf("similarity %s, temperature %v", p.pairName(pair), t), printedSimilarities[m][i], 2, similarity, 0)
		}
	}
	j.table("states-distances", "Distance and similarity", []string{"pair", "distance", "similarity"}, rows)
	short := []string{"N.H.", "Iowa", "Wisc.", "Cali.", "Neva."}
	g := &grid{columns: 2, margin: 26 * vg.Millimeter, bottom: 9 * vg.Millimeter, high: 48 * vg.Millimeter}
	similarity, _ := weights(p, 1, aibd)
	type matrix struct {
		name, file string
		m          [][]float64
	}
	matrices := []matrix{{"similarity", "similarity", similarity}}
	for _, k := range kinds {
		_, shares := weights(p, 1, k)
		matrices = append(matrices, matrix{"proximity, " + k.String(), k.key(), shares})
	}
	for _, m := range matrices {
		g.panels = append(g.panels, panel{title: m.name, paint: func(area draw.Canvas) { drawNumbers(area, p.names, short, m.m) }})
		var rows [][]Cell
		for i, row := range m.m {
			rows = append(rows, append([]Cell{word(p.names[i])}, allFixed(row, 3)...))
		}
		j.numbers("states-"+m.file, strings.ToUpper(m.name[:1])+m.name[1:], append([]string{""}, p.names...), rows)
	}
	distances, similarities := j.result.Compared[:len(printedDistances)], j.result.Compared[len(printedDistances):]
	j.find("%d of the %d distances and %d of the %d similarities equal the printed ones to two decimals. The states are therefore centered and scaled without the other 45.", agreeing(distances), len(distances), agreeing(similarities), len(similarities))
	j.find("Under the AIBD, the state at position i has weight 1/i for new features, as under the IBP; similarity divides the rest. Under the dd-IBP, a state far from all earlier ones (California) keeps more weight for new features.")
	g.add(j, "states", "Similarity of the five states at temperature 1, and the proximities under each law. Rows of the three proximity matrices sum to 1. Under the symmetric dd-IBP, items also link to later ones.")
	return nil
}

// drawNumbers draws a matrix as shades with its numbers, names at the left and short
// names below.
func drawNumbers(area draw.Canvas, names, short []string, m [][]float64) {
	figure.DrawCells(area, len(m), len(m), func(i, j int) color.Color {
		if m[i][j] == 0 {
			return nil
		}
		return blues(m[i][j])
	})
	size := area.Size()
	wide, high := size.X/vg.Length(len(m)), size.Y/vg.Length(len(m))
	numbers := figure.Text(figure.TickSize)
	numbers.XAlign, numbers.YAlign = text.XCenter, text.YCenter
	aligned := numbers
	aligned.XAlign = text.XRight
	for i, row := range m {
		y := area.Max.Y - high*(vg.Length(i)+0.5)
		area.FillText(aligned, vg.Point{X: area.Min.X - vg.Points(3), Y: y}, names[i])
		area.FillText(numbers, vg.Point{X: area.Min.X + wide*(vg.Length(i)+0.5), Y: area.Min.Y - 2.5*vg.Millimeter}, short[i])
		for k, x := range row {
			if x == 0 {
				continue
			}
			style := numbers
			if x > 0.6 {
				style.Color = color.White
			}
			area.FillText(style, vg.Point{X: area.Min.X + wide*(vg.Length(k)+0.5), Y: y}, fmt.Sprintf("%.2f", x))
		}
	}
}

// blues returns a shade of blue for x from 0 to 1, white for 0.
func blues(x float64) color.NRGBA {
	dark := figure.Color(0)
	mix := func(c uint8) uint8 { return uint8(255 + (float64(c)-255)*min(max(x, 0), 1)) }
	return color.NRGBA{mix(dark.R), mix(dark.G), mix(dark.B), 0xff}
}
