package runs

import (
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"testing"
)

// stopping is a context that is done after some calls of Err.
type stopping struct {
	context.Context
	calls int
}

func (s *stopping) Err() error {
	if s.calls--; s.calls < 0 {
		return context.Canceled
	}
	return nil
}

// Gather reads its sources: it writes nothing into them. Wherever it is stopped, nothing is left.
func TestGather(t *testing.T) {
	put(t, "x.csv", ages)
	sampled(t, "run", build(t, tiny+"warmup = 5\ndraws = 20\nuntil = 'draws'"), 2)
	overwrite(t, "run/lock", "4711 elsewhere\n") // of a process that was killed
	before, files := tree(t, "run"), names(t, ".")
	stops := 0
	for ; ; stops++ {
		// There is a call of Err before each write.
		missing, err := Gather(&stopping{t.Context(), stops}, []string{"run"}, "out")
		if !maps.Equal(tree(t, "run"), before) {
			t.Fatal("gather has changed a run")
		}
		if err == nil {
			if len(missing) > 0 {
				t.Errorf("found no draws of the chains %v", missing)
			}
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if entries := names(t, "."); !slices.Equal(entries, files) {
			t.Fatalf("found %q after stop %d, expected %q", entries, stops, files)
		}
	}
	if stops < 10 {
		t.Errorf("stopped %d times", stops)
	}
	if got, want := tree(t, "out"), before; got["run.json"] != want["run.json"] || got["chain-2/draws-00001.parquet"] != want["chain-2/draws-00001.parquet"] {
		t.Error("the gathered run differs")
	}
}

// Everybody who may read and write the files of a run may do so with its locks.
func TestLockMode(t *testing.T) {
	put(t, "x.csv", ages)
	sampled(t, "run", build(t, tiny+"warmup = 5\ndraws = 20\nuntil = 'draws'"), 2)
	r, _, err := Resume("run", ResumeOptions{Version: "v1", Chain: 1})
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	record, err := os.Stat("run/run.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"run/lock", "run/chain-1/lock"} {
		if info, err := os.Stat(name); err != nil || info.Mode() != record.Mode() {
			t.Errorf("%s: found mode %v, %v, expected %v as of run.json", name, info.Mode(), err, record.Mode())
		}
	}
}

// A lock with a second name may be more than a lock: it is locked and not written.
func TestLinkedLock(t *testing.T) {
	put(t, "x.csv", ages, "victim", "of somebody else")
	sampled(t, "run", build(t, tiny+"warmup = 5\ndraws = 20"), 2)
	if err := errors.Join(os.Remove("run/lock"), os.Link("victim", "run/lock")); err != nil {
		t.Fatal(err)
	}
	r, _, err := Resume("run", ResumeOptions{Version: "v1"})
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = Resume("run", ResumeOptions{Version: "v1"})
	wantError(t, err, "run: another process is sampling this run, expected none")
	r.Close()
	if content, err := os.ReadFile("victim"); err != nil || string(content) != "of somebody else" {
		t.Errorf("found %q, %v", content, err)
	}
}
