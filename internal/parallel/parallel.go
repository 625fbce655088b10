// Package parallel runs independent tasks on several cores.
package parallel

import (
	"context"
	"sync"
	"sync/atomic"
)

// Each calls do(0) to do(n-1), in any order, on at most the given number of goroutines.
// It stops early if ctx is done or a call fails. It returns the error of the call with
// the min argument among those that failed, else that of ctx.
func Each(ctx context.Context, workers, n int, do func(i int) error) error {
	var next atomic.Int64
	var failed atomic.Bool
	errs := make([]error, n)
	var group sync.WaitGroup
	for range min(workers, n) {
		group.Go(func() {
			for ctx.Err() == nil && !failed.Load() {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if errs[i] = do(i); errs[i] != nil {
					failed.Store(true)
				}
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

// Do calls do(0) to do(n-1), in any order, on at most the given number of goroutines.
func Do(workers, n int, do func(i int)) {
	Each(context.Background(), workers, n, func(i int) error { // never fails
		do(i)
		return nil
	})
}
