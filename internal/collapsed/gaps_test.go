package collapsed

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"aibd/feature"
)

// gapped is a problem with missing cells.
type gapped struct {
	name      string
	n, d, k   int
	ratio     float64 // SigmaX over SigmaA
	intercept bool
	power     float64
	complete  int // variables, the first ones
	tol       float64
	noise     bool // columns have noise scales
}

var gappedProblems = []gapped{
	{"many items", 12, 4, 3, 0.5, false, 1, 0, 1e-9, false},
	{"many variables", 6, 14, 4, 0.5, false, 1, 0, 1e-9, false},
	{"many complete variables", 5, 14, 3, 0.7, true, 1, 8, 1e-9, false},
	{"an intercept", 12, 4, 3, 0.5, true, 1, 0, 1e-9, false},
	{"a power", 12, 4, 3, 0.5, true, 0.3, 1, 1e-9, false},
	{"a power, many complete variables", 5, 14, 3, 0.5, false, 0.3, 8, 1e-9, false},
	{"high leverage", 8, 3, 5, 0.01, false, 1, 0, 1e-5, false},
	{"high leverage and an intercept", 8, 12, 3, 4e-3, true, 1, 9, 1e-5, false},
	{"no features but its own", 7, 3, 0, 0.5, false, 1, 0, 1e-9, false},
}

// draw draws a problem, with all values of x, those of the missing cells too, the allocation of the
// likelihood and the data.
func (g gapped) draw(t *testing.T, rng *rand.Rand) (x [][]float64, y *feature.Allocation, current *Data, scales Scales) {
	x = randomX(rng, g.n, g.d)
	hidden := make([][]float64, g.n)
	for i, row := range x {
		hidden[i] = append([]float64(nil), row...)
		for j := g.complete; j < g.d; j++ {
			if i > 1 && rng.Float64() < 0.3 || i == 2 {
				hidden[i][j] = math.NaN()
			}
		}
	}
	current, y = mustData(t, hidden).Detach(), randomZ(rng, g.n, g.k, 0.4)
	if g.intercept {
		data, err := current.WithIntercept()
		if err != nil {
			t.Fatal(err)
		}
		current, y = data.Detach(), WithOnes(y)
	}
	if g.noise {
		var err error
		if current, err = current.WithNoiseScales(nil); err != nil {
			t.Fatal(err)
		}
		noise := current.NoiseScales(nil)
		for j := range noise {
			noise[j] = math.Exp(rng.NormFloat64())
		}
		if err := current.SetNoiseScales(noise); err != nil {
			t.Fatal(err)
		}
	}
	var values []float64
	for _, cell := range current.UnknownCells() {
		values = append(values, x[cell[0]][cell[1]])
	}
	if err := current.SetValues(values); err != nil {
		t.Fatal(err)
	}
	return x, y, current, Scales{3 * g.ratio, 3}
}

// only returns the data of which only the missing cells of item i are unknown, without a power.
func (g gapped) only(t *testing.T, current *Data, i int) *Data {
	x := current.Completed()
	for _, j := range current.unknown.missing[i] {
		x[i][j] = math.NaN()
	}
	data := mustData(t, x)
	if g.intercept {
		var err error
		if data, err = data.WithIntercept(); err != nil {
			t.Fatal(err)
		}
	}
	if g.noise {
		var err error
		if data, err = data.WithNoiseScales(nil); err != nil {
			t.Fatal(err)
		}
		if err := data.SetNoiseScales(current.NoiseScales(nil)); err != nil {
			t.Fatal(err)
		}
	}
	return data
}

// missingCells runs rows with missing cells through a cache, with flips and singletons. It returns
// the first difference from values that are computed afresh. With forget, the new cells reach the
// data after the row is closed.
func (g gapped) missingCells(t *testing.T, seed uint64, forget bool) error {
	rng := rand.New(rand.NewPCG(14, seed))
	x, y, current, scales := g.draw(t, rng)
	data := current
	if g.power != 1 {
		data = current.Power(g.power)
	}
	c := NewCache(data, y, scales)
	near := func(what string, got, want float64) error {
		if !(math.Abs(got-want) <= g.tol*(1+math.Abs(want))) {
			return fmt.Errorf("%s: %.12g, want %.12g", what, got, want)
		}
		return nil
	}
	for step := range 2 * g.n {
		i := step % g.n
		single := g.only(t, current, i)
		c.OpenObserved(y, i)
		now := y.Clone()
		logLik := LogLik(single, now, scales)
		var columns []int
		for a := current.ones; a < y.K(); a++ {
			if !c.Shared(a) {
				continue
			}
			columns = append(columns, a)
			flipped := now.Clone()
			flipped.Flip(i, a)
			flippedLik := LogLik(single, flipped, scales)
			change := g.power * (flippedLik - logLik)
			if err := near("flip", c.LogFlip(a), change); err != nil {
				return err
			}
			bounds, factors := make([]float64, y.K()), make([]float64, y.K())
			factors[a] = 1
			if c.FlipBounds(bounds, factors); bounds[a] < math.Exp(c.LogFlip(a))*(1-1e-12) {
				return fmt.Errorf("bound %v of a ratio %v", bounds[a], math.Exp(c.LogFlip(a)))
			}
			if rng.IntN(3) == 0 {
				c.Flip(a)
				now, logLik = flipped, flippedLik
			}
		}
		columns = columns[:min(3, len(columns))]
		for p, log := range c.Weigh(new(Block), columns) {
			all := now.Clone()
			for j, a := range columns {
				if p>>j&1 != 0 {
					all.Flip(i, a)
				}
			}
			if err := near("block", log, g.power*(LogLik(single, all, scales)-logLik)); err != nil {
				return err
			}
		}
		// The singletons: the series against the data.
		s, e, r := c.Predictive()
		j, had := rng.IntN(3), c.Singletons()
		series := c.LogPredictive(s+float64(j)/r, e) - c.LogPredictive(s+float64(had)/r, e)
		c.SetSingletons(j)
		values := c.DrawMissing(rand.New(rand.NewPCG(14, uint64(step))), nil)
		if forget {
			c.Close()
		}
		if len(values) > 0 {
			current.SetMissing(i, values)
			if data != current {
				data.SetMissing(i, values)
			}
		}
		if !forget {
			c.Close()
		}
		if err := near("singletons", g.power*(LogLik(single, y, scales)-logLik), series); err != nil {
			return err
		}
		// The cells have the distribution of the unknown cells of the row, given the new row.
		if len(values) > 0 {
			var cells Cells
			cells.Reset(single, y, scales)
			again := rand.New(rand.NewPCG(14, uint64(step)))
			normals := make([]float64, len(values))
			for v := range normals {
				normals[v] = again.NormFloat64()
			}
			completed := current.Completed()
			var err error
			cells.Moments(func(_, j int, mean, sd float64) {
				for v, missing := range current.unknown.missing[i] {
					if missing == j && err == nil {
						err = near("cell", completed[i][j], mean+sd*normals[v])
					}
				}
			})
			if err != nil {
				return err
			}
		}
		// Nothing else has changed, and the cache is one made afresh.
		for a, row := range current.Completed() {
			for b, v := range row {
				if a == i {
					x[a][b] = v
				}
				if math.Abs(v-x[a][b]) > 1e-12*(1+math.Abs(v)) {
					return fmt.Errorf("cell %d, %d changed from %v to %v", a, b, x[a][b], v)
				}
			}
		}
		fresh := current.Detach()
		if g.power != 1 {
			fresh = fresh.Power(g.power)
		}
		want := NewCache(fresh, y, scales)
		if err := near("log likelihood", c.LogLik(), want.LogLik()); err != nil {
			return err
		}
		for a := current.ones; a < y.K(); a++ {
			if err := near("removal", c.LogRemove(a), want.LogRemove(a)); err != nil {
				return err
			}
		}
	}
	return nil
}

// TestMissingCells compares rows whose missing cells are integrated out with likelihoods of the
// observed cells, and what follows with a cache made afresh.
func TestMissingCells(t *testing.T) {
	for _, g := range gappedProblems {
		for seed := range uint64(4) {
			g.noise = seed >= 2
			if err := g.missingCells(t, seed, false); err != nil {
				t.Errorf("%s, noise scales %v, seed %d: %v", g.name, g.noise, seed, err)
				break
			}
		}
	}
}

// The test above sees a cache that closes a row with its old cells.
func TestForgottenCells(t *testing.T) {
	for _, g := range gappedProblems {
		if g.missingCells(t, 0, true) == nil {
			t.Errorf("%s: old cells in the cache go unnoticed", g.name)
		}
	}
}

// BenchmarkOpenObserved measures opening and closing a row of the size of the application without
// and with a tenth of its cells missing, which are redrawn.
func BenchmarkOpenObserved(b *testing.B) {
	for _, share := range []float64{0, 0.1} {
		b.Run(fmt.Sprint(share), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(14, 5))
			z, x := randomZ(rng, 62, 74, 4.6/62), randomX(rng, 62, 224)
			for _, row := range x {
				for j := range row {
					if rng.Float64() < share {
						row[j] = math.NaN()
					}
				}
			}
			data := mustData(b, x).Detach()
			c := NewCache(data, z, Scales{0.52, 0.35})
			var values []float64
			for b.Loop() {
				for i := range 62 {
					c.OpenObserved(z, i)
					if values = c.DrawMissing(rng, values[:0]); len(values) > 0 {
						data.SetMissing(i, values)
					}
					c.Close()
				}
			}
		})
	}
}

func TestMissingCellsDoNotAllocate(t *testing.T) {
	g := gappedProblems[0]
	_, y, current, scales := g.draw(t, rand.New(rand.NewPCG(14, 6)))
	c, rng, values := NewCache(current, y, scales), rand.New(rand.NewPCG(14, 7)), make([]float64, 0, g.d)
	sweep := func() {
		for i := range g.n {
			for range 2 { // there and back
				c.OpenObserved(y, i)
				for a := range y.K() {
					if c.Shared(a) && i%2 == 0 {
						c.Flip(a)
					}
				}
				if values = c.DrawMissing(rng, values[:0]); len(values) > 0 {
					current.SetMissing(i, values)
				}
				c.Close()
			}
		}
	}
	if allocs := testing.AllocsPerRun(1, sweep); allocs != 0 {
		t.Errorf("%v allocations in a sweep", allocs)
	}
}
