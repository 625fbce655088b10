package cli

// Figures written to files.

import (
	"fmt"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"aibd/internal/figure"
)

// figureKind returns svg or png, the extension of path.
func figureKind(path string) (string, error) {
	switch kind := strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), "."); kind {
	case "svg", "png":
		return kind, nil
	}
	return "", usageError{fmt.Errorf("--plot %s: expected a name that ends in .svg or .png", path)}
}

// checkPlot returns an error if the name of a figure, if there is one, has no known extension.
func checkPlot(path string) error {
	if path == "" {
		return nil
	}
	_, err := figureKind(path)
	return err
}

// saveMessage draws a figure that explains why it is empty.
func saveMessage(path, message string) error {
	return saveFigure(path, "", 25*vg.Millimeter, func(dc draw.Canvas) {
		dc.FillText(figure.Text(figure.LabelSize), vg.Point{X: dc.Min.X + 5*vg.Millimeter, Y: dc.Min.Y + 11*vg.Millimeter}, message)
	})
}

// saveFigure draws a figure of the given height to a file, below a title if there is one.
func saveFigure(path, title string, height vg.Length, paint func(draw.Canvas)) error {
	kind, err := figureKind(path)
	if err != nil {
		return err
	}
	above := vg.Length(0)
	if title != "" {
		above = 7 * vg.Millimeter
	}
	content, err := figure.Encode(kind, height+above, func(dc draw.Canvas) {
		if title != "" {
			dc.FillText(figure.Text(figure.LabelSize), vg.Point{X: dc.Min.X + 3*vg.Millimeter, Y: dc.Max.Y - 5*vg.Millimeter}, title)
		}
		paint(draw.Crop(dc, 0, 0, 0, -above))
	})
	if err != nil {
		return err
	}
	return writeFile(path, content)
}
