package serve

// How a server ends: the processes that it started.

import (
	"io/fs"
	"net/http"
	"os"
	"runtime"
	"testing"
	"time"

	"aibd/internal/oracle/fixture"
	"aibd/internal/runs"
)

// A run that was resumed by the page fails, and the page says why. A server that ends stops
// what it started.
func TestProcesses(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no signals")
	}
	fixture.Put(t)
	r, err := runs.Create("run", problem(t, 1), "v1")
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	script := func(text string) []string { return []string{"sh", "-c", text, "resume"} }
	s := start(t, Options{Dir: ".", Resume: script("echo first >&2; echo aibd: no luck with $1 >&2; exit 1")})
	page := s.listen("?run=run")
	until(t, page, "state", `"resume":"Resume"`)
	if status, body := s.post("/resume", "run"); status != http.StatusNoContent {
		t.Errorf("found status %d: %s", status, body)
	}
	until(t, page, "state", `"state":"stopped".*"alert":"no luck with run"`)
	s.stop()

	s = start(t, Options{Dir: ".", Resume: script("trap 'echo stopped > stopped; exit 130' TERM; echo > ready; while :; do sleep 0.01; done")})
	page = s.listen("?run=run")
	for _, want := range []int{http.StatusNoContent, http.StatusConflict} {
		if status, body := s.post("/resume", "run"); status != want {
			t.Errorf("found status %d: %s, expected %d", status, body, want)
		}
	}
	until(t, page, "state", `"state":"sampling"`)
	for start := time.Now(); time.Since(start) < 3*time.Minute; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat("ready"); err == nil {
			break
		}
	}
	s.stop()
	if _, err := os.Stat("stopped"); err != nil {
		t.Errorf("the process was not stopped: %v", err)
	}
	if status, err := fs.Stat(os.DirFS("."), "run"); err != nil || !status.IsDir() {
		t.Error(err)
	}
}
