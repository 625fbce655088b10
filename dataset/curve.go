package dataset

import (
	"fmt"
	"math"
)

// curve is a function that a Transform applies to the values of a column before it centres and scales: one of the
// following, or "", which changes nothing.
type curve string

const (
	logCurve   curve = "log"
	log1pCurve curve = "log1p"
	rootCurve  curve = "sqrt"
)

func (c curve) value(v float64) float64 {
	switch c {
	case logCurve:
		return math.Log(v)
	case log1pCurve:
		return math.Log1p(v)
	case rootCurve:
		return math.Sqrt(v)
	}
	return v
}

// inverse returns the value that the curve takes to x. Below its range it is the smallest value.
func (c curve) inverse(x float64) float64 {
	switch c {
	case logCurve:
		return math.Exp(x)
	case log1pCurve:
		return math.Expm1(x)
	case rootCurve:
		return max(x, 0) * max(x, 0)
	}
	return x
}

// logSlope returns the log of the derivative of the curve at v.
func (c curve) logSlope(v float64) float64 {
	switch c {
	case logCurve, log1pCurve:
		return -c.value(v)
	case rootCurve:
		return -math.Log(4*v) / 2
	}
	return 0
}

// check returns an error if the curve takes v to no finite number. A NaN stays NaN.
func (c curve) check(v float64) error {
	switch {
	case c == logCurve && v <= 0, c == log1pCurve && v <= -1:
		return fmt.Errorf("found %v, expected a value above %v to take its log", v, c.inverse(math.Inf(-1)))
	case c == rootCurve && v < 0:
		return fmt.Errorf("found %v, expected a value of at least 0 to take its root", v)
	}
	return nil
}
