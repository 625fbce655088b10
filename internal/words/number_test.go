package words

import (
	"math"
	"testing"
)

func TestNumbers(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct{ got, want string }{
		{Exact(0.1), "0.1"}, {Exact(float32(0.1)), "0.1"}, {Exact(1e6), "1000000"}, {Exact(1e-5), "1e-05"}, {Exact(-1e15), "-1e+15"}, {Exact(inf), "+Inf"}, {Exact(nan), "NaN"},
		{Significant(0.0, 4), "0"}, {Significant(math.Copysign(0, -1), 4), "0"}, {Significant(1.0, 4), "1.000"}, {Significant(12.3456, 4), "12.35"}, {Significant(0.0123456, 4), "0.01235"},
		{Significant(-4567.8, 4), "-4568"}, {Significant(3e-7, 4), "3e-07"}, {Significant(123456789.0, 4), "1.235e+08"}, {Significant(inf, 2), "+Inf"}, {Significant(nan, 2), "NaN"},
		{Rounded(0, 3), "0"}, {Rounded(1e-4, 3), "0.0001"}, {Rounded(0.0001234, 3), "0.000123"}, {Rounded(1.234e-5, 3), "1.23e-05"}, {Rounded(-1.234e-13, 3), "-1.23e-13"},
		{Rounded(12345, 3), "12345"}, {Rounded(1.234e200, 3), "1.23e+200"}, {Rounded(-2.5, 3), "-2.5"}, {Rounded(200.0, 3), "200"}, {Rounded(1.5e10, 3), "1.5e+10"},
		{Fixed(1.25, 1), "1.2"}, {Fixed(-0.001, 2), "0.00"}, {Fixed(-0.6, 0), "-1"}, {Fixed(1.0/3, 20), "0.333333333"}, {Fixed(1.23456e-12, 14), "1.23e-12"}, {Fixed(nan, 2), "-"}, {Fixed(inf, 2), "+Inf"},
		{Percent(0.256), "26%"}, {Percent(-0.001), "0%"}, {Percent(nan), "-"},
		{Bytes(0), "0 bytes"}, {Bytes(999), "999 bytes"}, {Bytes(9949), "9.9 kB"}, {Bytes(9960), "10 kB"}, {Bytes(1.6e12), "1.6 TB"}, {Bytes(8e10), "80 GB"}, {Bytes(999.6e6), "1 GB"}, {Bytes(3e15), "3 PB"},
	} {
		if c.got != c.want {
			t.Errorf("found %q, expected %q", c.got, c.want)
		}
	}
}
