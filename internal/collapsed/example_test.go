package collapsed_test

import (
	"fmt"
	"log"

	"aibd/feature"
	"aibd/internal/collapsed"
)

// The flips of a row are weighed one by one; only what is flipped changes the
// allocation, when the row is closed.
func ExampleCache() {
	data, err := collapsed.NewData([][]float64{{1.1, -0.2}, {0.9, 0.1}, {-0.1, 1.2}, {0.2, 0.8}})
	if err != nil {
		log.Fatal(err)
	}
	z, err := feature.FromRows([][]int{{1, 0}, {1, 0}, {0, 1}, {0, 0}})
	if err != nil {
		log.Fatal(err)
	}
	cache := collapsed.NewCache(data, z, collapsed.Scales{SigmaX: 0.5, SigmaA: 1})
	before := cache.LogLik()

	cache.Open(z, 3)
	for k := range z.K() {
		fmt.Printf("feature %d of the last item: %+.2f\n", k, cache.LogFlip(k))
	}
	cache.Flip(1)
	edit := cache.Close()

	fmt.Println("flipped:", edit.Flipped)
	fmt.Println(z)
	fmt.Printf("gained %.2f\n", cache.LogLik()-before)
	// Output:
	// feature 0 of the last item: -0.65
	// feature 1 of the last item: +0.66
	// flipped: [1]
	// 10
	// 10
	// 01
	// 01
	// gained 0.66
}
