package lglfm_test

import (
	"fmt"
	"log"
	"math/rand/v2"

	"aibd/feature"
	"aibd/lglfm"
	"aibd/prior"
	"aibd/similarity"
)

// Prior and likelihood of an allocation of four people, near in pairs by age, who
// were observed in two variables.
func Example() {
	ages := []float64{61, 62, 80, 82}
	x := [][]float64{{1.1, -0.2}, {0.9, 0.1}, {-0.1, 1.2}, {0.2, 0.8}}
	n := len(ages)
	rng := rand.New(rand.NewPCG(1, 2))

	affinity := prior.NewAffinity(similarity.AbsDifference(ages), similarity.Exponential{})
	law, err := prior.NewAIBD(affinity, 1, 0.4, prior.Identity(n)) // mass 1, temperature 0.4
	if err != nil {
		log.Fatal(err)
	}

	z := law.Rand(rng)              // a draw of Z
	logp := prior.LogProb(law, z)   // its log probability
	shared := law.ExpectedSharing() // what each pair shares, exactly

	data, err := lglfm.NewData(x) // x [][]float64
	if err != nil {
		log.Fatal(err)
	}
	loglik := lglfm.LogLik(data, z, lglfm.Scales{SigmaX: 0.5, SigmaA: 1})

	fmt.Println(z)
	fmt.Printf("log prior %.3f, log likelihood %.3f\n", logp, loglik)
	fmt.Printf("expected to share: the young %.2f, the first and the last %.2f\n", shared[0][1], shared[0][3])
	// Output:
	// 011
	// 010
	// 110
	// 000
	// log prior -8.054, log likelihood -9.417
	// expected to share: the young 0.50, the first and the last 0.35
}

// The flips of a row are weighed one by one; only what is flipped changes the
// allocation, when the row is closed.
func ExampleCache() {
	data, err := lglfm.NewData([][]float64{{1.1, -0.2}, {0.9, 0.1}, {-0.1, 1.2}, {0.2, 0.8}})
	if err != nil {
		log.Fatal(err)
	}
	z, err := feature.FromRows([][]int{{1, 0}, {1, 0}, {0, 1}, {0, 0}})
	if err != nil {
		log.Fatal(err)
	}
	cache := lglfm.NewCache(data, z, lglfm.Scales{SigmaX: 0.5, SigmaA: 1})
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
