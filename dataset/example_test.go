package dataset_test

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"aibd/dataset"
	"aibd/feature"
)

// A table from CSV text, its columns as numbers, centered and scaled.
func ExampleReadTable() {
	table, err := dataset.ReadTable(strings.NewReader(`name,height,weight,note
Ada,160,50,
Ben,170,70,twin of Bob
Cyd,180,60,
`), "people.csv", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	columns := table.NumericColumns()
	x, err := table.Floats(columns)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := (dataset.Transform{Center: true, Scale: true}).Apply(columns, x); err != nil {
		fmt.Println(err)
		return
	}
	for i, id := range table.IDs {
		fmt.Println(id, columns, x[i])
	}

	_, err = table.Float("note")
	fmt.Println(err)
	// Output:
	// Ada [height weight] [-1 -1]
	// Ben [height weight] [0 1]
	// Cyd [height weight] [1 0]
	// people.csv: line 2, column "note": found "", expected a finite number: only cells of X may be missing
}

// A matrix of distances gets the order of its table.
func ExampleTable_ReadMatrix() {
	table, err := dataset.ReadTable(strings.NewReader("name,height\nAda,160\nBen,170\nCyd,180\n"), "people.csv", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	distance, _, err := table.ReadMatrix(strings.NewReader(",Cyd,Ada,Ben\nCyd,0,7,8\nAda,7,0,1\nBen,8,1,0\n"), "d.csv")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("Ada to Ben:", distance.At(0, 1))
	fmt.Println("Ada to Cyd:", distance.At(0, 2))
	// Output:
	// Ada to Ben: 1
	// Ada to Cyd: 7
}

func ExampleLoad() {
	set, err := dataset.Load("usstates")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(set.Title)
	fmt.Println(set.X.N(), "items,", set.X.Columns[:4])
	fmt.Println("beside them", set.Side.Columns)

	_, err = dataset.Load("usstate")
	fmt.Println(err)
	// Output:
	// The 50 states of the USA in the 1970s: R's state.x77
	// 50 items, [Population Income Illiteracy Life.Exp]
	// beside them [lon lat region]
	// unknown data set "usstate", did you mean "usstates"?
}

// Simulated data with known truth: four items, two features, three variables.
func ExampleSimulate() {
	z, err := feature.FromRows([][]int{{1, 0}, {1, 1}, {0, 1}, {0, 1}})
	if err != nil {
		fmt.Println(err)
		return
	}
	rng := rand.New(rand.NewPCG(1, 2))
	x, a := dataset.Simulate(rng, z, 3, 0, 1) // without noise
	fmt.Println("x is", len(x), "x", len(x[0]), "and the loadings", len(a), "x", len(a[0]))
	fmt.Println("the second item is the sum of both features:", x[1][0] == a[0][0]+a[1][0])
	fmt.Println("the last two are the second feature alone:", x[2][0] == a[1][0] && x[3][0] == a[1][0])
	// Output:
	// x is 4 x 3 and the loadings 2 x 3
	// the second item is the sum of both features: true
	// the last two are the second feature alone: true
}
