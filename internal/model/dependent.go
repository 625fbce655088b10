package model

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"aibd/internal/hint"
	"aibd/lglfm"
)

// ridge is added to correlations. It is far below the squared rounding of a table.
const ridge = 1e-10

// minInflation is the least ratio of the variance of a column to that which other columns leave, at which the column is
// a function of them. Columns of few values leave less than their unit at small ratios.
const minInflation = 100

// dependent returns a note on columns of X that are linear functions of several others up to the unit in which
// they are recorded, such as a total and its parts, or "". Features fit such columns exactly. It looks at the items
// without unknown cells, of which there must be twice as many as columns.
func dependent(names []string, x [][]float64) string {
	var whole []float64
	n, d := 0, len(names)
	for _, row := range x {
		if !slices.ContainsFunc(row, math.IsNaN) {
			whole = append(whole, row...)
			n++
		}
	}
	if d < 3 || n < 2*d+minAlike {
		return ""
	}
	r, units := mat.NewSymDense(d, nil), lglfm.MinNoise(x)
	stat.CorrelationMatrix(r, mat.NewDense(n, d, whole), nil)
	var chol mat.Cholesky
	var inverse mat.SymDense
	for j := range d {
		r.SetSym(j, j, 1+ridge) // exact functions have an inverse too
	}
	if !chol.Factorize(r) {
		return "" // a constant column
	}
	if err := chol.InverseTo(&inverse); err != nil && !errors.As(err, new(mat.Condition)) {
		return ""
	}
	var found []string
	for j, name := range names {
		sd := math.Sqrt(stat.Variance(mat.Col(nil, j, mat.NewDense(n, d, whole)), nil) / inverse.At(j, j))
		if unit := units[j] * math.Sqrt(2*math.Pi); sd < unit/2 && inverse.At(j, j) > minInflation || inverse.At(j, j) > 1e-2/ridge {
			found = append(found, name)
		}
	}
	if found == nil {
		return ""
	}
	return fmt.Sprintf("linear functions of other columns, up to rounding: %s; features may fit them exactly (%s)", hint.Listed(found, 3), leaveOut)
}
