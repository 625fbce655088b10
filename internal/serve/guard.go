package serve

import (
	"context"
	"crypto/subtle"
	"maps"
	"net"
	"net/netip"
	"strings"

	"aibd/internal/loopback"
)

// headers go with every response.
var headers = map[string]string{
	"Content-Security-Policy":      "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'",
	"X-Content-Type-Options":       "nosniff",
	"Referrer-Policy":              "no-referrer",
	"Cross-Origin-Resource-Policy": "same-origin",
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cache-Control":                "no-cache",
}

// guard answers only requests that come from a page of this server or from its user: a
// page elsewhere can make the browser send requests here, under any name of this machine.
func (s *Server) guard(ctx context.Context, r *loopback.Request) loopback.Response {
	answer := s.guarded(ctx, r)
	all := maps.Clone(headers)
	maps.Copy(all, answer.Header)
	answer.Header = all
	return answer
}

func (s *Server) guarded(ctx context.Context, r *loopback.Request) loopback.Response {
	refuse := func(format string, args ...any) loopback.Response {
		return loopback.Text(loopback.Forbidden, format, args...)
	}
	switch site := r.Header.Get("Sec-Fetch-Site"); {
	case !isHere(r.Host, r.Local):
		return refuse("found the host %q, expected localhost or a loopback address with the port of this server", r.Host)
	case (site == "cross-site" || site == "same-site") && r.Header.Get("Sec-Fetch-Mode") != "navigate":
		return refuse("found a request of another site, expected one of this site")
	case r.Method == "GET" || r.Method == "HEAD":
	case r.Header.Get("Origin") != "http://"+r.Host:
		return refuse("found the origin %q, expected http://%s", r.Header.Get("Origin"), r.Host)
	case subtle.ConstantTimeCompare([]byte(r.Header.Get("X-Aibd-Token")), []byte(s.token)) != 1:
		return refuse("found no token of this page, or an old one: load the page again")
	}
	return s.route(ctx, r)
}

// isHere reports whether a host names this machine with the port of a local address.
func isHere(host string, local net.Addr) bool {
	_, port, err := net.SplitHostPort(local.String())
	if err != nil {
		return false
	}
	name, found, err := net.SplitHostPort(host)
	if err != nil {
		name, found = strings.Trim(host, "[]"), "80"
	}
	if found != port {
		return false
	}
	address, err := netip.ParseAddr(name)
	return strings.EqualFold(name, "localhost") || err == nil && address.IsLoopback()
}
