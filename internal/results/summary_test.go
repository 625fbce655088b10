package results

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"aibd/internal/runs"
)

// A chain that proposed nothing of a kernel does not report it. The counts of the other chains stay
// theirs.
func TestTotals(t *testing.T) {
	report := func(kernels ...runs.KernelReport) runs.ChainReport { return runs.ChainReport{Kernels: kernels} }
	rows, sums := runs.KernelReport{Name: "rows", Proposed: 10, Accepted: 1}, runs.KernelReport{Name: "sums", Proposed: 4, Accepted: 3}
	got := totalsOf([]runs.ChainReport{report(rows), report(rows, sums), report(sums)})
	expected := []KernelTotals{{"rows", []int{10, 10, 0}, []int{1, 1, 0}, 0.1}, {"sums", []int{0, 4, 4}, []int{0, 3, 3}, 0.75}}
	if !reflect.DeepEqual(got, expected) {
		t.Errorf("found %v, expected %v", got, expected)
	}
}

// A summary that must end names what it leaves out, and has all else.
func TestSummaryWithin(t *testing.T) {
	j := judgeSpec(t, "[likelihood]\nfeatures = 'weighted'\n[sampler]\nchains = 2\nwarmup = 10\ndraws = 40\nuntil = 'draws'\n")
	over, end := context.WithDeadline(t.Context(), time.Time{})
	defer end()
	j.Within = over
	s := j.Summary()
	got := strings.Join(append(s.Found, j.Note), "\n")
	for _, want := range []string{"There was no time for the features: aibd estimate ", "There was no time for the Bayes factors of distances: aibd summary "} {
		if !strings.Contains(got, want) {
			t.Errorf("found %q, expected %q", got, want)
		}
	}
	if len(s.Quantities) == 0 || len(s.Answers.Noise) == 0 {
		t.Error("found no quantities or no noise")
	}
}

// What ends in time is returned.
func TestBefore(t *testing.T) {
	slow := errors.New("slow")
	for _, ctx := range []context.Context{nil, t.Context()} {
		if got, err := before(ctx, func() (int, error) { return 3, slow }); got != 3 || err != slow {
			t.Errorf("found %d, %v", got, err)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	release := make(chan struct{})
	defer close(release)
	stop()
	if got, err := before(ctx, func() (int, error) { <-release; return 3, nil }); got != 0 || err != context.Canceled {
		t.Errorf("found %d, %v", got, err)
	}
}
