package cli

// Progress: a bar on a terminal, lines elsewhere.

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"aibd/internal/parallel"
	"aibd/internal/words"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

type progress struct {
	w        io.Writer
	terminal bool
	after    func() string // of each line; may be nil
	before   string        // of each line
	what     string        // noun of what is counted
	base     int           // done before the start
	all      int
	delay    time.Duration // before the first line; 0: every
	start    time.Time
}

// logOf returns the writer for progress.
func logOf(c *cobra.Command, quiet bool) io.Writer {
	if quiet {
		return io.Discard
	}
	return c.ErrOrStderr()
}

// newProgress starts the progress of something from a count to all.
func newProgress(w io.Writer, what string, base, all int) *progress {
	f, ok := w.(*os.File)
	return &progress{w: w, terminal: ok && term.IsTerminal(int(f.Fd())), what: what, base: base, all: all, start: time.Now()}
}

// every is the time between two calls of show.
func (p *progress) every() time.Duration {
	if p.terminal {
		return 200 * time.Millisecond
	}
	return 5 * time.Second
}

// show prints how many are done.
func (p *progress) show(done int) {
	line := p.line(done, time.Since(p.start))
	if p.terminal {
		const width = 30
		full := width * done / p.all
		fmt.Fprintf(p.w, "\r[%s%s] %s\x1b[K", strings.Repeat("#", full), strings.Repeat(".", width-full), line)
		return
	}
	fmt.Fprintln(p.w, line)
}

// follow shows how many are done until the caller calls stop, which prints the total.
// With a delay, what ends before it shows nothing.
func (p *progress) follow(done func() int) (stop func()) {
	shown := p.delay == 0
	end := p.repeat(cmp.Or(p.delay, p.every()), func() {
		p.show(done())
		shown = true
	})
	return func() {
		if end(); shown {
			p.end(done())
		}
	}
}

// repeat calls print after a time and then at the usual intervals, until the caller calls stop, which waits for it.
func (p *progress) repeat(first time.Duration, print func()) (stop func()) {
	over, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for wait := first; ; wait = p.every() {
			select {
			case <-over:
				return
			case <-time.After(wait):
				print()
			}
		}
	}()
	return func() {
		close(over)
		<-ended
	}
}

// state prints a line about the work under way.
func (p *progress) state(line string) {
	if p.terminal {
		fmt.Fprintf(p.w, "\r%s\x1b[K", line)
		return
	}
	fmt.Fprintln(p.w, line)
}

// doing shows what a verb does and for how long, on a terminal from one second on, until stop is called.
func doing(c *cobra.Command, what string) (stop func()) {
	p := newProgress(c.ErrOrStderr(), "", 0, 1)
	if !p.terminal {
		return func() {}
	}
	return p.during(what)
}

// track is doing for the verbs that sample, whose progress is not only for terminals.
func track(log io.Writer, what string) (stop func()) {
	return newProgress(log, "", 0, 1).during(what)
}

// during shows what is done and for how long until stop is called.
func (p *progress) during(what string) (stop func()) {
	p.delay = time.Second
	var step step
	end := p.repeat(p.every(), func() {
		remaining := step.remaining()
		if took := time.Since(p.start); took >= p.delay {
			p.state(what + ": " + roughly(took) + remaining)
		}
	})
	return func() { end(); p.clear() }
}

// A step is a loop of independent tasks of a verb.
type step struct {
	loop  any
	since time.Time // when the step was first seen
}

// remaining says how long the step takes from now on, "" before that can be said.
func (s *step) remaining() string {
	loop, done, all := parallel.Progress()
	if loop != s.loop {
		*s = step{loop, time.Now()}
	}
	if loop == nil || done == 0 || done == all || all < 2 {
		return ""
	}
	took := time.Since(s.since)
	if took < 100*time.Millisecond { // it was done in part before it was seen
		return ""
	}
	return ", " + roughly(took/time.Duration(done)*time.Duration(all-done)) + " left of this step"
}

// clear removes what show or state printed last, on a terminal.
func (p *progress) clear() {
	if p.terminal {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}

// end prints the total.
func (p *progress) end(done int) {
	p.clear()
	elapsed := time.Since(p.start)
	done -= p.base
	fmt.Fprintf(p.w, "%s%d %s in %s, %.0f a second\n", p.before, done, p.what, roughly(elapsed), float64(done)/max(elapsed.Seconds(), 1e-3))
}

// line returns the share done, the rate and the time left.
func (p *progress) line(done int, elapsed time.Duration) string {
	line := p.before + p.counts(done, elapsed)
	if p.after != nil {
		line += p.after()
	}
	return line
}

func (p *progress) counts(done int, elapsed time.Duration) string {
	line := fmt.Sprintf("%3d%%  %d of %d %s", 100*done/p.all, done, p.all, p.what)
	if done == p.base || elapsed <= 0 {
		return line
	}
	rate := float64(done-p.base) / elapsed.Seconds()
	remaining := time.Duration(float64(p.all-done) / rate * float64(time.Second))
	return fmt.Sprintf("%s, %s a second, %s left", line, words.Significant(rate, 3), roughly(remaining))
}

// roughly formats a duration.
func roughly(d time.Duration) string { return words.Duration(d.Seconds()) }

// Follow shows done() out of all, as the verbs that sample do, from one second on until stop is called.
func Follow(w io.Writer, what string, all int, done func() int) (stop func()) {
	bar := newProgress(w, what, done(), all)
	bar.delay = time.Second
	return bar.follow(done)
}
