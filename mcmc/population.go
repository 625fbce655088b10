package mcmc

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"aibd/draws"
	"aibd/internal/parallel"
	"aibd/internal/state"
	"aibd/lglfm"
)

// Population samples the posterior by waste-free sequential Monte Carlo (Dau and
// Chopin, 2022, algorithm 2). It starts with draws of the prior and raises the
// likelihood to powers that grow to 1. At each power it resamples one ancestor per
// member; the member makes scans from there, and all states of all members are the
// particles of the next stage. The next power is the one at which the effective sample
// size of the particles is half their number.
//
// A population estimates the log evidence. Its members continue as plain chains (Chain).
// Its results depend on the seed and the label, not on the number of cores.
type Population struct {
	cfg     PopulationConfig
	post    *Posterior
	start   Start // the values of what is fixed
	options Options
	scan    func(*Posterior, *tuner) *cycle // of the options
	seed    uint64
	label   string

	at      PopulationCheckpoint
	workers sync.Pool // idle, of *populationWorker
	logs    []float64 // log likelihoods of all particles
}

// PopulationConfig is the size of a population.
type PopulationConfig struct {
	Members int // resampled at each stage, at least 2
	Scans   int // particles of a member at each stage, its ancestor among them, at least 2
}

// Validate reports what is out of range.
func (c PopulationConfig) Validate() error {
	if c.Members < 2 {
		return fmt.Errorf("members: found %d, expected at least 2", c.Members)
	}
	if c.Scans < 2 {
		return fmt.Errorf("scans of a stage: found %d, expected at least 2", c.Scans)
	}
	return nil
}

// Particle is a state as a population keeps it.
type Particle struct {
	Columns     []byte // Z as draws.Pack writes it, columns in their order
	Features    int
	Mass        float64
	Temperature float64 `json:",omitempty"` // 0 if the law has none
	Permutation []int   `json:",omitempty"`
	Scales      lglfm.Scales
	LogLik      float64 // of the likelihood to power 1
}

// PopulationCheckpoint is all that a population needs to continue as if it had never
// stopped. It holds plain values only.
type PopulationCheckpoint struct {
	Stage     int          // 0: draws of the prior
	Power     float64      // of the likelihood at this stage
	Ancestors []Particle   // one per member; none at stage 0
	Members   [][]Particle // particles of this stage by member; empty for unfinished members
	Tuning    Tuning
	Evidence  Evidence // up to Power
}

// Evidence is an estimate of log p(X).
type Evidence struct {
	Log float64
	// Variance of Log, estimated from the spread of the members at each stage. It
	// ignores modes that no member has found: compare several populations.
	Variance float64
}

const (
	essShare      = 0.5 // of the particles, at the next power
	tuneParticles = 24  // ancestors on which the random walks are tuned
	tuneSteps     = 10  // of each random walk on each of them
	tuneCount     = 8   // observations that the previous tuning counts for
)

// NewPopulation returns a population of draws of the prior. What has no prior has its
// value in start, which must be a valid start of a chain; the rest of start is ignored.
// It returns an error if an argument is not valid. Options.Anneal must be 0.
func NewPopulation(post *Posterior, start Start, o Options, cfg PopulationConfig, seed uint64, label string) (*Population, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if o.Anneal != 0 {
		return nil, fmt.Errorf("annealing: found %d scans, expected 0 for a population", o.Anneal)
	}
	start.Z = nil
	if _, err := newTarget(post, start, true, MaxFeatures); err != nil {
		return nil, err
	}
	p := &Population{cfg: cfg, post: post, start: start, scan: o.scan, options: o, seed: seed, label: label}
	p.at.Members, p.at.Tuning = make([][]Particle, cfg.Members), newTuning(o)
	return p, nil
}

// Checkpoint returns where the population is, between two calls of Run. It shares
// memory with the population until the next Run.
func (p *Population) Checkpoint() PopulationCheckpoint { return p.at }

// ResumePopulation returns the population that continues from a checkpoint. All other
// arguments must be those of the population that it was taken from. It returns an error
// if the checkpoint does not fit them.
func ResumePopulation(post *Posterior, start Start, o Options, cfg PopulationConfig, seed uint64, label string, at PopulationCheckpoint) (*Population, error) {
	p, err := NewPopulation(post, start, o, cfg, seed, label)
	if err != nil {
		return nil, err
	}
	if err := p.check(at); err != nil {
		return nil, fmt.Errorf("checkpoint: %w", err)
	}
	p.at = at
	return p, nil
}

// check reports a checkpoint that no such population has.
func (p *Population) check(at PopulationCheckpoint) error {
	ancestors := p.cfg.Members
	if at.Stage == 0 {
		ancestors = 0
	}
	if len(at.Members) != p.cfg.Members || len(at.Ancestors) != ancestors ||
		at.Stage < 0 || (at.Stage == 0) != (at.Power == 0) || !(at.Power >= 0 && at.Power <= 1) {
		return errors.New("it is of another population")
	}
	if err := at.Tuning.valid(); err != nil {
		return err
	}
	for _, particles := range append([][]Particle{at.Ancestors}, at.Members...) {
		for i := range particles {
			start, err := particles[i].start(p.post.Data.N())
			if err == nil {
				_, err = newTarget(p.post, start, false, MaxFeatures)
			}
			if err != nil {
				return err
			}
			if l := particles[i].LogLik; math.IsNaN(l) || math.IsInf(l, 0) {
				return fmt.Errorf("found log likelihood %g, expected a finite number", l)
			}
		}
	}
	for _, particles := range at.Members {
		if len(particles) != 0 && len(particles) != p.cfg.Scans {
			return errors.New("it is of another population")
		}
	}
	return nil
}

// Power returns the power of the likelihood at the current stage, 0 at the prior.
func (p *Population) Power() float64 { return p.at.Power }

// Stage returns the number of the stage, 0 for the draws of the prior.
func (p *Population) Stage() int { return p.at.Stage }

// Done reports whether the particles are those of the posterior.
func (p *Population) Done() bool { return p.at.Power == 1 && p.complete() }

// Evidence returns the estimate of the log evidence, once the population is done.
func (p *Population) Evidence() Evidence { return p.at.Evidence }

// complete reports whether all members of the stage are finished.
func (p *Population) complete() bool {
	return !slices.ContainsFunc(p.at.Members, func(m []Particle) bool { return len(m) == 0 })
}

// Particles returns the particles of the finished members of the stage, all of equal
// weight. They are valid until the next Run.
func (p *Population) Particles() []Particle { return slices.Concat(p.at.Members...) }

// Run completes the stages that are left, on the given number of cores. When ctx is done
// it ends after the scans under way and returns ctx.Err(); the scans of unfinished
// members of the stage are made again by the next Run.
func (p *Population) Run(ctx context.Context, cores int) error {
	for {
		if err := p.move(ctx, cores); err != nil || p.at.Power == 1 {
			return err
		}
		p.advance()
	}
}

// move finishes the members of the stage.
func (p *Population) move(ctx context.Context, cores int) error {
	return parallel.Each(ctx, cores, p.cfg.Members, func(m int) (err error) {
		if len(p.at.Members[m]) == 0 {
			w := p.worker()
			p.at.Members[m], err = w.member(ctx, p, m)
			p.workers.Put(w)
		}
		return err
	})
}

// Chain returns the chain of a member, numbered from 0, that continues from its last
// particle with the tuned steps. The population must be done.
func (p *Population) Chain(member int, cfg Config) (*Chain, error) {
	if !p.Done() {
		panic("mcmc: a chain of a population that is not done")
	}
	start, err := p.at.Members[member][p.cfg.Scans-1].start(p.post.Data.N())
	if err != nil {
		return nil, err
	}
	t, err := newTarget(p.post, start, false, MaxFeatures)
	if err != nil {
		return nil, err
	}
	c, err := newChain(t, p.options, cfg, NewStream(p.seed, fmt.Sprintf("%s/member-%d", p.label, member+1)))
	if err != nil {
		return nil, err
	}
	c.tuner.Tuning = p.at.Tuning
	return c, nil
}

// stream returns the stream of a part of the stage.
func (p *Population) stream(part string) *Stream {
	return NewStream(p.seed, fmt.Sprintf("%s/stage-%d/%s", p.label, p.at.Stage, part))
}

// advance weighs the particles, resamples the ancestors of the next stage and tunes the
// random walks.
func (p *Population) advance() {
	p.logs = p.logs[:0]
	for _, particles := range p.at.Members {
		for i := range particles {
			p.logs = append(p.logs, particles[i].LogLik)
		}
	}
	next := nextPower(p.logs, p.at.Power)
	weights := weigh(p.logs, next-p.at.Power)
	p.at.Evidence.add(weights, p.cfg.Scans, (next-p.at.Power)*slices.Max(p.logs))
	p.at.Stage++
	p.at.Power = next
	rng := p.stream("resample").Rand
	p.at.Ancestors = p.at.Ancestors[:0:0]
	for _, i := range systematic(weights, p.cfg.Members, rng.Float64()) {
		p.at.Ancestors = append(p.at.Ancestors, p.at.Members[i/p.cfg.Scans][i%p.cfg.Scans])
	}
	p.at.Members = make([][]Particle, p.cfg.Members)
	w := p.worker()
	w.tune(p, rng)
	p.workers.Put(w)
}

// nextPower returns the greatest power at which the effective sample size of particles of
// the given log likelihoods is at least a share essShare of their number, at most 1.
func nextPower(logs []float64, power float64) float64 {
	enough := func(next float64) bool {
		sum, squares := 0.0, 0.0
		for _, w := range weigh(logs, next-power) {
			sum += w
			squares += w * w
		}
		return sum*sum >= essShare*float64(len(logs))*squares
	}
	if enough(1) {
		return 1
	}
	low, high := power, 1.0
	for range 200 {
		mid := (low + high) / 2
		if mid == low || mid == high {
			break
		}
		if enough(mid) {
			low = mid
		} else {
			high = mid
		}
	}
	if low == power {
		return high // the particles differ by more than doubles can weigh
	}
	return low
}

// weigh returns the weights exp(step*log), relative to the largest.
func weigh(logs []float64, step float64) []float64 {
	top := slices.Max(logs)
	weights := make([]float64, len(logs))
	for i, l := range logs {
		weights[i] = math.Exp(step * (l - top))
	}
	return weights
}

// add adds the log of the mean of the weights, which are relative to exp(top). The
// members have each a number of particles.
func (e *Evidence) add(weights []float64, each int, top float64) {
	mean := 0.0
	for _, w := range weights {
		mean += w / float64(len(weights))
	}
	variance, members := 0.0, float64(len(weights)/each)
	for particles := range slices.Chunk(weights, each) {
		sum := 0.0
		for _, w := range particles {
			sum += w
		}
		d := sum/float64(each)/mean - 1
		variance += d * d / (members * (members - 1))
	}
	e.Log += top + math.Log(mean)
	e.Variance += variance
}

// systematic returns n indices, ascending, drawn in proportion to the weights by
// systematic resampling with u in [0, 1).
func systematic(weights []float64, n int, u float64) []int {
	total := 0.0
	for _, w := range weights {
		total += w
	}
	indices := make([]int, 0, n)
	sum, i := weights[0], 0
	for m := range n {
		at := (float64(m) + u) / float64(n) * total
		for sum <= at && i < len(weights)-1 {
			i++
			sum += weights[i]
		}
		indices = append(indices, i)
	}
	return indices
}

// populationWorker moves the states of members, one after the other.
type populationWorker struct {
	target *target
	tuner  tuner
	scan   *cycle
	walks  []kernel // those of the scan that are tuned
}

// worker returns an idle worker or a new one.
func (p *Population) worker() *populationWorker {
	if w, ok := p.workers.Get().(*populationWorker); ok {
		return w
	}
	t, err := newTarget(p.post, p.start, true, MaxFeatures)
	if err != nil {
		panic(fmt.Sprintf("mcmc: a start of a population: %v", err)) // which NewPopulation had
	}
	w := &populationWorker{target: t}
	w.scan = p.scan(p.post, &w.tuner)
	for _, k := range w.scan.kernels {
		switch k.(type) {
		case temperature, scales:
			if !slices.Contains(w.walks, k) {
				w.walks = append(w.walks, k)
			}
		}
	}
	return w
}

// load makes the state that of a particle.
func (w *populationWorker) load(x *Particle) {
	at, err := x.start(w.target.N())
	if err == nil {
		var u state.Unknowns
		if u, _, err = w.target.post.unknowns(at); err == nil {
			w.target.Load(u)
		}
	}
	if err != nil {
		panic(fmt.Sprintf("mcmc: a particle: %v", err)) // which particle has packed
	}
}

// member returns the particles of a member.
func (w *populationWorker) member(ctx context.Context, p *Population, m int) ([]Particle, error) {
	rng := p.stream(fmt.Sprintf("member-%d", m+1)).Rand
	particles := make([]Particle, p.cfg.Scans)
	var pack packer
	if p.at.Stage == 0 {
		w.target.SetPower(1)
		for i := range particles {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if err := w.drawPrior(rng, p); err != nil {
				return nil, err
			}
			particles[i] = pack.particle(w.target)
		}
		return particles, nil
	}
	w.target.SetPower(p.at.Power)
	w.tuner = tuner{Tuning: p.at.Tuning}
	w.load(&p.at.Ancestors[m])
	particles[0] = p.at.Ancestors[m]
	for i := range particles[1:] {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		w.scan.Step(rng, w.target)
		if s := w.target; math.IsNaN(s.LogLik()) {
			return nil, fmt.Errorf("stage %d: the likelihood cannot be computed at SigmaX %.3g, SigmaA %.3g with %d features: fix SigmaX or give it a gamma prior", p.at.Stage, s.Scales().SigmaX, s.Scales().SigmaA, s.K())
		}
		particles[i+1] = pack.particle(w.target)
	}
	return particles, nil
}

// packer packs states into particles that share memory.
type packer struct {
	columns []byte
	orders  []int
}

// particle packs a state.
func (k *packer) particle(s *target) Particle {
	var d draws.Draw
	s.Fill(&d)
	c, o := len(k.columns), len(k.orders)
	k.columns, k.orders = draws.Pack(k.columns, d.Z), append(k.orders, d.Permutation...)
	x := Particle{
		Columns: k.columns[c:len(k.columns):len(k.columns)], Features: d.Z.K(), Mass: d.Mass,
		Permutation: k.orders[o:len(k.orders):len(k.orders)], Scales: s.Scales(), LogLik: d.LogLik / s.Power(),
	}
	if !math.IsNaN(d.Temperature) {
		x.Temperature = d.Temperature
	}
	return x
}

// start returns a Start at the particle, of n items. It returns an error if Z is not that
// of a packed allocation.
func (x *Particle) start(n int) (Start, error) {
	if x.Features < 0 {
		return Start{}, fmt.Errorf("found %d features, expected at least 0", x.Features)
	}
	z, err := draws.Unpack(n, x.Features, x.Columns)
	s := Start{Z: z, Mass: x.Mass, Temperature: x.Temperature, Scales: x.Scales}
	if len(x.Permutation) > 0 {
		s.Permutation = x.Permutation
	}
	return s, err
}

// drawPrior draws the state from the prior. Like a chain, it stays where there are at
// most MaxFeatures features and where the likelihood can be computed.
func (w *populationWorker) drawPrior(rng *rand.Rand, p *Population) error {
	for range mostPriorDraws {
		s := p.start
		if p.post.Mass != nil {
			s.Mass = p.post.Mass.rand(rng)
		}
		if p.post.Temperature != nil {
			s.Temperature = p.post.Temperature.rand(rng)
		}
		if p.post.Permutation {
			s.Permutation = rng.Perm(p.post.Law.N())
		}
		s.Scales.SigmaX = p.post.SigmaX.rand(rng, s.Scales.SigmaX)
		s.Scales.SigmaA = p.post.SigmaA.rand(rng, s.Scales.SigmaA)
		u, law, err := p.post.unknowns(s)
		// Far above, the probability of MaxFeatures or fewer is 0 in doubles.
		if err != nil || !(u.Mass*law.TotalIntensity() < 2*MaxFeatures) {
			continue
		}
		if u.Z = law.Rand(rng); u.Z.K() > MaxFeatures {
			continue
		}
		if w.target.Load(u); !math.IsNaN(w.target.LogLik()) {
			return nil
		}
	}
	return fmt.Errorf("no draw of the prior in %d has at most %d features and a likelihood that can be computed: change the priors of the mass and of SigmaX", mostPriorDraws, MaxFeatures)
}

// mostPriorDraws is the number of draws of the prior of which one must be of use.
const mostPriorDraws = 1000

// rand draws a scale; a fixed one has its value.
func (p ScalePrior) rand(rng *rand.Rand, value float64) float64 {
	switch {
	case p.Max != 0:
		return p.Max * (1 - rng.Float64())
	case p.Gamma != nil:
		return p.Gamma.rand(rng)
	}
	return value
}

// tune tunes the random walks on some ancestors at the power of the stage. What it does
// to their states is lost, so that the steps depend on earlier stages only.
func (w *populationWorker) tune(p *Population, rng *rand.Rand) {
	if !p.options.Tune || len(w.walks) == 0 {
		return
	}
	w.target.SetPower(p.at.Power)
	w.tuner = tuner{p.at.Tuning, true}
	w.tuner.Temperature.Learned, w.tuner.Scales.Learned = tuneCount, tuneCount
	n := min(tuneParticles, p.cfg.Members)
	for j := range n {
		w.load(&p.at.Ancestors[j*p.cfg.Members/n])
		for range tuneSteps {
			for _, k := range w.walks {
				k.Step(rng, w.target)
			}
		}
	}
	p.at.Tuning = w.tuner.Tuning
}
