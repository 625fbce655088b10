package classify

import (
	"reflect"
	"testing"

	"aibd/feature"
)

// TestPredictors: features by degrees predict by their weights, others as 0 and 1.
func TestPredictors(t *testing.T) {
	z, err := feature.FromRows([][]int{{1, 0}, {1, 1}, {0, 1}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		weights []float64
		beside  [][]float64
		want    [][]float64
	}{
		{nil, nil, [][]float64{{1, 0}, {1, 1}, {0, 1}}},
		{[]float64{-2, 0.5, 3, 4}, nil, [][]float64{{-2, 0}, {0.5, 3}, {0, 4}}},
		{[]float64{-2, 0.5, 3, 4}, [][]float64{{7}, {8}, {9}}, [][]float64{{-2, 0, 7}, {0.5, 3, 8}, {0, 4, 9}}},
	} {
		if found := Predictors(z, c.weights, c.beside); !reflect.DeepEqual(found, c.want) {
			t.Errorf("found %v, expected %v", found, c.want)
		}
	}
}
