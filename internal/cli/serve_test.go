package cli

import (
	"bufio"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// Stop sends a signal to the process that samples the run, which saves its draws and ends as
// after ^C.
func TestServeStops(t *testing.T) {
	dir := t.TempDir()
	fit := exec.CommandContext(t.Context(), "aibd", "fit", "--chains", "2", "--warmup", "10", "--draws", "1000000", "--checkpoint", "0", "--out", "run")
	var log strings.Builder
	fit.Dir, fit.Stderr = dir, &log
	if err := fit.Start(); err != nil {
		t.Fatal(err)
	}
	address, stop := started(t, dir, 0, "serve", "--port", "0")
	for saved := ""; saved == ""; {
		if _, err := os.Stat(filepath.Join(dir, "run", "chain-2", "checkpoint.json")); err == nil {
			saved = "yes"
		}
	}
	events, err := http.Get(address + "events?run=run")
	if err != nil {
		t.Fatal(err)
	}
	defer http.DefaultClient.CloseIdleConnections()
	defer events.Body.Close()
	token := ""
	for lines := bufio.NewScanner(events.Body); token == "" && lines.Scan(); {
		if found := regexp.MustCompile(`"state":"sampling".*"stop":true.*"token":"(\w+)"`).FindStringSubmatch(lines.Text()); found != nil {
			token = found[1]
		}
	}
	request, err := http.NewRequest("POST", address+"stop?run=run", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Origin", strings.TrimSuffix(address, "/"))
	request.Header.Set("X-Aibd-Token", token)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if fit.Wait(); answer.StatusCode != http.StatusNoContent || fit.ProcessState.ExitCode() != 130 || !strings.Contains(log.String(), "aibd resume run continues") {
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
	events, err := http.Get(address + "events?run=run")
	if err != nil {
		t.Fatal(err)
	}
	defer http.DefaultClient.CloseIdleConnections()
	defer events.Body.Close()
	lines := bufio.NewScanner(events.Body)
	lines.Buffer(nil, 1<<20)
	await := func(pattern string) {
		t.Helper()
		for lines.Scan() {
			if regexp.MustCompile(pattern).Match(lines.Bytes()) {
				return
			}
		}
		t.Fatalf("found no event %s", pattern)
	}
	await(`"state":"stopped".*"done":0,"total":620,"stop":false,"resume":"Resume"`)
	first := exec.CommandContext(t.Context(), "aibd", "resume", "run", "--chain", "1", "--checkpoint", "0")
	first.Dir = dir
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "run", "chain-1", "draws-00001.parquet")); err == nil {
			break
		}
	}
	first.Process.Signal(syscall.SIGSTOP)
	await(`"state":"sampling","text":"Sampling: .*"stop":false`)
	if _, log, status := aibd(t, dir, "resume", "run", "--chain", "2"); status != 0 {
		t.Error(log)
	}
	await(`"state":"sampling".*"done":[345]\d\d,"total":620,"stop":false`)
	first.Process.Signal(syscall.SIGCONT)
	if err := first.Wait(); err != nil {
		t.Error(err)
	}
	await(`"state":"complete","text":"Complete: 600 draws of 2 chains"`)
	stop()
}
