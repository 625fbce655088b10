package results

import (
	"fmt"
	"math"

	"aibd/internal/words"
)

// Number is a float64 that JSON shows as null if it is NaN, and as the max float64 with its
// sign if it is infinite, so that a script sees a large R-hat.
type Number float64

func (x Number) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(x)) {
		return []byte("null"), nil
	}
	return []byte(words.Exact(min(max(float64(x), -math.MaxFloat64), math.MaxFloat64))), nil
}

// Nats formats a number of nats to the digits that its error leaves, with the error.
func Nats(x, err float64) string {
	decimals := 1
	if err >= 1 {
		decimals = 0
	}
	number, unit := words.Fixed(x, decimals), "nats"
	if number == "1" {
		unit = "nat"
	}
	return fmt.Sprintf("%s %s (%s)", number, unit, words.Significant(err, 2))
}
