package mcmc

import (
	"runtime/debug"
	"testing"

	"go.uber.org/goleak"
)

// TestMain proves that the tests leave no goroutine behind.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // thousands of small states
	goleak.VerifyTestMain(m)
}
