package dataset

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"
)

func TestTransform(t *testing.T) {
	columns := []string{"1SA", "1FD", "2SA"}
	rows := func() [][]float64 { return [][]float64{{1, 2, math.E}, {math.E, 4, 1}, {math.E * math.E, 9, 1}} }
	// By hand: the logs are 0, 1, 2 and 1, 0, 0; the middle column has mean 5 and
	// sample variance (9+1+16)/2 = 13; the last has mean 1/3 and variance 1/3.
	s, r := math.Sqrt(13), math.Sqrt(3)
	for _, test := range []struct {
		transform Transform
		want      [][]float64
	}{
		{Transform{}, rows()},
		{Transform{Log: []string{"*SA", "1SA"}}, [][]float64{{0, 2, 1}, {1, 4, 0}, {2, 9, 0}}},
		{Transform{Log: []string{"*SA"}, Center: true}, [][]float64{{-1, -3, 2. / 3}, {0, -1, -1. / 3}, {1, 4, -1. / 3}}},
		{Transform{Log: []string{"*SA"}, Scale: true}, [][]float64{{0, 2 / s, r}, {1, 4 / s, 0}, {2, 9 / s, 0}}},
		{Transform{Log: []string{"*SA"}, Center: true, Scale: true}, [][]float64{{-1, -3 / s, 2 / r}, {0, -1 / s, -1 / r}, {1, 4 / s, -1 / r}}},
	} {
		x := rows()
		if err := test.transform.Apply(columns, x); err != nil {
			t.Errorf("%+v: %v", test.transform, err)
		}
		for i := range x {
			for j := range x[i] {
				if math.Abs(x[i][j]-test.want[i][j]) > 1e-15 {
					t.Errorf("%+v: x[%d][%d] = %v, want %v", test.transform, i, j, x[i][j], test.want[i][j])
				}
			}
		}
	}
}

func TestTransformErrors(t *testing.T) {
	columns := []string{"a", "b"}
	for _, test := range []struct {
		what      string
		transform Transform
		x         [][]float64
		want      string
	}{
		{"log of 0", Transform{Log: []string{"b"}}, [][]float64{{1, 2}, {1, 0}}, `item 2, column "b": found 0, expected a value above 0 to take its log`},
		{"log of -1", Transform{Log: []string{"?"}}, [][]float64{{1, -1}, {1, 0}}, `item 1, column "b": found -1, expected a value above 0 to take its log`},
		{"unknown", Transform{Log: []string{"xyz"}}, [][]float64{{1, 2}}, `log: unknown column "xyz", expected one of a, b`},
		{"log1p of -1", Transform{Log1p: []string{"b"}}, [][]float64{{1, 0}, {1, -1}}, `item 2, column "b": found -1, expected a value above -1 to take its log`},
		{"both", Transform{Log: []string{"a"}, Log1p: []string{"?"}}, [][]float64{{1, 2}}, `column "a": found it in log and in log1p, expected it in one of them`},
		{"log1p unknown", Transform{Log1p: []string{"xyz"}}, [][]float64{{1, 2}}, `log1p: unknown column "xyz", expected one of a, b`},
		{"no match", Transform{Log: []string{"*SA"}}, [][]float64{{1, 2}}, `log: no column matches the pattern "*SA"`},
		// The mean of three 0.1 is not 0.1 in floating point.
		{"constant", Transform{Center: true, Scale: true}, [][]float64{{1, 0.1}, {2, 0.1}, {3, 0.1}}, `column "b": found standard deviation 0, expected a finite number above 0 to scale by`},
		{"one item", Transform{Scale: true}, [][]float64{{1, 2}}, `column "a": found standard deviation 0, expected a finite number above 0 to scale by`},
		{"overflow", Transform{Center: true}, [][]float64{{1, 1.7e308}, {2, -1.7e308}, {2, 1.7e308}}, `item 2, column "b": found -1.7e+308, which is too large once centered and scaled`},
	} {
		before := make([][]float64, len(test.x))
		for i := range test.x {
			before[i] = slices.Clone(test.x[i])
		}
		fails(t, test.what, test.transform.Apply(columns, test.x), test.want)
		if !slices.EqualFunc(before, test.x, slices.Equal) {
			t.Errorf("%s: x has changed", test.what)
		}
	}
}

// The size of the numbers does not matter, up to the ends of the range of a float64.
func TestTransformExtremes(t *testing.T) {
	base := [][]float64{{1}, {2}, {4}, {-3}}
	for _, test := range []struct {
		size      float64
		transform Transform
		unit      float64 // of the result
	}{
		{1e-315, Transform{Scale: true}, 1},
		{1e-315, Transform{Center: true, Scale: true}, 1},
		{1e-300, Transform{Center: true}, 1e-300},
		{1e200, Transform{Center: true, Scale: true}, 1},
		{4e307, Transform{Center: true, Scale: true}, 1},
		{4e307, Transform{Center: true}, 4e307},
	} {
		want, x := make([][]float64, len(base)), make([][]float64, len(base))
		for i, row := range base {
			want[i], x[i] = slices.Clone(row), []float64{row[0] * test.size}
		}
		if err := test.transform.Apply([]string{"a"}, want); err != nil {
			t.Fatal(err)
		}
		if err := test.transform.Apply([]string{"a"}, x); err != nil {
			t.Errorf("%+v: %v", test, err)
			continue
		}
		for i := range x {
			if got := x[i][0] / test.unit; math.Abs(got-want[i][0]) > 1e-7 { // 1e-315 has 8 digits
				t.Errorf("%+v: item %d is %v, want %v", test, i, got, want[i][0])
			}
		}
	}
}

// FuzzTransform checks that finite values stay finite or that there is an error, of
// one line, and everything as it was.
func FuzzTransform(f *testing.F) {
	bytesOf := func(values ...float64) (b []byte) {
		for _, v := range values {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
		return b
	}
	f.Add(uint8(2), "a", true, true, bytesOf(1, 2, 3, 4))
	f.Add(uint8(1), "?", false, true, bytesOf(1, 5e-324))
	f.Add(uint8(1), "", true, true, bytesOf(math.MaxFloat64, -math.MaxFloat64))
	f.Add(uint8(1), "", true, false, bytesOf(math.MaxFloat64, math.MaxFloat64))
	f.Add(uint8(1), "", false, true, bytesOf(math.MaxFloat64, math.Nextafter(math.MaxFloat64, 0)))
	f.Add(uint8(1), "", false, true, bytesOf(1e-320, 2e-320))
	f.Add(uint8(3), "[", true, true, bytesOf(0))
	f.Fuzz(func(t *testing.T, d uint8, log string, center, scale bool, values []byte) {
		columns := []string{"a", "b", "c", "d"}[:1+d%4]
		var x, before [][]float64
		for row := range slices.Chunk(values, 8*len(columns)) {
			var y []float64
			for b := range slices.Chunk(row, 8) {
				if len(b) < 8 {
					break
				}
				v := math.Float64frombits(binary.LittleEndian.Uint64(b))
				if math.IsNaN(v) || math.IsInf(v, 0) {
					return
				}
				y = append(y, v)
			}
			if len(y) == len(columns) {
				x, before = append(x, y), append(before, slices.Clone(y))
			}
		}
		if len(x) == 0 {
			return
		}
		err := Transform{Log: strings.Fields(log), Center: center, Scale: scale}.Apply(columns, x)
		if err != nil {
			if strings.Contains(err.Error(), "\n") || !slices.EqualFunc(x, before, slices.Equal) {
				t.Errorf("error %q, from %v to %v", err, before, x)
			}
			return
		}
		for _, row := range x {
			if slices.ContainsFunc(row, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }) {
				t.Errorf("from %v to %v", before, x)
			}
		}
	})
}

// Missing cells do not count, and Units lead back to the values of the file.
func TestFitMissing(t *testing.T) {
	nan := math.NaN()
	x := [][]float64{{1, nan, 7}, {nan, 100, 9}, {3, 1000, 14}, {5, 10, 8}}
	before := [][]float64{{1, nan, 7}, {nan, 100, 9}, {3, 1000, 14}, {5, 10, 8}}
	first, err := Transform{Log: []string{"b"}}.Fit([]string{"a", "b", "c"}, x)
	if err != nil {
		t.Fatal(err)
	}
	second, err := Transform{Center: true, Scale: true}.Fit([]string{"a", "b", "c"}, x)
	if err != nil {
		t.Fatal(err)
	}
	units := first.Then(second)
	if x[2][0] != 0 || x[0][0] != -1 || x[3][0] != 1 {
		t.Errorf("%v, want the first column centered at 3 with standard deviation 2", x)
	}
	for i, row := range x {
		for j, v := range row {
			if math.IsNaN(before[i][j]) {
				if !math.IsNaN(v) {
					t.Errorf("a missing cell became %v", v)
				}
				continue
			}
			if got := units.Undo(j, v); math.Abs(got-before[i][j]) > 1e-12*before[i][j] {
				t.Errorf("row %d, column %d: %v back, want %v", i+1, j+1, got, before[i][j])
			}
			if got := units.Do(j, before[i][j]); math.Abs(got-v) > 1e-15 {
				t.Errorf("row %d, column %d: %v, want %v", i+1, j+1, got, v)
			}
		}
	}
	if !units.Log(1) || units.Log(0) || units.Scale(0) != 2 || math.Abs(units.Scale(1)-math.Ln10) > 1e-12 {
		t.Errorf("%v", units)
	}
	fails(t, "only missing", Transform{}.Apply([]string{"a"}, [][]float64{{nan}, {nan}}), `column "a": found only missing values, expected a number`)
}

// Log1p is Log of values one larger, back too; LogSlope is the log of the derivative of Do.
func TestLog1p(t *testing.T) {
	columns, values := []string{"a"}, []float64{0, 3, 250, 1e-9, 7.5}
	for _, both := range []Transform{{}, {Center: true}, {Center: true, Scale: true}} {
		extended, log := both, both
		extended.Log1p, log.Log = columns, columns
		u, err := extended.Fit(columns, [][]float64{{0}, {3}, {250}, {1e-9}})
		if err != nil {
			t.Fatal(err)
		}
		v, err := log.Fit(columns, [][]float64{{1}, {4}, {251}, {1 + 1e-9}})
		if err != nil {
			t.Fatal(err)
		}
		for _, y := range values {
			if a, b := u.Do(0, y), v.Do(0, y+1); math.Abs(a-b) > 1e-12 {
				t.Errorf("%+v: Do(%v) = %v, expected %v", extended, y, a, b)
			}
			if back := u.Undo(0, u.Do(0, y)); math.Abs(back-y) > 1e-12*max(1, y) {
				t.Errorf("%+v: %v came back as %v", extended, y, back)
			}
			for _, units := range []Units{u, v} {
				shifted, h := y+1, 1e-6*(y+1)
				if slope := math.Log((units.Do(0, shifted+h) - units.Do(0, shifted-h)) / (2 * h)); math.Abs(slope-units.LogSlope(0, shifted)) > 1e-6 {
					t.Errorf("%+v: LogSlope(%v) = %v, expected %v", both, shifted, units.LogSlope(0, shifted), slope)
				}
			}
		}
	}
	if u := (Units{{curve: log1pCurve, sd: 1}}).Then(Units{{sd: 2}}); !u.Log(0) || u.Plus(0) != 1 {
		t.Errorf("found %+v, expected the logarithm of 1 + x", u)
	}
}

// Rows become points of the unit sphere, in the picked columns only.
func TestHellinger(t *testing.T) {
	columns, x := []string{"a", "b", "c"}, [][]float64{{1, 7, 3}, {0, -1, 5}}
	if err := Hellinger(columns, x, []int{0, 2}); err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]float64{{0.5, 7, math.Sqrt(0.75)}, {0, -1, 1}} {
		for j, v := range want {
			if math.Abs(x[i][j]-v) > 1e-15 {
				t.Errorf("found %v, expected %v", x[i], want)
			}
		}
	}
	for want, x := range map[string][][]float64{
		`item 2, column "c": found a missing value, expected a number: the sum of a row needs all its cells`: {{1, 2, 3}, {1, 2, math.NaN()}},
		`item 1, column "a": found -1, expected a finite number of at least 0`:                               {{-1, 2, 3}},
		`item 1: found the sum 0 of 2 columns, expected a finite one above 0 to take shares`:                 {{0, 2, 0}},
	} {
		if err := Hellinger(columns, x, []int{0, 2}); err == nil || err.Error() != want {
			t.Errorf("found the error %v, expected %s", err, want)
		}
	}
}
