package prior_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"aibd/prior"
	"aibd/similarity"
)

// BenchmarkSparse measures how far the AIBD with sparse distances is from that with all, for 500
// items at random places, at temperatures per median distance of all pairs.
//
//	attraction   total variation between what earlier items give to an arriving one, the mean
//	             over items; that of the IBP for comparison
//	near, far    mean absolute difference of the expected sharing over the mass, over pairs of
//	             which one is among the 20 nearest of the other, and over all others
//	possible     share of the features drawn from the dense law that the sparse one allows
func BenchmarkSparse(b *testing.B) {
	const n = 500
	rng := rand.New(rand.NewPCG(1, 2))
	places := make([][]float64, n)
	for i := range places {
		places[i] = []float64{rng.Float64(), rng.Float64()}
	}
	points, err := similarity.NewPoints(places)
	if err != nil {
		b.Fatal(err)
	}
	all, perm := similarity.Euclidean(places), rng.Perm(n)
	near := points.Nearest(20)
	for _, times := range []float64{0, 1, 3, 10, 30, 100} {
		temperature := times / all.Median()
		dense := mustAIBD(b, prior.NewAffinity(all, similarity.Exponential{}), temperature, perm)
		sharing := dense.ExpectedSharing()
		variants := map[string]*similarity.Edges{}
		for _, far := range []int{0, 5, 10, 20, 50} {
			variants[fmt.Sprintf("far=%d", far)] = points.WithFar(near, far, 1)
		}
		for _, variant := range slices.Sorted(maps.Keys(variants)) {
			edges := variants[variant]
			b.Run(fmt.Sprintf("temperature=%v,%s", times, variant), func(b *testing.B) {
				for b.Loop() {
					law := mustAIBD(b, prior.NewAffinity(edges, similarity.Exponential{}), temperature, perm)
					b.ReportMetric(variation(points, edges, temperature, perm), "attraction")
					sum, count := [2]float64{}, [2]float64{}
					for i, row := range law.ExpectedSharing() {
						to, _, _ := near.Row(i)
						is := map[int32]bool{}
						for _, j := range to {
							is[j] = true
						}
						for j, x := range row {
							at := 1
							if is[int32(j)] {
								at = 0
							}
							if j != i {
								sum[at] += math.Abs(x-sharing[i][j]) / law.Mass()
								count[at]++
							}
						}
					}
					b.ReportMetric(sum[0]/count[0], "near")
					b.ReportMetric(sum[1]/count[1], "far")
					possible, features := 0, 0
					for range 100 {
						z := dense.Rand(rng)
						for k := range z.K() {
							features++
							if !math.IsInf(law.LogIntensity(z.Column(k)), -1) {
								possible++
							}
						}
					}
					b.ReportMetric(float64(possible)/float64(features), "possible")
				}
			})
		}
	}
}

func mustAIBD(tb testing.TB, affinity *prior.Affinity, temperature float64, perm []int) *prior.AIBD {
	tb.Helper()
	law, err := prior.NewAIBD(affinity, 1, temperature, perm)
	if err != nil {
		tb.Fatal(err)
	}
	return law
}

// variation is the mean total variation of the attraction on an item, to that under the
// distances of all pairs.
func variation(points *similarity.Points, edges *similarity.Edges, temperature float64, perm []int) float64 {
	sum := 0.0
	for p, i := range perm[1:] {
		earlier := perm[:p+1]
		position := map[int]int{}
		dense, sparse := make([]float64, p+1), make([]float64, p+1)
		for q, j := range earlier {
			position[j] = q
			dense[q] = math.Exp(-temperature * points.At(i, j))
		}
		to, distance, weight := edges.Row(i)
		total := 0.0
		for e, j := range to {
			if q, ok := position[int(j)]; ok {
				sparse[q] = math.Exp(-temperature * distance[e])
				if weight != nil {
					sparse[q] *= weight[e]
				}
				total += sparse[q]
			}
		}
		if total == 0 {
			for q := max(0, p+1-20); q <= p; q++ {
				sparse[q] = 1
			}
		}
		sum += between(dense, sparse) / float64(len(perm)-1)
	}
	return sum
}

// between returns the total variation between two positive vectors, normalized.
func between(x, y []float64) float64 {
	a, b := 0.0, 0.0
	for q := range x {
		a, b = a+x[q], b+y[q]
	}
	sum := 0.0
	for q := range x {
		sum += math.Abs(x[q]/a-y[q]/b) / 2
	}
	return sum
}
