package serve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"aibd/draws"
	"aibd/internal/lists"
	"aibd/internal/results"
	"aibd/internal/runs"
	"aibd/internal/verdict"
	"aibd/internal/visible"
	"aibd/internal/words"
	"aibd/posterior"
)

// maxPoints bounds the points that a page gets of each quantity: at most 2000 of a chain,
// and fewer if there are many chains.
const (
	maxPoints      = 60_000
	maxChainPoints = 2000
)

// view is what the pages of a run show. They share it.
type view struct {
	server *Server
	name   string

	mutex      sync.Mutex
	follower   *runs.Follower
	looked     time.Time // at the files
	busy       time.Time // when the run was sampled
	err        error     // of run.json
	state      state
	read       int                // draws of all chains
	quantities []verdict.Quantity // of these draws
	start      int                // grows when all points are new
	stride     int                // every nth draw is a point; 0 before the first look
	checks     checks
	found      found
}

// view returns the view of a run. Views that nobody looked at for some time are dropped.
func (s *Server) view(name string) *view {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	v := s.views[name]
	if v == nil {
		for other, old := range s.views {
			if old.mutex.TryLock() {
				if time.Since(old.looked) > time.Minute {
					delete(s.views, other)
				}
				old.mutex.Unlock()
			}
		}
		v = &view{server: s, name: name, follower: runs.Follow(s.below, filepath.FromSlash(name)), looked: time.Now()}
		s.views[name] = v
	}
	return v
}

// look brings the view up to date, at most once in the time between two looks. The caller
// holds the mutex.
func (v *view) look() {
	if v.stride != 0 && time.Since(v.looked) < v.server.o.Every*9/10 {
		return
	}
	v.looked = time.Now()
	f := v.follower
	restart := f.Restart
	if v.err = f.Update(); v.err != nil {
		if v.state = broken(v.err); errors.Is(v.err, fs.ErrNotExist) {
			v.state = state{State: removed, Text: "Removed"}
		}
		v.stride = max(v.stride, 1)
		return
	}
	if f.Restart != restart {
		v.checks = checks{version: v.checks.version + 1}
		v.start, v.stride, v.read = v.start+1, 1, -1
	}
	if drawn := v.drawn(); drawn != v.read {
		v.read, v.quantities = drawn, results.Quantities(f.Run, f.Traces)
	}
	v.thin()
	v.state = v.server.stateOf(v.name, f.Stated, f.Run, f.Reports, f.Damage)
	v.checks.update(f)
	switch {
	case v.state.State == sampling || v.state.State == stopping:
		v.busy = v.looked
		if v.found.key != "" {
			v.found = found{version: v.found.version + 1, busy: v.found.busy}
		}
	case v.looked.Sub(v.busy) > 2*v.server.o.Every: // and not between two rounds
		v.describe()
	}
}

// drawn returns the number of draws of all chains.
func (v *view) drawn() int { return lists.Sum(lists.Of(v.follower.Traces, runs.Trace.Len)) }

// thin doubles the stride until there are few enough points.
func (v *view) thin() {
	longest := slices.Max(lists.Of(v.follower.Traces, runs.Trace.Len))
	for per := min(maxChainPoints, max(maxPoints/len(v.follower.Traces), 100)); longest > per*v.stride; {
		v.start, v.stride = v.start+1, 2*v.stride
	}
}

// plot is a quantity that is shown.
type plot struct {
	Key   string `json:"key"`
	Label string `json:"label"`
}

// plots returns the quantities that are sampled: the number of features first.
func (v *view) plots() (plots []plot, of []verdict.Quantity) {
	of = slices.DeleteFunc(slices.Clone(v.quantities), func(q verdict.Quantity) bool { return q.Kind == verdict.Fixed })
	slices.SortStableFunc(of, func(a, b verdict.Quantity) int { return rank(a) - rank(b) })
	return lists.Of(of, func(q verdict.Quantity) plot { return plot{q.Key, q.Label()} }), of
}

func rank(q verdict.Quantity) int {
	switch q.Key {
	case draws.KeyFeatures:
		return 0
	case draws.KeyLogJoint:
		return 1
	}
	return 2
}

// values are numbers of six digits in JSON; null stands for what is not finite.
type values []float64

func (v values) MarshalJSON() ([]byte, error) {
	b := []byte{'['}
	for i, x := range v {
		if i > 0 {
			b = append(b, ',')
		}
		if math.IsNaN(x) || math.IsInf(x, 0) {
			b = append(b, "null"...)
		} else {
			b = append(b, words.Rounded(x, 6)...)
		}
	}
	return append(b, ']'), nil
}

// begin is the first message about a round.
type begin struct {
	Stride int    `json:"stride"` // draws from a point to the next
	Start  int    `json:"start"`  // counts these messages
	Draws  int    `json:"draws"`  // of each chain, when the round is complete
	Chains int    `json:"chains"`
	Plots  []plot `json:"plots"`
	Points points `json:"points"`
}

// points are new points of all chains.
type points struct {
	From   []int      `json:"from"`   // point of each chain
	Values [][]values `json:"values"` // of each chain, by plot
}

// newPoints returns the points of each chain from the given ones, and whether there are any.
// It moves from behind them.
func (v *view) newPoints(from []int) (p points, some bool) {
	_, of := v.plots()
	p = points{From: slices.Clone(from), Values: make([][]values, len(from))}
	for c := range from {
		drawn := v.follower.Traces[c].Len()
		end := (drawn + v.stride - 1) / v.stride
		some = some || end > from[c]
		for _, q := range of {
			var new values
			for i := from[c]; i < end; i++ {
				new = append(new, q.Chains[c][i*v.stride])
			}
			p.Values[c] = append(p.Values[c], new)
		}
		from[c] = max(from[c], end)
	}
	return p, some
}

// The curves of the checks have points at equal steps, at most maxSteps of them: a step is the
// smallest possible one of firstStep, twice as much and so on.
const (
	firstStep = 8
	maxSteps  = 40
)

// checks says whether the chains agree so far, by the quantities that are sampled.
type checks struct {
	version int
	drawn   int // of each chain
	step    int
	next    time.Time

	Draws values // of each chain, at each point
	RHat  values // the largest
	ESS   values // the smallest, bulk or tail
	rows  []row
	line  string
}

// row is a line of the table of quantities.
type row struct {
	Name                    string
	Q50, Q5, Q95, RHat, ESS string
	Apart, Few              bool // R-hat is too large; ESS is too small
}

// update computes the checks if there are new draws and the last time is long enough ago.
func (c *checks) update(f *runs.Follower) {
	traces := f.Common()
	if traces == nil || traces[0].Len() == c.drawn || time.Now().Before(c.next) {
		return
	}
	began := time.Now()
	drawn := traces[0].Len()
	all := results.Quantities(f.Run, traces)
	c.step = max(c.step, firstStep)
	for ; drawn > maxSteps*c.step; c.step *= 2 {
		c.Draws, c.RHat, c.ESS = halved(c.Draws), halved(c.RHat), halved(c.ESS)
	}
	for at := (len(c.Draws) + 1) * c.step; at <= drawn; at += c.step {
		w := worstOf(all, at)
		c.Draws, c.RHat, c.ESS = append(c.Draws, float64(at)), append(c.RHat, w.rHat), append(c.ESS, w.ess)
		if time.Since(began) > 300*time.Millisecond {
			break
		}
	}
	c.drawn, c.version = drawn, c.version+1
	c.rows, c.line = lists.Of(all, rowOf), worstOf(all, drawn).line(drawn)
	c.next = time.Now().Add(10 * time.Since(began))
	if (len(c.Draws)+1)*c.step <= drawn {
		c.drawn = 0 // there are points left to compute
	}
}

// halved returns every second value, the second first.
func halved(all values) values {
	var half values
	for i := 1; i < len(all); i += 2 {
		half = append(half, all[i])
	}
	return half
}

// worst holds the worst diagnostics of quantities. NaN is unknown.
type worst struct {
	rHat, ess     float64
	rHatOf, essOf string // names
}

// worstOf returns the worst diagnostics of the quantities that decide whether chains agree, from the
// first draws of each chain.
func worstOf(quantities []verdict.Quantity, draws int) worst {
	w := worst{rHat: math.NaN(), ess: math.NaN()}
	for _, q := range quantities {
		if q.Kind == verdict.Fixed || q.Code {
			continue
		}
		chains := lists.Make(len(q.Chains), func(c int) []float64 { return q.Chains[c][:draws] })
		if r := posterior.RHat(chains); !(r <= w.rHat) && !math.IsNaN(r) {
			w.rHat, w.rHatOf = r, q.Name
		}
		for _, e := range []float64{posterior.ESSBulk(chains), posterior.ESSTail(chains)} {
			if !(e >= w.ess) && !math.IsNaN(e) {
				w.ess, w.essOf = e, q.Name
			}
		}
	}
	return w
}

// settled reports whether R-hat and ESS are as they must be.
func (w worst) settled() bool { return w.rHat <= verdict.MaxRHat && w.ess >= verdict.MinESS }

func (w worst) line(draws int) string {
	if math.IsNaN(w.rHat) || math.IsNaN(w.ess) {
		return fmt.Sprintf("Too few draws to tell: %s of each chain.", words.Count(draws))
	}
	line := fmt.Sprintf("R-hat is at most %s (%s), ESS at least %s (%s)", verdict.RHat(w.rHat), w.rHatOf, verdict.ESS(w.ess), w.essOf)
	if w.settled() {
		return line + ": both are within the limits."
	}
	return line + fmt.Sprintf(": expected at most %v and at least %d.", verdict.MaxRHat, verdict.MinESS)
}

// rowOf returns the line of a quantity.
func rowOf(q verdict.Quantity) row {
	s := posterior.Summarize(q.Chains)
	r := row{Name: visible.Text(q.Label()), Q50: words.Rounded(s.Q50, 4)}
	if q.Kind == verdict.Fixed {
		r.RHat = "fixed"
		return r
	}
	ess := math.Min(s.ESSBulk, s.ESSTail)
	if math.IsNaN(ess) {
		ess = s.ESSBulk
	}
	r.Q5, r.Q95, r.RHat, r.ESS = words.Rounded(s.Q5, 4), words.Rounded(s.Q95, 4), "–", "–"
	if !math.IsNaN(s.RHat) {
		r.RHat, r.Apart = verdict.RHat(s.RHat), s.RHat > verdict.MaxRHat
	}
	if !math.IsNaN(ess) {
		r.ESS, r.Few = verdict.ESS(ess), ess < verdict.MinESS
	}
	return r
}

// found is the description of a run in the state that a key names.
type found struct {
	version int
	key     string
	busy    bool
	of      *Description
	svg     [][]byte // its pictures that were drawn
	err     string
}

// describe begins to describe the run, unless that is done or under way.
func (v *view) describe() {
	key := fmt.Sprint(v.follower.Restart, v.read, v.state.State)
	if v.found.busy || v.found.key == key || v.read == 0 || v.server.o.Describe == nil {
		return
	}
	v.found.busy, v.found.key = true, key
	v.server.work.Go(func() {
		v.server.describing <- struct{}{}
		defer func() { <-v.server.describing }()
		of, err := v.server.describeRun(v.name)
		v.mutex.Lock()
		defer v.mutex.Unlock()
		v.found.busy, v.found.of, v.found.svg, v.found.err = false, of, nil, ""
		v.found.version++
		if err != nil {
			v.found.err = err.Error()
			return
		}
		v.found.svg = make([][]byte, len(of.Pictures))
	})
}

// describeRun returns the description of a run.
func (s *Server) describeRun(name string) (d *Description, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error: %v", p)
		}
	}()
	run, err := runs.OpenBelow(s.below, filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	return s.o.Describe(run)
}

// draw returns a picture of the description, or nil if there is no such picture.
func (v *view) draw(ctx context.Context, n int) (svg []byte, err error) {
	select {
	case v.server.describing <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error: %v", p)
		}
		<-v.server.describing
	}()
	v.mutex.Lock()
	f := v.found
	v.mutex.Unlock()
	if n < 0 || n >= len(f.svg) {
		return nil, nil
	}
	if f.svg[n] == nil {
		f.svg[n], err = f.of.Draw(n)
	}
	return f.svg[n], err
}
