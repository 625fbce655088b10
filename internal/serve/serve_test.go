package serve

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"aibd/internal/input"
	"aibd/internal/model"
	"aibd/internal/oracle/fixture"
	"aibd/internal/results"
	"aibd/internal/runs"
	"aibd/internal/spec"
)

// Every test also proves that the server leaves no goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// problem returns a problem that takes a moment to sample.
func problem(t *testing.T, seed, draws int) *model.Problem {
	t.Helper()
	text := strings.Replace(fixture.Small, "draws = 30", fmt.Sprint("draws = ", draws), 1)
	s, err := spec.ParseTOML([]byte(fixture.Binary(fmt.Sprintf("%s\nseed = %d", text, seed))), "spec.toml")
	if err != nil {
		t.Fatal(err)
	}
	p, err := input.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// sampled makes a complete run.
func sampled(t *testing.T, dir string, seed int) {
	t.Helper()
	r, err := runs.Create(dir, problem(t, seed, 30), "v1")
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Sample(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// site is a server under test.
type site struct {
	*Server
	t    *testing.T
	host string
	stop func() // stops the server and waits for its end
}

// start starts a server.
func start(t *testing.T, o Options) *site {
	t.Helper()
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return serve(t, s)
}

// serve starts a server that looks at the files often.
func serve(t *testing.T, s *Server) *site {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.o.Every = 20 * time.Millisecond
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()
	stopped := false
	stop := func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		http.DefaultClient.CloseIdleConnections()
	}
	t.Cleanup(stop)
	return &site{s, t, l.Addr().String(), stop}
}

// ask sends a request with headers in the form "name: value" and returns the answer and its
// body.
func (s *site) ask(method, path string, headers ...string) (*http.Response, string) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, "http://"+s.host, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	r.URL.Opaque = path // as it is
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		if r.Header.Set(name, value); name == "Host" {
			r.Host = value
		}
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return answer, strings.TrimSpace(string(body))
}

// cookie returns the header of a browser that the user admitted.
func (s *site) cookie() string { return "Cookie: " + cookie + "=" + s.token }

// get asks for a page as the browser of the user does.
func (s *site) get(path string) (status int, body string) {
	s.t.Helper()
	answer, body := s.ask("GET", s.place+path, s.cookie())
	return answer.StatusCode, body
}

// post asks to stop a run, as the page does.
func (s *site) post(run string) (status int, body string) {
	s.t.Helper()
	answer, body := s.ask("POST", s.place+"stop?"+url.Values{"run": {run}}.Encode(), "Origin: http://"+s.host, s.cookie())
	return answer.StatusCode, body
}

// until asks for a page until it matches a regular expression.
func (s *site) until(path, match string) (page string) {
	s.t.Helper()
	pattern := regexp.MustCompile(match)
	for began := time.Now(); time.Since(began) < 3*time.Minute; time.Sleep(s.o.Every) {
		if _, page = s.get(path); pattern.MatchString(page) {
			return page
		}
	}
	s.t.Fatalf("found no %s in %s: %s", match, path, page)
	return ""
}

// locked makes a run that this process is about to sample.
func locked(t *testing.T, dir string, draws int) *runs.Run {
	t.Helper()
	r, err := runs.Create(dir, problem(t, 1, draws), "v1")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

// Requests with another Host, another Origin or no token change nothing, and get nothing.
func TestGuard(t *testing.T) {
	fixture.Put(t)
	locked(t, "run", 30)
	stopped := 0
	s := start(t, Options{Dir: ".", Stop: func() { stopped++ }})
	_, port, _ := net.SplitHostPort(s.host)
	for host, want := range map[string]int{
		s.host: 200, "localhost:" + port: 200, "LOCALHOST:" + port: 200, "127.8.9.1:" + port: 200, "[::1]:" + port: 200,
		"localhost": 403, "localhost:1" + port: 403, "127.0.0.1": 403, "example.com:" + port: 403, "127.0.0.1.example.com:" + port: 403,
		"localhost.example.com:" + port: 403, "10.0.0.1:" + port: 403, "0.0.0.0:" + port: 403, "[::]:" + port: 403, "localhost.:" + port: 403, "[::ffff:10.0.0.1]:" + port: 403, "x@127.0.0.1:" + port: 403,
	} {
		for _, path := range []string{"", "run?run=run", "static/live.js"} {
			if answer, body := s.ask("GET", s.place+path, "Host: "+host, s.cookie()); answer.StatusCode != want && !(want == 403 && answer.StatusCode == 400) {
				t.Errorf("%s of host %s: found status %d, expected %d: %.80s", path, host, answer.StatusCode, want, body)
			}
		}
	}
	// Every address needs the token. No answer contains it except the cookie.
	for _, path := range []string{"/", s.place, s.place + "run?run=run", s.place + "picture?run=run&kind=trace", s.place + "static/live.js", "/none", "/?token=", "/?token=" + strings.ToLower(s.token), s.place + "?token=" + s.token} {
		for _, header := range []string{"Accept: */*", "Cookie: " + cookie + "=", "Cookie: " + cookie + "=" + s.token[1:], "Cookie: " + cookie + "=" + strings.ToLower(s.token), "Cookie: other=" + s.token, "X-Aibd-Token: " + s.token} {
			if answer, body := s.ask("GET", path, header); answer.StatusCode != http.StatusForbidden || strings.Contains(body, s.place) {
				t.Errorf("%s with %s: found status %d: %.80s", path, header, answer.StatusCode, body)
			}
		}
	}
	for _, path := range []string{"", "run?run=run", "static/live.js"} {
		if status, body := s.get(path); status != http.StatusOK || strings.Contains(body, s.token) {
			t.Errorf("%s: found status %d and the token: %s", path, status, body)
		}
	}
	answer, body := s.ask("GET", "/?token="+s.token)
	if want := cookie + "=" + s.token + "; Path=" + s.place + "; HttpOnly; SameSite=Strict"; answer.StatusCode != http.StatusOK || answer.Header.Get("Set-Cookie") != want || strings.Contains(body, s.token) || answer.Header.Get("Referrer-Policy") != "no-referrer" {
		t.Errorf("found status %d, %v, expected the cookie %s: %s", answer.StatusCode, answer.Header, want, body)
	}
	good := []string{"Origin: http://" + s.host, s.cookie()}
	for _, c := range []struct {
		name    string
		headers []string
	}{
		{"nothing", nil},
		{"no origin", good[1:]},
		{"no token", good[:1]},
		{"another token", []string{good[0], strings.ToLower(good[1])}},
		{"another origin", []string{"Origin: http://example.com", good[1]}},
		{"another scheme", []string{"Origin: https://" + s.host, good[1]}},
		{"another port", []string{"Origin: http://127.0.0.1:1", good[1]}},
		{"another loopback name", []string{"Origin: http://localhost:" + port, good[1]}},
		{"a file", []string{"Origin: null", good[1]}},
		{"another host", []string{"Host: example.com:" + port, "Origin: http://example.com:" + port, good[1]}},
	} {
		for _, method := range []string{"POST", "PUT", "DELETE"} {
			if answer, _ := s.ask(method, s.place+"stop?run=run", c.headers...); answer.StatusCode != http.StatusForbidden || stopped != 0 {
				t.Errorf("%s with %s: found status %d and %d stops", method, c.name, answer.StatusCode, stopped)
			}
		}
	}
	for method, want := range map[string][2]string{"GET": {"stop?run=run", "POST"}, "PUT": {"run?run=run", "GET, HEAD"}} {
		if answer, _ := s.ask(method, s.place+want[0], good...); answer.StatusCode != http.StatusMethodNotAllowed || answer.Header.Get("Allow") != want[1] || stopped != 0 {
			t.Errorf("%s %s: found status %d, Allow %q, expected %q", method, want[0], answer.StatusCode, answer.Header.Get("Allow"), want[1])
		}
	}
	for range 2 {
		if status, body := s.post("run"); status != http.StatusSeeOther || stopped != 1 {
			t.Errorf("found status %d, %s and %d stops, expected one", status, body, stopped)
		}
	}
	s.until("run?run=run", "Stopping: 0% of round 1")

	answer, _ = s.ask("GET", s.place, s.cookie())
	if policy := answer.Header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'self'; ") || strings.Contains(policy, "unsafe") {
		t.Errorf("found the policy %s", policy)
	}
	for site, want := range map[string]int{"cross-site": 403, "same-site": 403, "same-origin": 200, "none": 200} {
		if answer, _ := s.ask("GET", s.place+"static/live.js", s.cookie(), "Sec-Fetch-Site: "+site, "Sec-Fetch-Mode: no-cors"); answer.StatusCode != want {
			t.Errorf("%s: found status %d, expected %d", site, answer.StatusCode, want)
		}
	}
	// Pages have no script and no style of their own, which the policy would refuse.
	for _, page := range []string{"", "run?run=run"} {
		_, body := s.get(page)
		if got := regexp.MustCompile(`(?i)<script(>| [^>]*>[^<])|<style|\son\w+=|\sstyle=|javascript:`).FindString(body); got != "" {
			t.Errorf("%s: found %s", page, got)
		}
	}
}

// Requests that two programs may read in two ways are refused, and so are long ones.
func TestForms(t *testing.T) {
	fixture.Put(t)
	s := start(t, Options{Dir: "."})
	post := "POST " + s.place + "stop HTTP/1.1\r\nHost: " + s.host + "\r\nOrigin: http://" + s.host + "\r\n" + s.cookie() + "\r\nContent-Type: application/x-www-form-urlencoded\r\nConnection: close\r\n"
	long := strings.Repeat("x", maxBody+1)
	for request, want := range map[string]int{
		post + "Content-Length: 8\r\n\r\nrun=none":                                                     409,
		post + "Content-Length: 8\r\nContent-Length: 9\r\n\r\nrun=none":                                400,
		post + "Content-Length: +8\r\n\r\nrun=none":                                                    400,
		post + "Content-Length: -8\r\n\r\nrun=none":                                                    400,
		post + "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n":                                          400,
		post + "Transfer-Encoding: other\r\n\r\n0\r\n\r\n":                                             501,
		post + "X: a\rb\r\n\r\n":                                                                       400,
		post + fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(long), long):                            413,
		post + fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(long), long): 413,
		post + "X: " + strings.Repeat("x", 2*maxHeader) + "\r\n\r\n":                                   431,
		"GET / HTTP/1.1 x\r\nHost: " + s.host + "\r\n\r\n":                                             400,
		"GET / HTTP/1.1\r\n\r\n":                                                                       400,
		"GET / HTTP/1.1\r\nHost: " + s.host + "\r\nHost: other\r\n\r\n":                                400,
	} {
		c, err := net.Dial("tcp", s.host)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(c, request)
		answer, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil || answer.StatusCode != want {
			t.Errorf("%.300q: found %v, %v, expected status %d", request, answer, err, want)
		}
		c.Close()
	}
}

// A page that fails gives a line in the log and an error, and the server goes on.
func TestPanic(t *testing.T) {
	var log bytes.Buffer
	s, err := New(Options{Dir: t.TempDir(), Log: &log})
	if err != nil {
		t.Fatal(err)
	}
	defer s.below.Root.Close()
	server := httptest.NewServer(s.guard(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("out of order") })))
	defer server.Close()
	for range 2 {
		r, err := http.NewRequestWithContext(t.Context(), "GET", server.URL+"/a%0Ab?token=secret", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.AddCookie(&http.Cookie{Name: cookie, Value: s.token})
		answer, err := server.Client().Do(r)
		if err != nil || answer.StatusCode != http.StatusInternalServerError {
			t.Fatalf("found %v, %v, expected status 500", answer, err)
		}
		answer.Body.Close()
	}
	if want := strings.Repeat("internal error: GET /a\\nb: out of order\n", 2); log.String() != want {
		t.Errorf("found the log %q, expected %q", log.String(), want)
	}
}

// No address leads out of the directory.
func TestTraversal(t *testing.T) {
	fixture.Put(t, "secret.txt", "secret")
	sampled(t, "outside", 1)
	for _, dir := range []string{"dir", "dir/half"} {
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	sampled(t, "dir/run", 2)
	for link, target := range map[string]string{"dir/link": "../outside", "dir/half/run.json": "../../outside/run.json", "dir/same": "run", "dir/loop": "."} {
		if err := os.Symlink(target, link); err != nil {
			t.Skip(err)
		}
	}
	s := start(t, Options{Dir: "dir"})
	absolute, err := filepath.Abs("outside")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"link", "half", "../outside", "run/../../outside", "..", "./run", "run/", "/", "", absolute, "run/../../secret.txt", "run\x00", `..\outside`, "none", "loop/link",
	} {
		query := "?" + url.Values{"run": {name}}.Encode()
		if status, body := s.get("run" + query); status != http.StatusNotFound || strings.Contains(body, "seed") {
			t.Errorf("%q: found status %d and %s, expected 404", name, status, body)
		}
		if status, body := s.get("picture" + query + "&kind=trace"); status != http.StatusNotFound {
			t.Errorf("picture of %q: found status %d: %s", name, status, body)
		}
		if status, body := s.post(name); status < 400 {
			t.Errorf("stop %q: found status %d: %s", name, status, body)
		}
	}
	for _, path := range []string{
		"../secret.txt", "../../secret.txt", "static/../../secret.txt", "static/%2e%2e/%2e%2e/secret.txt", "static/..%2f..%2fsecret.txt", "static//etc/passwd", "static/", "secret.txt", "dir/run/run.json",
		"run?run=%2e%2e%2foutside", "run?run=..%252foutside", "static/run.html",
	} {
		status, body := s.get(path)
		if status < 300 || strings.Contains(body, "secret\n") {
			t.Errorf("%s: found status %d and %s", path, status, body)
		}
	}
	for _, name := range []string{"run", "same"} {
		if status, body := s.get("run?run=" + name); status != http.StatusOK {
			t.Errorf("%s: found status %d: %s", name, status, body)
		}
	}
	_, list := s.get("")
	if got := names(list); !slices.Equal(slices.Sorted(slices.Values(got)), []string{"half", "run"}) {
		t.Errorf("found the runs %q, expected half and run", got)
	}
	if !strings.Contains(list, "found a symbolic link") || strings.Contains(list, absolute) {
		t.Errorf("found %s, expected that half is damaged", list)
	}
}

// names returns the names of the runs in a list.
func names(list string) (all []string) {
	for _, link := range regexp.MustCompile(`href="run\?run=([^"]*)"`).FindAllStringSubmatch(list, -1) {
		all = append(all, link[1])
	}
	return all
}

// The page of a run shows its traces while it is sampled, what was found when it was, and other draws of
// a run that continues.
func TestLive(t *testing.T) {
	fixture.Put(t)
	r := locked(t, "run", 100_000)
	r.CheckpointEvery = 0
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	s := start(t, Options{Dir: ".", Stop: stop})
	page := s.until("run?run=run", "Sampling: 0% of round 1, warmup.*There are no draws yet")
	if status, _ := s.get("picture?run=run&kind=trace"); status != http.StatusNotFound || strings.Contains(page, "<img") {
		t.Errorf("found a picture of no draws, status %d", status)
	}
	ended := make(chan error, 1)
	go func() { ended <- r.Sample(ctx) }()
	first := s.until("run?run=run", "badge sampling.*R-hat [1-9].*verdict.*follows when sampling stops.*kind=trace.*>mass<")
	image := regexp.MustCompile(`picture\?[^"]*`)
	page = first
	for image.FindString(page) == image.FindString(first) { // until there are more draws
		page = s.until("run?run=run", "kind=trace")
	}
	for kind, want := range map[string]int{"trace": 200, "rank": 404, "none": 404, "": 404} {
		if status, body := s.get("picture?run=run&kind=" + kind); status != want || status == 200 && !strings.Contains(body, "<title>Traces</title>") {
			t.Errorf("picture %q: found status %d, expected %d: %.200s", kind, status, want, body)
		}
	}
	if status, body := s.post("run"); status != http.StatusSeeOther {
		t.Errorf("found status %d: %s", status, body)
	}
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	page = s.until("run?run=run", "badge stopped.*aibd resume run.*What was found.*verdict bad.*kind=rank")
	if strings.Contains(page, `id="stop"`) {
		t.Error("found Stop of a run that is stopped")
	}
	for _, kind := range []string{"trace", "rank"} {
		if status, body := s.get("picture?run=run&kind=" + kind); status != http.StatusOK || !strings.Contains(body, "</svg>") {
			t.Errorf("%s: found status %d: %.200s", kind, status, body)
		}
	}
	if list := s.until("", `badge stopped.*R-hat [1-9]`); strings.Contains(list, s.token) {
		t.Error("found the token in the list")
	}
}

// Runs that are damaged, half written, removed or replaced are shown as such, and the others as
// ever.
func TestRobust(t *testing.T) {
	fixture.Put(t)
	sampled(t, "good", 1)
	sampled(t, "bad", 1)
	sampled(t, "gone", 1)
	for name, content := range map[string]string{"bad/chain-1/draws-00001.parquet": "half", "bad/chain-2/chain.json": "{"} {
		if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for name, content := range map[string]string{"empty": "", "text": "no JSON", "half": `{"aibd": "v1", "form`, ".hidden": ""} {
		if err := os.Mkdir(name, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(name, "run.json"), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll("a/b/c/d/e", 0o777); err != nil {
		t.Fatal(err)
	}
	sampled(t, "a/b/c/d/found", 3)
	sampled(t, "a/b/c/d/e/deep", 3)
	server, err := New(Options{Dir: "."})
	if err != nil {
		t.Fatal(err)
	}
	server.judge = func(run *runs.Run) (*results.Judged, error) {
		if run.Dir == "gone" {
			panic("<broken>")
		}
		return results.Judge(run)
	}
	s := serve(t, server)
	_, list := s.get("")
	for _, want := range []string{"line 1: unexpected end of JSON input", "badge complete", "badge damaged", "chain-2/chain.json: damaged"} {
		if !strings.Contains(list, want) {
			t.Errorf("found no %q in the list %s", want, list)
		}
	}
	if strings.Contains(list, ".hidden") || strings.Contains(list, "deep") {
		t.Errorf("found a run that is hidden or too deep: %s", list)
	}
	s.until("run?run=bad", `badge stopped.*found no aibd.crc32c in 4 bytes`)
	s.until("run?run=half", `badge damaged`)
	s.until("run?run=gone", "badge complete.*internal error: &lt;broken&gt;.*kind=trace")
	if err := os.RemoveAll("gone"); err != nil {
		t.Fatal(err)
	}
	s.until("run?run=gone", `badge removed`)
	for slices.Contains(names(s.until("", ".")), "gone") {
	}
	if err := os.Rename("good", ".good"); err != nil {
		t.Fatal(err)
	}
	for slices.Contains(names(s.until("", ".")), "good") {
	}
	if err := os.Rename(".good", "good"); err != nil {
		t.Fatal(err)
	}
	s.until("", `run=good"`)
	sampled(t, "gone", 2)
	s.until("run?run=gone", `seed 2<.*badge complete.*kind=trace`)
	if status, body := s.post("good"); status != http.StatusConflict || body != "good: no process samples this run" {
		t.Errorf("found status %d: %s", status, body)
	}
}

// Many runs are listed, and looked at again at little cost.
func TestMany(t *testing.T) {
	fixture.Put(t)
	sampled(t, "run0", 1)
	many := 150
	if *fixture.Long {
		many = 400
	}
	for i := 1; i < many; i++ {
		dir := fmt.Sprintf("group%d/run%d", i%10, i)
		for c := range 3 {
			if err := os.MkdirAll(filepath.Join(dir, model.ChainName(c)), 0o777); err != nil {
				t.Fatal(err)
			}
			for _, file := range []string{"chain.json", "draws-00001.parquet"} {
				name := filepath.Join(model.ChainName(c), file)
				if err := os.Link(filepath.Join("run0", name), filepath.Join(dir, name)); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := os.Link("run0/run.json", filepath.Join(dir, "run.json")); err != nil {
			t.Fatal(err)
		}
	}
	s := start(t, Options{Dir: "."})
	began := time.Now()
	_, list := s.get("")
	if n := strings.Count(list, "badge complete"); n != many {
		t.Errorf("found %d complete runs, expected %d", n, many)
	}
	first, again := time.Since(began), time.Hour
	s.list.mutex.Lock()
	defer s.list.mutex.Unlock()
	for range 5 { // other processes may delay a look
		s.list.next = time.Time{}
		began = time.Now()
		s.list.look()
		again = min(again, time.Since(began))
	}
	t.Logf("the list took %v, and %v the second time", first, again)
	if again > first/2 {
		t.Errorf("the second look took %v", again)
	}
}

// Pages that were closed leave no file open.
func TestOpenFiles(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("no /proc")
	}
	fixture.Put(t)
	sampled(t, "run", 1)
	s := start(t, Options{Dir: "."})
	count := func() int {
		open, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(open)
	}
	visit := func() {
		for _, path := range []string{"", "run?run=run", "run?run=none", "picture?run=run&kind=trace"} {
			s.get(path)
		}
	}
	visit()
	before := count()
	for range 30 {
		visit()
	}
	for start := time.Now(); count() > before; time.Sleep(20 * time.Millisecond) {
		if time.Since(start) > 3*time.Minute {
			t.Fatalf("found %d open files after 120 pages, %d before", count(), before)
		}
	}
}
