// Package serve shows the runs of a directory in a browser, also while they are sampled. It answers
// one user of this machine, and reads no file outside the directory.
package serve

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"aibd/internal/files"
	"aibd/internal/results"
	"aibd/internal/runs"
)

// Options say what to serve.
type Options struct {
	Dir   string        // with the runs
	Also  []string      // files outside Dir that may be read
	Stop  func()        // stops the run that this process samples, if any
	Log   io.Writer     // a line for each event; may be nil
	Every time.Duration // between two looks at all files; 0: a second
}

// Server shows the runs of a directory.
type Server struct {
	o     Options
	below files.Below
	token string // secret of the user
	place string // path of all pages; other ports of this machine do not get its cookie
	log   *log.Logger

	list    list
	mutex   sync.Mutex
	views   map[string]*view // by name of the run
	asked   map[string]int   // ids of processes that were asked to stop
	judge   func(*runs.Run) (*results.Judged, error)
	judging chan struct{} // holds one value while a run is judged
	work    sync.WaitGroup
}

// New returns a server of a directory, which must exist.
func New(o Options) (*Server, error) {
	root, err := os.OpenRoot(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("%w, expected a directory with runs", files.Named(o.Dir, err))
	}
	o.Every = cmp.Or(o.Every, time.Second)
	s := &Server{
		o: o, below: files.Below{Root: root, Also: o.Also}, token: rand.Text(), place: "/" + rand.Text() + "/", log: log.New(cmp.Or(o.Log, io.Discard), "", 0),
		views: map[string]*view{}, asked: map[string]int{}, judge: results.Judge, judging: make(chan struct{}, 1),
	}
	s.list.server = s
	return s, nil
}

// Address returns the address that lets a browser in. Only the user may see it.
func (s *Server) Address(l net.Listener) string {
	return "http://" + l.Addr().String() + "/?token=" + s.token
}

// Limits of requests and answers. Pages send no bodies but the name of a run.
const (
	readTime  = 10 * time.Second
	writeTime = 10 * time.Minute // a picture of a large run takes long
	idleTime  = time.Minute
	endTime   = time.Second // for answers after the end of the server
	maxHeader = 64 << 10
	maxBody   = 64 << 10
)

// Serve answers the connections of a listener until ctx is done. Then it waits for what it computes.
// It closes the listener and the server.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	defer s.below.Root.Close()
	defer s.work.Wait()
	pages := s.guard(http.MaxBytesHandler(s.pages(), maxBody))
	s.work.Add(1) // until the server is closed, after which no request begins
	defer s.work.Done()
	h := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			s.work.Add(1) // a picture may take longer than the end
			defer s.work.Done()
			pages.ServeHTTP(w, r)
		}),
		ReadTimeout: readTime, WriteTimeout: writeTime, IdleTimeout: idleTime, MaxHeaderBytes: maxHeader, ErrorLog: s.log,
	}
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	end, cancel := context.WithTimeout(context.Background(), endTime)
	defer cancel()
	if h.Shutdown(end) != nil {
		h.Close()
	}
	return nil
}
