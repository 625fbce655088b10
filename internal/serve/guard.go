package serve

import (
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// guard answers only requests that come from a page of this server or from its user: a
// page elsewhere can make the browser send requests here, under any name of this machine.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cache-Control", "no-cache")
		local, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
		switch site := r.Header.Get("Sec-Fetch-Site"); {
		case local == nil || !isHere(r.Host, local):
			http.Error(w, fmt.Sprintf("found the host %q, expected localhost or a loopback address with the port of this server", r.Host), http.StatusForbidden)
		case (site == "cross-site" || site == "same-site") && r.Header.Get("Sec-Fetch-Mode") != "navigate":
			http.Error(w, "found a request of another site, expected one of this site", http.StatusForbidden)
		case r.Method == http.MethodGet || r.Method == http.MethodHead:
			next.ServeHTTP(w, r)
		case r.Header.Get("Origin") != "http://"+r.Host:
			http.Error(w, fmt.Sprintf("found the origin %q, expected http://%s", r.Header.Get("Origin"), r.Host), http.StatusForbidden)
		case subtle.ConstantTimeCompare([]byte(r.Header.Get("X-Aibd-Token")), []byte(s.token)) != 1:
			http.Error(w, "found no token of this page, or an old one: load the page again", http.StatusForbidden)
		default:
			next.ServeHTTP(w, r)
		}
	})
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
