// Package state holds the unknowns of a feature allocation model together with
// everything derived from them: the tracker of the law, and the likelihood as a cache and
// as a spectrum. Nothing else changes the allocation, the tracker or the cache, so that no
// update of the unknowns can leave them out of step.
package state

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"aibd/draws"
	"aibd/feature"
	"aibd/internal/collapsed"
	"aibd/internal/intensity"
	"aibd/internal/weighted"
	"aibd/lglfm"
)

// Unknowns are the values of a State.
type Unknowns struct {
	Z                   *feature.Allocation
	Mass                float64
	Temperature         float64   // NaN if the law has none
	FurtherTemperatures []float64 // temperatures of the distances after the first; nil if there are none
	Permutation         []int     // nil if the law has none; Permutation[p] arrives at position p
	Scales              lglfm.Scales
	Cells               []float64 // values of the unknown cells of X, row by row; nil: the means of the observed cells of their columns
	Cutpoints           []float64 // unknown cutpoints of ordinal columns, column by column; nil: those of the data
	NoiseScales         []float64 // of all columns of X, if they have any; nil: not drawn yet, see DrawNoise

	// Of features with weights: those of the ones of Z, see draws.Draw, and the unknowns of their prior.
	Weights []float64
	Shares  weighted.Shares
}

// Weights says whether features have weights.
type Weights struct {
	Have  bool
	Prior *weighted.Prior // nil: they are independent
}

// State is a point of the parameter space. Edits change the allocation, the tracker and
// the cache together: Close (after Open, Flip and SetSingletons), Append, Remove, Combine,
// Complement and Toggle. SetScales, SetNoise, Accept, DrawCells, DrawBounded, DrawCutpoints and
// SetPower change the rest.
//
// A State belongs to one chain and is not safe for concurrent use.
type State struct {
	Mass    float64 // nothing derived depends on it
	Limited bool    // a kernel sets it where Room cut a draw short or rejected a birth

	z            feature.Allocation // Z: the columns of y from first
	temperatures intensity.Temperatures
	permutation  []int
	scales       lglfm.Scales
	limit        int // of K

	// The likelihood takes y, which is Z or, with an intercept, [1 Z]. Column k of Z is
	// column first+k of y. The cache and the spectrum count the columns of y, everything else
	// those of Z.
	y     *feature.Allocation
	first int

	full, data *collapsed.Data // with the likelihood to power 1, and to the current power
	power      float64
	cells      collapsed.Cells
	bounds     collapsed.Bounds
	cutpoints  collapsed.Cutpoints
	noise      collapsed.Noise
	weighted   *weighted.Model // of weighted features, in place of y, cache and spectrum; nil: features are binary
	noisy      bool            // the noise scales are set
	missing    []float64       // see Close
	stale      bool            // the cache is of other values of the unknown cells or noise scales
	tracker    intensity.Tracker
	law        intensity.Reader // the tracker
	cache      *collapsed.Cache
	logLik     float64
	exact      bool // cache and logLik are as if computed afresh

	row       int // the open row, or -1
	toggles   collapsed.Toggles
	toggled   int // the column of toggles, -1 if they are out of date
	column    []uint64
	terms     []collapsed.Term // of columns of y
	columns   []int            // of y
	proposed  bool             // the tracker holds a proposal, of these
	nextTemps intensity.Temperatures
	nextPerm  []int // nil: the current one except items at places
	places    []int
	items     []int
	shuffled  []int // working memory

	spectrum collapsed.Spectrum
	spectral bool         // spectrum is of the current Z
	atScales float64      // its log likelihood at the current scales
	asked    lglfm.Scales // the last other scales of LogLikAt
	askedLik float64      // and the log likelihood there
	askedZ   bool         // both are of the current Z
}

// Features are the reading methods of feature.Allocation.
type Features interface {
	N() int
	K() int
	Size(k int) int
	Has(i, k int) bool
	Shared(i, j int) int
	Ones() int
	RowSum(i int) int
	Rows() [][]int
	Key() string
	String() string
	LogMultiplicities() float64
	Clone() *feature.Allocation
}

// New returns the state at u, which it copies. The tracker must be at the temperature and
// the permutation of u and belongs to the state from now on. No more than limit features
// are to be added. New panics if u has another number of unknown cells than the data.
func New(data *collapsed.Data, tracker intensity.Tracker, u Unknowns, w Weights, limit int) *State {
	data = data.Detach()
	s := &State{
		Mass: u.Mass, temperatures: intensity.Temperatures{First: u.Temperature, Tail: u.FurtherTemperatures}.Clone(), permutation: slices.Clone(u.Permutation),
		scales: u.Scales, limit: limit, full: data, data: data, power: 1, tracker: tracker, row: -1, toggled: -1,
	}
	s.law = tracker
	if w.Have {
		s.weigh(u, w.Prior)
		return s
	}
	if data.Intercept() {
		s.first = 1
	}
	s.setZ(u.Z)
	s.complete(u)
	s.cache = collapsed.NewCache(data, s.y, s.scales)
	s.Refresh()
	return s
}

// setZ copies z into y, and makes it Z.
func (s *State) setZ(z *feature.Allocation) {
	if s.first == 0 {
		s.y = z.Clone()
	} else {
		s.y = collapsed.WithOnes(z)
	}
	s.z = s.y.From(s.first)
}

// Unknowns returns a copy of the unknowns.
func (s *State) Unknowns() Unknowns {
	u := Unknowns{Z: s.z.Clone(), Mass: s.Mass, Temperature: s.temperatures.First, FurtherTemperatures: slices.Clone(s.temperatures.Tail), Permutation: slices.Clone(s.permutation), Scales: s.scales}
	if s.weighted != nil {
		s.fillWeighted(&u)
		return u
	}
	u.Cells, u.Cutpoints = s.full.Values(nil), s.full.Cutpoints(nil)
	if s.noisy {
		u.NoiseScales = s.full.NoiseScales(nil)
	}
	return u
}

// Complete sets the cutpoints, the unknown cells and the noise scales of data, those that are not
// nil. It reports whether it set any. The data must not be shared, see collapsed.Data.Own.
func (u *Unknowns) Complete(data *collapsed.Data) (changed bool, err error) {
	for _, part := range []struct {
		values []float64
		set    func([]float64) error
	}{{u.Cutpoints, data.SetCutpoints}, {u.Cells, data.SetValues}, {u.NoiseScales, data.SetNoiseScales}} {
		if part.values == nil {
			continue
		}
		if err := part.set(part.values); err != nil {
			return true, err
		}
		changed = true
	}
	return changed, nil
}

// complete completes the data.
func (s *State) complete(u Unknowns) {
	changed, err := u.Complete(s.full)
	if err != nil {
		panic(fmt.Sprint("state: ", err))
	}
	if changed {
		s.completed()
	}
	s.noisy = s.noisy || u.NoiseScales != nil
}

// completed follows new values of the unknown cells or noise scales.
func (s *State) completed() {
	if s.power != 1 {
		s.data = s.full.Power(s.power)
	}
	s.stale, s.exact, s.spectral, s.askedZ, s.toggled = true, false, false, false, -1
}

// DrawCells draws the unknown cells of X given everything else, at power 1
// whatever the power of the likelihood. It reports whether there are any.
func (s *State) DrawCells(rng *rand.Rand) bool {
	s.closed()
	if s.full.Unknown() == 0 {
		return false
	}
	s.cells.Reset(s.full, s.y, s.scales)
	s.cells.Draw(rng, s.full)
	s.completed()
	return true
}

// DrawBounded draws the unknown cells that have bounds, one after the other, given everything
// else, at a power as DrawCells does. It reports whether there are any.
func (s *State) DrawBounded(rng *rand.Rand) bool {
	s.closed()
	if s.full.Bounded() == 0 {
		return false
	}
	s.bounds.Draw(rng, s.full, s.y, s.scales)
	s.completed()
	return true
}

// DrawCutpoints draws the unknown cutpoints with the cells of their columns given everything else,
// at a power as DrawCells does. It reports whether there are any.
func (s *State) DrawCutpoints(rng *rand.Rand) bool {
	s.closed()
	if !s.full.HasOrdinal() {
		return false
	}
	if s.weighted != nil {
		s.weighted.DrawCutpoints(rng)
		return true
	}
	s.cutpoints.Draw(rng, s.full, s.y, s.scales)
	s.completed()
	return true
}

// DrawNoise returns a draw of the noise scales of columns given everything else, for SetNoise, at
// power 1. The columns must have noise scales. Until they are set they are 1, and
// have no prior density.
func (s *State) DrawNoise(rng *rand.Rand) []float64 {
	s.closed()
	return s.noise.Draw(rng, s.full, s.y, s.scales)
}

// SetNoise changes the noise scales of the columns, which must have some, and the scales. The cells
// and cutpoints of ordinal columns change like SigmaX.
func (s *State) SetNoise(noise []float64, scales lglfm.Scales) {
	s.closed()
	if g := scales.SigmaX / s.scales.SigmaX; g != 1 {
		s.full.ScaleOrdinal(g)
	}
	if err := s.full.SetNoiseScales(noise); err != nil {
		panic(fmt.Sprint("state: ", err))
	}
	s.scales, s.noisy = scales, true
	s.completed()
}

// NoiseScales returns the noise scales of the columns, nil if they have none.
func (s *State) NoiseScales() []float64 {
	if s.weighted != nil {
		return slices.Clone(s.weighted.Noise())
	}
	return s.full.NoiseScales(nil)
}

// BoundedCells returns the values of the cells of X that have bounds, row by row.
func (s *State) BoundedCells() []float64 {
	if s.weighted != nil {
		return s.weighted.Bounded(nil)
	}
	return s.full.BoundedValues(nil)
}

// LogCutpoints returns the log prior density, given scales, of the unknown cutpoints.
func (s *State) LogCutpoints(scales lglfm.Scales) float64 { return s.full.LogCutpoints(scales) }

// LogPriorAt returns the log prior density, given scales, of the unknowns whose prior depends on
// SigmaX: the cutpoints and the noise scales. Until the noise scales are set, it rejects a SigmaX
// that falls below the bounds on the noise of all columns.
func (s *State) LogPriorAt(scales lglfm.Scales) float64 {
	log := s.full.LogCutpoints(scales)
	if s.weighted != nil {
		return log + s.weighted.LogNoise(scales)
	}
	switch {
	case s.noisy:
		log += s.full.LogNoiseScales(scales)
	case scales.SigmaX < min(s.scales.SigmaX, s.full.MinNoiseBound()):
		return math.Inf(-1)
	}
	return log
}

// Load moves to other unknowns of the same law, which it copies.
func (s *State) Load(u Unknowns) {
	s.closed()
	s.Mass, s.scales, s.exact = u.Mass, u.Scales, false
	if s.weighted != nil {
		s.loadWeighted(u)
	} else {
		s.setZ(u.Z)
		s.complete(u)
	}
	s.tracker.Reset(&s.z)
	if !math.IsNaN(u.Temperature) {
		s.ProposeTemperatures(intensity.Temperatures{First: u.Temperature, Tail: u.FurtherTemperatures}, u.Permutation)
		s.Accept()
	}
	s.Refresh()
}

// Fill sets the fields of d that the state determines, all but Iteration and LogPrior.
// They are valid until the next edit. LogLik covers the observed cells, and those with
// bounds at their current values, times the power of the likelihood. With unknown cells the power
// must be 1.
func (s *State) Fill(d *draws.Draw) {
	d.Mass, d.Temperature, d.SigmaX, d.SigmaA = s.Mass, s.temperatures.First, s.scales.SigmaX, s.scales.SigmaA
	d.FurtherTemperatures, d.Permutation, d.Z = s.temperatures.Tail, s.permutation, &s.z
	if s.weighted != nil {
		s.fillDraw(d)
		return
	}
	d.Cells = s.full.BoundedValues(d.Cells[:0])
	d.Cutpoints, d.NoiseScales = s.full.Cutpoints(d.Cutpoints[:0]), s.full.NoiseScales(d.NoiseScales[:0])
	if s.full.Unknown() > 0 {
		d.LogLik = collapsed.LogLik(s.full, s.y, s.scales)
		return
	}
	if !s.exact { // edits leave rounding errors, which add up
		s.refreshCache()
	}
	d.LogLik = s.logLik
}

// N returns the number of items.
func (s *State) N() int { return s.z.N() }

// K returns the number of features.
func (s *State) K() int { return s.z.K() }

// Column returns feature k as a bitset over the items, valid until the next edit.
func (s *State) Column(k int) []uint64 { return s.z.Column(k) }

// Z returns the allocation, to be read until the next edit.
func (s *State) Z() Features { return &s.z }

// Law returns the law, to be read.
func (s *State) Law() intensity.Reader { return s.law }

// Temperature returns the temperature, of several distances that of the first, NaN if the law has
// none.
func (s *State) Temperature() float64 { return s.temperatures.First }

// Temperatures returns the temperatures of all distances, valid until Accept.
func (s *State) Temperatures() intensity.Temperatures { return s.temperatures }

// Permutation returns the permutation, nil if the law has none, valid until Accept.
func (s *State) Permutation() []int { return s.permutation }

// Scales returns the standard deviations.
func (s *State) Scales() lglfm.Scales { return s.scales }

// Power returns the power of the likelihood.
func (s *State) Power() float64 { return s.power }

// Variables returns the number of variables in the likelihood of the open row, times the power
// of the likelihood.
func (s *State) Variables() float64 { return s.cache.Variables() }

// Room returns how many features may be added. Those that the item of the open row alone
// has do not count.
func (s *State) Room() int {
	room := s.limit - s.z.K()
	if s.row >= 0 { // of binary features
		room += s.cache.Singletons()
	}
	return max(0, room)
}

// LogLik returns log p(X | Z, SigmaX, SigmaA) times the power of the likelihood, for X with
// the current values of its unknown cells.
func (s *State) LogLik() float64 {
	if s.weighted != nil {
		return s.weighted.LogLik()
	}
	if s.stale {
		s.refreshCache()
	}
	return s.logLik
}

// LogLikOf returns what LogLik would at another Z, without weights, and other scales.
func (s *State) LogLikOf(z *feature.Allocation, scales lglfm.Scales) float64 {
	if s.first == 1 {
		z = collapsed.WithOnes(z)
	}
	return collapsed.NewCache(s.data, z, scales).LogLik()
}

// LogProb returns the log probability of Z given mass, temperature and permutation. With weights it
// is the log density of the set of features: equal columns differ by their weights.
func (s *State) LogProb() float64 {
	sum := -s.Mass*s.tracker.TotalIntensity() + float64(s.z.K())*math.Log(s.Mass) + s.tracker.SumLogIntensity()
	if s.weighted != nil {
		return sum + s.weighted.LogWeights()
	}
	return sum - s.z.LogMultiplicities()
}

// Refresh derives everything afresh from the unknowns. A chain does so in every scan:
// rounding errors do not pile up, and a state made of the unknowns of another one behaves
// exactly as that.
func (s *State) Refresh() {
	s.closed()
	s.tracker.Reset(&s.z)
	if s.weighted != nil {
		s.weighted.Refresh()
		return
	}
	if !s.exact {
		s.refreshCache()
	}
}

// refreshCache computes the cache afresh.
func (s *State) refreshCache() {
	s.cache.Reset(s.data, s.y, s.scales)
	s.stale = false
	s.edited()
	s.exact = true
}

// SetPower raises the likelihood to a power, which must be positive and finite.
func (s *State) SetPower(power float64) {
	if power == s.power {
		return
	}
	s.closed()
	if s.weighted != nil {
		panic("state: a power of the likelihood of features with weights")
	}
	s.power, s.data = power, s.full
	if power != 1 {
		s.data = s.full.Power(power)
	}
	s.refreshCache()
}

// closed panics if a row is open.
func (s *State) closed() {
	if s.row >= 0 {
		panic("state: a row is open")
	}
}

// ready brings the cache to the current scales before its use.
func (s *State) ready() {
	s.closed()
	if s.stale || s.cache.Scales() != s.scales {
		s.Refresh()
	}
}

// edited takes Z from y and the log likelihood from the cache, and drops outdated values,
// after an edit.
func (s *State) edited() {
	s.z = s.y.From(s.first)
	s.logLik, s.exact, s.spectral, s.askedZ, s.toggled, s.proposed = s.cache.LogLik(), false, false, false, -1, false
}

// LogLikAt returns the log likelihood at other scales. One reduction of Z serves all calls
// until the next edit.
func (s *State) LogLikAt(scales lglfm.Scales) float64 {
	if s.weighted != nil {
		return s.weighted.LogLikAt(scales)
	}
	if !s.spectral {
		s.spectrum.Reset(s.data, s.y)
		s.spectral, s.atScales = true, s.spectrum.LogLik(s.scales)
	}
	if scales == s.scales {
		return s.atScales
	}
	s.asked, s.askedLik, s.askedZ = scales, s.spectrum.LogLik(scales), true
	return s.askedLik
}

// SetScales changes the scales. The cache follows at its next use.
func (s *State) SetScales(scales lglfm.Scales) {
	s.closed()
	if s.weighted != nil {
		s.scales = scales
		s.weighted.Stale()
		return
	}
	if !s.askedZ || s.asked != scales {
		s.askedLik = s.LogLikAt(scales)
	}
	s.scales, s.logLik, s.exact, s.atScales, s.toggled, s.askedZ = scales, s.askedLik, false, s.askedLik, -1, false
}

// Propose is ProposeTemperatures at the current temperatures of the distances after the first.
func (s *State) Propose(temperature float64, permutation []int) (sumLogIntensity, totalIntensity float64) {
	return s.ProposeTemperatures(intensity.Temperatures{First: temperature, Tail: s.temperatures.Tail}, permutation)
}

// ProposeTemperatures returns the sum of log nu and H at other temperatures and another permutation,
// for Accept. An edit voids the proposal. It copies the temperatures.
func (s *State) ProposeTemperatures(t intensity.Temperatures, permutation []int) (sumLogIntensity, totalIntensity float64) {
	s.nextPerm, s.places, s.items, s.proposed = permutation, nil, nil, true
	s.nextTemps.Set(t)
	return s.tracker.Propose(s.nextTemps, permutation)
}

// ProposeShuffle is Propose at the current temperature, and at the current permutation except the
// items at some places.
func (s *State) ProposeShuffle(places, items []int) (sumLogIntensity, totalIntensity float64) {
	if t, ok := s.tracker.(intensity.Shuffler); ok {
		s.nextPerm, s.places, s.items, s.proposed = nil, places, items, true
		s.nextTemps.Set(s.temperatures)
		return t.ProposeShuffle(places, items)
	}
	s.shuffled = append(s.shuffled[:0], s.permutation...)
	put(s.shuffled, places, items)
	return s.ProposeTemperatures(s.temperatures, s.shuffled)
}

// put sets the items at places of a permutation.
func put(permutation, places, items []int) {
	for m, p := range places {
		permutation[p] = items[m]
	}
}

// Accept moves to the temperature and the permutation last proposed.
func (s *State) Accept() {
	if !s.proposed {
		panic("state: nothing is proposed")
	}
	s.proposed = false
	s.tracker.Accept()
	s.temperatures.Set(s.nextTemps)
	copy(s.permutation, s.nextPerm)
	put(s.permutation, s.places, s.items)
}

// Insertions fills weights, of length N, as intensity.Inserter does. It panics unless the
// tracker is one.
func (s *State) Insertions(i int, weights []float64) {
	s.proposed = false
	s.tracker.(intensity.Inserter).Insertions(i, weights)
}
