package mcmc

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"gonum.org/v1/gonum/stat"

	"aibd/draws"
	"aibd/internal/lists"
	"aibd/internal/parallel"
	"aibd/internal/state"
)

// Population estimates the log evidence of a posterior by waste-free sequential Monte
// Carlo (Dau and Chopin, 2022, algorithm 2). It starts with draws of the prior and raises
// the likelihood to powers that grow to 1. At each power it resamples one ancestor per
// member; the member makes scans from there, and all states of all members are the
// particles of the next stage. The next power is the one at which the effective sample
// size of the particles is half their number.
//
// The powers depend on the particles that they weigh, and the steps of random walks on particles too. So
// the estimate is a little too low. It is unbiased with the Schedule of another population.
//
// The results depend on the seed and the label, not on the number of cores. One population
// cannot tell how far off it is: it may miss modes. Compare several of different labels
// (posterior.Evidence).
//
// SigmaX can be held while the power grows: it falls from that of the start to
// PopulationConfig.SigmaX, and is drawn once the power is 1. So are the noise scales of columns, if
// they have any, which are held at PopulationConfig.NoiseScales. Features and noise otherwise depend
// on each other so much that in many columns both jump at some power, and populations that jump at
// different powers disagree.
//
// Unknown cells of X start from a reference law, normal with the means and twice the standard
// deviations of the observed cells. Along the path it has the power one minus that of the likelihood,
// so that the path ends at p(X) of the observed cells.
type Population struct {
	cfg     PopulationConfig
	post    *Posterior
	path    *Posterior // post, with SigmaX and noise scales fixed while they are held
	start   Start      // the values of fixed unknowns
	options Options
	scan    func(*Posterior, *tuner) *cycle // of the options
	seed    uint64
	label   string

	stage       int     // 0: draws of the prior
	power, step float64 // of the likelihood at this stage, and what the power grew by
	ancestors   []particle
	members     [][]particle // of this stage by member; nil for unfinished members
	tuning      Tuning
	logEvidence float64 // up to power
	schedule    Schedule
	ahead       float64 // SigmaX of the next stage while it is held

	degrees bool      // features have weights
	workers sync.Pool // idle, of *populationWorker
	weights []float64 // of all particles
}

// PopulationConfig is the size of a population.
type PopulationConfig struct {
	Members int // resampled at each stage, at least 2
	Scans   int // particles of a member at each stage, its ancestor among them, at least 2
	// SigmaX, if not 0, is the value at which SigmaX is held until the power is 1. It should be near
	// the posterior mean. SigmaX must be random.
	SigmaX float64
	// NoiseScales are the values at which the noise scales of columns, if they have any, are held with
	// SigmaX. SigmaX times the scale should be near the posterior mean of a column's noise.
	NoiseScales []float64
	// Schedule, if not nil, has the powers and steps of another population of the posterior, which did not
	// hold SigmaX. SigmaX must be 0.
	Schedule *Schedule
}

// Schedule has the powers that a population chose, and its steps of random walks.
type Schedule struct {
	powers  []float64 // by stage, after the draws of the prior
	tunings []Tuning
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

// particle is a state of a population. Its log weight at the next power b is slope*b + rest. With weights
// of features it is log(b) - rest, where log is weighted.Model.LogPath, and rest that of the stage.
type particle struct {
	state.Unknowns
	slope, rest float64
}

// minPower is the least power of a stage after the draws of the prior if features have weights.
const minPower = 1e-9

const (
	essShare      = 0.5 // of the particles, at the next power
	tuneParticles = 24  // ancestors on which the random walks are tuned
	tuneSteps     = 10  // of each random walk on each of them
	tuneCount     = 8   // observations that the previous tuning counts for
)

// NewPopulation returns a population before its draws of the prior. What has no prior has
// its value in start, which must be a valid start of a chain; the rest of start is
// ignored. It returns an error if an argument is not valid. Options.Anneal must be 0.
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
	switch weights := post.Features.weights(); {
	case cfg.Schedule != nil && (cfg.SigmaX != 0 || len(cfg.Schedule.powers) == 0 || cfg.Schedule.powers[len(cfg.Schedule.powers)-1] != 1):
		return nil, fmt.Errorf("schedule of a population: expected one from a population that is done, and SigmaX 0")
	case weights && cfg.SigmaX != 0:
		return nil, fmt.Errorf("SigmaX of a population: found %v with %s features, expected 0", cfg.SigmaX, post.Features)
	}
	start.Z = nil
	if _, err := newTarget(post, start, true, MaxFeatures); err != nil {
		return nil, err
	}
	p := &Population{
		cfg: cfg, post: post, path: post, ahead: start.Scales.SigmaX, start: start, scan: o.scan, options: o, seed: seed, label: label, degrees: post.Features.weights(),
		members: make([][]particle, cfg.Members), tuning: newTuning(o).under(post),
	}
	switch {
	case cfg.SigmaX != 0:
		return p, p.hold()
	case cfg.NoiseScales != nil:
		return nil, fmt.Errorf("noise scales of a population: found %d without SigmaX, expected none", len(cfg.NoiseScales))
	}
	return p, nil
}

// Power returns the power of the likelihood at the current stage, 0 at the prior.
func (p *Population) Power() float64 { return p.power }

// Stage returns the number of the stage, 0 for the draws of the prior.
func (p *Population) Stage() int { return p.stage }

// Done reports whether the particles are draws of the posterior.
func (p *Population) Done() bool { return p.power == 1 && !p.held() && p.complete() }

// LogEvidence returns the estimate of log p(X), once the population is done. The estimate
// of p(X) is nearly unbiased, and unbiased with a Schedule.
func (p *Population) LogEvidence() float64 { return p.logEvidence }

// Schedule returns the powers and steps of the population, for another one.
func (p *Population) Schedule() *Schedule {
	return &Schedule{slices.Clone(p.schedule.powers), slices.Clone(p.schedule.tunings)}
}

// complete reports whether all members of the stage are finished.
func (p *Population) complete() bool {
	return !slices.ContainsFunc(p.members, func(m []particle) bool { return m == nil })
}

// Next makes one stage. It does nothing if the population is done. When ctx is done it ends after the scans under way and
// returns ctx.Err(); the next call makes the scans of the unfinished members again.
func (p *Population) Next(ctx context.Context) error {
	if p.Done() {
		return nil
	}
	if p.complete() {
		p.advance()
	}
	return p.move(ctx)
}

// move finishes the members of the stage.
func (p *Population) move(ctx context.Context) error {
	return parallel.Each(ctx, p.cfg.Members, func(m int) (err error) {
		if p.members[m] == nil {
			w := p.worker()
			p.members[m], err = w.member(ctx, p, m)
			p.workers.Put(w)
		}
		return err
	})
}

// Record records the particles of the current stage, which have equal weights.
func (p *Population) Record(rec draws.Recorder) error {
	w := p.worker()
	defer p.workers.Put(w)
	w.target.SetPower(1)
	var d draws.Draw
	for i, x := range slices.Concat(p.members...) {
		w.target.Load(x.Unknowns)
		w.target.Fill(&d)
		d.Iteration, d.LogPrior = i, w.target.LogPrior()
		if err := rec.Record(&d); err != nil {
			return err
		}
	}
	return nil
}

// stream returns the stream of a part of the stage.
func (p *Population) stream(part string) *Stream {
	return NewStream(p.seed, fmt.Sprintf("%s/stage-%d/%s", p.label, p.stage, part))
}

// advance weighs the particles, resamples the ancestors of the next stage and tunes the
// random walks.
func (p *Population) advance() {
	particles := slices.Concat(p.members...)
	p.weights = slices.Grow(p.weights[:0], len(particles))[:len(particles)]
	released := p.held() && p.power == 1
	next := 1.0
	switch {
	case p.cfg.Schedule != nil:
		next = p.cfg.Schedule.powers[p.stage]
	case !released:
		next = p.nextPower(particles)
	}
	p.logEvidence += p.weigh(particles, next) + math.Log(stat.Mean(p.weights, nil))
	p.stage++
	p.step, p.power = next-p.power, next
	rng := p.stream("resample").Rand
	p.ancestors = p.ancestors[:0]
	for _, i := range systematic(p.weights, p.cfg.Members, rng.Float64()) {
		p.ancestors = append(p.ancestors, particles[i])
	}
	p.members = make([][]particle, p.cfg.Members)
	if released {
		p.release(rng)
	} else if p.held() {
		for i := range p.ancestors {
			p.ancestors[i].Scales.SigmaX = p.ahead
		}
		p.ahead = p.nextSigmaX()
	}
	if p.cfg.Schedule != nil {
		p.tuning = p.cfg.Schedule.tunings[p.stage-1]
	} else {
		w := p.worker()
		w.tune(p, rng)
		p.workers.Put(w)
	}
	p.schedule.powers, p.schedule.tunings = append(p.schedule.powers, next), append(p.schedule.tunings, p.tuning.clone())
}

// nextPower returns the greatest power up to maxPower at which the effective sample size of the
// particles is at least a share essShare of their number.
func (p *Population) nextPower(particles []particle) float64 {
	enough := func(next float64) bool {
		p.weigh(particles, next)
		sum, squares := 0.0, 0.0
		for _, w := range p.weights {
			sum += w
			squares += w * w
		}
		return sum*sum >= essShare*float64(len(particles))*squares
	}
	low, high := p.power, p.maxPower()
	if enough(high) {
		return high
	}
	halvings, middle := 200, func() float64 { return (low + high) / 2 }
	if p.degrees { // each computes likelihoods
		halvings, middle = 14, func() float64 { return math.Sqrt(max(low, minPower) * high) }
	}
	for range halvings {
		mid := middle()
		if mid == low || mid == high {
			break
		}
		if enough(mid) {
			low = mid
		} else {
			high = mid
		}
	}
	if low == p.power && !(p.held() && p.ahead < particles[0].Scales.SigmaX) {
		return high // the particles differ by more than doubles can weigh
	}
	return low
}

// weigh sets the weights of particles at the next power, relative to the largest, and returns the
// logarithm of that.
func (p *Population) weigh(particles []particle, next float64) float64 {
	if p.degrees {
		parallel.Do(len(particles), func(i int) {
			w := p.worker()
			p.weights[i] = w.target.LogPathAt(particles[i].Unknowns, next) - particles[i].rest
			p.workers.Put(w)
		})
	} else {
		for i, x := range particles {
			p.weights[i] = x.slope*next + x.rest
		}
	}
	top := slices.Max(p.weights[:len(particles)])
	for i, log := range p.weights {
		p.weights[i] = math.Exp(log - top)
	}
	return top
}

// systematic returns n indices, ascending, drawn in proportion to the weights by
// systematic resampling with u in [0, 1).
func systematic(weights []float64, n int, u float64) []int {
	total := lists.Sum(weights)
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
	cells  sigmaXCells
}

// worker returns an idle worker or a new one.
func (p *Population) worker() *populationWorker {
	if w, ok := p.workers.Get().(*populationWorker); ok {
		return w
	}
	t, err := newTarget(p.path, p.start, true, MaxFeatures)
	if err != nil {
		panic(fmt.Sprintf("mcmc: a start of a population: %v", err)) // which NewPopulation had
	}
	t.Temper()
	w := &populationWorker{target: t}
	w.scan = p.scan(p.path, &w.tuner)
	for _, k := range w.scan.kernels {
		switch k.(type) {
		case *temperature, scales, levels:
			if !slices.Contains(w.walks, k) {
				w.walks = append(w.walks, k)
			}
		}
	}
	return w
}

// member returns the particles of a member.
func (w *populationWorker) member(ctx context.Context, p *Population, m int) ([]particle, error) {
	rng := p.stream(fmt.Sprintf("member-%d", m+1)).Rand
	particles := make([]particle, p.cfg.Scans)
	if p.stage == 0 {
		w.target.SetPower(1)
		for i := range particles {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if err := w.target.drawPrior(rng, p.start); err != nil {
				return nil, err
			}
			particles[i] = w.particle(p)
		}
		return particles, nil
	}
	w.target.SetPower(p.power)
	w.tuner = tuner{Tuning: p.tuning}
	w.target.Load(p.ancestors[m].Unknowns)
	if model := w.target.Weighted(); model != nil {
		model.DrawMissing(rng) // weights integrated them out
	}
	particles[0] = w.particle(p)
	for i := range particles[1:] {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		w.scan.Step(rng, w.target)
		if s := w.target; math.IsNaN(s.LogLik()) {
			return nil, fmt.Errorf("stage %d: the likelihood cannot be computed at SigmaX %.3g, SigmaA %.3g with %d features: fix SigmaX or give it a gamma prior", p.stage, s.Scales().SigmaX, s.Scales().SigmaA, s.K())
		}
		particles[i+1] = w.particle(p)
	}
	return particles, nil
}

// particle returns the state with its weight.
func (w *populationWorker) particle(p *Population) particle {
	s := w.target
	x := particle{Unknowns: s.Unknowns()}
	if model := s.Weighted(); model != nil {
		x.rest = model.LogPath(p.power)
		return x
	}
	now := s.LogLik()/s.Power() - s.LogReference()
	x.slope = now
	if p.power > 0 {
		x.rest = -p.power * now
	}
	switch {
	case !p.held():
	case p.power == 1:
		w.cells.set(s, p.post.SigmaX)
		x.slope, x.rest = 0, w.cells.logSum()-s.LogLik()
	default:
		next := s.Scales()
		next.SigmaX = p.ahead
		x.slope = s.LogLikAt(next)/s.Power() - s.LogReference()
		x.rest += s.LogPriorAt(next) - s.LogPriorAt(s.Scales())
	}
	return x
}

// tune tunes the random walks on some ancestors at the power of the stage. What it does
// to their states is lost, so that the steps depend on earlier stages only.
func (w *populationWorker) tune(p *Population, rng *rand.Rand) {
	if !p.options.Tune || len(w.walks) == 0 {
		return
	}
	w.target.SetPower(p.power)
	w.tuner = tuner{p.tuning.clone(), true}
	w.tuner.Temperature.Learned, w.tuner.Scales.Learned = tuneCount, tuneCount
	for m := range w.tuner.Further {
		w.tuner.Further[m].Learned = tuneCount
	}
	n := min(tuneParticles, p.cfg.Members)
	for j := range n {
		w.target.Load(p.ancestors[j*p.cfg.Members/n].Unknowns)
		for range tuneSteps {
			for _, k := range w.walks {
				k.Step(rng, w.target)
			}
		}
	}
	p.tuning = w.tuner.Tuning
}
