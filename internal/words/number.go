package words

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Exact formats x such that it reads back as the same number, without an exponent unless x is tiny
// or huge.
func Exact[F ~float32 | ~float64](x F) string {
	bits, form := 64, byte('g')
	if _, single := any(x).(float32); single {
		bits = 32
	}
	if a := math.Abs(float64(x)); a == 0 || a >= 1e-4 && a < 1e15 {
		form = 'f'
	}
	return strconv.FormatFloat(float64(x), form, -1, bits)
}

// Significant formats a number with the given number of significant digits, with an exponent only
// for very small and very large ones.
func Significant[F ~float64](number F, digits int) string {
	x := float64(number)
	if a := math.Abs(x); a != 0 && (a < 1e-4 || a >= 1e7) {
		return strconv.FormatFloat(x, 'g', digits, 64)
	}
	if x == 0 {
		return "0" // not -0
	}
	if math.IsNaN(x) {
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

// Fixed formats a number with the given number of decimals, 0 to 9, or a dash if it is NaN. If that is
// too few for a small number, or too many for a large one, it shows the same digits with an exponent.
func Fixed[F ~float64](number F, decimals int) string {
	x := float64(number)
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

// Decimals returns the number of decimals that shows two digits of the error of x, the first positive finite
// one, or, without such an error, three digits of x, but at least three decimals. It is negative if the error
// is above 100.
func Decimals(x float64, errors ...float64) int {
	scale := 0.01
	for _, err := range append(errors, min(math.Abs(x)/10, scale)) {
		if err > 0 && !math.IsInf(err, 1) {
			scale = err
			break
		}
	}
	return 1 - int(math.Floor(math.Log10(scale)))
}

// WithSD formats a mean and its standard deviation with two digits of the latter, or the mean alone if the
// standard deviation is not positive.
func WithSD[F ~float64](mean, sd F) string {
	digits := Decimals(float64(mean), float64(sd))
	if !(sd > 0) {
		return Fixed(mean, digits)
	}
	return Fixed(mean, digits) + " (" + Fixed(sd, digits) + ")"
}

// Duration formats a number of seconds with two digits or two units.
func Duration(seconds float64) string {
	switch {
	case 0 < seconds && seconds < 1:
		return Significant(1e3*seconds, 2) + " ms"
	case seconds < 10:
		return Fixed(seconds, 1) + " s"
	case seconds < 60:
		return Fixed(seconds, 0) + " s"
	case seconds < 3600:
		return fmt.Sprintf("%d min %d s", int(seconds)/60, int(seconds)%60)
	}
	return fmt.Sprintf("%d h %d min", int(seconds)/3600, int(seconds)/60%60)
}
