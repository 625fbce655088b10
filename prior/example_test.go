package prior_test

import (
	"fmt"
	"log"
	"math"
	"math/rand/v2"

	"aibd/feature"
	"aibd/prior"
	"aibd/similarity"
)

// nearAndFar is an affinity of three items: the first two are near each other, the
// third is far from both.
func nearAndFar() *prior.Affinity {
	return prior.NewAffinity(similarity.AbsDifference([]float64{0, 1, 10}), similarity.Exponential{})
}

// What pairs are expected to share: half the mass each under the IBP; under the
// AIBD near pairs more and far pairs less, at the same number of features an item.
func Example() {
	ibp, err := prior.NewIBP(3, 1)
	if err != nil {
		log.Fatal(err)
	}
	aibd, err := prior.NewAIBD(nearAndFar(), 1, 0.5, []int{2, 1, 0}) // the far one arrives first
	if err != nil {
		log.Fatal(err)
	}
	for _, law := range []prior.Law{ibp, aibd} {
		shared := law.ExpectedSharing()
		fmt.Printf("%T: near %.3f, far %.3f, item %.3f\n", law, shared[0][1], shared[0][2], shared[0][0])
	}
	// Output:
	// *prior.IBP: near 0.500, far 0.500, item 1.000
	// *prior.AIBD: near 0.663, far 0.337, item 1.000
}

func ExampleExpectedSharingAveraged() {
	law, err := prior.NewAIBD(nearAndFar(), 1, 0, prior.Identity(3))
	if err != nil {
		log.Fatal(err)
	}
	for _, temperature := range []float64{0, 0.1, 1} {
		shared, err := prior.ExpectedSharingAveraged(law.With(temperature, law.Permutation()))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("temperature %.1f: near %.3f, far %.3f\n", temperature, shared[0][1], shared[0][2])
	}
	// Output:
	// temperature 0.0: near 0.500, far 0.500
	// temperature 0.1: near 0.545, far 0.474
	// temperature 1.0: near 0.611, far 0.419
}

// The probability of an allocation under three laws: the order of its columns
// does not matter.
func ExampleLogProb() {
	z, err := feature.FromRows([][]int{{1, 1, 1}, {1, 1, 0}, {0, 0, 1}})
	if err != nil {
		log.Fatal(err)
	}
	ibp, err := prior.NewIBP(3, 1)
	if err != nil {
		log.Fatal(err)
	}
	aibd, err := prior.NewAIBD(nearAndFar(), 1, 0.5, prior.Identity(3))
	if err != nil {
		log.Fatal(err)
	}
	ddibp, err := prior.NewDDIBP(nearAndFar(), 1, 0.5)
	if err != nil {
		log.Fatal(err)
	}
	for _, law := range []prior.Law{ibp, aibd, ddibp} {
		fmt.Printf("%T %.4f %.4f\n", law, prior.LogProb(law, z), prior.LogProb(law, z.LeftOrdered()))
	}
	// Output:
	// *prior.IBP -7.9018 -7.9018
	// *prior.AIBD -8.1827 -8.1827
	// *prior.DDIBP -9.7650 -9.7650
}

// The order of arrival is a nuisance: its average is exact for up to MaxExactItems
// items.
func ExampleLogProbAveraged() {
	z, err := feature.FromRows([][]int{{1, 0}, {1, 0}, {0, 1}})
	if err != nil {
		log.Fatal(err)
	}
	law, err := prior.NewAIBD(nearAndFar(), 1, 0.5, prior.Identity(3))
	if err != nil {
		log.Fatal(err)
	}
	average, err := prior.LogProbAveraged(law, z)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("one order %.4f, average over all six %.4f\n", prior.LogProb(law, z), average)
	// Output:
	// one order -4.7237, average over all six -3.8972
}

// Draws, and the exact distribution of their number of features.
func ExampleNumFeatures() {
	law, err := prior.NewAIBD(nearAndFar(), 1, 0.5, prior.Identity(3))
	if err != nil {
		log.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	const draws = 100000
	features := make([]int, 3)
	for range draws {
		if k := law.Rand(rng).K(); k < len(features) {
			features[k]++
		}
	}
	for k, logProb := range prior.NumFeatures(law, 2) {
		fmt.Printf("%d features: probability %.4f, among draws %.2f\n", k, math.Exp(logProb), float64(features[k])/draws)
	}
	// Output:
	// 0 features: probability 0.1599, among draws 0.16
	// 1 features: probability 0.2931, among draws 0.29
	// 2 features: probability 0.2687, among draws 0.27
}
