package serve

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
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

	"aibd/internal/files"
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
func problem(t *testing.T, seed int) *model.Problem {
	t.Helper()
	s, err := spec.ParseTOML([]byte(fmt.Sprintf("%s\nseed = %d", fixture.Small, seed)), "spec.toml")
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
	r, err := runs.Create(dir, problem(t, seed), "v1")
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

// start starts a server that looks at the files often.
func start(t *testing.T, o Options) *site {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	o.Every = 20 * time.Millisecond
	return startOn(t, l, o)
}

func startOn(t *testing.T, l net.Listener, o Options) *site {
	t.Helper()
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
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
	return answer, string(body)
}

// post asks to do something with a run, as the page does.
func (s *site) post(path, run string) (status int, body string) {
	s.t.Helper()
	answer, body := s.ask("POST", path+"?"+url.Values{"run": {run}}.Encode(), "Origin: http://"+s.host, "X-Aibd-Token: "+s.token)
	return answer.StatusCode, strings.TrimSpace(body)
}

// event is a message of a stream.
type event struct{ name, data string }

// listen returns the events of a page until the test or the server ends.
func (s *site) listen(query string) <-chan event {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), "GET", "http://"+s.host+"/events"+query, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	if kind := answer.Header.Get("Content-Type"); answer.StatusCode != http.StatusOK || kind != "text/event-stream" {
		s.t.Fatalf("%s: found status %d and %s", query, answer.StatusCode, kind)
	}
	all := make(chan event, 1000)
	s.t.Cleanup(func() {
		answer.Body.Close()
		for range all {
		}
	})
	go func() {
		defer close(all)
		defer answer.Body.Close()
		lines := bufio.NewScanner(answer.Body)
		lines.Buffer(nil, 64<<20)
		var e event
		for lines.Scan() {
			switch name, value, _ := strings.Cut(lines.Text(), ": "); name {
			case "event":
				e.name = value
			case "data":
				e.data = value
			case "":
				if e.name != "" {
					all <- e
				}
				e = event{}
			}
		}
	}()
	return all
}

// until returns the first event of a name, or of any if it is empty, whose data match a regular expression.
func until(t *testing.T, all <-chan event, name, match string) event {
	t.Helper()
	pattern, late := regexp.MustCompile(match), time.After(3*time.Minute)
	var last string
	for {
		select {
		case e, more := <-all:
			if !more {
				t.Fatalf("the stream ended before %s %s; the last one had %s", name, match, last)
			}
			if name != "" && e.name != name {
				continue
			}
			if last = e.data; pattern.MatchString(e.data) {
				return e
			}
		case <-late:
			t.Fatalf("found no %s %s; the last one had %s", name, match, last)
		}
	}
}

// Requests with another Host, another Origin or no token change nothing, and get nothing.
func TestGuard(t *testing.T) {
	fixture.Put(t)
	sampled(t, "run", 1)
	stopped := 0
	s := start(t, Options{Dir: "."})
	defer s.Sampling("run", func() { stopped++ })()
	_, port, _ := net.SplitHostPort(s.host)
	for host, want := range map[string]int{
		s.host: 200, "localhost:" + port: 200, "LOCALHOST:" + port: 200, "127.8.9.1:" + port: 200, "[::1]:" + port: 200,
		"localhost": 403, "localhost:1" + port: 403, "127.0.0.1": 403, "example.com:" + port: 403, "127.0.0.1.example.com:" + port: 403,
		"localhost.example.com:" + port: 403, "10.0.0.1:" + port: 403, "0.0.0.0:" + port: 403, "[::]:" + port: 403, "localhost.:" + port: 403, "[::ffff:10.0.0.1]:" + port: 403, "x@127.0.0.1:" + port: 403,
	} {
		for _, path := range []string{"/", "/run?run=run", "/static/run.js"} {
			if answer, body := s.ask("GET", path, "Host: "+host); answer.StatusCode != want {
				t.Errorf("%s of host %s: found status %d, expected %d: %.80s", path, host, answer.StatusCode, want, body)
			}
		}
	}
	good := []string{"Origin: http://" + s.host, "X-Aibd-Token: " + s.token}
	for _, c := range []struct {
		name    string
		headers []string
	}{
		{"nothing", nil},
		{"no origin", good[1:]},
		{"no token", good[:1]},
		{"an empty token", []string{good[0], "X-Aibd-Token: "}},
		{"another token", []string{good[0], "X-Aibd-Token: " + strings.ToLower(s.token)}},
		{"another origin", []string{"Origin: http://example.com", good[1]}},
		{"another scheme", []string{"Origin: https://" + s.host, good[1]}},
		{"another port", []string{"Origin: http://127.0.0.1:1", good[1]}},
		{"another loopback name", []string{"Origin: http://localhost:" + port, good[1]}},
		{"a file", []string{"Origin: null", good[1]}},
		{"another host", []string{"Host: example.com:" + port, "Origin: http://example.com:" + port, good[1]}},
	} {
		for _, method := range []string{"POST", "PUT", "DELETE"} {
			if answer, _ := s.ask(method, "/stop?run=run", c.headers...); answer.StatusCode != http.StatusForbidden || stopped != 0 {
				t.Errorf("%s with %s: found status %d and %d stops", method, c.name, answer.StatusCode, stopped)
			}
		}
	}
	if answer, _ := s.ask("GET", "/stop?run=run", good...); answer.StatusCode != http.StatusMethodNotAllowed || stopped != 0 {
		t.Errorf("GET /stop: found status %d", answer.StatusCode)
	}
	if status, body := s.post("/stop", "run"); status != http.StatusNoContent || stopped != 1 {
		t.Errorf("found status %d, %s and %d stops, expected one", status, body, stopped)
	}
	if status, _ := s.post("/stop", "run"); status != http.StatusNoContent || stopped != 1 {
		t.Errorf("again: found status %d and %d stops, expected one", status, stopped)
	}

	answer, _ := s.ask("GET", "/")
	if policy := answer.Header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'self'; ") || strings.Contains(policy, "unsafe") {
		t.Errorf("found the policy %s", policy)
	}
	for site, want := range map[string]int{"cross-site": 403, "same-site": 403, "same-origin": 200, "none": 200} {
		if answer, _ := s.ask("GET", "/events", "Sec-Fetch-Site: "+site, "Sec-Fetch-Mode: cors", "Host: "+map[bool]string{true: s.host, false: "no"}[want == 403]); answer.StatusCode != 403 {
			t.Errorf("%s: found status %d", site, answer.StatusCode)
		}
		if answer, _ := s.ask("GET", "/static/run.js", "Sec-Fetch-Site: "+site, "Sec-Fetch-Mode: no-cors"); answer.StatusCode != want {
			t.Errorf("%s: found status %d, expected %d", site, answer.StatusCode, want)
		}
	}
	// Pages have no script and no style of their own, which the policy would refuse.
	for _, page := range []string{"/", "/run?run=run"} {
		_, body := s.ask("GET", page)
		if found := regexp.MustCompile(`(?i)<script(>| [^>]*>[^<])|<style|\son\w+=|\sstyle=|javascript:`).FindString(body); found != "" {
			t.Errorf("%s: found %s", page, found)
		}
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
	for from, to := range map[string]string{"dir/link": "../outside", "dir/half/run.json": "../../outside/run.json", "dir/same": "run", "dir/loop": "."} {
		if err := os.Symlink(to, from); err != nil {
			t.Skip(err)
		}
	}
	s := start(t, Options{Dir: "dir", Describe: func(*runs.Run) (*Description, error) { return &Description{}, nil }})
	absolute, err := filepath.Abs("outside")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"link", "half", "../outside", "run/../../outside", "..", "./run", "run/", "/", "", absolute, "run/../../secret.txt", "run\x00", `..\outside`, "none", "loop/link",
	} {
		query := "?" + url.Values{"run": {name}}.Encode()
		answer, body := s.ask("GET", "/run"+query)
		if answer.StatusCode != http.StatusNotFound || strings.Contains(body, "seed") {
			t.Errorf("%q: found status %d and %s, expected 404", name, answer.StatusCode, body)
		}
		if answer, body := s.ask("GET", "/picture"+query+"&n=0"); answer.StatusCode != http.StatusNotFound {
			t.Errorf("picture of %q: found status %d: %s", name, answer.StatusCode, body)
		}
		for _, path := range []string{"/stop", "/resume"} {
			if status, body := s.post(path, name); status < 400 {
				t.Errorf("%s %q: found status %d: %s", path, name, status, body)
			}
		}
	}
	for _, path := range []string{
		"/../secret.txt", "/static/../../secret.txt", "/static/%2e%2e/%2e%2e/secret.txt", "/static/..%2f..%2fsecret.txt", "/static//etc/passwd", "/secret.txt", "/dir/run/run.json",
		"/run?run=%2e%2e%2foutside", "/run?run=..%252foutside", "/static/run.html",
	} {
		answer, body := s.ask("GET", path)
		if answer.StatusCode < 300 || strings.Contains(body, "secret\n") {
			t.Errorf("%s: found status %d and %s", path, answer.StatusCode, body)
		}
	}
	for _, name := range []string{"run", "same"} {
		if answer, body := s.ask("GET", "/run?run="+name); answer.StatusCode != http.StatusOK {
			t.Errorf("%s: found status %d: %s", name, answer.StatusCode, body)
		}
	}
	e := until(t, s.listen(""), "list", ".")
	var found struct{ Order []string }
	if err := json.Unmarshal([]byte(e.data), &found); err != nil || !slices.Equal(slices.Sorted(slices.Values(found.Order)), []string{"half", "run"}) {
		t.Errorf("found the runs %q, %v, expected half and run", found.Order, err)
	}
	if !strings.Contains(e.data, "found a symbolic link") || strings.Contains(e.data, absolute) {
		t.Errorf("found %s, expected that half is damaged", e.data)
	}
}

// The page of a run gets its draws, then only new ones; two pages get the same; the stream of a
// page that is open ends with the server, and the page connects to the next server.
func TestEvents(t *testing.T) {
	fixture.Put(t)
	r, err := runs.Create("run", problem(t, 1), "v1")
	if err != nil {
		t.Fatal(err)
	}
	r.CheckpointEvery = 0
	s := start(t, Options{Dir: ".", Describe: func(r *runs.Run) (*Description, error) {
		return &Description{Agreed: true, Verdict: []string{"found <b>all</b>"}, Pictures: []string{"a picture"}, Draw: func(int) ([]byte, error) { return []byte("<svg></svg>"), nil }}, nil
	}})
	page := s.listen("?run=run")
	var first struct {
		Stride int
		Chains int
		Plots  []plot
		Points struct{ Values [][][]float64 }
	}
	if err := json.Unmarshal([]byte(until(t, page, "begin", "").data), &first); err != nil {
		t.Fatal(err)
	}
	until(t, page, "state", `"state":"sampling","text":"Sampling: 0% of round 1, warmup","done":0,"total":150`)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- r.Sample(ctx) }()
	other := s.listen("?run=run")
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	count := func(all <-chan event) (points int) {
		for points < 90 {
			e := until(t, all, "", "")
			var p struct {
				From   []int
				Values [][][]float64
				Points struct{ Values [][][]float64 }
			}
			switch e.name {
			case "begin":
				if err := json.Unmarshal([]byte(e.data), &first); err != nil {
					t.Fatal(err)
				}
				p.Values, points = first.Points.Values, 0
			case "points":
				if err := json.Unmarshal([]byte(e.data), &p); err != nil {
					t.Fatal(err)
				}
			default:
				continue
			}
			for _, of := range p.Values {
				points += len(of[0])
			}
		}
		return points
	}
	for _, all := range []<-chan event{page, other} {
		if points := count(all); points != 90 || first.Stride != 1 || first.Chains != 3 || first.Plots[0].Key != "n_features" {
			t.Errorf("found %d points, expected 90; %+v", points, first)
		}
		until(t, all, "state", `"state":"complete","text":"Complete: 90 draws of 3 chains"`)
		until(t, all, "found", `found \\u0026lt;b`)
	}
	_, body := s.ask("GET", "/picture?run=run&n=0")
	if answer, _ := s.ask("GET", "/picture?run=run&n=1"); answer.StatusCode != http.StatusNotFound || body != "<svg></svg>" {
		t.Errorf("found the picture %s, and another with status %d", body, answer.StatusCode)
	}
	s.stop()
	for range other {
	}
	l, err := net.Listen("tcp", s.host)
	if err != nil {
		t.Fatal(err)
	}
	next := startOn(t, l, Options{Dir: ".", Every: 20 * time.Millisecond})
	if points := count(next.listen("?run=run")); points != 90 {
		t.Errorf("found %d points of the next server", points)
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
	s := start(t, Options{Dir: ".", Describe: func(*runs.Run) (*Description, error) { panic("broken") }})
	list := s.listen("")
	e := until(t, list, "list", `"order":\[`)
	for _, want := range []string{"line 1: unexpected end of JSON input", "badge complete", "badge damaged", "chain-2/chain.json: damaged"} {
		if !strings.Contains(e.data, want) {
			t.Errorf("found no %q in the list %s", want, e.data)
		}
	}
	if strings.Contains(e.data, ".hidden") || strings.Contains(e.data, "deep") {
		t.Errorf("found a run that is hidden or too deep: %s", e.data)
	}
	until(t, s.listen("?run=bad"), "state", `"state":"stopped".*found no aibd.crc32c in 4 bytes`)
	until(t, s.listen("?run=half"), "state", `"state":"damaged"`)
	page := s.listen("?run=gone")
	until(t, page, "found", "internal error: broken")
	if err := os.RemoveAll("gone"); err != nil {
		t.Fatal(err)
	}
	until(t, page, "state", `"state":"removed"`)
	until(t, list, "list", `"order":\[[^\]]*\]`)
	if err := os.Rename("good", ".good"); err != nil {
		t.Fatal(err)
	}
	for strings.Contains(until(t, list, "list", "").data, `"good"`) {
	}
	if err := os.Rename(".good", "good"); err != nil {
		t.Fatal(err)
	}
	until(t, list, "list", `"good":"`) // its row again: the page has removed it
	sampled(t, "gone", 2)
	until(t, page, "begin", `"n_features"`)
	until(t, page, "state", `"state":"complete"`)
	if status, body := s.post("/stop", "good"); status != http.StatusConflict || body != "good: no process samples this run" {
		t.Errorf("found status %d: %s", status, body)
	}
}

// A thousand runs are listed within seconds, and looked at again at little cost.
func TestMany(t *testing.T) {
	fixture.Put(t)
	sampled(t, "run0", 1)
	for i := 1; i < 400; i++ {
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
	e := until(t, s.listen(""), "list", ".")
	if strings.Contains(e.data, "good") {
		t.Error("found runs in green, expected none: the list does not judge all of a run")
	}
	if n := strings.Count(e.data, "badge complete"); n != 400 {
		t.Errorf("found %d complete runs, expected 400", n)
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

// A page gets fewer points of each chain if there are many chains or draws, at equal steps. The
// curves of R-hat and ESS do not depend on when they are computed.
func TestThinning(t *testing.T) {
	fixture.Put(t)
	sampled(t, "run", 1)
	root, err := os.OpenRoot(".")
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	f := runs.Follow(files.Below{Root: root}, "run")
	if err := f.Update(); err != nil {
		t.Fatal(err)
	}
	// Chains of the same 30 draws again and again.
	long := func(chains, draws int) {
		f.Traces = slices.Repeat(f.Traces[:1], chains)
		for c := range f.Traces {
			s := &f.Traces[c]
			s.Iteration, s.Values = slices.Repeat(s.Iteration[:30], draws/30), maps.Clone(s.Values)
			for key, x := range s.Values {
				s.Values[key] = slices.Repeat(x[:30], draws/30)
			}
		}
	}
	for _, c := range []struct{ chains, draws, stride, points int }{
		{4, 1980, 1, 1980}, {4, 2010, 2, 1005}, {4, 30_000, 16, 1875}, {50, 1200, 1, 1200}, {50, 3000, 4, 750}, {1000, 300, 4, 75},
	} {
		long(c.chains, c.draws)
		v := &view{follower: f, stride: 1, quantities: results.Quantities(f.Run, f.Traces)}
		v.thin()
		from := make([]int, c.chains)
		p, some := v.newPoints(from)
		if got := len(p.Values[c.chains-1][0]); v.stride != c.stride || got != c.points || !some {
			t.Errorf("%d chains of %d draws: found %d points, one for each %d draws, expected %d and %d", c.chains, c.draws, got, v.stride, c.points, c.stride)
		}
		if _, some := v.newPoints(from); some {
			t.Errorf("%d chains of %d draws: found points twice", c.chains, c.draws)
		}
	}
	var whole, growing checks
	for draws := 90; draws <= 900; draws += 90 {
		long(2, draws)
		for growing.next = (time.Time{}); growing.drawn != draws; growing.next = (time.Time{}) {
			growing.update(f)
		}
	}
	for whole.drawn != 900 {
		whole.next = time.Time{}
		whole.update(f)
	}
	if !slices.Equal(whole.Draws, growing.Draws) || !slices.Equal(whole.RHat, growing.RHat) || !slices.Equal(whole.ESS, growing.ESS) || len(whole.Draws) != 28 || whole.Draws[27] != 896 {
		t.Errorf("found the points\n%v and\n%v", whole.Draws, growing.Draws)
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
		for _, query := range []string{"", "?run=run", "?run=none"} {
			ctx, leave := context.WithCancel(t.Context())
			r, err := http.NewRequestWithContext(ctx, "GET", "http://"+s.host+"/events"+query, nil)
			if err != nil {
				t.Fatal(err)
			}
			answer, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			answer.Body.Read(make([]byte, 1))
			leave()
			answer.Body.Close()
		}
	}
	visit()
	before := count()
	for range 30 {
		visit()
	}
	for start := time.Now(); count() > before; time.Sleep(20 * time.Millisecond) {
		if time.Since(start) > 3*time.Minute {
			t.Fatalf("found %d open files after 90 pages, %d before", count(), before)
		}
	}
}
