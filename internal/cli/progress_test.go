package cli

import (
	"bytes"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"aibd/internal/parallel"
)

// What takes longer than a second shows what it does, and leaves nothing on the terminal.
func TestDuring(t *testing.T) {
	for _, c := range []struct {
		takes time.Duration
		shown string
	}{{900 * time.Millisecond, ""}, {1500 * time.Millisecond, "\rReading run: 1.0 s\x1b[K\rReading run: 1.2 s\x1b[K\rReading run: 1.4 s\x1b[K"}} {
		for _, terminal := range []bool{true, false} {
			synctest.Test(t, func(t *testing.T) {
				var b bytes.Buffer
				p := progress{w: &b, terminal: terminal, delay: time.Second, start: time.Now()}
				stop := p.during("Reading run")
				time.Sleep(c.takes)
				stop()
				if got := strings.TrimSuffix(b.String(), "\r\x1b[K"); got != c.shown && terminal || b.Len() > 0 && !terminal {
					t.Errorf("%v on a terminal (%v): found %q, expected %q", c.takes, terminal, got, c.shown)
				}
			})
		}
	}
}

// A step of several tasks says how long it will take.
func TestDuringStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		p := progress{w: &b, terminal: true, delay: time.Second, start: time.Now()}
		stop := p.during("Computing")
		cores := runtime.GOMAXPROCS(1)
		parallel.Do(5, func(int) { time.Sleep(390 * time.Millisecond) })
		runtime.GOMAXPROCS(cores)
		stop()
		const want = "\rComputing: 1.0 s, 1.2 s left of this step\x1b[K\rComputing: 1.2 s, 667 ms left of this step\x1b[K\rComputing: 1.4 s, 800 ms left of this step\x1b[K" +
			"\rComputing: 1.6 s, 350 ms left of this step\x1b[K\rComputing: 1.8 s, 400 ms left of this step\x1b[K\r\x1b[K"
		if b.String() != want {
			t.Errorf("found %q, expected %q", b.String(), want)
		}
	})
	if task, done, all := parallel.Progress(); task != nil || done != 0 || all != 0 {
		t.Errorf("found %d of %d tasks done and none running", done, all)
	}
}

func TestProgressLine(t *testing.T) {
	for _, c := range []struct {
		base, done, scans int
		elapsed           time.Duration
		expected          string
	}{
		{0, 0, 8000, time.Second, "  0%  0 of 8000 scans"},
		{0, 2000, 8000, 4 * time.Second, " 25%  2000 of 8000 scans, 500 a second, 12 s left"},
		{0, 8000, 8000, 16 * time.Second, "100%  8000 of 8000 scans, 500 a second, 0.0 s left"},
		{0, 100, 100_000, 10 * time.Second, "  0%  100 of 100000 scans, 10.0 a second, 2 h 46 min left"},
		{0, 100, 1000, 10 * time.Second, " 10%  100 of 1000 scans, 10.0 a second, 1 min 30 s left"},
		// Scans before the start do not count in the rate.
		{6000, 7000, 8000, 2 * time.Second, " 87%  7000 of 8000 scans, 500 a second, 2.0 s left"},
		{6000, 6000, 8000, time.Second, " 75%  6000 of 8000 scans"},
	} {
		p := progress{what: "scans", base: c.base, all: c.scans}
		if got := p.line(c.done, c.elapsed); got != c.expected {
			t.Errorf("found %q, expected %q", got, c.expected)
		}
	}
}
