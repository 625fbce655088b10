package lglfm_test

import (
	"fmt"
	"log"
	"math/rand/v2"

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
