package parallel

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
)

func TestEach(t *testing.T) {
	for _, workers := range []int{1, 3, 100} {
		done := make([]atomic.Int64, 50)
		if err := Each(t.Context(), workers, len(done), func(i int) error { done[i].Add(1); return nil }); err != nil {
			t.Error(err)
		}
		for i := range done {
			if n := done[i].Load(); n != 1 {
				t.Errorf("%d workers have done %d times what is to be done once", workers, n)
			}
		}
	}
	broken := errors.New("broken")
	calls := 0
	if err := Each(t.Context(), 1, 50, func(i int) error {
		calls++
		if i == 3 {
			return broken
		}
		return nil
	}); err != broken || calls != 4 {
		t.Errorf("%v after %d calls", err, calls)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if err := Each(ctx, 2, 50, func(int) error { cancel(); return nil }); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}
