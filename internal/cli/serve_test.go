package cli

import (
	"bufio"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
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
