package intensity_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"aibd/feature"
	"aibd/internal/intensity"
	"aibd/internal/lists"
	"aibd/internal/oracle/dense"
	"aibd/prior"
	"aibd/similarity"
)

// scattered returns n points in a square, some of them at one place, with k neighbours and
// r far items each.
func scattered(t *testing.T, rng *rand.Rand, n, k, r int) *similarity.Edges {
	t.Helper()
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = []float64{rng.Float64(), rng.Float64()}
		if i%9 == 1 {
			rows[i] = rows[i-1]
		}
	}
	points, err := similarity.NewPoints(rows)
	if err != nil {
		t.Fatal(err)
	}
	edges := points.Nearest(k)
	if r > 0 {
		edges = points.WithFar(edges, r, 1)
	}
	return edges
}

// broken are conventions that differ from the law.
type broken struct{ all, unscaled, late bool }

// shares returns the shares of earlier items by definition: a[i][j] is the share of j on the
// arriving item i.
func shares(edges *similarity.Edges, decay similarity.Decay, temperature float64, perm []int, b broken) [][]float64 {
	a := lists.Square(edges.N())
	for p, i := range perm {
		to, distance, weight := edges.Row(i)
		f := make([]float64, edges.N())
		sum := 0.0
		for e, j := range to {
			if slices.Index(perm, int(j)) < p {
				f[j] = math.Exp(decay.LogSimilarity(temperature, distance[e]))
				if weight != nil {
					f[j] *= weight[e]
				}
				sum += f[j]
			}
		}
		if sum == 0 {
			for q := range p {
				if q >= p-20 || b.all {
					f[perm[q]] = 1
					sum++
				}
			}
			if b.late && p > 1 {
				f[perm[p-1]] = 0
				sum--
			}
		}
		for j := range f {
			if f[j] > 0 {
				if a[i][j] = f[j] / sum; !b.unscaled {
					a[i][j] *= float64(p) / float64(p+1)
				}
			}
		}
	}
	return a
}

// logNu returns log nu of a column by definition.
func logNu(a [][]float64, perm []int, column []uint64) float64 {
	sum, owners := 0.0, []int{}
	for p, i := range perm {
		has := column[i>>6]>>(i&63)&1 != 0
		b := 0.0
		for _, j := range owners {
			b += a[i][j]
		}
		switch {
		case has && len(owners) == 0:
			sum -= math.Log(float64(p + 1))
		case has:
			sum += math.Log(b)
		default:
			sum += math.Log1p(-b)
		}
		if has {
			owners = append(owners, i)
		}
	}
	if len(owners) == 0 {
		return math.Inf(-1)
	}
	return sum
}

// TestSparseByDefinition compares nu with its definition, and finds that of other conventions
// to differ.
func TestSparseByDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	caught := map[broken]bool{{all: true}: false, {unscaled: true}: false, {late: true}: false}
	for range 40 {
		n := 30 + rng.IntN(40)
		edges := scattered(t, rng, n, 1+rng.IntN(3), rng.IntN(3))
		decay := []similarity.Decay{similarity.Exponential{}, similarity.Window{Width: 0.1}, similarity.Reciprocal{Shift: 0.01}}[rng.IntN(3)]
		perm := rng.Perm(n)
		law, err := prior.NewAIBD(prior.NewAffinity(edges, decay), 1.5, 2, perm)
		if err != nil {
			t.Fatal(err)
		}
		a := shares(edges, decay, 2, perm, broken{})
		z := law.Rand(rng)
		for k := range z.K() {
			column := z.Column(k)
			if got, want := law.LogIntensity(column), logNu(a, perm, column); !agree(got, want) {
				t.Fatalf("log nu %v, want %v", got, want)
			}
			// Most items have the complement.
			column = feature.Complement(nil, column, n)
			if got, want := law.LogIntensity(column), logNu(a, perm, column); !agree(got, want) {
				t.Fatalf("log nu of the complement %v, want %v", got, want)
			}
			column = z.Column(k)
			for b := range caught {
				if !agree(law.LogIntensity(column), logNu(shares(edges, decay, 2, perm, b), perm, column)) {
					caught[b] = true
				}
			}
		}
	}
	for b, yes := range caught {
		if !yes {
			t.Errorf("the convention %+v was not told apart", b)
		}
	}
}

// TestSparseEnumerated: over all columns of 3, 4 and 7 items nu adds to H, and over those of
// an item to 1, so that every item expects mass features; and nu equals the one of the dense AIBD with
// similarity 0 elsewhere.
func TestSparseEnumerated(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for range 200 {
		n := []int{3, 4, 7}[rng.IntN(3)]
		f := lists.Square(n)
		var list []similarity.Edge
		for i := range n {
			for j := range i {
				if rng.IntN(2) == 0 {
					d := 2 * rng.Float64()
					list = append(list, similarity.Edge{I: i, J: j, Distance: d})
					f[i][j] = math.Exp(-0.7 * d)
					f[j][i] = f[i][j]
				}
			}
		}
		edges, err := similarity.NewEdges(n, list)
		if err != nil {
			t.Fatal(err)
		}
		perm, mass := rng.Perm(n), 0.5+rng.Float64()
		law, err := prior.NewAIBD(prior.NewAffinity(edges, similarity.Exponential{}), mass, 0.7, perm)
		if err != nil {
			t.Fatal(err)
		}
		total, by := 0.0, make([]float64, n)
		for c := uint64(1); c < 1<<n; c++ {
			nu := math.Exp(law.LogIntensity([]uint64{c}))
			total += nu
			for i := range n {
				by[i] += nu * float64(c>>i&1)
			}
		}
		if math.Abs(total-law.TotalIntensity()) > 1e-12 {
			t.Fatalf("the sum of nu is %v, H %v", total, law.TotalIntensity())
		}
		sharing := law.ExpectedSharing()
		for i, x := range by {
			if math.Abs(x-1) > 1e-12 || math.Abs(sharing[i][i]-mass) > 1e-12 {
				t.Fatalf("item %d expects %v times mass, and shares %v with itself, mass %v", i, x, sharing[i][i], mass)
			}
		}
		z := law.Rand(rng)
		if z.K() == 0 {
			continue
		}
		rows := z.Rows()
		if got, want := prior.LogProb(law, z), dense.LogAIBD(rows, mass, f, perm); !agree(got, want) {
			t.Fatalf("log pmf %v, dense %v", got, want)
		}
		if n > 4 {
			continue
		}
		got, err := prior.LogProbAveraged(law, z)
		if err != nil {
			t.Fatal(err)
		}
		all, sum := orders(n), 0.0
		for _, perm := range all {
			sum += math.Exp(prior.LogProb(law.With(0.7, perm), z))
		}
		if want := math.Log(sum / float64(len(all))); !agree(got, want) {
			t.Fatalf("log pmf over orders %v, want %v", got, want)
		}
	}
}

// orders returns all permutations.
func orders(n int) (all [][]int) {
	if n == 0 {
		return [][]int{nil}
	}
	for _, perm := range orders(n - 1) {
		for at := range n {
			all = append(all, slices.Insert(slices.Clone(perm), at, n-1))
		}
	}
	return all
}

// TestSparseDraws: features by item, and the sharing of pairs, over draws.
func TestSparseDraws(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	const n, draws = 40, 20000
	law, err := prior.NewAIBD(prior.NewAffinity(scattered(t, rng, n, 2, 1), similarity.Exponential{}), 1.2, 3, rng.Perm(n))
	if err != nil {
		t.Fatal(err)
	}
	want := law.ExpectedSharing()
	mean, se := prior.SharingMonteCarlo(law, rng, draws)
	for i := range n {
		for j := range n {
			if math.Abs(mean[i][j]-want[i][j]) > 5.5*se[i][j]+1e-3 {
				t.Errorf("items %d and %d share %v (%v), want %v", i, j, mean[i][j], se[i][j], want[i][j])
			}
		}
	}
}

// TestSparseAllocatesNothing: a scan's calls allocate nothing once the memory is there.
func TestSparseAllocatesNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 18))
	const n = 300
	law, err := prior.NewAIBD(prior.NewAffinity(scattered(t, rng, n, 4, 3), similarity.Exponential{}), 3, 1, rng.Perm(n))
	if err != nil {
		t.Fatal(err)
	}
	z := law.Rand(rng)
	tr := intensity.Of(law).Tracker()
	tr.Reset(z)
	perm, bounds, column, weights := law.Permutation(), make([]float64, z.K()+1), slices.Clone(z.Column(0)), make([]float64, n)
	places, items := make([]int, 2), make([]int, 2)
	scan := func() {
		tr.Reset(z)
		for i := range n {
			tr.FlipBounds(i, bounds[:z.K()])
			tr.LogSingleton(i)
			tr.Append(i)
			tr.Remove(z.K())
			for k := range z.K() {
				if !z.Has(i, k) && !math.IsInf(tr.LogFlip(i, k), -1) {
					tr.Flip(i, k)
					tr.Flip(i, k)
				}
			}
		}
		i, j := rng.IntN(n), rng.IntN(n)
		perm[i], perm[j] = perm[j], perm[i]
		if sum, _ := tr.Propose(intensity.Temperatures{First: 1}, perm); !math.IsInf(sum, -1) {
			tr.Accept()
		} else {
			perm[i], perm[j] = perm[j], perm[i]
		}
		places[0], places[1], items[0], items[1] = i, j, perm[j], perm[i]
		tr.(intensity.Shuffler).ProposeShuffle(places, items)
		tr.Propose(intensity.Temperatures{First: 1.01}, perm)
		tr.(intensity.Inserter).Insertions(i, weights)
		tr.DrawColumn(rng, column)
		tr.IntensityBound(column, -10)
		tr.LogIntensity(column)
	}
	for range 50 {
		scan()
	}
	if allocs := testing.AllocsPerRun(10, scan); allocs > 0 {
		t.Errorf("%v allocations a scan", allocs)
	}
}

// TestSparseAveraged: with all neighbours the averages over orders equal those of the dense law,
// also where similarities underflow.
func TestSparseAveraged(t *testing.T) {
	const n = 5
	x := []float64{1, 1, 4, 9, 20}
	points, err := similarity.NewPoints([][]float64{x[0:1], x[1:2], x[2:3], x[3:4], x[4:5]})
	if err != nil {
		t.Fatal(err)
	}
	identity := []int{0, 1, 2, 3, 4}
	for _, decay := range []similarity.Decay{similarity.Exponential{}, similarity.Reciprocal{}} {
		for _, temperature := range []float64{0, 1, 300} {
			sharing := func(a *prior.Affinity) [][]float64 {
				law, err := prior.NewAIBD(a, 1, temperature, identity)
				if err != nil {
					t.Fatal(err)
				}
				s, err := prior.ExpectedSharingAveraged(law)
				if err != nil {
					t.Fatal(err)
				}
				return s
			}
			got := sharing(prior.NewAffinity(points.Nearest(n-1), decay))
			want := sharing(prior.NewAffinity(similarity.AbsDifference(x), decay))
			for i := range n {
				for j := range n {
					if math.Abs(got[i][j]-want[i][j]) > 1e-12 {
						t.Errorf("%v, temperature %v: items %d and %d share %v, dense %v", decay, temperature, i, j, got[i][j], want[i][j])
					}
				}
			}
		}
	}
}
