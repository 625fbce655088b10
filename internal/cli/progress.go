package cli

// Progress of a run: a bar on a terminal, plain lines elsewhere.

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"
)

type progress struct {
	w        io.Writer
	terminal bool
	from     int // scans done before
	scans    int // of all chains
	start    time.Time
}

// newProgress returns the progress from a number of scans to another, which starts
// now.
func newProgress(w io.Writer, from, scans int) *progress {
	f, ok := w.(*os.File)
	return &progress{w: w, terminal: ok && term.IsTerminal(int(f.Fd())), from: from, scans: scans, start: time.Now()}
}

// every is the time between two calls of show.
func (p *progress) every() time.Duration {
	if p.terminal {
		return 200 * time.Millisecond
	}
	return 5 * time.Second
}

// show tells how many scans are done.
func (p *progress) show(done int) {
	line := progressLine(p.from, done, p.scans, time.Since(p.start))
	if p.terminal {
		const width = 30
		full := width * done / p.scans
		fmt.Fprintf(p.w, "\r[%s%s] %s\x1b[K", strings.Repeat("#", full), strings.Repeat(".", width-full), line)
		return
	}
	fmt.Fprintln(p.w, line)
}

// end tells how it ended.
func (p *progress) end(done int) {
	if p.terminal {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
	elapsed := time.Since(p.start)
	done -= p.from
	fmt.Fprintf(p.w, "%d scans in %s, %.0f a second\n", done, roughly(elapsed), float64(done)/max(elapsed.Seconds(), 1e-3))
}

// progressLine says how far it is, how fast, and how long it may take.
func progressLine(from, done, scans int, elapsed time.Duration) string {
	line := fmt.Sprintf("%3d%%  %d of %d scans", 100*done/scans, done, scans)
	if done == from || elapsed <= 0 {
		return line
	}
	rate := float64(done-from) / elapsed.Seconds()
	left := time.Duration(float64(scans-done) / rate * float64(time.Second))
	return fmt.Sprintf("%s, %s a second, %s left", line, significant(rate, 3), roughly(left))
}

// roughly formats a duration to the second, from a minute on also with minutes
// and hours.
func roughly(d time.Duration) string {
	if d < 10*time.Second {
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	if d < time.Minute {
		return fmt.Sprintf("%.0f s", d.Seconds())
	}
	if d < time.Hour {
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
}
