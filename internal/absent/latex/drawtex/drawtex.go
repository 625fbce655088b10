// Package drawtex stands in for a canvas of formulas.
package drawtex

import "golang.org/x/image/font/sfnt"

type (
	Canvas  struct{}
	GlyphOp struct {
		X, Y  float64
		Glyph struct {
			Font   *sfnt.Font
			Size   float64
			Symbol string
		}
	}
	RectOp struct{ X1, Y1, X2, Y2 float64 }
)

func New() *Canvas { return &Canvas{} }

func (*Canvas) Ops() []any { return nil }
