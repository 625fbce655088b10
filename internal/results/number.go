package results

import (
	"math"
	"strconv"
)

// Number is a float64 that JSON shows as null if it is NaN or -Inf, and as the max float64
// if it is +Inf, so that a script sees a large R-hat.
type Number float64

func (x Number) MarshalJSON() ([]byte, error) {
	if math.IsInf(float64(x), 1) {
		x = math.MaxFloat64
	}
	if math.IsNaN(float64(x)) || math.IsInf(float64(x), -1) {
		return []byte("null"), nil
	}
	return []byte(strconv.FormatFloat(float64(x), 'g', -1, 64)), nil
}
