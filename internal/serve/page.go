package serve

import (
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"path/filepath"
	"strconv"

	g "maragu.dev/gomponents"

	"aibd/internal/runs"
	"aibd/internal/visible"
)

//go:embed static
var assets embed.FS

// address returns the address of the page of a run.
func address(name string) string { return "/run?" + url.Values{"run": {name}}.Encode() }

// routes returns the handler of all addresses.
func (s *Server) routes() http.Handler {
	static, err := fs.Sub(assets, "static")
	if err != nil {
		panic(err)
	}
	m := http.NewServeMux()
	m.HandleFunc("GET /{$}", s.listPage)
	m.HandleFunc("GET /run", s.runPage)
	m.HandleFunc("GET /events", s.events)
	m.HandleFunc("GET /picture", s.picture)
	m.HandleFunc("POST /stop", s.act(s.stopRun))
	m.HandleFunc("POST /resume", s.act(s.resumeRun))
	m.Handle("GET /static/", http.StripPrefix("/static/", http.FileServerFS(static)))
	return m
}

// runName returns the name of a run in a request, and false after it has answered that there
// is no such name.
func runName(w http.ResponseWriter, r *http.Request) (string, bool) {
	name := r.FormValue("run")
	if !fs.ValidPath(name) || !filepath.IsLocal(filepath.FromSlash(name)) {
		http.Error(w, fmt.Sprintf("found the run %q, expected a path inside the directory", name), http.StatusNotFound)
		return "", false
	}
	return name, true
}

// write answers with a page.
func write(w http.ResponseWriter, status int, page g.Node) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	io.WriteString(w, part(page))
}

func (s *Server) listPage(w http.ResponseWriter, r *http.Request) {
	if _, err := runs.OpenBelow(s.below, "."); err == nil { // the directory is a run
		http.Redirect(w, r, address("."), http.StatusSeeOther)
		return
	}
	write(w, http.StatusOK, listOf(s.dir()))
}

// dir returns the full name of the directory.
func (s *Server) dir() string {
	dir, err := filepath.Abs(s.o.Dir)
	if err != nil {
		dir = s.o.Dir
	}
	return visible.Text(dir)
}

func (s *Server) runPage(w http.ResponseWriter, r *http.Request) {
	name, ok := runName(w, r)
	if !ok {
		return
	}
	run, err := runs.OpenBelow(s.below, filepath.FromSlash(name))
	title := visible.Text(name)
	if name == "." {
		title = s.dir()
	}
	if err != nil {
		write(w, http.StatusNotFound, failedPage(name, title, err.Error()))
		return
	}
	write(w, http.StatusOK, runOf(name, title, s.spec(run)))
}

// picture answers with a picture of a description.
func (s *Server) picture(w http.ResponseWriter, r *http.Request) {
	name, ok := runName(w, r)
	if !ok {
		return
	}
	n, err := strconv.Atoi(r.FormValue("n"))
	if err != nil {
		n = -1
	}
	svg, err := s.view(name).draw(r.Context(), n)
	switch {
	case err != nil:
		http.Error(w, visible.Text(err.Error()), http.StatusInternalServerError)
		return
	case svg == nil:
		http.Error(w, "found no such picture", http.StatusNotFound)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "image/svg+xml")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox")
	w.Write(svg)
}

// act answers a request to do something with a run.
func (s *Server) act(do func(name string) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, 1<<16)
		name, ok := runName(w, r)
		if !ok {
			return
		}
		if err := do(name); err != nil {
			http.Error(w, visible.Text(err.Error()), http.StatusConflict)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}
}

// asJSON returns v in JSON.
func asJSON(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // v has no such values
	}
	return text
}
