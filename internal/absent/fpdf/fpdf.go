// Package fpdf stands in for the writer of PDF that package gonum.org/v1/plot imports. No picture of aibd is
// PDF: without this package the writer would be in the program. Its methods panic.
package fpdf

import (
	"errors"
	"io"
)

type (
	Fpdf     struct{ methods }
	InitType struct {
		UnitStr string
		Size    SizeType
	}
	SizeType     struct{ Wd, Ht float64 }
	FontDescType struct{ Ascent, Descent int }
	ImageOptions struct {
		ImageType string
		ReadDpi   bool
	}
)

type methods interface {
	AddFontFromBytes(family, style string, json, z []byte)
	AddPage()
	Arc(x, y, rx, ry, rotate, start, end float64, style string)
	CellFormat(w, h float64, text, border string, ln int, align string, fill bool, link int, linkText string)
	Close()
	ClosePath()
	CurveBezierCubicTo(cx0, cy0, cx1, cy1, x, y float64)
	CurveTo(cx, cy, x, y float64)
	DrawPath(style string)
	GetCellMargin() float64
	GetFontDesc(family, style string) FontDescType
	GetFontSize() (points, units float64)
	GetStringWidth(s string) float64
	ImageOptions(name string, x, y, w, h float64, flow bool, options ImageOptions, link int, linkText string)
	LineTo(x, y float64)
	MoveTo(x, y float64)
	Output(w io.Writer) error
	PageNo() int
	RegisterImageOptionsReader(name string, options ImageOptions, r io.Reader) any
	SetAlpha(alpha float64, blend string)
	SetDashPattern(dashes []float64, phase float64)
	SetDrawColor(r, g, b int)
	SetFillColor(r, g, b int)
	SetFont(family, style string, size float64)
	SetLineWidth(width float64)
	SetMargins(left, top, right float64)
	SetTextColor(r, g, b int)
	TransformBegin()
	TransformEnd()
	TransformRotate(angle, x, y float64)
	TransformScale(width, height, x, y float64)
	TransformTranslate(x, y float64)
}

func NewCustom(*InitType) *Fpdf { return &Fpdf{} }

func MakeFont(font, encoding, dir string, messages io.Writer, embed bool) error {
	return errors.ErrUnsupported
}
