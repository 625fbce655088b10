package cli

// Figures as files.

import (
	"fmt"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"aibd/internal/figure"
)

// figureKind returns svg or png, by the end of the name of the file.
func figureKind(path string) (string, error) {
	switch kind := strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), "."); kind {
	case "svg", "png":
		return kind, nil
	}
	return "", usageError{fmt.Errorf("--plot %s: expected a name that ends in .svg or .png", path)}
}

// saveFigure draws a figure of the given height into a file.
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
