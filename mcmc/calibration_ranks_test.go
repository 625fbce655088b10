package mcmc

// The statistics by which samplers are tested: ranks that are uniform if and only if a
// sampler is right, exact p values of them, and a sequential test with a bounded rate of
// false alarms. They do not depend on any sampler.
//
// A test works in three steps. Each of n independent replicates gives a rank for
// each test quantity: of a parameter among its posterior draws (simulation-based
// calibration: Talts, Betancourt, Simpson, Vehtari and Gelman, 2018; Modrak et al.,
// 2023), or of a sampler's draw among draws from the distribution that it should have
// (Geweke, 2004, with independent replicates instead of one long chain). Ranks
// gives the p value of the replicates, exactly for every n. Sequential decides how
// many replicates to make and when to raise the alarm (Gandy and Scott, "Unit
// testing for MCMC and other Monte Carlo methods", 2020).

import (
	"math"
	"math/rand/v2"
)

// Rank returns how many of the references are below x, ties broken at random: if x and the
// references are exchangeable, the rank is uniform on 0 to len(references), whatever
// their distribution. NaN counts as the lowest value of all.
func Rank[F float32 | float64](rng *rand.Rand, x F, references []F) int {
	below, ties := 0, 0
	for _, y := range references {
		switch {
		case y < x || math.IsNaN(float64(y)) && !math.IsNaN(float64(x)):
			below++
		case y == x || math.IsNaN(float64(y)) && math.IsNaN(float64(x)):
			ties++
		}
	}
	return below + rng.IntN(ties+1)
}

// Ranks counts the ranks of independent replicates for several test quantities.
type Ranks struct {
	n      int
	counts [][]int // by quantity and rank
}

// NewRanks returns empty counts for a number of quantities whose ranks are 0 to
// cells-1. It panics if there are fewer than two cells.
func NewRanks(quantities, cells int) *Ranks {
	if cells < 2 {
		panic("calibration: ranks in fewer than two cells")
	}
	r := &Ranks{counts: make([][]int, quantities)}
	for q := range r.counts {
		r.counts[q] = make([]int, cells)
	}
	return r
}

// Add counts one replicate, given by the rank of each quantity.
func (r *Ranks) Add(ranks []int) {
	r.n++
	for q, rank := range ranks {
		r.counts[q][rank]++
	}
}

// Merge adds replicates with the same quantities and cells.
func (r *Ranks) Merge(added *Ranks) {
	r.n += added.n
	for q, counts := range added.counts {
		for rank, n := range counts {
			r.counts[q][rank] += n
		}
	}
}

// Cells returns the number of possible ranks.
func (r *Ranks) Cells() int { return len(r.counts[0]) }

// N returns the number of replicates.
func (r *Ranks) N() int { return r.n }

// Counts returns how often each rank occurred for quantity q. It is a view.
func (r *Ranks) Counts(q int) []int { return r.counts[q] }

// P returns the p value of all quantities together, by Bonferroni's inequality,
// and the quantity that is least uniform. There must be one, and a replicate.
func (r *Ranks) P() (p float64, worst int) {
	t := tables(r.n, len(r.counts[0]))
	least := 2.0
	for q, counts := range r.counts {
		if l := leastTail(counts, t); l < least {
			least, worst = l, q
		}
	}
	return math.Min(1, float64(len(r.counts))*tailProb(r.n, t, least)), worst
}
