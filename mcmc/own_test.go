package mcmc

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"aibd/draws"
	"aibd/feature"
	"aibd/lglfm"
	"aibd/prior"
)

// runs is a user's intensity over runs of consecutive items. Each further item of a run
// multiplies its intensity by share. A born column is too often short if hasty is set.
type runs struct {
	n     int
	share float64
	hasty bool
}

func (r runs) N() int { return r.n }

func (r runs) LogIntensity(column []uint64) float64 {
	length, last := 0, -1
	for i := range feature.Items(column) {
		if last >= 0 && i != last+1 {
			return math.Inf(-1)
		}
		length, last = length+1, i
	}
	return float64(length-1) * math.Log(r.share)
}

func (r runs) intensity(length int) float64 {
	return float64(r.n-length+1) * math.Pow(r.share, float64(length-1))
}

func (r runs) TotalIntensity() (sum float64) {
	for length := 1; length <= r.n; length++ {
		sum += r.intensity(length)
	}
	return sum
}

func (r runs) DrawColumn(rng *rand.Rand, column []uint64) {
	u, length := rng.Float64()*r.TotalIntensity(), 1
	for ; length < r.n && u >= r.intensity(length); length++ {
		u -= r.intensity(length)
	}
	if r.hasty && length > 1 {
		length--
	}
	clear(column)
	first := rng.IntN(r.n - length + 1)
	for i := first; i < first+length; i++ {
		column[0] |= 1 << i
	}
}

// ofRuns is a small posterior under a user's law.
func ofRuns(r runs) enumerated {
	return enumerated{
		x:      [][]float64{{0.8, 0.1}, {1.1, -0.4}, {0.3, 0.9}, {-0.5, 0.6}},
		law:    must(prior.NewLaw(r, 0.4)),
		scales: lglfm.Scales{SigmaX: 0.7, SigmaA: 1},
		maxK:   5,
	}
}

// TestOwnLaw: the default scan under a user's law has the posterior of enumeration, but not if the law
// draws columns from another intensity.
func TestOwnLaw(t *testing.T) {
	for _, c := range []struct {
		name string
		law  runs
		good bool
	}{{"runs", runs{4, 0.8, false}, true}, {"hasty runs", runs{4, 0.8, true}, false}} {
		e := ofRuns(c.law)
		post := e.posterior(t)
		worst := e.worst(t, c.name, length(200_000), scanOf(post, OptionsFor(post, 0)), nil)
		if t.Logf("%s: worst |z| %.2f", c.name, worst); (worst < limit) != c.good {
			t.Errorf("%s: worst |z| %.2f against a limit of %v", c.name, worst, limit)
		}
	}
}

// comeAndGo proposes the birth of any column, or the death of one of the columns. Its Metropolis-Hastings
// ratio has the given number of possible columns, which a wrong kernel gets wrong.
func comeAndGo(columns float64) Kernel {
	return Kernel{"come and go", func(rng *rand.Rand, v *View) Info {
		p := v.Point()
		log := rng.ExpFloat64() - v.LogDensity(p)
		if rng.IntN(2) == 0 {
			p.Z.AppendColumn([]uint64{1 + rng.Uint64N(1<<p.Z.N()-1)})
			log += math.Log(columns)
		} else if p.Z.K() > 0 {
			p.Z.Remove(rng.IntN(p.Z.K()))
			log -= math.Log(columns)
		}
		if !(log+v.LogDensity(p) > 0) {
			return Info{1, 0}
		}
		v.Move(p)
		return Info{1, 1}
	}}
}

// TestOwnKernel: a user's kernel alone has the posterior of enumeration, and one with a wrong ratio does
// not.
func TestOwnKernel(t *testing.T) {
	for _, c := range []struct {
		columns float64
		good    bool
	}{{15, true}, {12, false}} {
		worst := ofRuns(runs{n: 4, share: 0.8}).worst(t, "come and go", length(500_000), &ownKernel{kernel: comeAndGo(c.columns)}, nil)
		if t.Logf("%v columns: worst |z| %.2f", c.columns, worst); (worst < limit) != c.good {
			t.Errorf("%v columns: worst |z| %.2f against a limit of %v", c.columns, worst, limit)
		}
	}
}

// TestView: LogDensity is the sum of log prior and log likelihood after Move, and -Inf where a kernel
// must not go.
func TestView(t *testing.T) {
	rng := NewStream(1, "view").Rand
	s := withNoise(withIntercept(withGaps(ofAIBD))).draw(rng)
	v := &View{s}
	density := func() float64 {
		orders, _ := math.Lgamma(float64(s.K() + 1))
		return s.LogPrior() + s.LogLik() + s.Z().LogMultiplicities() - orders
	}
	p := v.Point()
	last, was, moves := v.LogDensity(p), density(), 0
	for range 50 {
		p.Mass *= math.Exp(0.2 * rng.NormFloat64())
		p.Temperature *= math.Exp(0.2 * rng.NormFloat64())
		p.Scales.SigmaX *= math.Exp(0.1 * rng.NormFloat64())
		p.Scales.SigmaA *= math.Exp(0.1 * rng.NormFloat64())
		rng.Shuffle(len(p.Permutation), func(i, j int) { p.Permutation[i], p.Permutation[j] = p.Permutation[j], p.Permutation[i] })
		if p.Z.AppendColumn([]uint64{1 + rng.Uint64N(1<<p.Z.N()-1)}); p.Z.K() > 3 {
			p.Z.Remove(rng.IntN(p.Z.K()))
		}
		log := v.LogDensity(p)
		if math.IsInf(log, -1) {
			p = v.Point()
			continue
		}
		v.Move(p)
		now := density()
		if got, want := log-last, now-was; !(math.Abs(got-want) < 1e-8*(1+math.Abs(want))) {
			t.Fatalf("density changes by %v, expected %v", got, want)
		}
		last, was, moves = log, now, moves+1
	}
	if moves < 20 {
		t.Errorf("%d moves, expected at least 20", moves)
	}
	s.post.Mass, s.post.SigmaA = nil, ScalePrior{}
	for what, change := range map[string]func(*Point){
		"another fixed mass":   func(p *Point) { p.Mass *= 2 },
		"another fixed SigmaA": func(p *Point) { p.Scales.SigmaA *= 2 },
		"a negative SigmaX":    func(p *Point) { p.Scales.SigmaX *= -1 },
		"temperature 0":        func(p *Point) { p.Temperature = 0 },
	} {
		p := v.Point()
		if change(&p); !math.IsInf(v.LogDensity(p), -1) {
			t.Errorf("%s: log density %v, expected -Inf", what, v.LogDensity(p))
		}
	}
}

// TestOwnResume: a chain with a user's law and kernel continues from a checkpoint with the same draws.
func TestOwnResume(t *testing.T) {
	post := ofRuns(runs{n: 4, share: 0.8}).posterior(t)
	post.Mass, post.SigmaX, post.SigmaA = massPrior, gammaScale, gammaScale
	cfg := Config{Warmup: 20, Draws: 40, Thin: 1}
	o := OptionsFor(post, cfg.Warmup)
	o.Kernels = []Kernel{comeAndGo(15)}
	sample := func(index int) (got []float64) {
		record := draws.RecorderFunc(func(d *draws.Draw) error {
			got = append(got, d.LogLik, d.LogPrior, d.Mass, float64(d.Z.Ones()))
			return nil
		})
		c := must(NewChain(post, Start{Scales: lglfm.Scales{SigmaX: 0.5, SigmaA: 0.5}}, o, cfg, NewStream(1, "own")))
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		err := c.Run(ctx, draws.RecorderFunc(func(d *draws.Draw) error {
			if d.Iteration == index {
				stop()
			}
			return record(d)
		}))
		if index < 0 {
			return got
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		c = must(Resume(post, o, cfg, must(c.Checkpoint())))
		if err := c.Run(t.Context(), record); err != nil {
			t.Fatal(err)
		}
		if total := c.Totals()[len(c.Totals())-1]; total.Name != "come and go" || total.Proposed != cfg.Draws {
			t.Errorf("found totals %+v, expected %d proposals of the last kernel", total, cfg.Draws)
		}
		return got
	}
	whole := sample(-1)
	for _, index := range []int{0, 13, 38} {
		if !slices.Equal(sample(index), whole) {
			t.Errorf("resumed after draw %d: other draws", index)
		}
	}
	o.Kernels = []Kernel{{Name: "nothing"}}
	if _, err := NewChain(post, Start{Scales: lglfm.Scales{SigmaX: 0.5, SigmaA: 0.5}}, o, cfg, NewStream(1, "own")); err == nil {
		t.Error("a kernel without a function is accepted")
	}
}
