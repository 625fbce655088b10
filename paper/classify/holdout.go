package classify

import (
	"fmt"

	"aibd/internal/lists"
)

// HoldOut fits f to the items of the training set, in any order, and returns the AUC of its scores on all
// other items. It returns the errors that Fit returns, and panics if train has an item twice.
func (f *Logistic) HoldOut(x [][]float64, y []bool, train []int) (float64, error) {
	var fitX, testX [][]float64
	var fitY, testY []bool
	in := make([]bool, len(x))
	for _, i := range train {
		if in[i] {
			panic(fmt.Sprintf("classify: HoldOut of a training set that has item %d twice", i))
		}
		in[i] = true
	}
	for i, row := range x {
		if in[i] {
			fitX, fitY = append(fitX, row), append(fitY, y[i])
		} else {
			testX, testY = append(testX, row), append(testY, y[i])
		}
	}
	if err := f.Fit(fitX, fitY); err != nil {
		return 0, err
	}
	return AUC(lists.Map(testX, f.Score), testY), nil
}
