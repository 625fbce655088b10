package model

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"aibd/internal/hint"
	"aibd/internal/lists"
)

// collinear returns a note on columns of X that are linear functions of another, or "". Few
// items are collinear by chance. Columns whose unknown cells differ are not compared.
func collinear(names []string, x [][]float64) string {
	type unit struct {
		name  string
		value []float64 // centred, of norm 1
		at    float64   // its projection, which is the same for the opposite column
	}
	direction := make([]float64, len(x))
	for i, rng := 0, rand.New(rand.NewPCG(1, 1)); i < len(x); i++ {
		direction[i] = rng.NormFloat64()
	}
	const rounding = 1e-12
	var columns []unit
	for j, name := range names {
		v := lists.Of(x, func(row []float64) float64 { return row[j] })
		known := slices.DeleteFunc(slices.Clone(v), math.IsNaN)
		mean := floats.Sum(known) / float64(len(known))
		for i := range v {
			if v[i] -= mean; math.IsNaN(v[i]) {
				v[i] = 0
			}
		}
		norm := floats.Norm(v, 2)
		if floats.Scale(1/norm, v); len(known) >= minAlike && norm > rounding*floats.Norm(known, math.Inf(1)) {
			columns = append(columns, unit{name, v, math.Abs(floats.Dot(direction, v))})
		}
	}
	slices.SortStableFunc(columns, func(a, b unit) int { return cmp.Compare(a.at, b.at) })
	var found []string
	for j := range columns[:max(0, len(columns)-1)] {
		a, b := columns[j], columns[j+1]
		if b.at-a.at < 1e3*rounding && math.Abs(floats.Dot(a.value, b.value)) > 1-rounding {
			found = append(found, a.name+" and "+b.name)
		}
	}
	if found == nil {
		return ""
	}
	return fmt.Sprintf("linear functions of each other: %s; each counts as data (--columns leaves columns out)", hint.Listed(found, 3))
}
