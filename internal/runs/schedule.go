package runs

// Which chain a worker samples next.

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"aibd/mcmc"
)

// schedule hands the chains to the workers.
type schedule struct {
	mutex sync.Mutex
	tasks []task // by chain
}

// task is a chain to sample.
type task struct {
	number  int                        // of the chain, from zero
	running atomic.Pointer[mcmc.Chain] // nil before its first turn and after its end
	done    atomic.Int64               // scans, unless it is running

	from    *checkpoint // to resume from; nil for a new chain
	retains bool        // from is of the round before, some of whose draws this round has too
	onDisk  int         // draws
	stale   []int       // segments on disk whose draws are to be renumbered
	chain   *mcmc.Chain // nil before the first turn
	rec     *recorder
	elapsed time.Duration // of its turns
	saved   time.Duration // elapsed at the last checkpoint
	scans   int           // made, in all
	busy    bool          // a worker has it
	ended   bool          // all is done and saved
	err     error         // that stopped it
}

func newTasks(chains int) []task {
	tasks := make([]task, chains)
	for c := range tasks {
		tasks[c].number = c
	}
	return tasks
}

// scansDone may be called while the chain runs.
func (t *task) scansDone() int {
	if chain := t.running.Load(); chain != nil {
		return chain.Done()
	}
	return int(t.done.Load())
}

// take returns the task with the fewest scans that no worker has, or nil.
func (s *schedule) take() *task {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	var last *task
	for c := range s.tasks {
		t := &s.tasks[c]
		if !t.busy && !t.ended && t.err == nil && (last == nil || t.scans < last.scans) {
			last = t
		}
	}
	if last != nil {
		last.busy = true
	}
	return last
}

// put takes a task back from a worker.
func (s *schedule) put(t *task) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	t.busy = false
}

// turnScans is how many scans a chain makes before another has its turn.
const turnScans = 10

// turn is a context that is done after some scans: a chain calls Err once before each.
type turn struct {
	context.Context
	scans int
}

var errTurnOver = errors.New("the turn is over")

// Err is for the one chain that has the turn.
func (t *turn) Err() error {
	if err := t.Context.Err(); err != nil {
		return err
	}
	if t.scans == 0 {
		return errTurnOver
	}
	t.scans--
	return nil
}
