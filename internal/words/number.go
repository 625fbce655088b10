package words

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Exact formats x such that it reads back as the same number, without an exponent unless x is tiny
// or huge.
func Exact[F float32 | float64](x F) string {
	bits, form := 64, byte('g')
	if _, single := any(x).(float32); single {
		bits = 32
	}
	if a := math.Abs(float64(x)); a == 0 || a >= 1e-4 && a < 1e15 {
		form = 'f'
	}
	return strconv.FormatFloat(float64(x), form, -1, bits)
}

// Significant formats x with the given number of significant digits, with an exponent only
// for very small and very large x.
func Significant(x float64, digits int) string {
	if a := math.Abs(x); a != 0 && (a < 1e-4 || a >= 1e7) {
		return strconv.FormatFloat(x, 'g', digits, 64)
	}
	if x == 0 || math.IsNaN(x) {
		return fmt.Sprint(x)
	}
	exponent := int(math.Floor(math.Log10(math.Abs(x))))
	return strconv.FormatFloat(x, 'f', max(digits-1-exponent, 0), 64)
}

// Rounded is Significant without zeros at the end of decimals: 0.5 with any number of digits.
func Rounded(x float64, digits int) string {
	s := Significant(x, digits)
	if strings.Contains(s, ".") && !strings.Contains(s, "e") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// Fixed formats x with the given number of decimals, 0 to 9, or a dash if x is NaN. If that is
// too few for a small x, or too many for a large one, it shows the same digits with an exponent.
func Fixed(x float64, decimals int) string {
	if math.IsNaN(x) {
		return "-"
	}
	if size := math.Abs(x); decimals > 9 && size < 1e-4 || decimals < 0 && size >= 1e9 {
		return Significant(x, int(max(1, float64(1+decimals)+math.Floor(math.Log10(size)))))
	}
	s := strconv.FormatFloat(x, 'f', max(0, min(decimals, 9)), 64)
	if strings.Trim(s, "-0.") == "" {
		s = strings.TrimPrefix(s, "-") // not -0
	}
	return s
}

// Percent formats a share, or a dash if it is NaN.
func Percent(share float64) string {
	if math.IsNaN(share) {
		return "-"
	}
	return Fixed(100*share, 0) + "%"
}

// Bytes formats a number of bytes with two digits.
func Bytes(x float64) string {
	for _, unit := range []string{"bytes", "kB", "MB", "GB", "TB"} {
		switch {
		case x < 9.95:
			return fmt.Sprintf("%.2g %s", x, unit)
		case x < 999.5:
			return fmt.Sprintf("%.0f %s", x, unit)
		}
		x /= 1000
	}
	return fmt.Sprintf("%.2g PB", x)
}
