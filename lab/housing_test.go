package lab

// The scores of docs/lab/housing.md.

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"aibd/internal/cli"
	"aibd/internal/compare"
	"aibd/internal/lists"
	"aibd/internal/results"
	"aibd/predict"
	"aibd/prior"
	"aibd/similarity"
)

var housingRuns = flag.String("housing", "", "runs of docs/lab/housing.md, separated by commas, with the same hidden cells: print their scores, and those of baselines")

// TestHousingTable prints the hidden scores of runs, of baselines, and of a Gaussian process of
// neighbors for each column. All are in the units of X as fitted. Without
// -housing it makes a small table.
func TestHousingTable(t *testing.T) {
	if *housingRuns != "" {
		fmt.Print(housingTable(t, strings.Split(*housingRuns, ","), 20))
		return
	}
	t.Chdir(t.TempDir())
	if err := cli.Run(strings.Fields("fit --columns Income,HS.Grad,Frost --holdout 0.1 --chains 2 --warmup 5 --draws 10 --quiet --out run"), nil, io.Discard, os.Stderr); err != nil {
		t.Fatal(err)
	}
	if text := housingTable(t, []string{"run"}, 4); strings.Count(text, "\n") != 7 || strings.Contains(text, "NaN") {
		t.Errorf("found the rows\n%s, expected seven", text)
	}
}

// housingTable returns a row for each run, for each baseline, and for the Gaussian process of a number of
// neighbors.
func housingTable(t *testing.T, dirs []string, neighbors int) string {
	t.Helper()
	var first *results.Judged
	names, scores := dirs, [][]float64{}
	for _, dir := range dirs {
		j, err := results.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		first, scores = cmp.Or(first, j), append(scores, asFitted(j, heldCells(t, j)))
	}
	x, hidden := trueX(first)
	for _, b := range compare.Baselines(first) {
		names, scores = append(names, b.Name), append(scores, asFitted(first, b.InOrder(heldCells(t, first))))
	}
	places, err := first.Run.Places()
	if err != nil {
		t.Fatal(err)
	}
	points, err := similarity.NewPlaces(places.X, places.Y)
	if err != nil {
		t.Fatal(err)
	}
	names = append(names, fmt.Sprintf("Gaussian process of %d neighbors", neighbors))
	scores = append(scores, held(first, neighborProcess(x, hidden, points, neighbors)))
	best := slices.MaxFunc(scores, func(a, b []float64) int { return cmp.Compare(sum(a), sum(b)) })
	var text strings.Builder
	for m, logs := range scores {
		n := float64(len(logs))
		advantage, err := predict.SumSE(differences(logs, best), func(x float64) float64 { return x })
		fmt.Fprintf(&text, "| %s | %.3f | %.3f (%.3f) |", names[m], sum(logs)/n, advantage/n, err/n)
		for v := range x[0] {
			sum, count := 0.0, 0.0
			for c, h := range first.Seen.Held {
				if h.Variable == v {
					sum, count = sum+logs[c], count+1
				}
			}
			fmt.Fprintf(&text, " %.2f |", sum/count)
		}
		text.WriteString("\n")
	}
	return text.String()
}

// held returns the values of the hidden cells, from those by entry.
func held(j *results.Judged, byEntry map[int]float64) (logs []float64) {
	for _, h := range j.Seen.Held {
		logs = append(logs, byEntry[h.Item*len(j.Seen.X[0])+h.Variable])
	}
	return logs
}

// neighborProcess returns the log density of each hidden entry given its nearest neighbors in
// the column, under a Gaussian process with an exponential covariance and noise. Its parameters
// maximize the likelihood of 200 entries given their neighbors, over a grid.
func neighborProcess(x [][]float64, hidden []int, points *similarity.Points, neighbors int) map[int]float64 {
	const sampled = 200
	d := len(x[0])
	nearest := nearestOf(points, min(2*neighbors, len(x)-1))
	densities := map[int]float64{}
	for v := range d {
		seen := make([]bool, len(x))
		square, count := 0.0, 0.0
		for i := range x {
			if _, ok := slices.BinarySearch(hidden, i*d+v); !ok {
				seen[i] = true
				square, count = square+x[i][v]*x[i][v], count+1
			}
		}
		density := func(i int, length, rho, total float64) float64 {
			near := slices.DeleteFunc(slices.Clone(nearest[i]), func(j int) bool { return !seen[j] })
			near = near[:min(neighbors, len(near))]
			c, y := mat.NewSymDense(len(near), nil), mat.NewVecDense(len(near), nil)
			cross := mat.NewVecDense(len(near), nil)
			for a, j := range near {
				y.SetVec(a, x[j][v])
				cross.SetVec(a, math.Exp(-points.At(i, j)/length))
				for b, k := range near[:a] {
					c.SetSym(a, b, math.Exp(-points.At(j, k)/length))
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
		order := rand.New(rand.NewPCG(uint64(v), 3)).Perm(len(x))
		order = order[:min(sampled, len(order))]
		for _, length := range []float64{3, 10, 30, 100, 300, 1000} {
			for _, rho := range []float64{0.03, 0.1, 0.3, 1, 3, 10} {
				for _, total := range []float64{0.5, 0.7, 1, 1.4, 2, 3} {
					logs := 0.0
					for _, i := range order {
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

// nearestOf returns the nearest other items of each item, the nearest first.
func nearestOf(points *similarity.Points, count int) [][]int {
	distance := make([]float64, points.N())
	return lists.Make(points.N(), func(i int) []int {
		for j := range distance {
			distance[j] = points.At(i, j)
		}
		candidates := slices.Delete(prior.Identity(points.N()), i, i+1)
		slices.SortFunc(candidates, func(a, b int) int { return cmp.Compare(distance[a], distance[b]) })
		return slices.Clone(candidates[:count])
	})
}
