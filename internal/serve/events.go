package serve

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"time"

	"aibd/internal/loopback"
)

// stream sends the events of a page.
type stream struct {
	w       io.Writer
	pending bytes.Buffer
	sent    map[string]string // the last data of each event
	quiet   time.Time         // the last event
}

// send sends an event, unless the last one of that name had the same data.
func (s *stream) send(event string, data []byte) {
	if s.sent[event] == string(data) {
		return
	}
	s.sent[event] = string(data)
	fmt.Fprintf(&s.pending, "event: %s\ndata: %s\n\n", event, data)
}

// push hands over what was sent to the page. Every 15 seconds without an event it sends a
// comment: it notices that the page is gone.
func (s *stream) push() error {
	if s.pending.Len() == 0 && time.Since(s.quiet) < 15*time.Second {
		return nil
	}
	if s.pending.Len() == 0 {
		s.pending.WriteString(":\n\n")
	}
	s.quiet = time.Now()
	_, err := s.w.Write(s.pending.Bytes())
	s.pending.Reset()
	return err
}

// events sends what a page shows, first all and then what is new, until the page is closed or
// the server ends. The browser connects again when it loses the connection.
func (s *Server) events(ctx context.Context, r *loopback.Request) loopback.Response {
	if r.Values.Has("run") {
		return ofRun(func(ctx context.Context, _ *loopback.Request, name string) loopback.Response {
			return s.stream(ctx, s.runEvents(name))
		})(ctx, r)
	}
	return s.stream(ctx, s.listEvents())
}

// stream returns a response of the events that look finds.
func (s *Server) stream(ctx context.Context, look func(*stream)) loopback.Response {
	answer := content("text/event-stream", nil)
	answer.Stream = func(w io.Writer) {
		out := &stream{w: w, sent: map[string]string{}, quiet: time.Now()}
		tick := time.NewTicker(s.o.Every)
		defer tick.Stop()
		for {
			look(out)
			if out.push() != nil {
				return
			}
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	}
	return answer
}

// listEvents returns a function that sends the changes of the list: the rows that changed, and
// the order of all.
func (s *Server) listEvents() func(*stream) {
	rows := map[string]string{} // sent, by name
	return func(out *stream) {
		s.list.mutex.Lock()
		defer s.list.mutex.Unlock()
		s.list.look()
		now, changed := map[string]string{}, map[string]string{}
		for _, name := range s.list.order {
			now[name] = part(s.list.entries[name].node())
			if rows[name] != now[name] {
				changed[name] = now[name]
			}
		}
		rows = now
		order := s.list.order
		if order == nil {
			order = []string{}
		}
		out.send("list", asJSON(map[string]any{"rows": changed, "order": order, "cut": s.list.cut}))
	}
}

// runEvents returns a function that sends the changes of a run.
func (s *Server) runEvents(name string) func(*stream) {
	v := s.view(name)
	start, version, found := 0, 0, 0
	var from []int
	return func(out *stream) {
		v.mutex.Lock()
		defer v.mutex.Unlock()
		v.look()
		state := v.state
		state.Token = s.token
		if v.found.of != nil && v.found.of.Agreed && state.State == complete {
			state.Resume = "" // further rounds would not begin
		}
		if v.err == nil {
			if v.start != start {
				start, version = v.start, -1
				from = make([]int, len(v.follower.Traces))
				plots, _ := v.plots()
				first, _ := v.newPoints(from)
				out.send("begin", asJSON(begin{v.stride, v.start, v.follower.Run.Spec.Sampler.Draws, len(from), plots, first}))
			}
			if p, some := v.newPoints(from); some {
				out.send("points", asJSON(p))
			}
			if v.checks.version != version {
				version = v.checks.version
				out.send("checks", asJSON(map[string]any{
					"html": part(checksOf(v.checks.rows)), "line": v.checks.line,
					"draws": v.checks.Draws, "rHat": v.checks.RHat, "ess": v.checks.ESS,
				}))
			}
		}
		out.send("state", asJSON(state))
		if v.err == nil && v.found.version != found {
			found = v.found.version
			out.send("found", asJSON(part(v.found.node(name))))
		}
	}
}
