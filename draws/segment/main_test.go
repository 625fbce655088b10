package segment

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain proves that the tests leave no goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
