// Command law draws a feature allocation from the AIBD and computes its log
// probability and the expected sharing of each pair of items.
package main

import (
	"fmt"
	"log"
	"math/rand/v2"

	"aibd/prior"
	"aibd/similarity"
)

func main() {
	log.SetFlags(0)
	ages := []float64{61, 62, 80, 82}

	// Items attract each other: similarity is exp(-temperature * difference in age).
	affinity := prior.NewAffinity(similarity.AbsDifference(ages), similarity.Exponential{})
	const mass, temperature = 1, 0.4
	law, err := prior.NewAIBD(affinity, mass, temperature, prior.Identity(len(ages)))
	if err != nil {
		log.Fatal(err)
	}

	z := law.Rand(rand.New(rand.NewPCG(1, 2)))
	fmt.Printf("Z, one row for each person:\n%v\n", z)
	fmt.Printf("log probability: %.3f\n", prior.LogProb(law, z))

	fmt.Println("expected number of shared features:")
	shared := law.ExpectedSharing()
	for i := range ages {
		for j := range i {
			fmt.Printf("  ages %.0f and %.0f: %.3f\n", ages[j], ages[i], shared[i][j])
		}
	}
}
