package runs

// Who samples which chain next.

import (
	"context"
	"errors"
	"sync"
	"time"

	"aibd/mcmc"
)

// schedule hands the chains to the workers.
type schedule struct {
	mutex sync.Mutex
	tasks []task // by chain
}

// task is a chain on its way.
type task struct {
	chain   *mcmc.Chain // nil before the first turn
	rec     *recorder
	elapsed time.Duration // of its turns
	scans   int           // made in its turns
	busy    bool          // a worker has it
	ended   bool          // its draws and its report are written
	written int           // segments, once ended
	err     error         // it goes no further
	number  int           // of the chain, from zero
}

// take returns the task that is furthest behind among those that no worker has,
// nil if there is none: then every chain left has a worker.
func (s *schedule) take() *task {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	var last *task
	for c := range s.tasks {
		t := &s.tasks[c]
		if !t.busy && !t.ended && t.err == nil && (last == nil || t.scans < last.scans) {
			t.number, last = c, t
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

// turn is a context that is also done when its scans are: a chain looks at it once
// before each.
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
