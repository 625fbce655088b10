package mcmc

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"aibd/dataset"
	"aibd/draws"
	"aibd/feature"
	"aibd/lglfm"
	"aibd/posterior"
	"aibd/prior"
	"aibd/similarity"
)

// mixed is a posterior on which sets of moves are compared.
type mixed struct {
	post   *Posterior
	truth  *feature.Allocation // nil for data that were not simulated
	warmup int
	draws  int
}

// mixedStates is what aibd fit --set data.intercept=false does.
func mixedStates(b testing.TB) mixed {
	b.Helper()
	set, err := dataset.Load("usstates")
	if err != nil {
		b.Fatal(err)
	}
	x, err := set.X.Floats(set.X.Columns)
	if err != nil {
		b.Fatal(err)
	}
	if err := set.Transform.Apply(set.X.Columns, x); err != nil {
		b.Fatal(err)
	}
	var place [2][]float64
	for i, name := range []string{"lon", "lat"} {
		if place[i], err = set.Side.Float(name); err != nil {
			b.Fatal(err)
		}
	}
	km, err := similarity.GreatCircle(place[0], place[1])
	if err != nil {
		b.Fatal(err)
	}
	// At temperature tau per 1000 km; the prior of tau is in these units.
	rows := make([][]float64, km.N())
	for i := range rows {
		for _, d := range km.Row(i) {
			rows[i] = append(rows[i], d/1000)
		}
	}
	distance, err := similarity.NewMatrix(rows)
	if err != nil {
		b.Fatal(err)
	}
	return mixed{post: mixedPosterior(b, x, distance, 1), warmup: 1500, draws: 4000}
}

// mixedSynthetic is data of 100 items by 50 variables made with 20 features.
func mixedSynthetic(b testing.TB, sigmaX float64) mixed {
	b.Helper()
	const n, d, k = 100, 50, 20
	rng := NewStream(11, "synthetic").Rand
	place := make([]float64, n)
	for i := range place {
		place[i] = 10 * rng.Float64()
	}
	distance := similarity.AbsDifference(place)
	law, err := prior.NewAIBD(prior.NewAffinity(distance, similarity.Exponential{}), 4, 1, rng.Perm(n))
	if err != nil {
		b.Fatal(err)
	}
	z := law.Rand(rng)
	for z.K() != k {
		z = law.Rand(rng)
	}
	x, _ := dataset.Simulate(rng, z, d, sigmaX, 1)
	return mixed{post: mixedPosterior(b, x, distance, 2.5), truth: z, warmup: 1200, draws: 500}
}

func mixedPosterior(b testing.TB, x [][]float64, distance *similarity.Matrix, maximum float64) *Posterior {
	b.Helper()
	data, err := lglfm.NewData(x)
	if err != nil {
		b.Fatal(err)
	}
	law, err := prior.NewAIBD(prior.NewAffinity(distance, similarity.Exponential{}), 1, 1, prior.Identity(len(x)))
	if err != nil {
		b.Fatal(err)
	}
	return &Posterior{
		Data: data, Law: law, Permutation: true,
		Mass: &Gamma{1, 1}, Temperature: &Gamma{1, 1},
		SigmaX: ScalePrior{Max: maximum}, SigmaA: ScalePrior{Max: maximum},
	}
}

// dispersed draws a start: without features and with SigmaX near its maximum, with Z
// from its prior, or without features and with little noise, which makes a chain
// explain everything by features.
func dispersed(rng *rand.Rand, post *Posterior, kind string) Start {
	draw := func(g *Gamma) float64 { return distuv.Gamma{Alpha: g.Shape, Beta: g.Rate, Src: rng}.Rand() }
	s := Start{Mass: draw(post.Mass), Temperature: draw(post.Temperature), Permutation: rng.Perm(post.Law.N())}
	s.Scales.SigmaX = post.SigmaX.Max * (1 + rng.Float64()) / 2
	s.Scales.SigmaA = post.SigmaA.Max * (1 + rng.Float64()) / 2
	switch kind {
	case "empty":
		s.Scales.SigmaX = post.SigmaX.Max * (0.9 + 0.09*rng.Float64())
	case "prior":
		s.Z = post.Law.WithMass(s.Mass).(prior.Attraction).With(s.Temperature, s.Permutation).Rand(rng)
	case "low":
		s.Scales.SigmaX = 0.3 * post.SigmaX.Max
	}
	return s
}

// trace records what mixes worst.
type trace map[string][]float64

func (t trace) Record(d *draws.Draw) error {
	for name, x := range map[string]float64{
		"log joint": d.LogLik + d.LogPrior, "features": float64(d.Z.K()), "ones": float64(d.Z.Ones()),
		"temperature": d.Temperature, "SigmaA": d.SigmaA,
	} {
		t[name] = append(t[name], x)
	}
	return nil
}

// starts are kinds of dispersed, for eight chains.
var starts = strings.Fields("empty prior low prior empty prior low low")

// BenchmarkMixing runs chains from dispersed starts, eight or, where the data were simulated,
// three times eight, with each set of moves, and reports as agreement does
// (docs/lab/mixing.md). It is meant for
//
//	go test ./mcmc -run - -bench Mixing/usstates -benchtime 1x
func BenchmarkMixing(b *testing.B) {
	for _, problem := range []struct {
		name string
		make func(*testing.B) mixed
	}{
		{"application", func(b *testing.B) mixed {
			return mixed{post: loadApplication(b).posterior(b), warmup: 4000, draws: 8000}
		}},
		{"usstates", func(b *testing.B) mixed { return mixedStates(b) }},
		{"synthetic 0.3", func(b *testing.B) mixed { return mixedSynthetic(b, 0.3) }},
		{"synthetic 0.6", func(b *testing.B) mixed { return mixedSynthetic(b, 0.6) }},
		{"synthetic 1.0", func(b *testing.B) mixed { return mixedSynthetic(b, 1) }},
	} {
		m := problem.make(b)
		for _, moves := range []struct {
			name                                 string
			anneal, clusters, sums, combinations int
		}{
			{"none", 0, 0, 0, 0},
			{"clusters", 0, 30, 0, 0},
			{"clusters, sums", 0, 30, 200, 0},
			{"clusters, sums, combinations", 0, 30, 200, 100},
			{"anneal", m.warmup * 3 / 4, 0, 0, 0},
			{"all but combinations", m.warmup * 3 / 4, 30, 200, 0},
			{"all", m.warmup * 3 / 4, 30, 200, 100},
		} {
			b.Run(problem.name+"/"+moves.name, func(b *testing.B) {
				o := DefaultOptions()
				o.Anneal, o.Clusters, o.Sums, o.Combinations = moves.anneal, moves.clusters, moves.sums, moves.combinations
				for b.Loop() {
					m.agreement(b, o)
				}
			})
		}
	}
}

// BenchmarkAgreement runs the default scan on the application for about twenty minutes
// of two cores: long enough, it turned out, for chains to agree.
func BenchmarkAgreement(b *testing.B) {
	m := mixed{post: loadApplication(b).posterior(b), warmup: 20_000, draws: 200_000}
	o := DefaultOptions()
	o.Anneal = 2000
	for b.Loop() {
		m.agreement(b, o)
	}
}

// agreement reports the largest R-hat and the smallest bulk ESS, the latter also by
// second of processor time, that of the whole process, warmup included; and how many
// chains end at the truth, if there is one.
func (m mixed) agreement(b *testing.B, o Options) {
	b.Helper()
	began := cpu()
	kinds := starts
	if m.truth != nil {
		kinds = slices.Repeat(starts, 3)
	}
	traces, got := m.run(b, kinds, o)
	worst, least := 1.0, math.Inf(1)
	for name := range traces[0] {
		var xs [][]float64
		for _, t := range traces {
			xs = append(xs, t[name])
		}
		rHat, ess := posterior.RHat(xs), posterior.ESSBulk(xs)
		b.Logf("%s: R-hat %.3f, bulk ESS %.0f", name, rHat, ess)
		if rHat > worst { // not NaN, of a quantity that stands still
			worst = rHat
		}
		if ess < least {
			least = ess
		}
	}
	b.ReportMetric(worst, "worst-R-hat")
	b.ReportMetric(least, "least-ESS")
	b.ReportMetric(least/(cpu()-began)*1e9, "least-ESS/s")
	if m.truth != nil {
		b.ReportMetric(float64(got), "at-truth")
	}
}

// run runs a chain from each kind of start, two at a time. It returns also how many end
// at the truth, up to a FARO loss of 2% of its ones: with much noise the posterior leaves
// some entries open.
func (m mixed) run(b *testing.B, starts []string, o Options) (traces []trace, got int) {
	b.Helper()
	cfg := Config{Warmup: m.warmup, Draws: m.draws, Thin: 1}
	traces = make([]trace, len(starts))
	losses := make([]float64, len(starts))
	lines := make([]string, len(starts))
	var wait sync.WaitGroup
	tickets := make(chan int, len(starts))
	for c := range starts {
		tickets <- c
	}
	close(tickets)
	for range 2 {
		wait.Go(func() {
			for c := range tickets {
				label := fmt.Sprintf("chain-%d", c+1)
				chain, err := NewChain(m.post, dispersed(NewStream(1, label+"/init").Rand, m.post, starts[c]), o, cfg, NewStream(1, label))
				if err != nil {
					panic(err)
				}
				traces[c] = trace{}
				if err := chain.Run(b.Context(), traces[c]); err != nil {
					panic(err)
				}
				mean := func(name string) float64 {
					sum := 0.0
					for _, x := range traces[c][name] {
						sum += x
					}
					return sum / float64(m.draws)
				}
				lines[c] = fmt.Sprintf("%s: log joint %.1f, at best %.1f, features %.2f, ones %.1f", starts[c], mean("log joint"), slices.Max(traces[c]["log joint"]), mean("features"), mean("ones"))
				if m.truth != nil {
					losses[c] = posterior.FARO(m.truth, chain.target.Z().Clone(), 1)
					lines[c] += fmt.Sprintf(", FARO loss of the last draw %.0f", losses[c])
				}
			}
		})
	}
	wait.Wait()
	b.Log(strings.Join(lines, "\n"))
	for _, loss := range losses {
		if m.truth != nil && loss <= float64(m.truth.Ones())/50 {
			got++
		}
	}
	return traces, got
}
