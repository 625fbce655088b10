package figure

// Short paths in SVG.

import (
	"bytes"
	"math"
	"regexp"
	"strconv"
)

var svgPath = regexp.MustCompile(`<path d="[^"]*"`)

// hundredth is a coordinate in hundredths of a point.
type hundredth int

// append appends a coordinate, after a space if it would join the number before it.
func (h hundredth) append(out []byte) []byte {
	if last := out[len(out)-1]; h >= 0 && last >= '0' && last <= '9' {
		out = append(out, ' ')
	}
	return strconv.AppendFloat(out, float64(h)/100, 'f', -1, 64)
}

// shortPaths gives the paths of lines in an SVG relative coordinates to a hundredth of a point, with
// half as many digits.
func shortPaths(svg []byte) []byte {
	return svgPath.ReplaceAllFunc(svg, func(path []byte) []byte {
		out := append(make([]byte, 0, len(path)), `<path d="`...)
		var x, y, startX, startY hundredth
		last := ""
		for segments := path[len(out) : len(path)-1]; len(segments) > 0; {
			size := 1 // of a letter and its numbers
			for size < len(segments) && segments[size] < 'A' {
				size++
			}
			a, b, _ := bytes.Cut(segments[1:size], []byte(","))
			toX, toY, next := parse(a), parse(b), "l"
			switch segments[0] {
			case 'M':
				out = toY.append(toX.append(append(out, 'M')))
				startX, startY, next = toX, toY, "M"
			case 'L':
				if next != last { // a letter serves all steps that follow it
					out = append(out, next...)
				}
				out = (toY - y).append((toX - x).append(out))
			case 'Z':
				out = append(out, 'z')
				toX, toY, next = startX, startY, "z"
			default:
				return path // an arc or a curve
			}
			x, y, last, segments = toX, toY, next, segments[size:]
		}
		return append(out, '"')
	})
}

// parse returns the nearest coordinate of a number that vgsvg writes.
func parse(number []byte) hundredth {
	x, _ := strconv.ParseFloat(string(number), 64)
	return hundredth(math.Round(100 * x))
}
