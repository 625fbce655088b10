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

// saveMessage draws a figure that says why there is nothing to draw.
func saveMessage(path, message string) error {
	return saveFigure(path, 25*vg.Millimeter, func(dc draw.Canvas) {
		dc.FillText(figure.Text(figure.LabelSize), vg.Point{X: dc.Min.X + 5*vg.Millimeter, Y: dc.Min.Y + 11*vg.Millimeter}, message)
	})
}

// saveFigure draws a figure of the given height to a file.
func saveFigure(path string, height vg.Length, paint func(draw.Canvas)) error {
	kind, err := figureKind(path)
	if err != nil {
		return err
	}
	content, err := figure.Encode(kind, height, paint)
	if err != nil {
		return err
	}
	return writeFile(path, content)
}
