package intensity

import "math"

// product is a product of many factors that does not underflow. It takes few logarithms.
type product struct{ p, log float64 }

func newProduct() product { return product{p: 1} }

// tiny is the bound below which a product takes a logarithm. The product of two factors
// above it does not underflow.
const tiny = 1e-150

// mul multiplies by x, which must be at least tiny and at most 1/tiny.
func (a *product) mul(x float64) {
	a.p *= x
	if a.p < tiny || a.p > 1/tiny {
		a.log += math.Log(a.p)
		a.p = 1
	}
}

// logValue returns the logarithm of the product.
func (a *product) logValue() float64 { return a.log + math.Log(a.p) }

// logSumExp returns log(exp(a) + exp(b)).
func logSumExp(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	if math.IsInf(b, -1) || math.IsInf(a, 1) {
		return a
	}
	return a + math.Log1p(math.Exp(b-a))
}
