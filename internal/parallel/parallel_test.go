package parallel

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
)

func TestEach(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, cores := range []int{1, 3, 100} {
		runtime.GOMAXPROCS(cores)
		done := make([]atomic.Int64, 50)
		if err := Each(t.Context(), len(done), func(i int) error { done[i].Add(1); return nil }); err != nil {
			t.Error(err)
		}
		for i := range done {
			if n := done[i].Load(); n != 1 {
				t.Errorf("%d cores have done %d times what is to be done once", cores, n)
			}
		}
	}
	broken := errors.New("broken")
	calls := 0
	runtime.GOMAXPROCS(1)
	if err := Each(t.Context(), 50, func(i int) error {
		calls++
		if i == 3 {
			return broken
		}
		return nil
	}); err != broken || calls != 4 {
		t.Errorf("%v after %d calls", err, calls)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if err := Each(ctx, 50, func(int) error { cancel(); return nil }); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}
