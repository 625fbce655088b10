//go:build unix

package cli

// What a person does with the pages of aibd serve, without a browser.

import (
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A visitor asks for pages as the user's browser does.
type visitor struct {
	t      *testing.T
	client http.Client
	place  string // the address of the list of runs
	host   string
}

// visit enters by the address that aibd serve printed.
func visit(t *testing.T, address string) *visitor {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	v := &visitor{t: t, client: http.Client{Jar: jar}}
	t.Cleanup(v.client.CloseIdleConnections)
	v.host, _, _ = strings.Cut(address, "/?")
	entered := regexp.MustCompile(`url=([^"]+)"`).FindStringSubmatch(v.get(address))
	if entered == nil {
		t.Fatalf("found no way on from %s", address)
	}
	v.place = v.host + entered[1]
	return v
}

// get returns a page.
func (v *visitor) get(address string) string {
	v.t.Helper()
	answer, err := v.client.Get(address)
	if err != nil {
		v.t.Fatal(err)
	}
	defer answer.Body.Close()
	page, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		v.t.Fatalf("%s: found %s, %v", address, answer.Status, err)
	}
	return string(page)
}

// await asks for the page of the run until it matches a pattern.
func (v *visitor) await(pattern string) {
	v.t.Helper()
	for began := time.Now(); time.Since(began) < patience; time.Sleep(50 * time.Millisecond) {
		if regexp.MustCompile("(?s)" + pattern).MatchString(v.get(v.place + "run?run=run")) {
			return
		}
	}
	v.t.Fatalf("the page does not match %s", pattern)
}

// A stop asked for on the page ends the process that samples, as ^C does.
func TestServeStops(t *testing.T) {
	dir := t.TempDir()
	fit := exec.CommandContext(t.Context(), "aibd", "fit", "--prior", "ibp", "--chains", "2", "--warmup", "10", "--draws", "1000000", "--checkpoint", "0", "--out", "run")
	var log strings.Builder
	fit.Dir, fit.Stderr = dir, &log
	if err := fit.Start(); err != nil {
		t.Fatal(err)
	}
	address, stop := started(t, dir, 0, "serve", "--port", "0")
	awaitFile(t, filepath.Join(dir, "run", "chain-2", "checkpoint.json"))
	v := visit(t, address)
	v.await(`badge sampling.*action="stop`)
	request, err := http.NewRequest("POST", v.place+"stop?run=run", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Origin", v.host)
	answer, err := v.client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if fit.Wait(); answer.StatusCode != http.StatusOK || fit.ProcessState.ExitCode() != 130 || !strings.Contains(log.String(), "aibd resume run continues") {
		t.Errorf("found status %d and %v: %s", answer.StatusCode, fit.ProcessState, &log)
	}
	stop()
}

// The page of a run shows what processes that sample a chain each do, and cannot stop them.
func TestServeChains(t *testing.T) {
	dir := t.TempDir()
	if _, log, status := aibd(t, dir, "fit", "--prior", "ibp", "--chains", "2", "--warmup", "10", "--draws", "300", "--prepare", "--out", "run"); status != 0 {
		t.Fatal(log)
	}
	address, stop := started(t, dir, 0, "serve", "--port", "0")
	v := visit(t, address)
	v.await("Stopped: ")
	first := exec.CommandContext(t.Context(), "aibd", "resume", "run", "--chain", "1", "--checkpoint", "0")
	first.Dir = dir
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	awaitFile(t, filepath.Join(dir, "run", "chain-1", "draws-00001.parquet"))
	first.Process.Signal(syscall.SIGSTOP)
	v.await("Sampling: ")
	if page := v.get(v.place + "run?run=run"); strings.Contains(page, `action="stop`) {
		t.Error("the page offers to stop a process of one chain")
	}
	if _, log, status := aibd(t, dir, "resume", "run", "--chain", "2"); status != 0 {
		t.Error(log)
	}
	first.Process.Signal(syscall.SIGCONT)
	if err := first.Wait(); err != nil {
		t.Error(err)
	}
	v.await("Complete: 600 draws of 2 chains")
	stop()
}

// awaitFile waits for a file.
func awaitFile(t *testing.T, name string) {
	t.Helper()
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(name); err == nil {
			return
		}
		if time.Since(began) > patience {
			t.Fatal(fmt.Errorf("found no %s", name))
		}
	}
}
