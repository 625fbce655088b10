package collapsed

import (
	"math"
	"math/rand/v2"
	"testing"

	"aibd/feature"
)

var inf = math.Inf(1)

func TestNewDataErrors(t *testing.T) {
	for _, test := range []struct {
		x    [][]float64
		want string
	}{
		{[][]float64{{inf, 2}}, "X row 1, column 1: found +Inf, expected a finite number"},
		{[][]float64{{1}, {2}, {-inf}}, "X row 3, column 1: found -Inf, expected a finite number"},
		{[][]float64{{1, 2}, {3}}, "X row 2 has 1 entries, expected 2 as in row 1"},
		{[][]float64{{}, {1}}, "X row 2 has 1 entries, expected 0 as in row 1"},
	} {
		if data, err := NewData(test.x); err == nil || err.Error() != test.want || data != nil {
			t.Errorf("%v: error %v, want %q", test.x, err, test.want)
		}
	}
}

// X X' and the trace survive the rotation that makes D columns at most N.
func TestNewDataKeepsProducts(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 2))
	for _, size := range [][2]int{{5, 3}, {5, 5}, {5, 40}, {1, 6}, {6, 1}, {4, 0}, {0, 0}} {
		n, d := size[0], size[1]
		x := randomX(rng, n, d)
		data := mustData(t, x)
		if data.N() != n || data.D() != d || data.rank != min(n, d) {
			t.Errorf("%d x %d: N %d, D %d, rank %d", n, d, data.N(), data.D(), data.rank)
		}
		for i := range n {
			for j := range n {
				got, want := 0.0, 0.0
				for f := range data.rank {
					got += data.rows[i][f] * data.rows[j][f]
				}
				got = math.Ldexp(got, 2*data.unit)
				for f := range d {
					want += x[i][f] * x[j][f]
				}
				mustNear(t, "product of rows", got, want, 1e-13)
				if i == j {
					mustNear(t, "square of a row", math.Ldexp(data.sq[i], 2*data.unit), want, 1e-13)
				}
			}
		}
	}
}

// Changes of X after NewData do not matter.
func TestNewDataCopies(t *testing.T) {
	x := [][]float64{{1}, {2}}
	data := mustData(t, x)
	z, scales := feature.New(2), Scales{1, 1}
	before := LogLik(data, z, scales)
	x[0][0] = 9
	if LogLik(data, z, scales) != before {
		t.Error("the likelihood changed with X")
	}
}

// Two equal columns of one member and r = 1e-40: in doubles Z'Z + rI is Z'Z, which
// is singular.
func TestNumericallySingular(t *testing.T) {
	data := mustData(t, [][]float64{{1}, {2}, {4}})
	z, err := feature.FromRows([][]int{{1, 1}, {0, 0}, {0, 0}})
	if err != nil {
		t.Fatal(err)
	}
	singular, regular := Scales{1e-20, 1}, Scales{1, 1}
	if l := LogLik(data, z, singular); !math.IsNaN(l) {
		t.Errorf("LogLik %v, want NaN", l)
	}
	c := NewCache(data, z, regular)
	if ok := c.Refresh(z, singular); ok || !math.IsNaN(c.LogLik()) {
		t.Errorf("Refresh %v, log likelihood %v, want false and NaN", ok, c.LogLik())
	}
	if ok := c.Refresh(z, regular); !ok || c.LogLik() != LogLik(data, z, regular) {
		t.Errorf("at other scales again: %v, log likelihood %v", ok, c.LogLik())
	}
}
