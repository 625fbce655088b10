package serve

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"

	g "maragu.dev/gomponents"

	"aibd/internal/picture"
	"aibd/internal/runs"
	"aibd/internal/visible"
)

//go:embed static
var assets embed.FS

// types has the content types of static files: systems may have others.
var types = map[string]string{
	".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8",
	".svg": "image/svg+xml",
}

// address returns the address of the page of a run, from any other page.
func address(name string) string { return "run?" + url.Values{"run": {name}}.Encode() }

// pages answers requests by their address.
func (s *Server) pages() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+s.place+"{$}", s.listPage)
	mux.HandleFunc("GET "+s.place+"run", ofRun(s.runPage))
	mux.HandleFunc("GET "+s.place+"picture", ofRun(s.picture))
	mux.HandleFunc("POST "+s.place+"stop", ofRun(s.stop))
	mux.HandleFunc("GET "+s.place+"static/{file}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", types[path.Ext(r.PathValue("file"))])
		http.ServeFileFS(w, r, assets, "static/"+r.PathValue("file"))
	})
	return mux
}

// ofRun returns what answers a request by the name of its run.
func ofRun(answer func(w http.ResponseWriter, r *http.Request, name string)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := r.ParseForm(); err != nil {
			status := http.StatusBadRequest
			if _, long := errors.AsType[*http.MaxBytesError](err); long {
				status = http.StatusRequestEntityTooLarge
			}
			http.Error(w, err.Error(), status)
			return
		}
		name := r.Form.Get("run")
		if !fs.ValidPath(name) || !filepath.IsLocal(filepath.FromSlash(name)) {
			http.Error(w, fmt.Sprintf("found the run %q, expected a path inside the directory", name), http.StatusNotFound)
			return
		}
		answer(w, r, name)
	}
}

// show answers with a page. It is rendered first, so that one that fails gives an error.
func show(w http.ResponseWriter, status int, page g.Node) {
	text := rendered(page)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	w.Write([]byte(text))
}

func (s *Server) listPage(w http.ResponseWriter, r *http.Request) {
	if _, err := runs.OpenBelow(s.below, "."); err == nil { // the directory is a run
		http.Redirect(w, r, address("."), http.StatusSeeOther)
		return
	}
	s.list.mutex.Lock()
	defer s.list.mutex.Unlock()
	s.list.look()
	show(w, http.StatusOK, s.list.page(s.dir()))
}

// dir returns the full name of the directory.
func (s *Server) dir() string {
	dir, err := filepath.Abs(s.o.Dir)
	if err != nil {
		dir = s.o.Dir
	}
	return visible.Text(dir)
}

func (s *Server) runPage(w http.ResponseWriter, _ *http.Request, name string) {
	v := s.view(name)
	v.mutex.Lock()
	defer v.mutex.Unlock()
	v.look()
	status := http.StatusOK
	if v.run == nil {
		status = http.StatusNotFound
	}
	show(w, status, v.page())
}

// picture answers with a picture of a run.
func (s *Server) picture(w http.ResponseWriter, r *http.Request, name string) {
	v := s.view(name)
	v.mutex.Lock()
	shown := v.shown
	v.mutex.Unlock()
	n := slices.IndexFunc(picture.Kinds, func(k picture.Kind) bool { return k.Name == r.Form.Get("kind") })
	if shown == nil || n < 0 || shown.summary == nil && picture.Kinds[n].Name != traces {
		http.Error(w, "found no such picture", http.StatusNotFound)
		return
	}
	svg, err := shown.draw(picture.Kinds[n])
	if err != nil {
		http.Error(w, visible.Text(err.Error()), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "image/svg+xml")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox")
	w.Write(svg)
}

// stop stops the process that samples a run, as ^C does, and shows the run.
func (s *Server) stop(w http.ResponseWriter, r *http.Request, name string) {
	if err := s.stopRun(name); err != nil {
		http.Error(w, visible.Text(err.Error()), http.StatusConflict)
		return
	}
	http.Redirect(w, r, address(name), http.StatusSeeOther)
}

// canStop reports whether the server can ask a process that is not its own to stop.
const canStop = runtime.GOOS != "windows"

// stopRun asks the process that samples a run to stop, once: a second signal would end it before it
// has saved its draws.
func (s *Server) stopRun(name string) error {
	run, err := runs.OpenBelow(s.below, filepath.FromSlash(name))
	if err != nil {
		return err
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	busy, pid := run.Sampler()
	ours := pid == os.Getpid() && s.o.Stop != nil
	switch {
	case !busy:
		return fmt.Errorf("%s: no process samples this run", run.Dir)
	case pid == 0 || !canStop && !ours:
		return fmt.Errorf("%s: cannot signal the process that samples this run: stop it with ^C", run.Dir)
	case s.asked[name] == pid:
		return nil
	case ours:
		s.o.Stop()
	default:
		if err := run.Interrupt(pid); err != nil {
			return err
		}
		s.log.Printf("asked process %d, which samples %s, to stop", pid, visible.Text(run.Dir))
	}
	s.asked[name] = pid
	return nil
}

// sampler reports whether a process samples a run, whether the server can stop that process, and
// whether it has asked it to stop.
func (s *Server) sampler(name string, run *runs.Run) (busy, stoppable, asked bool) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	busy, pid := run.Sampler()
	if !busy {
		delete(s.asked, name)
	}
	return busy, pid != 0 && (canStop || pid == os.Getpid()), pid != 0 && s.asked[name] == pid
}
