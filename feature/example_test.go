package feature_test

import (
	"fmt"

	"aibd/feature"
)

func ExampleFromRows() {
	// Three items and two features, both of which the second item has.
	z, err := feature.FromRows([][]int{
		{1, 0},
		{1, 1},
		{0, 1},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(z.N(), "items,", z.K(), "features")
	fmt.Println("items with feature 0:", z.Members(nil, 0))
	fmt.Println("shared by items 0 and 1:", z.Shared(0, 1))

	_, err = feature.FromRows([][]int{{1, 0}, {1, 0}})
	fmt.Println(err)
	// Output:
	// 3 items, 2 features
	// items with feature 0: [0 1]
	// shared by items 0 and 1: 1
	// Z column 2 is zero: expected a 1 in every column
}

func ExampleAllocation_LeftOrdered() {
	z, err := feature.FromRows([][]int{
		{0, 1, 0},
		{1, 1, 0},
		{0, 0, 1},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	left := z.LeftOrdered()
	fmt.Println(left)
	fmt.Println("the same allocation:", z.Equal(left))
	// Output:
	// 100
	// 110
	// 001
	// the same allocation: true
}

func ExampleEnumerate() {
	// All allocations of two items with at most one feature.
	feature.Enumerate(2, 1, func(z *feature.Allocation) bool {
		fmt.Println(z.Rows())
		return true
	})
	// Output:
	// [[] []]
	// [[1] [0]]
	// [[0] [1]]
	// [[1] [1]]
}
