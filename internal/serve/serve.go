// Package serve shows the runs of a directory in a browser, also while they are sampled. It
// serves this machine only, and reads no file outside the directory.
package serve

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"time"

	"aibd/internal/files"
	"aibd/internal/loopback"
	"aibd/internal/runs"
	"aibd/internal/verdict"
)

// Options say what to serve. The functions may be called concurrently.
type Options struct {
	Dir      string                                // with the runs
	Also     []string                              // files outside Dir that may be read
	Resume   []string                              // a command that resumes the run whose directory is its last argument
	Spec     func(*runs.Run) string                // the spec of a run in a line
	Describe func(*runs.Run) (*Description, error) // may take long
	Log      io.Writer                             // a line for each process that starts or ends
	Every    time.Duration                         // between two looks at the files; 0: a second
}

// Description says what was found in a run.
type Description struct {
	Agreed   bool
	Verdict  []string // lines
	Note     string   // about interrupted or damaged chains, or ""
	Commands []verdict.Command
	Found    []string
	Pictures []string // what each of them shows
	// Draw returns a picture as SVG. It is not called concurrently.
	Draw func(n int) ([]byte, error)
}

// Server shows the runs of a directory.
type Server struct {
	o     Options
	below files.Below
	token string
	list  list

	mutex   sync.Mutex
	views   map[string]*view    // by name of the run
	samples map[string]*process // that sample runs and that the server can stop
	asked   map[string]int      // ids of other processes that were asked to stop
	failed  map[string]string   // why the last process of a run failed
	closed  bool

	describing chan struct{} // holds one value while a run is described or drawn
	work       sync.WaitGroup
}

// New returns a server of a directory, which must exist.
func New(o Options) (*Server, error) {
	root, err := os.OpenRoot(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("%w, expected a directory with runs", files.Named(o.Dir, err))
	}
	o.Every = cmp.Or(o.Every, time.Second)
	s := &Server{
		o: o, below: files.Below{Root: root, Also: o.Also}, token: rand.Text(),
		views: map[string]*view{}, samples: map[string]*process{}, asked: map[string]int{}, failed: map[string]string{},
		describing: make(chan struct{}, 1),
	}
	s.list.server = s
	return s, nil
}

// Serve answers the connections of a listener until ctx is done. Then it stops the processes
// that it started, which keep all draws, and waits for them and for requests. It closes the server.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	go func() {
		ended <- loopback.Serve(ctx, l, s.guard)
		stop()
	}()
	<-ctx.Done()
	s.stopAll()
	err := <-ended
	s.work.Wait()
	s.below.Root.Close()
	return err
}
