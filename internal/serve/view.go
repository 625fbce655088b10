package serve

import (
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"aibd/internal/figure"
	"aibd/internal/picture"
	"aibd/internal/results"
	"aibd/internal/runs"
	"aibd/internal/verdict"
)

// view is what the pages of a run show. They share it.
type view struct {
	entry
	mutex   sync.Mutex
	looked  time.Time // at the files
	next    time.Time // the earliest time to read the draws again
	shown   *shown    // nil if there are no draws, or none that can be read
	count   int       // of shown so far
	err     string    // why the draws cannot be judged
	judging bool
	judged  string // the mark of the files when a judge began
}

// shown is what draws say.
type shown struct {
	*picture.Gallery
	summary *results.Summary // nil after a Glance
	number  int              // other than that of draws shown before
	mark    string           // of the files

	mutex sync.Mutex
	svg   map[string][]byte // pictures by kind
}

// traces is the picture of a run that is sampled.
const traces = "trace"

// view returns the view of a run. Views that nobody looked at for some time are dropped.
func (s *Server) view(name string) *view {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	v := s.views[name]
	if v == nil {
		for other, old := range s.views {
			if old.mutex.TryLock() {
				if time.Since(old.looked) > time.Minute {
					delete(s.views, other)
				}
				old.mutex.Unlock()
			}
		}
		v = &view{entry: newEntry(s, name), looked: time.Now()}
		s.views[name] = v
	}
	return v
}

// look brings the view up to date. The caller holds the mutex.
func (v *view) look() {
	v.looked = time.Now()
	v.read()
	if v.run == nil {
		v.shown, v.err, v.judged = nil, "", ""
		return
	}
	busy := v.State.State == sampling || v.State.State == stopping
	if (v.shown == nil || v.shown.mark != v.mark) && v.looked.After(v.next) {
		v.glance(busy)
	}
	if !busy && !v.judging && v.judged != v.mark && v.shown != nil {
		v.judge()
	}
}

// set shows other draws.
func (v *view) set(j *results.Judged, summary *results.Summary, mark string) {
	v.count++
	v.shown, v.err = &shown{Gallery: picture.NewGallery(j), summary: summary, number: v.count, mark: mark, svg: map[string][]byte{}}, ""
}

// glance reads the scalars of the draws. While chains are sampled, files may change under it: it then keeps
// what it had.
func (v *view) glance(busy bool) {
	run, err := runs.OpenBelow(v.server.below, filepath.FromSlash(v.Name)) // reading draws may change it
	var j *results.Judged
	if err == nil {
		j, err = results.Glance(run.UnderWay(v.reports))
	}
	v.next = time.Now().Add(10 * time.Since(v.looked))
	switch {
	case err == nil:
		v.set(j, nil, v.mark)
	case !busy:
		v.shown, v.err = nil, err.Error()
	}
}

// judge begins to judge the draws.
func (v *view) judge() {
	mark := v.mark
	v.judging, v.judged = true, mark
	v.server.work.Go(func() {
		v.server.judging <- struct{}{}
		j, summary, err := v.server.summary(v.Name)
		<-v.server.judging
		v.mutex.Lock()
		defer v.mutex.Unlock()
		switch v.judging = false; {
		case v.mark != mark: // the next look judges again
		case err != nil:
			v.err = err.Error()
		default:
			v.set(j, summary, mark)
		}
	})
}

// summary returns what aibd summary says of a run.
func (s *Server) summary(name string) (j *results.Judged, summary *results.Summary, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error: %v", p)
			s.log.Printf("%v", err)
		}
	}()
	run, err := runs.OpenBelow(s.below, filepath.FromSlash(name))
	if err != nil {
		return nil, nil, err
	}
	if j, err = s.judge(run); err != nil {
		return nil, nil, err
	}
	if run.Next() != nil {
		round := run.Spec.Sampler.Round
		j.AddNotes(fmt.Sprintf("round %d is not complete: this is about round %d", round+1, round))
	}
	return j, j.Summary(), nil
}

// draw returns a picture as SVG.
func (s *shown) draw(k picture.Kind) ([]byte, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if svg := s.svg[k.Name]; svg != nil {
		return svg, nil
	}
	f, err := s.Draw(k)
	if err != nil {
		f = figure.Message(err.Error())
	}
	svg, err := f.Encode("svg")
	s.svg[k.Name] = svg
	return svg, err
}

// soFar says in a few words how well scalars agree, and whether they do as they must; "" if there are too few draws.
func soFar(v *verdict.Verdict) (words string, settled bool) {
	if v.MaxRHat == 0 || v.MinESS == 0 {
		return "", false
	}
	return "R-hat " + verdict.RHat(v.MaxRHat) + ", ESS " + verdict.ESS(v.MinESS), v.MaxRHat <= verdict.MaxRHat && v.MinESS >= verdict.MinESS
}
