// Package results computes what the draws of a run say: the verdict on them, a summary, sharing, an estimate
// of Z, predictions and checks. Verbs print these and package picture draws them.
package results

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	"aibd/draws"
	"aibd/internal/describe"
	"aibd/internal/lists"
	"aibd/internal/model"
	"aibd/internal/runs"
	"aibd/internal/verdict"
)

// Judged holds the draws of a run and the verdict on them.
type Judged struct {
	*verdict.Verdict
	Run    *runs.Run
	Traces []runs.Trace    // of the chains used, all of the same length
	Chains [][]*draws.Draw // Chains[c][t] is draw t of the chain of Traces[c]
	Note   string          // about interrupted or damaged chains
	// Problem is what the spec of the run builds from its files, and Seen what the run saw of X. Both are nil after a Glance.
	Problem *model.Problem
	Seen    *model.Observed
	// Within is done when a summary must end. It then has neither Bayes factors of distances nor features that are not
	// computed yet, and says so. Nil: never.
	Within context.Context

	naming   sync.Once // numbered
	numbered bool      // the name of an item is a number

	estimating  sync.Once // estimate or unestimated
	estimate    *Estimate
	unestimated error

	weighing   sync.Once // influences or unweighed
	influences []Evidence
	unweighed  error
}

// Judge reads the draws and the data of a run, and judges the draws.
func Judge(run *runs.Run) (*Judged, error) {
	traces, chains, note, err := run.Kept()
	if err != nil {
		return nil, err
	}
	return judgeKept(run, traces, chains, note)
}

// judgeKept judges what Kept returned of a run.
func judgeKept(run *runs.Run, traces []runs.Trace, chains [][]*draws.Draw, note string) (*Judged, error) {
	j := &Judged{Run: run, Traces: traces, Chains: chains, Note: note}
	var err error
	if j.Traces[0].Len() == 0 {
		return nil, fmt.Errorf("%s: found no draws, expected at least one", run.Dir)
	}
	if j.Problem, err = run.Problem(); err != nil {
		return nil, err
	}
	j.Seen = &j.Problem.Observed
	next := nextRun(run.Dir)
	if j.Verdict, err = run.Judge(j.Traces, j.Chains, j.Seen, next); err != nil {
		return nil, err
	}
	j.switches(next)
	return j, nil
}

// Glance reads and judges the scalars of the draws only, also of a round under way. The result has no Chains, and
// its verdict covers neither pairs of items nor fitted values.
func Glance(run *runs.Run) (*Judged, error) {
	j := &Judged{Run: run}
	var err error
	if j.Traces, j.Note, err = run.Scalars(); err != nil {
		return nil, err
	}
	if j.Traces[0].Len() == 0 {
		return nil, fmt.Errorf("%s: found no draws, expected at least one", run.Dir)
	}
	j.Verdict = verdict.Judge(verdict.Input{Chains: j.Numbers(), Quantities: j.Quantities(), Run: verdict.Run{Dir: run.Dir, Begun: true}})
	return j, nil
}

// Open opens a run and judges it.
func Open(dir string) (*Judged, error) {
	run, err := runs.Open(dir)
	if err != nil {
		return nil, err
	}
	return Judge(run)
}

// nextRun returns a directory that does not exist: the given one with -2, -3 and so on.
func nextRun(dir string) string {
	for i := 2; ; i++ {
		next := fmt.Sprintf("%s-%d", dir, i)
		if _, err := os.Lstat(next); err != nil {
			return next
		}
	}
}

// Beside returns the name of an item with a value: "Iowa 1.81", or "67 (1.81)" if names are numbers.
func (j *Judged) Beside(item int, value string) string {
	names := j.Run.Data.IDs
	j.naming.Do(func() {
		j.numbered = slices.ContainsFunc(names, func(name string) bool {
			_, err := strconv.ParseFloat(name, 64)
			return err == nil && strings.ContainsAny(name, "0123456789")
		})
	})
	if j.numbered {
		return names[item] + " (" + value + ")"
	}
	return names[item] + " " + value
}

// Size returns the number of draws of all chains.
func (j *Judged) Size() int { return len(j.Chains) * len(j.Chains[0]) }

// Numbers returns the numbers of the chains, from one.
func (j *Judged) Numbers() []int {
	return lists.Map(j.Traces, func(t runs.Trace) int { return t.Chain + 1 })
}

// Derived returns a function of the draws by chain.
func (j *Judged) Derived(value func(d *draws.Draw) float64) [][]float64 {
	return lists.MapRows(j.Chains, value)
}

// Quantities returns the scalars of the draws that are reported, with their units.
func (j *Judged) Quantities() []verdict.Quantity { return Quantities(j.Run, j.Traces) }

// Warmup returns the same scalars in scans before the first draw, and these scans by chain,
// counted from one: every nth. A chain may have none, and the note says why.
func (j *Judged) Warmup() (scans [][]int, quantities []verdict.Quantity, note string) {
	before, note := j.Run.Warmup(j.Traces)
	return lists.Map(before, func(t runs.Trace) []int { return t.Iteration }), Quantities(j.Run, before), note
}

// Quantities returns the scalars of draws of a run that are reported, with their units.
func Quantities(run *runs.Run, traces []runs.Trace) []verdict.Quantity {
	all := runs.Quantities(traces, run.Spec, run.Data)
	for m, measured := range run.Data.Distances() {
		if i := slices.IndexFunc(all, func(q verdict.Quantity) bool { return q.Key == draws.TemperatureKey(m) }); i >= 0 {
			all[i].Unit = describe.TemperatureUnit(run.Spec.Prior, measured.Unit)
		}
	}
	return all
}

// before returns what do returns, or, if ctx is done first, its error, while do goes on.
func before[T any](ctx context.Context, do func() (T, error)) (result T, err error) {
	if ctx == nil {
		return do()
	}
	ended := make(chan struct{})
	var value T
	var failed error
	go func() {
		defer close(ended)
		value, failed = do()
	}()
	select {
	case <-ended:
		return value, failed
	case <-ctx.Done():
		return result, ctx.Err()
	}
}
