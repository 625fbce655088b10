package serve

import (
	"cmp"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"aibd/internal/runs"
)

// process samples a run and can be stopped by the server.
type process struct {
	stop  func()
	asked bool          // to stop
	ended chan struct{} // closed at its end; nil if the server does not wait for it
}

// Sampling tells the server that this process samples a run itself, until the caller calls
// ended. The page calls stop.
func (s *Server) Sampling(name string, stop func()) (ended func()) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.samples[name] = &process{stop: stop}
	return func() {
		s.mutex.Lock()
		defer s.mutex.Unlock()
		delete(s.samples, name)
	}
}

// sampler reports whether a process samples a run, whether the server can stop that process,
// and whether it has asked it to stop.
func (s *Server) sampler(name string, run *runs.Run) (busy, stoppable, asked bool) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if p := s.samples[name]; p != nil {
		return true, true, p.asked
	}
	busy, pid := run.Sampler()
	if !busy {
		delete(s.asked, name)
	}
	return busy, canSignal && pid != 0, busy && pid != 0 && s.asked[name] == pid
}

// lastFailure returns why the last process of a run that the server started failed, or "".
func (s *Server) lastFailure(name string) string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.failed[name]
}

// stopRun stops the process that samples a run, as ^C does.
func (s *Server) stopRun(name string) error {
	if own := s.ask(name); own {
		return nil
	}
	run, err := runs.OpenBelow(s.below, filepath.FromSlash(name))
	if err != nil {
		return err
	}
	busy, pid := run.Sampler()
	switch {
	case !busy:
		return fmt.Errorf("%s: no process samples this run", run.Dir)
	case pid == 0 || !canSignal:
		return fmt.Errorf("%s: cannot signal the process that samples this run: stop it with ^C", run.Dir)
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.asked[name] == pid {
		return nil
	}
	if err := run.Interrupt(pid); err != nil {
		return err
	}
	s.asked[name] = pid
	s.log("asked process %d, which samples %s, to stop", pid, run.Dir)
	return nil
}

// ask asks the process in the list that samples a run to stop, once: a second signal would
// end it before it has saved its draws. It returns false if there is none.
func (s *Server) ask(name string) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	p := s.samples[name]
	if p != nil && !p.asked {
		p.asked = true
		p.stop()
	}
	return p != nil
}

// resumeRun starts a process that resumes a run.
func (s *Server) resumeRun(name string) error {
	if len(s.o.Resume) == 0 || !canSignal {
		return fmt.Errorf("%s: the page cannot resume runs here: use aibd resume", name)
	}
	run, err := runs.OpenBelow(s.below, filepath.FromSlash(name))
	if err != nil {
		return err
	}
	if busy, _ := run.Sampler(); busy {
		return fmt.Errorf("%s: another process is sampling this run, expected none", run.Dir)
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.samples[name] != nil || s.closed {
		return fmt.Errorf("%s: a process is sampling this run, expected none", run.Dir)
	}
	c := exec.Command(s.o.Resume[0], append(s.o.Resume[1:len(s.o.Resume):len(s.o.Resume)], run.Dir)...)
	last := &lastLine{}
	c.Stderr = last
	inOwnGroup(c) // ^C in a terminal reaches the server only
	if err := c.Start(); err != nil {
		return fmt.Errorf("%s: %w", c.Path, err)
	}
	p := &process{ended: make(chan struct{}), stop: func() { c.Process.Signal(syscall.SIGTERM) }}
	s.samples[name] = p
	delete(s.failed, name)
	s.log("process %d samples %s", c.Process.Pid, run.Dir)
	s.work.Go(func() {
		err := c.Wait()
		s.mutex.Lock()
		defer s.mutex.Unlock()
		delete(s.samples, name)
		switch line := strings.TrimPrefix(last.String(), "aibd: "); {
		case p.asked:
		case err != nil:
			s.failed[name] = cmp.Or(line, err.Error())
		case strings.Contains(line, ": aibd resume "):
			s.failed[name] = line // the budget is too small for the next round
		}
		s.log("process %d of %s ended: %v", c.Process.Pid, run.Dir, c.ProcessState)
		close(p.ended)
	})
	return nil
}

// stopAll stops the processes that the server started, and waits for them.
func (s *Server) stopAll() {
	s.mutex.Lock()
	s.closed = true
	var ended []chan struct{}
	for _, p := range s.samples {
		if p.ended == nil {
			continue
		}
		if !p.asked {
			p.asked = true
			p.stop()
		}
		ended = append(ended, p.ended)
	}
	s.mutex.Unlock()
	for _, e := range ended {
		<-e
	}
}

func (s *Server) log(format string, args ...any) {
	if s.o.Log != nil {
		fmt.Fprintf(s.o.Log, format+"\n", args...)
	}
}

// lastLine keeps the last line that is written to it, or its first 4096 bytes.
type lastLine struct {
	mutex sync.Mutex
	line  []byte
	over  bool // the line is complete
}

func (l *lastLine) Write(b []byte) (int, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for _, c := range b {
		if c == '\n' {
			l.over = true
			continue
		}
		if l.over {
			l.line, l.over = l.line[:0], false
		}
		if len(l.line) < 4096 {
			l.line = append(l.line, c)
		}
	}
	return len(b), nil
}

func (l *lastLine) String() string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return string(l.line)
}
