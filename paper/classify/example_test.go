package classify_test

import (
	"fmt"
	"log"
	"math/rand/v2"

	"aibd/paper/classify"
)

// Eight people, two of each family: their labels from two numbers each.
func ExampleLogistic() {
	x := [][]float64{{2, 0}, {3, 1}, {1, 1}, {2, 2}, {-1, 0}, {-2, 1}, {-1, 2}, {-3, 1}}
	y := []bool{true, true, true, true, false, false, false, false}
	fit := classify.Logistic{Lambda: 1}
	if err := fit.Fit(x, y); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("log odds of a positive label: %.1f at (2, 1), %.1f at (-2, 1)\n", fit.Score([]float64{2, 1}), fit.Score([]float64{-2, 1}))

	// How well does it predict people of families that it has not seen?
	families := []string{"a", "a", "b", "b", "c", "c", "d", "d"}
	train, err := classify.Grouped(rand.New(rand.NewPCG(1, 2)), y, families, 0.5)
	if err != nil {
		log.Fatal(err)
	}
	auc, err := fit.HoldOut(x, y, train)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(train), "people to learn from, AUC on the others", auc)
	// Output:
	// log odds of a positive label: 2.3 at (2, 1), -2.7 at (-2, 1)
	// 4 people to learn from, AUC on the others 1
}

func ExampleAUC() {
	scores := []float64{0.9, 0.8, 0.4, 0.1}
	fmt.Println(classify.AUC(scores, []bool{true, true, false, false}))
	fmt.Println(classify.AUC(scores, []bool{true, false, true, false}))
	// Output:
	// 1
	// 0.75
}
