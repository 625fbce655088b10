package intensity_test

import (
	"iter"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"aibd/feature"
	"aibd/internal/intensity"
	"aibd/internal/lists"
	"aibd/prior"
	"aibd/similarity"
)

// sumLogNu returns the sum of log nu over the columns of z, from the pmf.
func sumLogNu(law prior.Law, z *feature.Allocation) float64 {
	sum := 0.0
	for k := range z.K() {
		sum += law.LogIntensity(z.Column(k))
	}
	return sum
}

// line returns N points on a line, two of them equal.
func line(rng *rand.Rand, n int, length float64) *similarity.Matrix {
	x := make([]float64, n)
	for i := range x {
		x[i] = length * rng.Float64()
	}
	if n > 1 {
		x[1] = x[0]
	}
	return similarity.AbsDifference(x)
}

// oneWay returns distances of n items from one another that differ by direction, some
// of them equal if few are to be different.
func oneWay(rng *rand.Rand, n int, few bool) *similarity.Matrix {
	rows := lists.Square(n)
	for i := range rows {
		for j := range rows[i] {
			if rows[i][j] = 3 * rng.Float64(); few {
				rows[i][j] = float64(rng.IntN(5))
			}
		}
	}
	m, err := similarity.NewMatrix(rows)
	if err != nil {
		panic(err)
	}
	return m
}

// byName ranges over a map in the order of its keys, which random numbers follow.
func byName[V any](m map[string]V) iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		for _, name := range slices.Sorted(maps.Keys(m)) {
			if !yield(name, m[name]) {
				return
			}
		}
	}
}

// intensityOf is a law as an intensity of one's own.
type intensityOf struct{ prior.Law }

func (l intensityOf) DrawColumn(rng *rand.Rand, column []uint64) {
	intensity.Unwrap(l.Law).Tracker().DrawColumn(rng, column)
}

// trackerLaws are the laws of the tests of trackers. Among them are similarities that underflow,
// that are 0 and that are infinite.
func trackerLaws(t *testing.T, rng *rand.Rand) map[string]prior.Law {
	t.Helper()
	laws := map[string]prior.Law{}
	ibp, err := prior.NewIBP(9, 1.3)
	if err != nil {
		t.Fatal(err)
	}
	laws["ibp"] = ibp
	if laws["of an intensity"], err = prior.NewLaw(intensityOf{ibp}, 1.3); err != nil {
		t.Fatal(err)
	}
	laws["duplicates"], _ = duplicates(t, 24, 3, similarity.Reciprocal{})
	for name, c := range byName(map[string]struct {
		n           int
		length      float64
		decay       similarity.Decay
		temperature float64
	}{
		"exponential":        {8, 3, similarity.Exponential{}, 1.2},
		"long":               {70, 30, similarity.Exponential{}, 0.4},
		"hot":                {8, 3, similarity.Exponential{}, 400},
		"far":                {8, 50, similarity.Exponential{}, 20},
		"reciprocal":         {8, 3, similarity.Reciprocal{Shift: 0.1}, 2},
		"distance zero":      {8, 3, similarity.Reciprocal{}, 1},
		"window":             {8, 3, similarity.Window{}, 0.8},
		"zero temperature":   {8, 3, similarity.Reciprocal{}, 0},
		"constant":           {8, 3, similarity.Constant{}, 1},
		"mild but beyond 64": {130, 3, similarity.Reciprocal{Shift: 1}, 1},
		"steep":              {40, 3, similarity.Exponential{}, 90},
		"one way":            {20, 0, similarity.Exponential{}, 0.9},
		"one way, repeated":  {20, 0, similarity.Exponential{}, 1.1},
	}) {
		dist := line(rng, c.n, c.length)
		if c.length == 0 {
			dist = oneWay(rng, c.n, c.temperature > 1)
		}
		law, err := prior.NewAIBD(prior.NewAffinity(dist, c.decay), 1.7, c.temperature, rng.Perm(c.n))
		if err != nil {
			t.Fatal(err)
		}
		laws[name] = law
		if c.decay == (similarity.Reciprocal{}) || c.decay == (similarity.Reciprocal{Shift: 0.1}) {
			continue
		}
		aff := prior.NewAffinity(law.Affinity().Distance(0), c.decay)
		sequential, err := prior.NewSequentialDDIBP(aff, 1.7, c.temperature, rng.Perm(c.n))
		if err != nil {
			t.Fatal(err)
		}
		laws["sequential dd-IBP "+name] = sequential
		any, err := prior.NewDDIBP(aff, 1.7, c.temperature)
		if err != nil {
			t.Fatal(err)
		}
		laws["dd-IBP "+name] = any
	}
	return laws
}

// agree compares logs that may be infinite, relative to their size.
func agree(got, want float64) bool {
	if math.IsInf(want, 0) || math.IsInf(got, 0) {
		return got == want
	}
	return math.Abs(got-want) <= 1e-9*math.Max(1, math.Abs(want))
}

// TestBoundOfDenormal: a similarity of few digits gives no bound that is too low. Item 2 is at the
// place of item 3, near item 1 beside item 0, and far from both.
func TestBoundOfDenormal(t *testing.T) {
	for far := 705.0; far < 744; far++ {
		dist := similarity.AbsDifference([]float64{-far, 276, 0, 0})
		law, err := prior.NewAIBD(prior.NewAffinity(dist, similarity.Exponential{}), 1, 1, prior.Identity(4))
		if err != nil {
			t.Fatal(err)
		}
		z := feature.New(4)
		z.Append()
		z.Flip(0, 0)
		z.Flip(2, 0)
		tr := intensity.Unwrap(law).Tracker()
		tr.Reset(z)
		bounds := make([]float64, 1)
		tr.FlipBounds(2, bounds)
		for _, bound := range []float64{tr.FlipBound(2, 0), math.Log(bounds[0])} {
			if got := tr.LogFlip(2, 0); !(bound >= got) {
				t.Errorf("distance %v: flip %v above its bound %v", far, got, bound)
			}
		}
	}
}

// TestTracker makes 1,000 random changes under each law and compares every
// answer with the pmf's.
func TestTracker(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for name, law := range byName(trackerLaws(t, rng)) {
		z := law.Rand(rng)
		tr := intensity.Unwrap(law).Tracker()
		tr.Reset(z)
		sum := sumLogNu(law, z)
		for range 500 {
			before := sum
			switch i := rng.IntN(z.N()); {
			case z.K() < 2 || z.K() < 8 && rng.IntN(10) == 0:
				z.Flip(i, z.Append())
				tr.Append(i)
				sum = sumLogNu(law, z)
				if got := tr.LogSingleton(i); !agree(got, sum-before) {
					t.Fatalf("%s: singleton of %d has log nu %v, want %v", name, i, got, sum-before)
				}
			case rng.IntN(30) == 0:
				k := rng.IntN(z.K())
				z.Remove(k)
				tr.Remove(k)
				sum = sumLogNu(law, z)
			default:
				k := rng.IntN(z.K())
				if z.Has(i, k) && z.Size(k) == 1 {
					continue
				}
				z.Flip(i, k)
				sum = sumLogNu(law, z)
				want := sum - before
				got := tr.LogFlip(i, k)
				if !agree(got, want) {
					t.Fatalf("%s: flip %v, want %v", name, got, want)
				}
				bounds := make([]float64, z.K())
				tr.FlipBounds(i, bounds)
				for _, bound := range []float64{tr.FlipBound(i, k), math.Log(bounds[k])} {
					if !(bound >= got) {
						t.Fatalf("%s: flip %v above its bound %v", name, got, bound)
					}
				}
				if math.IsInf(want, -1) {
					z.Flip(i, k)
					sum = before
				} else {
					tr.Flip(i, k)
				}
			}
			if got := tr.SumLogIntensity(); !agree(got, sum) {
				t.Fatalf("%s: sum of log nu %v, want %v", name, got, sum)
			}
			for k := range z.K() {
				got := tr.LogIntensity(z.Column(k))
				for _, enough := range []float64{math.Inf(-1), got, math.Inf(1)} {
					if bound := tr.IntensityBound(z.Column(k), enough); !(bound >= got) {
						t.Fatalf("%s: log nu %v above its bound %v", name, got, bound)
					}
				}
			}
		}
	}
}

// TestPropose walks through temperatures and permutations.
func TestPropose(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for name, l := range byName(trackerLaws(t, rng)) {
		law, ok := l.(prior.Attraction)
		if !ok {
			continue
		}
		z := law.Rand(rng)
		tr := intensity.Unwrap(law).Tracker()
		tr.Reset(z)
		for step := range 60 {
			temperature, perm := law.Temperature(), law.Permutation()
			if step%3 != 0 {
				temperature = []float64{0.3, 1, 2, 500}[rng.IntN(4)]
			}
			switch {
			case step%6 == 0 && perm != nil: // few items change places
				for range 1 + rng.IntN(3) {
					i, j := rng.IntN(len(perm)), rng.IntN(len(perm))
					perm[i], perm[j] = perm[j], perm[i]
				}
			case step%6 == 3 && perm != nil: // one does
				i, position := perm[rng.IntN(len(perm))], rng.IntN(len(perm))
				perm = slices.DeleteFunc(perm, func(j int) bool { return j == i })
				perm = slices.Insert(perm, position, i)
			case step%3 != 1:
				perm = rng.Perm(law.N())
			}
			next := law.With(temperature, perm)
			got, h := propose(rng, tr, law, temperature, perm)
			if want := sumLogNu(next, z); !agree(got, want) || !agree(h, next.TotalIntensity()) {
				t.Fatalf("%s: proposed sum of log nu %v, want %v", name, got, want)
			}
			if got, want := tr.SumLogIntensity(), sumLogNu(law, z); !agree(got, want) {
				t.Fatalf("%s: a proposal changed the current sum to %v from %v", name, got, want)
			}
			if accept := !math.IsInf(got, -1) && rng.IntN(2) == 0; accept {
				tr.Accept()
				law = next
				if got, want := tr.SumLogIntensity(), sumLogNu(law, z); !agree(got, want) {
					t.Fatalf("%s: sum after acceptance %v, want %v", name, got, want)
				}
			} else if rng.IntN(2) == 0 {
				continue // the next proposal comes first
			}
			i := rng.IntN(z.N())
			c := feature.New(z.N())
			c.Flip(i, c.Append())
			if rng.IntN(2) == 0 {
				if got, want := tr.LogSingleton(i), law.LogIntensity(c.Column(0)); !agree(got, want) {
					t.Fatalf("%s: singleton %v, want %v", name, got, want)
				}
			}
			c.Flip((i+1)%z.N(), 0)
			if got, want := tr.LogIntensity(c.Column(0)), law.LogIntensity(c.Column(0)); !agree(got, want) {
				t.Fatalf("%s: log nu of two %v, want %v", name, got, want)
			}
		}
	}
}

// propose proposes parameters, half of the shuffles as such.
func propose(rng *rand.Rand, tr intensity.Tracker, law prior.Attraction, temperature float64, perm []int) (sum, h float64) {
	shuffler, ok := tr.(intensity.Shuffler)
	if !ok || temperature != law.Temperature() || rng.IntN(2) == 0 {
		return tr.Propose(intensity.Temperatures{First: temperature}, perm)
	}
	var places, items []int
	for p, i := range law.Permutation() {
		if perm[p] != i || rng.IntN(10) == 0 {
			places, items = append(places, p), append(items, perm[p])
		}
	}
	return shuffler.ProposeShuffle(places, items)
}

func TestInsertions(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for name, l := range byName(trackerLaws(t, rng)) {
		law, ok := l.(*prior.AIBD)
		if !ok {
			continue
		}
		z := law.Rand(rng)
		tr, ok := intensity.Unwrap(law).Tracker().(intensity.Inserter)
		if !ok {
			continue
		}
		tr.Reset(z)
		weights := make([]float64, z.N())
		for i := range min(z.N(), 8) {
			tr.Propose(intensity.Temperatures{First: law.Temperature() / 2}, law.Permutation()) // and rejected
			tr.Insertions(i, weights)
			perm := []int{i}
			for _, j := range law.Permutation() {
				if j != i {
					perm = append(perm, j)
				}
			}
			want := make([]float64, z.N())
			for p := range weights {
				if p > 0 {
					perm[p-1], perm[p] = perm[p], perm[p-1]
				}
				want[p] = sumLogNu(law.With(law.Temperature(), perm), z)
			}
			top, wantTop := slices.Max(weights), slices.Max(want)
			for p := range weights {
				if !agree(weights[p]-top, want[p]-wantTop) {
					t.Fatalf("%s: item %d at position %d: %v, want %v", name, i, p, weights[p]-top, want[p]-wantTop)
				}
			}
		}
	}
}

// TestInsertionsAcrossClusters: two clusters so far apart that crossing factors are
// near exp(-299), the least that is not taken on the log scale, with columns across
// them.
func TestInsertionsAcrossClusters(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	const n = 8
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(i%2) + rng.Float64()/1000
	}
	dist := similarity.AbsDifference(x)
	law, err := prior.NewAIBD(prior.NewAffinity(dist, similarity.Exponential{}), 1, 298, rng.Perm(n))
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		z := feature.New(n)
		for range 6 {
			z.AppendColumn([]uint64{1 + rng.Uint64N(1<<n-1)})
		}
		tr := intensity.Unwrap(law).Tracker().(intensity.Inserter)
		tr.Reset(z)
		weights, want := make([]float64, n), make([]float64, n)
		i := rng.IntN(n)
		tr.Insertions(i, weights)
		perm := []int{i}
		for _, j := range law.Permutation() {
			if j != i {
				perm = append(perm, j)
			}
		}
		for p := range want {
			if p > 0 {
				perm[p-1], perm[p] = perm[p], perm[p-1]
			}
			want[p] = sumLogNu(law.With(law.Temperature(), perm), z)
		}
		top, wantTop := slices.Max(weights), slices.Max(want)
		for p := range weights {
			if !agree(weights[p]-top, want[p]-wantTop) {
				t.Fatalf("position %d: %v, want %v", p, weights[p]-top, want[p]-wantTop)
			}
		}
	}
}

// TestFlipBoundsOfFewDigits: a tracker gives no bound if similarities are so small that they
// have lost digits. Such a bound could be too low.
func TestFlipBoundsOfFewDigits(t *testing.T) {
	d, err := similarity.NewMatrix([][]float64{{0, 744.2, 0.5, 0.5}, {744.2, 0, 343, 343}, {0.5, 343, 0, 343}, {0.5, 343, 343, 0}})
	if err != nil {
		t.Fatal(err)
	}
	law, err := prior.NewSequentialDDIBP(prior.NewAffinity(d, similarity.Exponential{}), 1, 1, prior.Identity(4))
	if err != nil {
		t.Fatal(err)
	}
	z := feature.New(4)
	z.AppendColumn([]uint64{0b1110})
	tr := intensity.Unwrap(law).Tracker()
	tr.Reset(z)
	bounds := make([]float64, 1)
	tr.FlipBounds(0, bounds)
	if flip := tr.LogFlip(0, 0); !(math.Log(bounds[0]) >= flip) {
		t.Errorf("the flip of item 1, %v, is above its bound %v", flip, math.Log(bounds[0]))
	}
}
