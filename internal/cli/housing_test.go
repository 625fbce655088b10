package cli

// The scores of docs/housing.md.

import (
	"cmp"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"aibd/internal/oracle/baseline"
	"aibd/similarity"
)

var housingRuns = flag.String("housing", "", "runs of docs/housing.md, separated by commas, with the same held-out cells: print their scores, and those of baselines")

// TestHousingTable prints the held-out scores of runs and of factor analysis, a Gaussian process of
// neighbours for each column, and noise alone. All are in the units of X as fitted.
func TestHousingTable(t *testing.T) {
	if *housingRuns == "" {
		t.Skip("runs only with -housing")
	}
	var first *judged
	var names []string
	var scores [][]float64
	add := func(name string, logs []float64) {
		names, scores = append(names, name), append(scores, logs)
	}
	for _, dir := range strings.Split(*housingRuns, ",") {
		j, err := judgeAt(dir)
		if err != nil {
			t.Fatal(err)
		}
		first = cmp.Or(first, j)
		add(dir, heldOutOfX(t, j))
	}
	x, hidden := housingData(first)
	scales := first.Run.Spec.Prior
	for rank := range 7 {
		rng := rand.New(rand.NewPCG(uint64(rank), 1))
		logs := baseline.HiddenFactorAnalysis(x, hidden, rank, scales.SigmaX.Max, scales.SigmaA.Max, 100, 100, rng)
		add(fmt.Sprintf("factor analysis, %d factors", rank), held(first, logs))
	}
	places, err := first.Run.Places()
	if err != nil {
		t.Fatal(err)
	}
	points, err := similarity.NewPlaces(places.X, places.Y)
	if err != nil {
		t.Fatal(err)
	}
	add("Gaussian process of 20 neighbours", held(first, neighborProcess(x, hidden, points)))
	best := slices.MaxFunc(scores, func(a, b []float64) int { return cmp.Compare(sum(a), sum(b)) })
	for m, logs := range scores {
		difference := make([]float64, len(logs))
		for c := range logs {
			difference[c] = logs[c] - best[c]
		}
		n := float64(len(logs))
		mean, square := sum(difference)/n, 0.0
		for _, d := range difference {
			square += (d - mean) * (d - mean)
		}
		fmt.Printf("| %s | %.3f | %.3f (%.3f) |", names[m], sum(logs)/n, mean, math.Sqrt(square/n/(n-1)))
		for v := range x[0] {
			of, count := 0.0, 0.0
			for c, h := range first.Seen.Held {
				if h.Variable == v {
					of, count = of+logs[c], count+1
				}
			}
			fmt.Printf(" %.2f |", of/count)
		}
		fmt.Println()
	}
}

// heldOutOfX returns the log densities of the held-out cells in the units of X.
func heldOutOfX(t *testing.T, j *judged) (logs []float64) {
	logs = heldOut(t, j)
	for c, h := range j.Seen.Held {
		if j.Seen.Units.Log(h.Variable) {
			logs[c] += math.Log(h.Value)
		}
	}
	return logs
}

// housingData returns X with the values of held-out cells, 0 for missing cells, and the places of
// both in it, row after row.
func housingData(j *judged) (x [][]float64, hidden []int) {
	for _, row := range j.Seen.X {
		x = append(x, slices.Clone(row))
		for v, e := range row {
			if math.IsNaN(e) {
				hidden = append(hidden, (len(x)-1)*len(row)+v)
				x[len(x)-1][v] = 0
			}
		}
	}
	for _, h := range j.Seen.Held {
		x[h.Item][h.Variable] = j.Seen.Units.Do(h.Variable, h.Value)
	}
	return x, hidden
}

// held returns the values of the held-out cells, from those by entry.
func held(j *judged, byEntry map[int]float64) (logs []float64) {
	for _, h := range j.Seen.Held {
		logs = append(logs, byEntry[h.Item*len(j.Seen.X[0])+h.Variable])
	}
	return logs
}

// neighborProcess returns the log density of each hidden entry given its 20 nearest neighbours in
// the column, under a Gaussian process with an exponential covariance and noise. Its parameters
// maximize the likelihood of 1,000 entries given their neighbours, over a grid.
func neighborProcess(x [][]float64, hidden []int, points *similarity.Points) map[int]float64 {
	const neighbors, sampled = 20, 1000
	d := len(x[0])
	edges := points.Nearest(2 * neighbors)
	densities := map[int]float64{}
	for v := range d {
		seen := make([]bool, len(x))
		square, count := 0.0, 0.0
		for i := range x {
			if _, found := slices.BinarySearch(hidden, i*d+v); !found {
				seen[i] = true
				square, count = square+x[i][v]*x[i][v], count+1
			}
		}
		density := func(i int, length, rho, total float64) float64 {
			near := nearest(edges, seen, i, neighbors)
			c, y := mat.NewSymDense(len(near), nil), mat.NewVecDense(len(near), nil)
			cross := mat.NewVecDense(len(near), nil)
			for a, j := range near {
				y.SetVec(a, x[j][v])
				cross.SetVec(a, math.Exp(-points.Distance(i, j)/length))
				for b, k := range near[:a] {
					c.SetSym(a, b, math.Exp(-points.Distance(j, k)/length))
				}
				c.SetSym(a, a, 1+rho)
			}
			var chol mat.Cholesky
			var solved mat.VecDense
			if !chol.Factorize(c) || chol.SolveVecTo(&solved, cross) != nil {
				return math.Inf(-1)
			}
			variance := total / (1 + rho) * (1 + rho - mat.Dot(&solved, cross))
			return distuv.Normal{Mu: mat.Dot(&solved, y), Sigma: math.Sqrt(variance)}.LogProb(x[i][v])
		}
		best, parameters := math.Inf(-1), [3]float64{}
		order := rand.New(rand.NewPCG(uint64(v), 3)).Perm(len(x))[:sampled]
		for _, length := range []float64{3, 10, 30, 100, 300, 1000} {
			for _, rho := range []float64{0.03, 0.1, 0.3, 1, 3, 10} {
				for _, total := range []float64{0.5, 0.7, 1, 1.4, 2, 3} {
					logs := 0.0
					for _, i := range order[:200] {
						if seen[i] {
							logs += density(i, length, rho, total*square/count)
						}
					}
					if logs > best {
						best, parameters = logs, [3]float64{length, rho, total * square / count}
					}
				}
			}
		}
		for _, p := range hidden {
			if p%d == v {
				densities[p] = density(p/d, parameters[0], parameters[1], parameters[2])
			}
		}
	}
	return densities
}

// nearest returns the nearest seen items of an item.
func nearest(edges *similarity.Edges, seen []bool, i, most int) (near []int) {
	to, distance, _ := edges.Row(i)
	order := make([]int, len(to))
	for e := range order {
		order[e] = e
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(distance[a], distance[b]) })
	for _, e := range order {
		if j := int(to[e]); seen[j] && len(near) < most {
			near = append(near, j)
		}
	}
	return near
}
