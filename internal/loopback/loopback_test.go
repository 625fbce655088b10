package loopback

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// start serves until the end of the test, or until stop, which returns what Serve returned.
func start(t *testing.T, handle Handler) (address string, stop func() error) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- Serve(ctx, l, handle); close(ended) }()
	stop = func() error { cancel(); return <-ended }
	t.Cleanup(func() { stop() })
	return l.Addr().String(), stop
}

// raw sends text and returns the answer.
func raw(t *testing.T, address, text string) string {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(time.Minute))
	io.WriteString(c, text)
	all, err := io.ReadAll(c)
	if err != nil {
		t.Errorf("%.60q: %v", text, err)
	}
	return string(all)
}

// echo answers with the parts of a request.
func echo(_ context.Context, r *Request) Response {
	return Text(OK, "%s %s %s %s %v", r.Method, r.Path, r.Host, r.Header.Get("X-Some"), r.Values)
}

// The client of net/http gets answers.
func TestClient(t *testing.T) {
	address, _ := start(t, echo)
	answer, err := http.PostForm("http://"+address+"/a%20b?x=1&y=2", url.Values{"x": {"3"}})
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if want := "POST /a b " + address + "  map[x:[3 1] y:[2]]\n"; err != nil || string(body) != want || answer.StatusCode != OK || !answer.Close {
		t.Errorf("found %q, %v, %v, expected %q", body, answer, err, want)
	}
	if answer, err = http.Head("http://" + address); err != nil || answer.ContentLength == 0 {
		t.Errorf("found %v, %v", answer, err)
	}
}

func TestRequests(t *testing.T) {
	address, _ := start(t, echo)
	long := strings.Repeat("x", maxRequest)
	for request, want := range map[string]string{
		"GET / HTTP/1.1\r\nHost: h\r\nx-some: v\r\n\r\n":                                "200 GET / h v map[]",
		"GET / HTTP/1.0\nHost: h\n\n":                                                   "200 GET / h  map[]",
		"GET http://other/a HTTP/1.1\r\nHost: h\r\n\r\n":                                "200 GET /a other  map[]",
		"POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nx=1":                   "200 POST /a h  map[]",
		"POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nX-Some: two\r\n\r\nx=1GET": "200 POST /a h two map[]",
		"\r\n\r\n":                                                                  "400",
		"GET\r\n\r\n":                                                               "400",
		"GET / HTTP/2\r\nHost: h\r\n\r\n":                                           "400",
		"GET a HTTP/1.1\r\nHost: h\r\n\r\n":                                         "400",
		"GET / HTTP/1.1\r\n\r\n":                                                    "400 found 0 headers Host",
		"GET / HTTP/1.1\r\nHost: h\r\nHost: i\r\n\r\n":                              "400 found 2 headers Host",
		"GET / HTTP/1.1\r\nHost h\r\n\r\n":                                          "400",
		"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n":                  "400 found the Content-Length \"-1\"",
		"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1e3\r\n\r\n":                 "400",
		"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 65537\r\n\r\n":               "400",
		"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n": "400 found a body in chunks",
		"POST / HTTP/1.1\r\nHost: h\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 3\r\n\r\n%zz": "400",
		"GET /" + long: "400 found no complete request line",
		"GET / HTTP/1.1\r\nHost: h\r\nX-Some: " + long: "400 found no complete headers",
	} {
		answer := raw(t, address, request)
		head, body, _ := strings.Cut(answer, "\r\n\r\n")
		status, _, _ := strings.Cut(strings.TrimPrefix(head, "HTTP/1.1 "), " ")
		if found := strings.TrimSpace(status + " " + body); !strings.HasPrefix(found, want) || !strings.HasPrefix(head, "HTTP/1.1 ") {
			t.Errorf("%.80q: found %.200q, expected %q", request, answer, want)
		}
	}
}

// A stream ends when the browser is gone and when the server ends.
func TestStream(t *testing.T) {
	ended := make(chan string, 2)
	address, stop := start(t, func(ctx context.Context, r *Request) Response {
		return Response{Status: OK, Stream: func(w io.Writer) {
			fmt.Fprintln(w, "begun")
			<-ctx.Done()
			ended <- r.Path
		}}
	})
	open := func(path string) net.Conn {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: h\r\n\r\n", path)
		all := make([]byte, 0, 1000)
		for !strings.HasSuffix(string(all), "\r\n\r\nbegun\n") {
			n, err := c.Read(all[len(all):cap(all)])
			if err != nil {
				t.Fatal(err)
			}
			all = all[:len(all)+n]
		}
		return c
	}
	open("/first").Close()
	if path := <-ended; path != "/first" {
		t.Errorf("found %s", path)
	}
	second := open("/second")
	defer second.Close()
	if err := stop(); err != nil {
		t.Error(err)
	}
	if path := <-ended; path != "/second" {
		t.Errorf("found %s", path)
	}
}

// A server ends after its handlers, whose answers still arrive, and without connections that sent nothing.
func TestEnd(t *testing.T) {
	begun, release := make(chan struct{}), make(chan struct{})
	address, stop := start(t, func(context.Context, *Request) Response {
		close(begun)
		<-release
		return Text(OK, "late")
	})
	idle, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer idle.Close()
	asked, ended := make(chan string, 1), make(chan error, 1)
	go func() { asked <- raw(t, address, "GET / HTTP/1.1\r\nHost: h\r\n\r\n") }()
	<-begun
	go func() { ended <- stop() }()
	time.Sleep(100 * time.Millisecond)
	if len(ended) > 0 {
		t.Error("Serve returned before the handler")
	}
	close(release)
	if answer := <-asked; !strings.HasSuffix(answer, "late\n") {
		t.Errorf("found %q", answer)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// A handler that panics closes its connection only.
func TestPanic(t *testing.T) {
	address, _ := start(t, func(_ context.Context, r *Request) Response {
		if r.Path == "/bad" {
			panic("bad")
		}
		return Text(OK, "good")
	})
	for path, want := range map[string]string{"/bad": "", "/good": "good"} {
		if answer := raw(t, address, "GET "+path+" HTTP/1.1\r\nHost: h\r\n\r\n"); !strings.Contains(answer, want) || want == "" && answer != "" {
			t.Errorf("%s: found %q", path, answer)
		}
	}
}
