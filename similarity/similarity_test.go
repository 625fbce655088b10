package similarity

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
)

var inf, nan = math.Inf(1), math.NaN()

func TestNewMatrix(t *testing.T) {
	m, err := NewMatrix([][]float64{{nan, 1, inf}, {2, -5, 0}, {3, 4, 7}})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]float64{{0, 1, inf}, {2, 0, 0}, {3, 4, 0}} {
		if got := m.Row(i); !slices.Equal(got, want) {
			t.Errorf("row %d is %v, want %v", i, got, want)
		}
	}
	if m.N() != 3 || m.At(0, 1) != 1 || m.At(1, 0) != 2 || m.Symmetric() {
		t.Errorf("N %d, At(0, 1) %v, At(1, 0) %v, symmetric %v", m.N(), m.At(0, 1), m.At(1, 0), m.Symmetric())
	}
	if none, err := NewMatrix(nil); err != nil || none.N() != 0 || !none.Symmetric() {
		t.Errorf("no items: %v, %v", none, err)
	}
}

func TestNewMatrixErrors(t *testing.T) {
	for _, test := range []struct {
		rows [][]float64
		want string
	}{
		{[][]float64{{0, 1}, {1}}, "row 2: found 1 entries, expected 2 as there are 2 rows"},
		{[][]float64{{0, 1, 2}}, "row 1: found 3 entries, expected 1 as there are 1 rows"},
		{[][]float64{{0, 1}, {-0.5, 0}}, "row 2, column 1: found -0.5, expected a number of at least 0"},
		{[][]float64{{0, nan}, {1, 0}}, "row 1, column 2: found NaN, expected a number of at least 0"},
		{[][]float64{{0, 1}, {math.Inf(-1), 0}}, "row 2, column 1: found -Inf, expected a number of at least 0"},
	} {
		if _, err := NewMatrix(test.rows); err == nil || err.Error() != test.want {
			t.Errorf("%v: error %v, want %q", test.rows, err, test.want)
		}
	}
}

func TestShift(t *testing.T) {
	m := AbsDifference([]float64{1, 1, 4})
	s := m.Shift(0.5)
	for i, want := range [][]float64{{0, 0.5, 3.5}, {0.5, 0, 3.5}, {3.5, 3.5, 0}} {
		if !slices.Equal(s.Row(i), want) {
			t.Errorf("row %d is %v, want %v", i, s.Row(i), want)
		}
	}
	if m.At(0, 1) != 0 {
		t.Error("Shift changed its receiver")
	}
	for _, c := range []float64{-1, nan, inf} {
		mustPanic(t, func() { m.Shift(c) })
	}
}

func TestDistances(t *testing.T) {
	m := Euclidean([][]float64{{0, 0}, {3, 4}, {3e200, 4e200}})
	if m.At(0, 1) != 5 || m.At(1, 0) != 5 || math.Abs(m.At(2, 0)/5e200-1) > 1e-15 || !m.Symmetric() {
		t.Errorf("Euclidean distances %v, %v", m.Row(0), m.Row(2))
	}
	mustPanic(t, func() { Euclidean([][]float64{{0, 0}, {1}}) })
	mustPanic(t, func() { AbsDifference([]float64{inf, inf}) })
	mustPanic(t, func() { GreatCircle([]float64{1, 2}, []float64{1}) })
}

func TestSame(t *testing.T) {
	m := Same([]string{"a", "b", "a", "A"})
	for i, want := range [][]float64{{0, 1, 0, 1}, {1, 0, 1, 1}, {0, 1, 0, 1}, {1, 1, 1, 0}} {
		if got := m.Row(i); !slices.Equal(got, want) {
			t.Errorf("row %d is %v, want %v", i, got, want)
		}
	}
}

// Gower's distance is the mean over the covariates that both items have. A range does not bound it. The second
// example agrees with daisy(metric = "gower") of the R package cluster.
func TestGower(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	m := Gower([]Covariate{{[]float64{1, 3, nan, 9, nan}, 4}, {[]float64{0, 1, 1, 0, nan}, 0}, {[]float64{5, 5, 7, nan, 6}, 2}})
	for i, want := range [][]float64{{0, 0.5, 1, 1, 0.5}, {0.5, 0, 0.5, 1.25, 0.5}, {1, 0.5, 0, 1, 0.5}, {1, 1.25, 1, 0, inf}, {0.5, 0.5, 0.5, inf, 0}} {
		if got := m.Row(i); !slices.Equal(got, want) {
			t.Errorf("row %d is %v, want %v", i, got, want)
		}
	}
	m = Gower([]Covariate{{[]float64{0, 0, 1, 1, nan}, 0}, {[]float64{4, 6, 8, 6, 7}, 4}, {[]float64{0, 10, nan, 20, 0}, 20}})
	for i, want := range [][]float64{{0, 1. / 3, 1, 5. / 6, 0.375}, {1. / 3, 0, 0.75, 0.5, 0.375}, {1, 0.75, 0, 0.25, 0.25}, {5. / 6, 0.5, 0.25, 0, 0.625}} {
		if got := m.Row(i); !floats.EqualApprox(got, want, 1e-15) {
			t.Errorf("row %d is %v, want %v", i, got, want)
		}
	}
}

// Distances on a circle do not depend on where it begins, on the direction and on full turns.
func TestCyclic(t *testing.T) {
	hours := []float64{0, 1, 12, 23, 24, 49, -1}
	m := Cyclic(hours, 24)
	for i, want := range [][]float64{{0, 1, 12, 1, 0, 1, 1}, {1, 0, 11, 2, 1, 0, 2}} {
		if got := m.Row(i); !slices.Equal(got, want) {
			t.Errorf("row %d is %v, want %v", i, got, want)
		}
	}
	moved, turned := slices.Clone(hours), slices.Clone(hours)
	for i, h := range hours {
		moved[i], turned[i] = h+100.25, -h
	}
	for i := range hours {
		if want := m.Row(i); !slices.Equal(Cyclic(moved, 24).Row(i), want) || !slices.Equal(Cyclic(turned, 24).Row(i), want) {
			t.Errorf("row %d depends on the origin or the direction", i)
		}
	}
	big := Cyclic([]float64{math.MaxFloat64, -math.MaxFloat64, 3}, 1e300)
	for i := range 3 {
		for j := range 3 {
			if d := big.At(i, j); !(d >= 0 && d <= 0.5e300) {
				t.Errorf("distance %v", d)
			}
		}
	}
	for _, period := range []float64{0, -1, nan, inf} {
		mustPanic(t, func() { Cyclic(hours, period) })
	}
}

// TestGreatCircle compares with arcs of simple geometry and, in general
// position, with the angle between unit vectors, which shares no formula with
// the haversine.
func TestGreatCircle(t *testing.T) {
	lon := []float64{0, 90, 180, 0, -360, 12.5, -71.06, 139.69}
	lat := []float64{0, 0, 0, 90, 0, -90, 42.36, 35.69}
	m, err := GreatCircle(lon, lat)
	if err != nil {
		t.Fatal(err)
	}
	quarter := math.Pi / 2 * EarthRadius
	for _, test := range []struct {
		i, j int
		want float64
	}{{0, 1, quarter}, {0, 2, 2 * quarter}, {0, 3, quarter}, {3, 5, 2 * quarter}, {0, 4, 0}, {2, 5, quarter}} {
		if got := m.At(test.i, test.j); math.Abs(got-test.want) > 1e-9 {
			t.Errorf("items %d and %d are %v km apart, want %v", test.i, test.j, got, test.want)
		}
	}
	vector := func(i int) [3]float64 {
		sinLon, cosLon := math.Sincos(lon[i] * math.Pi / 180)
		sinLat, cosLat := math.Sincos(lat[i] * math.Pi / 180)
		return [3]float64{cosLat * cosLon, cosLat * sinLon, sinLat}
	}
	for i := range lon {
		for j := range i {
			a, b := vector(i), vector(j)
			cross := math.Hypot(math.Hypot(a[1]*b[2]-a[2]*b[1], a[2]*b[0]-a[0]*b[2]), a[0]*b[1]-a[1]*b[0])
			want := EarthRadius * math.Atan2(cross, a[0]*b[0]+a[1]*b[1]+a[2]*b[2])
			if got := m.At(i, j); math.Abs(got-want) > 1e-6 {
				t.Errorf("items %d and %d are %v km apart, want %v", i, j, got, want)
			}
		}
	}

	// A millimeter apart: the arc cosine would return 0 here.
	const step = 1e-8
	near, err := GreatCircle([]float64{0, 0}, []float64{45, 45 + step})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := near.At(0, 1), step*math.Pi/180*EarthRadius; math.Abs(got/want-1) > 1e-6 {
		t.Errorf("near points are %v km apart, want %v", got, want)
	}

	for _, test := range []struct {
		lon, lat float64
		want     string
	}{
		{361, 0, "row 2: found longitude 361, expected degrees from -360 to 360"},
		{nan, 0, "row 2: found longitude NaN, expected degrees from -360 to 360"},
		{0, -90.5, "row 2: found latitude -90.5, expected degrees from -90 to 90"},
	} {
		if _, err := GreatCircle([]float64{0, test.lon}, []float64{0, test.lat}); err == nil || err.Error() != test.want {
			t.Errorf("error %v, want %q", err, test.want)
		}
	}
}

func TestDecays(t *testing.T) {
	for _, test := range []struct {
		decay                 Decay
		temperature, distance float64
		want                  float64
	}{
		{Exponential{}, 2, 3, -6},
		{Exponential{}, 2, 0, 0},
		{Exponential{}, 2, inf, -inf},
		{Exponential{}, 1e300, 1e300, -inf},
		{Reciprocal{}, 2, math.E, -2},
		{Reciprocal{}, 2, 0, inf},
		{Reciprocal{}, 2, inf, -inf},
		{Reciprocal{Shift: 1}, 2, math.E - 1, -2},
		{Reciprocal{Shift: 1}, 2, 0, 0},
		{Reciprocal{Shift: 0.5}, 1, 0, math.Ln2},
		{Window{}, 2, 0.5, 0},
		{Window{}, 2, 0.51, -inf},
		{Window{Width: 3}, 2, 1.5, 0},
		{Window{Width: 3}, 2, 1.6, -inf},
		{Window{}, 2, inf, -inf},
		{Constant{}, 2, 7, 0},
		{Constant{}, 2, inf, 0},
		{Given{}, 2, 0.5, -math.Ln2},
		{Given{}, 0, 0.5, -math.Ln2},
		{Given{}, 2, 0, -inf},
		{Given{}, 2, inf, inf},
		{Given{}, 2, 0x1p-1074, -1074 * math.Ln2},
		{Given{}, 2, 0x1p-1030, -1030 * math.Ln2},
		{Reciprocal{}, 1, 0x1p-1074, 1074 * math.Ln2},
	} {
		if got := test.decay.LogSimilarity(test.temperature, test.distance); got != test.want && !(math.Abs(got-test.want) < 1e-15) {
			t.Errorf("%v: log f(%v, %v) = %v, want %v", test.decay, test.temperature, test.distance, got, test.want)
		}
	}
}

// TestDecayContracts checks what the interfaces promise: no attraction by
// distance at temperature 0, the limit of a small temperature, the form of a
// power, and similarities that do not grow with distance.
func TestDecayContracts(t *testing.T) {
	distances := []float64{0, 1e-300, 0.3, 1, 2, 1e300, inf}
	for _, d := range []Decay{Exponential{}, Reciprocal{}, Reciprocal{Shift: 2}, Window{}, Window{Width: 2}, Constant{}} {
		for i, x := range distances {
			if got := d.LogSimilarity(0, x); got != 0 {
				t.Errorf("%v: log f(0, %v) = %v, want 0", d, x, got)
			}
			if x == 0.3 || x == 1 || x == 2 {
				if got := d.LogSimilarity(1e-9, x); math.Abs(got) > 1e-8 {
					t.Errorf("%v: log f(1e-9, %v) = %v, want about 0", d, x, got)
				}
			}
			for _, temperature := range []float64{0.1, 1, 30} {
				got := d.LogSimilarity(temperature, x)
				if math.IsNaN(got) || i > 0 && got > d.LogSimilarity(temperature, distances[i-1]) {
					t.Errorf("%v: log f(%v, %v) = %v grows or is NaN", d, temperature, x, got)
				}
				if p, ok := d.(PowerDecay); ok && got != -temperature*p.Exponent(x) {
					t.Errorf("%v: log f(%v, %v) = %v, exponent %v", d, temperature, x, got, p.Exponent(x))
				}
			}
		}
	}
}

func TestParseDecay(t *testing.T) {
	for _, test := range []struct {
		name  string
		shift float64
		want  string
	}{
		{"exponential", 0, "exponential"},
		{"reciprocal", 0, "reciprocal(shift=0)"},
		{"reciprocal", 0.5, "reciprocal(shift=0.5)"},
		{"given", 0, "given"},
	} {
		d, err := ParseDecay(test.name, test.shift)
		if err != nil || d.String() != test.want {
			t.Errorf("%s: %v, %v, want %s", test.name, d, err, test.want)
		}
	}
	for _, test := range []struct {
		name  string
		shift float64
		want  string
	}{
		{"exponental", 0, `unknown decay "exponental", did you mean "exponential"?`},
		{"gaussian", 0, `unknown decay "gaussian", expected one of exponential, reciprocal, given`},
		{"", 0, `unknown decay "", expected one of exponential, reciprocal, given`},
		{"reciprocal", -1, "decay reciprocal: found shift -1, expected a finite number of at least 0"},
		{"reciprocal", inf, "decay reciprocal: found shift +Inf, expected a finite number of at least 0"},
	} {
		if _, err := ParseDecay(test.name, test.shift); err == nil || err.Error() != test.want {
			t.Errorf("%s: error %v, want %q", test.name, err, test.want)
		}
	}
}

func mustPanic(t *testing.T, f func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	f()
}

// TestDecaysAtExtremes checks that no similarity is NaN.
func TestDecaysAtExtremes(t *testing.T) {
	extremes := []float64{0, 5e-324, 1e-300, 1e-6, 1, 1e6, 1e300, math.MaxFloat64}
	decays := []Decay{Exponential{}, Reciprocal{}, Reciprocal{Shift: 5e-324}, Reciprocal{Shift: math.MaxFloat64}, Window{}, Window{Width: 5e-324}, Window{Width: math.MaxFloat64}, Constant{}, Given{}}
	for _, d := range decays {
		for _, temperature := range extremes {
			for _, distance := range append(extremes, inf) {
				got := d.LogSimilarity(temperature, distance)
				if math.IsNaN(got) || temperature == 0 && got != 0 && d != (Given{}) {
					t.Errorf("%v: log f(%v, %v) = %v", d, temperature, distance, got)
				}
			}
		}
	}
}

func TestPer(t *testing.T) {
	m := AbsDifference([]float64{1, 1, 4})
	p, err := m.Per(2)
	if err != nil || !slices.Equal(p.Row(0), []float64{0, 0, 1.5}) || !slices.Equal(p.Row(2), []float64{1.5, 1.5, 0}) || m.At(0, 2) != 3 {
		t.Errorf("%v, %v", p, err)
	}
	if _, err := m.Per(1e-320); err == nil || err.Error() != "found 1e-320, by which a distance of 3 cannot be divided" {
		t.Errorf("error %v", err)
	}
	m, err = NewMatrix([][]float64{{0, inf}, {0, 0}})
	if err != nil {
		t.Fatal(err)
	}
	if p, err := m.Per(3); err != nil || p.At(0, 1) != inf || p.At(1, 0) != 0 {
		t.Errorf("%v, %v", p, err)
	}
	for _, unit := range []float64{0, -1, nan} {
		mustPanic(t, func() { m.Per(unit) })
	}
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		rows [][]float64
		want float64
	}{
		{[][]float64{{0, 1, 2}, {1, 0, 6}, {2, 6, 0}}, 2},
		{[][]float64{{9, 0, 2}, {0, 9, 6}, {2, 6, 9}}, 4}, // zeros and the diagonal do not count
		{[][]float64{{0, 1, inf}, {1, 0, 3}, {inf, 3, 0}}, 2},
		{[][]float64{{0, 1, 2}, {7, 0, 3}, {8, 9, 0}}, 5}, // both orders of each pair
		{[][]float64{{0, 0}, {0, 0}}, 0},
		{[][]float64{{0, 1e308, 1.5e308}, {1e308, 0, 0}, {1.5e308, 0, 0}}, 1.25e308},
	} {
		m, err := NewMatrix(c.rows)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Median(); got != c.want {
			t.Errorf("%v: median %v, expected %v", c.rows, got, c.want)
		}
	}
}
