package links

// Draws from the dd-IBP by its generative process.

import (
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"
)

// Rand draws an allocation from the dd-IBP with the given mass (> 0) and
// proximities, and returns it with the dishes behind its columns, in the same
// order.
func Rand(mass float64, p [][]float64, rng *rand.Rand) ([][]int, []Dish) {
	h, a := linkProbabilities(p)
	var dishes []Dish
	for owner := range p {
		owned := distuv.Poisson{Lambda: mass / h[owner], Src: rng}.Rand()
		for range int(owned) {
			dishes = append(dishes, Dish{owner, randLinks(a, rng)})
		}
	}
	return Allocation(len(p), dishes), dishes
}

// randLinks draws a link for each item.
func randLinks(a [][]float64, rng *rand.Rand) []int {
	links := make([]int, len(a))
	for j, row := range a {
		links[j] = randIndex(row, rng)
	}
	return links
}

// randIndex draws an index with probability proportional to its weight. The
// weights are finite, none is negative, and at least one is positive.
func randIndex(weights []float64, rng *rand.Rand) int {
	u := rng.Float64() * floats.Sum(weights)
	last := 0
	for i, w := range weights {
		if w > 0 {
			last = i // the answer if rounding leaves u at or above the sum
		}
		if u -= w; u < 0 {
			return i
		}
	}
	return last
}
