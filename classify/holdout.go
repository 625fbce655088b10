package classify

import "aibd/internal/lists"

// HoldOut fits f to the items of the training set, in ascending order, and returns the AUC
// of its scores on all other items. It returns the errors that Fit returns.
func (f *Logistic) HoldOut(x [][]float64, y []bool, train []int) (float64, error) {
	var fitX, testX [][]float64
	var fitY, testY []bool
	next := 0
	for i, row := range x {
		if next < len(train) && train[next] == i {
			fitX, fitY = append(fitX, row), append(fitY, y[i])
			next++
		} else {
			testX, testY = append(testX, row), append(testY, y[i])
		}
	}
	if err := f.Fit(fitX, fitY); err != nil {
		return 0, err
	}
	return AUC(lists.Of(testX, f.Score), testY), nil
}
