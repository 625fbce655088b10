package prior_test

import (
	"fmt"
	"log"
	"math"
	"math/rand/v2"

	"aibd/feature"
	"aibd/prior"
)

// spells is an intensity over runs of consecutive items: a feature begins at some item and ends at
// a later one. Each further item of a run multiplies its intensity by share.
type spells struct {
	n     int
	share float64
}

func (s spells) N() int { return s.n }

func (s spells) LogIntensity(column []uint64) float64 {
	length, last := 0, -1
	for i := range feature.Items(column) {
		if last >= 0 && i != last+1 {
			return math.Inf(-1) // a gap
		}
		length, last = length+1, i
	}
	return float64(length-1) * math.Log(s.share)
}

// probability returns the intensity of all runs of a length.
func (s spells) probability(length int) float64 {
	return float64(s.n-length+1) * math.Pow(s.share, float64(length-1))
}

func (s spells) TotalIntensity() float64 {
	sum := 0.0
	for length := 1; length <= s.n; length++ {
		sum += s.probability(length)
	}
	return sum
}

func (s spells) DrawColumn(rng *rand.Rand, column []uint64) {
	u, length := rng.Float64()*s.TotalIntensity(), 1
	for ; length < s.n && u >= s.probability(length); length++ {
		u -= s.probability(length)
	}
	clear(column)
	first := rng.IntN(s.n - length + 1)
	for i := first; i < first+length; i++ {
		column[i>>6] |= 1 << (i & 63)
	}
}

// A law of one's own: features are spells of consecutive items. It can be sampled like any other
// law (mcmc.NewPosterior).
func ExampleNewLaw() {
	law, err := prior.NewLaw(spells{n: 5, share: 0.8}, 0.5)
	if err != nil {
		log.Fatal(err)
	}
	z, err := feature.FromRows([][]int{{1, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 1}})
	if err != nil {
		log.Fatal(err)
	}
	shared := law.ExpectedSharing()
	fmt.Printf("log probability %.3f\n", prior.LogProb(law, z))
	fmt.Printf("expected to share: neighbors %.2f, the ends %.2f\n", shared[0][1], shared[0][4])
	// Output:
	// log probability -8.056
	// expected to share: neighbors 1.18, the ends 0.20
}
