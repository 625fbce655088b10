package serve

import (
	"context"
	"embed"
	"encoding/json"
	"io/fs"
	"net/url"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	g "maragu.dev/gomponents"

	"aibd/internal/loopback"
	"aibd/internal/runs"
	"aibd/internal/visible"
)

//go:embed static
var assets embed.FS

// address returns the address of the page of a run.
func address(name string) string { return "/run?" + url.Values{"run": {name}}.Encode() }

// route answers a request by its address.
func (s *Server) route(ctx context.Context, r *loopback.Request) loopback.Response {
	answer, method := s.get(r.Path), "GET"
	if answer == nil {
		answer, method = s.post(r.Path), "POST"
	}
	switch {
	case answer == nil:
		return loopback.Text(loopback.NotFound, "found no page %s", visible.Text(r.Path))
	case r.Method != method && !(method == "GET" && r.Method == "HEAD"):
		return loopback.Text(loopback.MethodNotAllowed, "found the method %s, expected %s", r.Method, method)
	}
	return answer(ctx, r)
}

// get returns what answers requests for an address, or nil.
func (s *Server) get(name string) loopback.Handler {
	switch name {
	case "/":
		return s.listPage
	case "/run":
		return ofRun(s.runPage)
	case "/events":
		return s.events
	case "/picture":
		return ofRun(s.picture)
	}
	if file, is := strings.CutPrefix(name, "/static/"); is {
		if of, err := assets.ReadFile("static/" + file); err == nil {
			return func(context.Context, *loopback.Request) loopback.Response { return content(types[path.Ext(file)], of) }
		}
	}
	return nil
}

// types has the content types of static files, by the ending of their names.
var types = map[string]string{
	".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8",
	".svg": "image/svg+xml",
}

// post returns what does something with a run, or nil.
func (s *Server) post(name string) loopback.Handler {
	do := map[string]func(name string) error{"/stop": s.stopRun, "/resume": s.resumeRun}[name]
	if do == nil {
		return nil
	}
	return ofRun(func(_ context.Context, _ *loopback.Request, name string) loopback.Response {
		if err := do(name); err != nil {
			return loopback.Text(loopback.Conflict, "%s", visible.Text(err.Error()))
		}
		return loopback.Response{Status: loopback.NoContent}
	})
}

// ofRun returns a handler that has the name of the run in a request.
func ofRun(answer func(ctx context.Context, r *loopback.Request, name string) loopback.Response) loopback.Handler {
	return func(ctx context.Context, r *loopback.Request) loopback.Response {
		name := r.Values.Get("run")
		if !fs.ValidPath(name) || !filepath.IsLocal(filepath.FromSlash(name)) {
			return loopback.Text(loopback.NotFound, "found the run %q, expected a path inside the directory", name)
		}
		return answer(ctx, r, name)
	}
}

// content returns a response with content of a type.
func content(kind string, of []byte) loopback.Response {
	return loopback.Response{Status: loopback.OK, Header: map[string]string{"Content-Type": kind}, Body: of}
}

// html returns a response with a page.
func html(status int, of g.Node) loopback.Response {
	answer := content("text/html; charset=utf-8", []byte(part(of)))
	answer.Status = status
	return answer
}

func (s *Server) listPage(context.Context, *loopback.Request) loopback.Response {
	if _, err := runs.OpenBelow(s.below, "."); err == nil { // the directory is a run
		return loopback.Response{Status: loopback.SeeOther, Header: map[string]string{"Location": address(".")}}
	}
	return html(loopback.OK, listOf(s.dir()))
}

// dir returns the full name of the directory.
func (s *Server) dir() string {
	dir, err := filepath.Abs(s.o.Dir)
	if err != nil {
		dir = s.o.Dir
	}
	return visible.Text(dir)
}

func (s *Server) runPage(_ context.Context, _ *loopback.Request, name string) loopback.Response {
	run, err := runs.OpenBelow(s.below, filepath.FromSlash(name))
	title := visible.Text(name)
	if name == "." {
		title = s.dir()
	}
	if err != nil {
		return html(loopback.NotFound, failedPage(name, title, err.Error()))
	}
	return html(loopback.OK, runOf(name, title, s.spec(run)))
}

// picture answers with a picture of a description.
func (s *Server) picture(ctx context.Context, r *loopback.Request, name string) loopback.Response {
	n, err := strconv.Atoi(r.Values.Get("n"))
	if err != nil {
		n = -1
	}
	svg, err := s.view(name).draw(ctx, n)
	switch {
	case err != nil:
		return loopback.Text(loopback.ServerError, "%s", visible.Text(err.Error()))
	case svg == nil:
		return loopback.Text(loopback.NotFound, "found no such picture")
	}
	answer := content("image/svg+xml", svg)
	answer.Header["Content-Security-Policy"] = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
	return answer
}

// asJSON returns v in JSON.
func asJSON(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // v has no such values
	}
	return text
}
