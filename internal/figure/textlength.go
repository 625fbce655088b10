package figure

// The widths of texts in SVG.

import (
	"fmt"
	"html"
	"regexp"
	"strconv"

	"golang.org/x/image/font"
)

// svgText is a text element as vgsvg writes it: its attributes, weight, size and content.
var svgText = regexp.MustCompile(`<text ([^>]*font-weight:(\w+);[^>]*font-size:([0-9.]+)px[^>]*)>([^<]*)</text>`)

// fitTexts gives the texts of an SVG their widths in Liberation Sans, so that programs with
// other fonts stretch or compress them to the room that they have.
func fitTexts(svg []byte) []byte {
	return svgText.ReplaceAllFunc(svg, func(element []byte) []byte {
		part := svgText.FindSubmatch(element)
		size, err := strconv.ParseFloat(string(part[3]), 64)
		if err != nil {
			return element
		}
		style := Text(size)
		if string(part[2]) == "bold" {
			style.Font.Weight = font.WeightBold
		}
		width := style.Width(html.UnescapeString(string(part[4]))).Points()
		if width == 0 {
			return element
		}
		return fmt.Appendf(nil, `<text textLength="%.4g" lengthAdjust="spacingAndGlyphs" %s>%s</text>`, width, part[1], part[4])
	})
}
