// Package mtex stands in for a parser of formulas.
package mtex

import (
	"errors"

	"codeberg.org/go-latex/latex/drawtex"
	"codeberg.org/go-latex/latex/tex"
)

type Renderer interface {
	Render(w, h, dpi float64, c *drawtex.Canvas) error
}

func Parse(formula string, size, dpi float64, backend any) (tex.Tree, error) {
	return nil, errors.ErrUnsupported
}
