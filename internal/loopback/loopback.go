// Package loopback answers browsers on this machine in HTTP/1.1 (RFC 9112), one request a connection.
//
// It has what pages of this machine need. Package net/http brings TLS and HTTP/2 as well: a fifth of
// the program, and a sixth of the time to build it.
package loopback

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"slices"
	"sync"
	"time"
)

// Handler answers a request. Its context is done when the browser closes the connection or the
// server ends. Handlers run concurrently.
type Handler func(context.Context, *Request) Response

// Response is the answer to a request.
type Response struct {
	Status int               // such as OK
	Header map[string]string // besides Content-Length and Connection
	Body   []byte
	// Stream, if there is one, writes what follows the body, until the connection ends.
	Stream func(io.Writer)
}

// Status codes of responses (RFC 9110, section 15).
const (
	OK               = 200
	NoContent        = 204
	SeeOther         = 303
	BadRequest       = 400
	Forbidden        = 403
	NotFound         = 404
	MethodNotAllowed = 405
	Conflict         = 409
	ServerError      = 500
)

// Text returns a response of plain text.
func Text(status int, format string, args ...any) Response {
	return Response{Status: status, Header: map[string]string{"Content-Type": "text/plain; charset=utf-8", "X-Content-Type-Options": "nosniff"}, Body: fmt.Appendf(nil, format+"\n", args...)}
}

const (
	readTime  = 10 * time.Second // to read a request
	writeTime = 30 * time.Second // for a write, of a browser that does not read
	endTime   = time.Second      // for writes after the end of the server
)

// Serve answers the connections of a listener until ctx is done, and waits for all handlers. It closes
// the listener.
func Serve(ctx context.Context, l net.Listener, handle Handler) error {
	defer l.Close()
	defer context.AfterFunc(ctx, func() { l.Close() })()
	var answering sync.WaitGroup
	defer answering.Wait()
	for {
		c, err := l.Accept()
		switch {
		case ctx.Err() != nil:
			if err == nil {
				c.Close()
			}
			return nil
		case errors.Is(err, net.ErrClosed):
			return err
		case err != nil: // such as too many open files
			time.Sleep(10 * time.Millisecond)
			continue
		}
		answering.Go(func() { answer(ctx, c, handle) })
	}
}

// answer reads a request, answers it, and closes the connection.
func answer(ctx context.Context, c net.Conn, handle Handler) {
	defer c.Close()
	defer func() { recover() }() // a page that fails must not end the process, which may be sampling
	ctx, end := context.WithCancel(ctx)
	var watching sync.WaitGroup
	defer watching.Wait()
	defer end()
	c.SetReadDeadline(time.Now().Add(readTime))
	context.AfterFunc(ctx, func() {
		c.SetReadDeadline(time.Now())
		c.SetWriteDeadline(time.Now().Add(endTime))
	})
	w := &writer{c, ctx}
	r, err := read(c)
	if err != nil {
		if !errors.Is(err, errNone) {
			w.respond(Text(BadRequest, "%v", err), true)
			drain(c)
		}
		return
	}
	r.Local = c.LocalAddr()
	c.SetReadDeadline(time.Time{})
	if ctx.Err() != nil {
		return
	}
	watching.Go(func() {
		io.Copy(io.Discard, c) // until the browser closes the connection
		end()
	})
	w.respond(handle(ctx, r), r.Method != "HEAD")
}

// drain reads the rest of a bad request. A connection that is closed before loses the response.
func drain(c net.Conn) {
	if half, is := c.(interface{ CloseWrite() error }); is {
		half.CloseWrite()
	}
	c.SetReadDeadline(time.Now().Add(endTime))
	io.CopyN(io.Discard, c, maxRequest)
}

// writer writes to a connection, each write within a bounded time.
type writer struct {
	c   net.Conn
	ctx context.Context
}

func (w *writer) Write(b []byte) (int, error) {
	w.c.SetWriteDeadline(time.Now().Add(writeTime))
	if w.ctx.Err() != nil {
		w.c.SetWriteDeadline(time.Now().Add(endTime))
	}
	return w.c.Write(b)
}

// respond writes a response.
func (w *writer) respond(r Response, body bool) {
	head := fmt.Appendf(nil, "HTTP/1.1 %d \r\nConnection: close\r\n", r.Status)
	if r.Stream == nil && r.Status != NoContent {
		head = fmt.Appendf(head, "Content-Length: %d\r\n", len(r.Body))
	}
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		head = fmt.Appendf(head, "%s: %s\r\n", name, r.Header[name])
	}
	head = append(head, "\r\n"...)
	if body {
		head = append(head, r.Body...)
	}
	if _, err := w.Write(head); err == nil && body && r.Stream != nil {
		r.Stream(w)
	}
}
