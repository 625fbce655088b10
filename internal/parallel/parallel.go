// Package parallel runs independent tasks on several cores.
package parallel

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// A loop is a call of Each.
type loop struct {
	all  int
	done atomic.Int64
}

// outermost is the loop that began while no other one ran; nil if there is none.
var outermost atomic.Pointer[loop]

// Progress returns how many of all tasks are done of the loop that began while no other one ran, and what
// differs between loops; nil if none runs.
func Progress() (task any, done, all int) {
	if l := outermost.Load(); l != nil {
		return l, int(l.done.Load()), l.all
	}
	return nil, 0, 0
}

// Each calls do(0) to do(n-1), in any order, on at most runtime.GOMAXPROCS goroutines.
// It stops early if ctx is done or a call fails. It returns the error of the call with
// the min argument among those that failed, else that of ctx.
func Each(ctx context.Context, n int, do func(i int) error) error {
	return EachWith(ctx, n, func() func(int) error { return do })
}

// EachWith is Each with a function for each goroutine. start is called once on each; the calls of the function that it
// returns run one after another, and may use the same memory.
func EachWith(ctx context.Context, n int, start func() func(i int) error) error {
	var next atomic.Int64
	var failed atomic.Bool
	errs := make([]error, n)
	l := &loop{all: n}
	if outermost.CompareAndSwap(nil, l) {
		defer outermost.Store(nil)
	}
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		group.Go(func() {
			do := start()
			for ctx.Err() == nil && !failed.Load() {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if errs[i] = do(i); errs[i] != nil {
					failed.Store(true)
				}
				l.done.Add(1)
			}
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// Do calls do(0) to do(n-1), in any order, on at most runtime.GOMAXPROCS goroutines.
func Do(n int, do func(i int)) {
	DoWith(n, func() func(int) { return do })
}

// DoWith is Do with a function for each goroutine, as in EachWith.
func DoWith(n int, start func() func(i int)) {
	EachWith(context.Background(), n, func() func(int) error {
		do := start()
		return func(i int) error { // never fails
			do(i)
			return nil
		}
	})
}
