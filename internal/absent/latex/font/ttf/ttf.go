// Package ttf stands in for the fonts of formulas.
package ttf

import (
	"golang.org/x/image/font/sfnt"

	"codeberg.org/go-latex/latex/drawtex"
)

type Fonts struct{ Default, Rm, It, Bf, BfIt *sfnt.Font }

func NewFrom(c *drawtex.Canvas, f *Fonts) any { return nil }
