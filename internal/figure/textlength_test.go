package figure

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/image/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Every text of an SVG has its width in the font in which it was laid out.
func TestFitTexts(t *testing.T) {
	for content, bold := range map[string]bool{"Iowa": false, "a < b & \"c\"": false, "Title": true, "x": false} {
		style := Text(LabelSize)
		if bold {
			style.Font.Weight = font.WeightBold
		}
		svg, err := Figure{Height: vg.Centimeter, Paint: func(dc draw.Canvas) {
			dc.FillText(style, vg.Point{X: 10, Y: 10}, content)
		}}.Encode("svg")
		if err != nil {
			t.Fatal(err)
		}
		got := regexp.MustCompile(`<text textLength="([0-9.]+)" lengthAdjust="spacingAndGlyphs" x="10"`).FindSubmatch(svg)
		if got == nil {
			t.Fatalf("%s: found no text with a width:\n%s", content, svg)
		}
		width, err := strconv.ParseFloat(string(got[1]), 64)
		if expected := style.Width(content).Points(); err != nil || math.Abs(width-expected) > 0.01 {
			t.Errorf("%s: found the width %v, expected %v", content, width, expected)
		}
	}
	const other = `<path d="M0,0"/><text>no style</text>`
	if got := string(fitTexts([]byte(other))); got != other {
		t.Errorf("found %s, expected no change", got)
	}
	if empty := fmt.Sprintf(`<text style="font-weight:normal;font-size:8px">%s</text>`, ""); strings.Contains(string(fitTexts([]byte(empty))), "textLength") {
		t.Error("found a width of nothing")
	}
}
