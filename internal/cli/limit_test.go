package cli

import (
	"strings"
	"testing"

	"aibd/internal/results"
)

// TestLimit: the summary says in how many scans the maximum number of features bound.
func TestLimit(t *testing.T) {
	if line := (summary{new(results.Summary)}).limit(); line != "" {
		t.Errorf("found %q, expected nothing", line)
	}
	if line := (summary{&results.Summary{Scans: 300, Limited: 12}}).limit(); !strings.HasPrefix(line, "The maximum of 10000 features was reached in 12 of 300 scans") || strings.Contains(line, "\n") {
		t.Errorf("found %q", line)
	}
}
