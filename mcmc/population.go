package mcmc

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"gonum.org/v1/gonum/stat/distuv"

	"aibd/draws"
	"aibd/feature"
	"aibd/internal/parallel"
	"aibd/lglfm"
	"aibd/prior"
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
	cfg   PopulationConfig
	post  *Posterior
	start Start // the values of what is fixed
	scan  func(*Posterior) *Cycle
	seed  uint64
	label string

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
	Tuning    [][]float64  // of the kernels that are tuned, in order
	Evidence  Evidence     // up to Power
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
// scan returns what moves a state of the posterior that it is given, without annealing.
func NewPopulation(cfg PopulationConfig, post *Posterior, start Start, scan func(*Posterior) *Cycle, seed uint64, label string) (*Population, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	start.Z = nil
	s, err := NewState(post, start)
	if err != nil {
		return nil, err
	}
	p := &Population{cfg: cfg, post: post, start: s.start(), scan: scan, seed: seed, label: label}
	p.at.Members = make([][]Particle, cfg.Members)
	for _, a := range scan(post).adapters {
		p.at.Tuning = append(p.at.Tuning, a.Tuning())
	}
	return p, nil
}

// Checkpoint returns where the population is, between two calls of Run. It shares
// memory with the population until the next Run.
func (p *Population) Checkpoint() PopulationCheckpoint { return p.at }

// ResumePopulation returns the population that continues from a checkpoint. All other
// arguments must be those of the population that it was taken from. It returns an error
// if the checkpoint does not fit them.
func ResumePopulation(cfg PopulationConfig, post *Posterior, start Start, scan func(*Posterior) *Cycle, seed uint64, label string, at PopulationCheckpoint) (*Population, error) {
	p, err := NewPopulation(cfg, post, start, scan, seed, label)
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
		return errOther
	}
	place := Place{Tuning: at.Tuning}
	if err := place.tune(p.scan(p.post), false); err != nil {
		return err
	}
	for _, particles := range append([][]Particle{at.Ancestors}, at.Members...) {
		for i := range particles {
			start, err := particles[i].start(p.post.Data.N())
			if err == nil {
				_, err = newState(p.post, start, false)
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
			return errOther
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
	state, err := newState(p.post, start, false)
	if err != nil {
		return nil, err
	}
	cycle := p.scan(p.post)
	for i, a := range cycle.adapters {
		a.SetTuning(p.at.Tuning[i])
	}
	return NewChain(cfg, cycle, state, NewStream(p.seed, fmt.Sprintf("%s/member-%d", p.label, member+1)))
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
	post  Posterior  // with the likelihood to the power of the state
	data  lglfm.Data // of post
	state *State
	cycle *Cycle
	empty *feature.Allocation
}

// worker returns an idle worker or a new one.
func (p *Population) worker() *populationWorker {
	if w, ok := p.workers.Get().(*populationWorker); ok {
		return w
	}
	w := &populationWorker{post: *p.post, empty: feature.New(p.post.Data.N())}
	w.data.Raise(p.post.Data, 1)
	w.post.Data = &w.data
	s, err := newState(&w.post, p.start, false)
	if err != nil {
		panic(fmt.Sprintf("mcmc: a start of a population: %v", err)) // which NewPopulation had
	}
	w.state, w.cycle = s, p.scan(&w.post)
	return w
}

// raise sets the power of the likelihood.
func (w *populationWorker) raise(full *lglfm.Data, power float64) {
	if w.data.Exponent() != power {
		w.data.Raise(full, power)
	}
}

// load makes the state that of a particle.
func (w *populationWorker) load(x *Particle) {
	s := w.state
	s.tracker.Reset(w.empty)
	at, err := x.start(s.Z.N())
	if err != nil {
		panic(fmt.Sprintf("mcmc: a particle: %v", err)) // which particle has packed
	}
	s.Z, s.Mass, s.Scales = at.Z, at.Mass, at.Scales
	if s.Permutation != nil {
		copy(s.Permutation, at.Permutation)
	}
	if !math.IsNaN(s.Temperature) {
		s.Temperature = at.Temperature
		s.tracker.Propose(s.Temperature, s.Permutation)
		s.tracker.Accept()
	}
	s.refresh()
}

// member returns the particles of a member.
func (w *populationWorker) member(ctx context.Context, p *Population, m int) ([]Particle, error) {
	rng := p.stream(fmt.Sprintf("member-%d", m+1)).Rand
	particles := make([]Particle, p.cfg.Scans)
	var pack packer
	if p.at.Stage == 0 {
		w.raise(p.post.Data, 1)
		for i := range particles {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if err := w.drawPrior(rng, p); err != nil {
				return nil, err
			}
			particles[i] = pack.particle(w.state, 1)
		}
		return particles, nil
	}
	w.raise(p.post.Data, p.at.Power)
	for i, a := range w.cycle.adapters {
		a.SetTuning(p.at.Tuning[i])
		a.Adapt(false)
	}
	w.load(&p.at.Ancestors[m])
	particles[0] = p.at.Ancestors[m]
	for i := range particles[1:] {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		w.cycle.Step(rng, w.state)
		if s := w.state; math.IsNaN(s.logLik) {
			return nil, fmt.Errorf("stage %d: the likelihood cannot be computed at SigmaX %.3g, SigmaA %.3g with %d features: fix SigmaX or give it a gamma prior", p.at.Stage, s.Scales.SigmaX, s.Scales.SigmaA, s.Z.K())
		}
		particles[i+1] = pack.particle(w.state, p.at.Power)
	}
	return particles, nil
}

// packer packs states into particles that share memory.
type packer struct {
	columns []byte
	orders  []int
}

// particle packs a state under the likelihood to a power.
func (k *packer) particle(s *State, power float64) Particle {
	c, o := len(k.columns), len(k.orders)
	k.columns, k.orders = draws.Pack(k.columns, s.Z), append(k.orders, s.Permutation...)
	x := Particle{
		Columns: k.columns[c:len(k.columns):len(k.columns)], Features: s.Z.K(), Mass: s.Mass,
		Permutation: k.orders[o:len(k.orders):len(k.orders)], Scales: s.Scales, LogLik: s.logLik / power,
	}
	if !math.IsNaN(s.Temperature) {
		x.Temperature = s.Temperature
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
		law := p.post.Law
		if p.post.Mass != nil {
			s.Mass = p.post.Mass.rand(rng)
		}
		law = law.WithMass(s.Mass)
		if a, ok := law.(prior.Attraction); ok {
			if p.post.Temperature != nil {
				s.Temperature = p.post.Temperature.rand(rng)
			}
			if p.post.Permutation {
				s.Permutation = rng.Perm(a.N())
			}
			law = a.With(s.Temperature, s.Permutation)
		}
		s.Scales.SigmaX = p.post.SigmaX.rand(rng, s.Scales.SigmaX)
		s.Scales.SigmaA = p.post.SigmaA.rand(rng, s.Scales.SigmaA)
		// Far above, the probability of MaxFeatures or fewer is 0 in doubles.
		if !(s.Mass > 0 && s.Mass*law.TotalIntensity() < 2*MaxFeatures) || p.post.Data.Check(s.Scales) != nil {
			continue
		}
		if s.Z = law.Rand(rng); s.Z.K() > MaxFeatures {
			continue
		}
		w.state.Z, w.state.Mass, w.state.Temperature, w.state.Scales = s.Z, s.Mass, s.Temperature, s.Scales
		if s.Permutation != nil {
			copy(w.state.Permutation, s.Permutation)
		}
		if _, ok := law.(prior.Attraction); !ok {
			w.state.Temperature = math.NaN()
		}
		w.state.cache.Refresh(s.Z, s.Scales)
		if w.state.settle(); !math.IsNaN(w.state.logLik) {
			return nil
		}
	}
	return fmt.Errorf("no draw of the prior in %d has at most %d features and a likelihood that can be computed: change the priors of the mass and of SigmaX", mostPriorDraws, MaxFeatures)
}

// mostPriorDraws is the number of draws of the prior of which one must be of use.
const mostPriorDraws = 1000

// rand draws from the distribution.
func (g Gamma) rand(rng *rand.Rand) float64 {
	return distuv.Gamma{Alpha: g.Shape, Beta: g.Rate, Src: rng}.Rand()
}

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
	if len(p.at.Tuning) == 0 {
		return
	}
	w.raise(p.post.Data, p.at.Power)
	for i, a := range w.cycle.adapters {
		t := p.at.Tuning[i]
		t[len(t)-1] = tuneCount
		a.SetTuning(t)
		a.Adapt(true)
	}
	n := min(tuneParticles, p.cfg.Members)
	for j := range n {
		w.load(&p.at.Ancestors[j*p.cfg.Members/n])
		for range tuneSteps {
			for _, a := range w.cycle.adapters {
				a.Step(rng, w.state)
			}
		}
	}
	tuning := make([][]float64, len(w.cycle.adapters))
	for i, a := range w.cycle.adapters {
		a.Adapt(false)
		tuning[i] = a.Tuning()
	}
	p.at.Tuning = tuning
}
