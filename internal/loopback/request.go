package loopback

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"net/url"
	"strconv"
	"strings"
)

// Request is what a browser asks for.
type Request struct {
	Method string
	Path   string // without its query
	Host   string
	Header textproto.MIMEHeader
	Values url.Values // of the query and of the form in the body
	Local  net.Addr   // of the connection
}

// maxRequest bounds the bytes of a request.
const maxRequest = 64 << 10

// errNone is the end of a connection without a request. Browsers open such connections ahead.
var errNone = errors.New("found no request")

// read reads a request.
func read(c io.Reader) (*Request, error) {
	in := bufio.NewReader(io.LimitReader(c, maxRequest))
	if _, err := in.Peek(1); err != nil {
		return nil, errNone
	}
	head := textproto.NewReader(in)
	line, err := head.ReadLine()
	if err != nil {
		return nil, fmt.Errorf("found no complete request line in %d bytes", maxRequest)
	}
	method, rest, _ := strings.Cut(line, " ")
	target, version, _ := strings.Cut(rest, " ")
	address, err := url.ParseRequestURI(target)
	if method == "" || err != nil || !strings.HasPrefix(version, "HTTP/1.") {
		return nil, fmt.Errorf("found the request line %q, expected METHOD TARGET HTTP/1.1", line)
	}
	r := &Request{Method: method, Path: address.Path, Values: address.Query()}
	if r.Header, err = head.ReadMIMEHeader(); err != nil {
		return nil, fmt.Errorf("found no complete headers in %d bytes", maxRequest)
	}
	hosts := r.Header["Host"]
	if len(hosts) != 1 {
		return nil, fmt.Errorf("found %d headers Host, expected one", len(hosts))
	}
	r.Host = hosts[0]
	if address.Host != "" {
		r.Host = address.Host // RFC 9112, section 3.2.2
	}
	return r, r.readForm(in)
}

// readForm adds the form in the body to the values.
func (r *Request) readForm(body io.Reader) error {
	if r.Header.Get("Transfer-Encoding") != "" {
		return errors.New("found a body in chunks, expected one with its length")
	}
	length := 0
	if s := r.Header.Get("Content-Length"); s != "" {
		var err error
		if length, err = strconv.Atoi(s); err != nil || length < 0 || length > maxRequest {
			return fmt.Errorf("found the Content-Length %q, expected 0 to %d", s, maxRequest)
		}
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(body, text); err != nil {
		return errors.New("found a body that is shorter than its Content-Length")
	}
	if kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); kind != "application/x-www-form-urlencoded" {
		return nil
	}
	form, err := url.ParseQuery(string(text))
	if err != nil {
		return err
	}
	for name, values := range form {
		r.Values[name] = append(values, r.Values[name]...)
	}
	return nil
}
