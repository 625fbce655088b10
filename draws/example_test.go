package draws_test

import (
	"fmt"

	"aibd/draws"
	"aibd/feature"
)

func ExamplePack() {
	z, err := feature.FromRows([][]int{{1, 0}, {1, 1}, {0, 1}})
	if err != nil {
		fmt.Println(err)
		return
	}
	b := draws.Pack(nil, z)
	fmt.Printf("%03b\n", b) // a byte a feature, the first item rightmost
	again, err := draws.Unpack(z.N(), z.K(), b)
	fmt.Println(again.Equal(z), err)
	// Output:
	// [011 110]
	// true <nil>
}
