package cli

// Figures written to files.

import (
	"fmt"
	"path/filepath"
	"strings"

	"aibd/internal/figure"
)

// figureKind returns svg or png, the extension of path, which is the value of a flag.
func figureKind(flag, path string) (string, error) {
	switch kind := strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), "."); kind {
	case "svg", "png":
		return kind, nil
	}
	return "", usageError{fmt.Errorf("--%s %s: expected a name that ends in .svg or .png", flag, path)}
}

// checkPlot returns an error if the name of a figure, if there is one, has no known extension.
func checkPlot(path string) error {
	if path == "" {
		return nil
	}
	_, err := figureKind("plot", path)
	return err
}

// saveFigure writes a figure to a file of the kind that its extension names.
func saveFigure(path string, f figure.Figure) error {
	return writeOutputs(figureOutput(path, func() figure.Figure { return f }))
}
