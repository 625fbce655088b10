package cli

// Processes that are killed with no chance to say a word, at any instant.

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"aibd/internal/oracle/fixture"
)

// After kill -9 at any instant, again and again, resuming gives the bytes of the
// run that was never killed. The instants are random and differ from call to call:
// whatever they are, this must hold.
func TestKill(t *testing.T) {
	for _, c := range []struct {
		name     string
		kills    int
		lifetime time.Duration // that a process lives
		fit      []string
	}{
		// Small: nearly all the time is spent writing.
		{"small", 120, 150 * time.Millisecond, []string{"fit", "bars.csv", "--prior", "ibp", "--chains", "3", "--warmup", "50", "--draws", "600", "--checkpoint", "0"}},
		{"rounds", 80, 200 * time.Millisecond, []string{"fit", "easy.csv", "--prior", "ibp", "--chains", "2", "--warmup", "50", "--draws", "400", "--budget", "1h", "--checkpoint", "0.01"}},
		{"missing cells", 40, 150 * time.Millisecond, []string{"fit", "gaps.csv", "--prior", "ibp", "--chains", "2", "--warmup", "50", "--draws", "1200", "--checkpoint", "0"}},
		{"graded", 60, 150 * time.Millisecond, []string{"fit", "gaps.csv", "--prior", "ibp", "--features", "graded", "--chains", "2", "--warmup", "50", "--draws", "1200", "--checkpoint", "0"}},
		{"large", 80, 400 * time.Millisecond, []string{"fit", "--chains", "2", "--warmup", "100", "--draws", "600", "--checkpoint", "0.02"}},
	} {
		if !*fixture.Long {
			if c.name != "small" {
				continue
			}
			c.kills /= 20
		}
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			aibd(t, dir, "data", "write", "bars", "--items", "5")
			if err := os.WriteFile(filepath.Join(dir, "easy.csv"), []byte("id,a\nx,1\ny,-1\nz,0.5\n"), 0o666); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "gaps.csv"), []byte("id,a,b\nx,1,NA\ny,-1,0.3\nz,0.5,2\nv,NA,1\nw,NA,NA\n"), 0o666); err != nil {
				t.Fatal(err)
			}
			if _, log, status := aibd(t, dir, append(c.fit, "--out", "whole")...); status != 0 {
				t.Fatalf("exit status %d: %s", status, log)
			}
			want := lasting(t, filepath.Join(dir, "whole"))
			rng := rand.New(rand.NewPCG(1, 1))
			kills, complete := 0, 0
			for kills < c.kills || complete == 0 {
				args := append(c.fit, "--out", "run")
				if _, err := os.Stat(filepath.Join(dir, "run")); err == nil {
					args = []string{"resume", "run", "--checkpoint", c.fit[len(c.fit)-1]}
					if c.name == "rounds" {
						args = append(args, "--budget", "1h")
					}
				}
				life := time.Hour // when there have been enough kills, the run may end
				if kills < c.kills {
					life = time.Duration(rng.Int64N(int64(c.lifetime)))
				}
				killed, log := live(t, dir, life, args...)
				if strings.Contains(log, "again from its start") {
					t.Fatalf("found damage: %s", log)
				}
				if killed {
					kills++
					continue
				}
				complete++
				got := lasting(t, filepath.Join(dir, "run"))
				if len(got) != len(want) {
					t.Errorf("found %d files, expected %d", len(got), len(want))
				}
				for name, content := range want {
					if got[name] != content {
						t.Errorf("after %d kills %s differs from that of the run that was never killed", kills, name)
					}
				}
				if err := os.RemoveAll(filepath.Join(dir, "run")); err != nil {
					t.Fatal(err)
				}
			}
			t.Logf("%d kills survived, in %d complete runs", kills, complete)
		})
	}
}

// Processes that sample a chain each, killed at any instant, give the bytes of one process that
// samples all. Of two processes on one chain, one refuses.
func TestKillChains(t *testing.T) {
	dir := t.TempDir()
	aibd(t, dir, "data", "write", "bars", "--items", "5")
	kills, length := 3, "150"
	if *fixture.Long {
		kills, length = 90, "600"
	}
	fit := []string{"fit", "bars.csv", "--prior", "ibp", "--chains", "3", "--warmup", "50", "--draws", length, "--checkpoint", "0", "--out"}
	aibd(t, dir, append(fit, "whole", "--set", "sampler.until=draws")...)
	if _, log, status := aibd(t, dir, append(fit, "run", "--prepare")...); status != 0 {
		t.Fatal(log)
	}
	rng := rand.New(rand.NewPCG(1, 3))
	t.Run("chains", func(t *testing.T) {
		for chain := range 3 {
			lives := make([]time.Duration, kills/3)
			for i := range lives {
				lives[i] = time.Duration(rng.Int64N(int64(150 * time.Millisecond)))
			}
			t.Run(strconv.Itoa(chain+1), func(t *testing.T) {
				t.Parallel()
				for _, life := range append(lives, time.Hour) {
					_, log := live(t, dir, life, "resume", "run", "--checkpoint", "0", "--chain", strconv.Itoa(chain+1))
					if strings.Contains(log, "again from its start") {
						t.Errorf("found damage: %s", log)
					}
				}
			})
		}
	})
	want, got := lasting(t, filepath.Join(dir, "whole")), lasting(t, filepath.Join(dir, "run"))
	for name, content := range want {
		if got[name] != content {
			t.Errorf("after %d kills %s differs from that of the run of one process", kills, name)
		}
	}

	// The second process of a chain refuses while the first one, which is stopped, holds it.
	aibd(t, dir, append(fit, "two", "--prepare", "--draws", "600")...)
	first := exec.CommandContext(t.Context(), "aibd", "resume", "two", "--chain", "2", "--checkpoint", "0")
	first.Dir = dir
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	for start := time.Now(); time.Since(start) < 3*time.Minute; time.Sleep(time.Millisecond) {
		if _, err := os.Stat(filepath.Join(dir, "two/chain-2/checkpoint.json")); err == nil {
			break
		}
	}
	first.Process.Signal(syscall.SIGSTOP)
	for what, line := range map[string]string{
		"--chain=2": "aibd: two/chain-2: process " + strconv.Itoa(first.Process.Pid) + " on ",
		"--quiet":   "aibd: two: other processes are sampling chains of this run, expected none\n",
	} {
		if _, log, status := aibd(t, dir, "resume", "two", what); status != 75 || !strings.HasPrefix(log, line) || strings.Count(log, "\n") != 1 {
			t.Errorf("aibd resume two %s: exit status %d, %s", what, status, log)
		}
	}
	first.Process.Signal(syscall.SIGCONT)
	if err := first.Wait(); err != nil {
		t.Error(err)
	}
}

// Killed at any instant, data write leaves only whole files under their names. After ^C
// it leaves all files or none, and no temporary file.
func TestKillDataWrite(t *testing.T) {
	whole := t.TempDir()
	write := []string{"data", "write", "twin", "--items", "300"}
	start := time.Now()
	if _, log, status := aibd(t, whole, write...); status != 0 {
		t.Fatal(log)
	}
	took := time.Since(start)
	names, err := filepath.Glob(filepath.Join(whole, "*"))
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	kills := 12
	if *fixture.Long {
		kills = 60
	}
	for n := range kills {
		dir, stop := t.TempDir(), os.Signal(os.Interrupt)
		if n%2 == 0 {
			stop = os.Kill
		}
		c := exec.CommandContext(t.Context(), "aibd", write...)
		c.Dir = dir
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(took/3 + time.Duration(rng.Int64N(int64(took))))
		c.Process.Signal(stop)
		c.Wait()
		got, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		if stop == os.Interrupt && len(got) != 0 && len(got) != len(names) {
			t.Errorf("after ^C: found %v", got)
		}
		for _, name := range names {
			want, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(filepath.Join(dir, filepath.Base(name)))
			if err == nil && !bytes.Equal(got, want) {
				t.Errorf("after %v: %s has %d of %d bytes", stop, filepath.Base(name), len(got), len(want))
			}
		}
	}
}

// A signal that the caller of the program ignores stays ignored.
func TestIgnoredSignals(t *testing.T) {
	dir := t.TempDir()
	c := exec.CommandContext(t.Context(), "sh", "-c", "trap '' INT HUP; exec aibd fit --chains 1 --warmup 60 --draws 60 --quiet --out run")
	var stderr bytes.Buffer
	c.Dir, c.Stderr = dir, &stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended, sent := make(chan error), 0
	go func() { ended <- c.Wait() }()
	for {
		select {
		case err := <-ended:
			if err != nil || stderr.Len() > 0 || sent == 0 {
				t.Errorf("%d signals: %v: %s", sent, err, &stderr)
			}
			return
		case <-time.After(5 * time.Millisecond):
			if _, err := os.Stat(filepath.Join(dir, "run")); err == nil { // the program has started
				for _, signal := range []os.Signal{os.Interrupt, syscall.SIGHUP} {
					if c.Process.Signal(signal) == nil {
						sent++
					}
				}
			}
		}
	}
}

// live runs the program for some time and kills it, unless it has ended by then;
// then it must have ended well.
func live(t *testing.T, dir string, life time.Duration, args ...string) (killed bool, log string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), "aibd", args...)
	var stderr bytes.Buffer
	c.Dir, c.Stderr = dir, &stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(life, func() { c.Process.Kill() })
	err := c.Wait()
	timer.Stop()
	if err == nil {
		return false, stderr.String()
	}
	if c.ProcessState.ExitCode() != -1 { // ended, but not by a signal
		t.Fatalf("%v: %s", args, &stderr)
	}
	return true, stderr.String()
}

// lasting returns the files of a run that do not hold times, by name.
func lasting(t *testing.T, run string) map[string]string {
	t.Helper()
	got := map[string]string{}
	names, err := filepath.Glob(filepath.Join(run, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(names, filepath.Join(run, "run.json")) {
		if timed := regexp.MustCompile(`(chain|checkpoint)\.json$`); timed.MatchString(name) {
			continue
		}
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		got[strings.TrimPrefix(name, run)] = string(content)
	}
	return got
}
