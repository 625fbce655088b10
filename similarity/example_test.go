package similarity_test

import (
	"fmt"

	"aibd/similarity"
)

// Distances of three people by age, and their similarities under each decay.
func Example() {
	distance := similarity.AbsDifference([]float64{61, 64, 80})
	for _, decay := range []similarity.Decay{
		similarity.Exponential{},
		similarity.Reciprocal{Shift: 1},
		similarity.Window{Width: 1},
	} {
		// log f at temperature 0.1.
		near := decay.LogSimilarity(0.1, distance.At(1, 0))
		far := decay.LogSimilarity(0.1, distance.At(2, 0))
		fmt.Printf("%-20v %5.2f %5.2f\n", decay, near, far)
	}
	// Output:
	// exponential          -0.30 -1.90
	// reciprocal(shift=1)  -0.14 -0.30
	// window(width=1)       0.00  -Inf
}

func ExampleGreatCircle() {
	lon := []float64{-0.1276, 2.3522, -74.0060}
	lat := []float64{51.5072, 48.8566, 40.7128}
	distance, err := similarity.GreatCircle(lon, lat)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("London to Paris %.0f km, to New York %.0f km\n", distance.At(0, 1), distance.At(0, 2))
	// Output:
	// London to Paris 344 km, to New York 5570 km
}

func ExampleNewMatrix() {
	_, err := similarity.NewMatrix([][]float64{
		{0, 2},
		{-2, 0},
	})
	fmt.Println(err)
	// Output:
	// row 2, column 1: found -2, expected a number of at least 0
}

func ExampleParseDecay() {
	decay, err := similarity.ParseDecay("reciprocal", 1)
	fmt.Println(decay, err)
	_, err = similarity.ParseDecay("exponentail", 0)
	fmt.Println(err)
	// Output:
	// reciprocal(shift=1) <nil>
	// unknown decay "exponentail", did you mean "exponential"?
}
