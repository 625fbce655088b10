// Package tex stands in for the boxes of formulas.
package tex

type Tree interface {
	Width() float64
	Height() float64
	Depth() float64
}

type Ship struct{}

func (*Ship) Call(x, y float64, box Tree) {}
