package results

import (
	"fmt"
	"math"
	"strconv"
)

// Number is a float64 that JSON shows as null if it is NaN, and as the max float64 with its
// sign if it is infinite, so that a script sees a large R-hat.
type Number float64

func (x Number) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(x)) {
		return []byte("null"), nil
	}
	return []byte(strconv.FormatFloat(min(max(float64(x), -math.MaxFloat64), math.MaxFloat64), 'g', -1, 64)), nil
}

// Significant formats x with the given number of significant digits, with an exponent only
// for very small and very large x.
func Significant(x float64, digits int) string {
	if a := math.Abs(x); a != 0 && (a < 1e-4 || a >= 1e7) {
		return strconv.FormatFloat(x, 'g', digits, 64)
	}
	if x == 0 || math.IsNaN(x) || math.IsInf(x, 0) {
		return fmt.Sprint(x)
	}
	exponent := int(math.Floor(math.Log10(math.Abs(x))))
	return strconv.FormatFloat(x, 'f', max(digits-1-exponent, 0), 64)
}

// SignificantAt formats x to the digits that its error leaves.
func SignificantAt(x, err float64) string {
	if err >= 1 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.1f", x)
}
