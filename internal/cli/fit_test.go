package cli

// Runs that do not end as planned: stopped by a signal, or by a full disk.

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// aibd runs the program, a real process, in dir and returns what it printed and
// its exit status.
func aibd(t *testing.T, dir string, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	c := exec.CommandContext(t.Context(), "aibd", args...)
	var out, log bytes.Buffer
	c.Dir, c.Stdout, c.Stderr = dir, &out, &log
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), log.String(), c.ProcessState.ExitCode()
}

// await waits until a file exists.
func await(t *testing.T, path string) {
	for _, err := os.Stat(path); err != nil && t.Context().Err() == nil; _, err = os.Stat(path) {
		time.Sleep(5 * time.Millisecond)
	}
}

// interrupt stops a process by a signal.
func interrupt(t *testing.T, c *exec.Cmd, signal os.Signal) {
	t.Helper()
	if err := c.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	c.Wait()
	if got := c.ProcessState.ExitCode(); got != 130 {
		t.Errorf("found exit status %d, expected 130; stderr: %s", got, c.Stderr)
	}
}

// A signal ends a run after the scan under way. It keeps all draws and says where
// they are.
func TestInterrupt(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			dir := t.TempDir()
			aibd(t, dir, "data", "write", "bars", "--items", "5")
			c := exec.CommandContext(t.Context(), "aibd", "fit", "bars.csv", "--prior", "ibp", "--out", "run",
				"--chains", "2", "--warmup", "0", "--draws", "1000000", "--cores", "2")
			var out, log bytes.Buffer
			c.Dir, c.Stdout, c.Stderr = dir, &out, &log
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			// Both chains draw once they have a first segment.
			for _, chain := range []string{"chain-1", "chain-2"} {
				await(t, filepath.Join(dir, "run", chain, "draws-00001.parquet"))
			}
			interrupt(t, c, signal)
			if out.Len() > 0 {
				t.Errorf("found on stdout %q, expected nothing", &out)
			}
			lines := strings.Split(strings.TrimSpace(log.String()), "\n")
			expected := regexp.MustCompile(`^aibd: stopped early: run has [1-9][0-9]* of 2000000 draws; aibd resume run continues( \(about [^)]* here\))?, aibd summary run shows them$`)
			if last := lines[len(lines)-1]; !expected.MatchString(last) {
				t.Errorf("found the last line %q, expected %s", last, expected)
			}
			summary, log2, status := aibd(t, dir, "summary", "run")
			if status != 0 || !strings.Contains(summary, "the run is not complete") || !strings.Contains(summary, "log joint") {
				t.Errorf("summary of the stopped run: exit status %d, %s%s", status, summary, log2)
			}
			noStrayFiles(t, dir)
		})
	}
}

// A signal before the first draw leaves a run that can be resumed and says so.
func TestInterruptWarmup(t *testing.T) {
	dir := t.TempDir()
	c := exec.CommandContext(t.Context(), "aibd", "fit", "--out", "run", "--chains", "1", "--warmup", "1000000", "--quiet")
	var log bytes.Buffer
	c.Dir, c.Stderr = dir, &log
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	await(t, filepath.Join(dir, "run", "chain-1"))
	interrupt(t, c, os.Interrupt)
	expected := regexp.MustCompile(`^aibd: stopped early: run has 0 of 1000 draws; aibd resume run continues( \(about [^)]* here\))?\n$`)
	if got := log.String(); !expected.MatchString(got) {
		t.Errorf("found %q, expected %s", got, expected)
	}
	noStrayFiles(t, dir)
}

// A signal in a further round keeps the complete one, and resume continues the other.
func TestInterruptRound(t *testing.T) {
	dir := t.TempDir()
	aibd(t, dir, "data", "write", "bars", "--items", "20")
	c := exec.CommandContext(t.Context(), "aibd", "fit", "bars.csv", "--prior", "ibp", "--out", "run", "--chains", "1", "--warmup", "10", "--draws", "10", "--budget", "1h")
	var log bytes.Buffer
	c.Dir, c.Stderr = dir, &log
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for t.Context().Err() == nil { // some rounds
		if b, err := os.ReadFile(filepath.Join(dir, "run", "run.json")); err == nil && regexp.MustCompile(`"round": [3-9]`).Match(b) {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	interrupt(t, c, os.Interrupt)
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	expected := regexp.MustCompile(`^aibd: stopped early: round \d+ of run is (not )?complete; aibd resume run continues it, aibd summary run shows (it|round \d+)$`)
	if last := lines[len(lines)-1]; !expected.MatchString(last) {
		t.Errorf("found the last line %q, expected %s", last, expected)
	}
	if summary, log, status := aibd(t, dir, "summary", "run"); status != 0 || strings.Contains(summary, "not complete") || !regexp.MustCompile(`1 chain of [\d,]+ draws`).MatchString(summary) {
		t.Errorf("summary: exit status %d, %s%s", status, summary, log)
	}
	noStrayFiles(t, dir)
}

// A disk that fills up ends a run with one line that names the file. What was
// drawn before can be read.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=256k"); err != nil {
		t.Skipf("a small file system cannot be mounted here: %v", err)
	}
	defer syscall.Unmount(dir, 0)
	aibd(t, dir, "data", "write", "bars", "--items", "5")
	_, log, status := aibd(t, dir, "fit", "bars.csv", "--prior", "ibp", "--out", "run", "--chains", "1", "--warmup", "0", "--draws", "100000", "--quiet")
	expected := regexp.MustCompile(`^aibd: run/chain-1/draws-000[0-9]{2}\.parquet: no space left on device\n$`)
	if status != 1 || !expected.MatchString(log) {
		t.Errorf("found exit status %d and %q, expected 1 and %s", status, log, expected)
	}
	noStrayFiles(t, dir)
	if out, log, status := aibd(t, dir, "summary", "run"); status != 0 {
		t.Errorf("summary of what was drawn: exit status %d, %s%s", status, out, log)
	}

	// Not even the start of a run fits.
	if err := os.WriteFile(filepath.Join(dir, "fill"), make([]byte, 1<<18), 0o666); err == nil {
		t.Fatal("the disk is not full")
	}
	_, log, status = aibd(t, dir, "data", "write", "usstates")
	if status != 1 || log != "aibd: usstates.csv: no space left on device\n" {
		t.Errorf("found exit status %d and %q", status, log)
	}
	_, log, status = aibd(t, dir, "fit", "--out", "second", "--quiet")
	if status != 1 || !strings.HasSuffix(log, ": no space left on device\n") || strings.Count(log, "\n") != 1 {
		t.Errorf("found exit status %d and %q", status, log)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 5 {
		t.Errorf("found %v, expected what was there before", entries)
	}
}

// A run in a read-only directory can be read. Verbs that write fail with one line.
func TestReadOnly(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("a small file system cannot be mounted here: %v", err)
	}
	defer syscall.Unmount(dir, 0)
	aibd(t, dir, "data", "write", "bars", "--items", "5")
	if _, log, status := aibd(t, dir, "fit", "bars.csv", "--prior", "ibp", "--out", "run", "--warmup", "10", "--draws", "10"); status != 0 {
		t.Fatalf("exit status %d, %s", status, log)
	}
	if err := syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ args, log string }{
		{"resume run --more 5", "aibd: run/lock: read-only file system\n"},
		{"fit --out second --quiet", "aibd: second: read-only file system, expected a directory that can be made\n"},
	} {
		if _, log, status := aibd(t, dir, strings.Fields(c.args)...); status != 1 || log != c.log {
			t.Errorf("%s: found exit status %d and %q, expected 1 and %q", c.args, status, log, c.log)
		}
	}
	if out, log, status := aibd(t, dir, "summary", "run"); status != 0 || !strings.Contains(out, "log joint") {
		t.Errorf("summary: exit status %d, %s%s", status, out, log)
	}
}

// noStrayFiles fails if dir has files that do not belong to a run.
func noStrayFiles(t *testing.T, dir string) {
	t.Helper()
	run := regexp.MustCompile(`run/(run\.json|lock|chain-[0-9]+/(chain\.json|checkpoint\.json|draws-[0-9]{5}\.(parquet|next)))$|/bars[a-z_]*\.(csv|txt)$`)
	if err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !run.MatchString(path) {
			t.Errorf("found %s, expected no such file", path)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}
