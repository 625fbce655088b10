package serve

// How a server ends: the processes that it started, and the requests that it answers.

import (
	"context"
	"io/fs"
	"net"
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

// A server ends after its requests, also after those that take longer than it waits to close
// their connections.
func TestServeWaitsForRequests(t *testing.T) {
	s, err := New(Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	begun, release := make(chan struct{}), make(chan struct{})
	s.handler = s.answer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		close(begun)
		<-release
	}))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended, asked := make(chan error, 1), make(chan struct{})
	go func() { ended <- s.Serve(ctx, l) }()
	go func() {
		defer close(asked)
		(&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Get("http://" + l.Addr().String())
	}()
	<-begun
	stop()
	select {
	case err := <-ended:
		close(release)
		t.Fatalf("Serve returned before it answered: %v", err)
	case <-asked: // the connection was closed
		time.Sleep(100 * time.Millisecond)
		if len(ended) > 0 {
			t.Error("Serve returned before it answered")
		}
	}
	close(release)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	<-asked
}
