package serve

import (
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"aibd/internal/visible"
)

// headers go with every answer.
var headers = map[string]string{
	"Content-Security-Policy":      "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'",
	"X-Content-Type-Options":       "nosniff",
	"Referrer-Policy":              "same-origin", // with no-referrer, forms have no origin
	"Cross-Origin-Resource-Policy": "same-origin",
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cache-Control":                "no-cache",
}

// cookie names the cookie with the token. Browsers send the cookies of a host to all its ports, but only to the
// path of the cookie, which a program of another user does not have.
const cookie = "aibd"

// guard answers only requests of the user, from a page of this server. Other users of the machine can
// send requests here, and so can the browser of the user for a page of another site, under any name of
// this machine. A page that fails gives an error: the process, which may be sampling, goes on.
func (s *Server) guard(pages http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if p := recover(); p != nil {
				s.log.Printf("internal error: %s %s: %v", r.Method, visible.Text(r.URL.Path), p)
				http.Error(w, fmt.Sprintf("internal error: %v", p), http.StatusInternalServerError)
			}
		}()
		for name, value := range headers {
			w.Header().Set(name, value)
		}
		local, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
		_, port, err := net.SplitHostPort(local.String())
		if err != nil {
			panic(err) // the server listens on a port
		}
		site, sent := r.Header.Get("Sec-Fetch-Site"), r.Method != http.MethodGet && r.Method != http.MethodHead
		switch {
		case !isHere(r.Host, port):
			refuse(w, "found the host %q, expected localhost or a loopback address with the port of this server", r.Host)
		case (site == "cross-site" || site == "same-site") && r.Header.Get("Sec-Fetch-Mode") != "navigate":
			refuse(w, "found a request of another site, expected one of this site")
		case sent && r.Header.Get("Origin") != "http://"+r.Host:
			refuse(w, "found the origin %q, expected http://%s", r.Header.Get("Origin"), r.Host)
		case r.URL.Path == "/" && s.isToken(r.URL.Query().Get("token")):
			http.SetCookie(w, &http.Cookie{Name: cookie, Value: s.token, Path: s.place, HttpOnly: true, SameSite: http.SameSiteStrictMode})
			w.Header().Set("Referrer-Policy", "no-referrer")
			show(w, http.StatusOK, enteredPage(s.place))
		case !slices.ContainsFunc(r.CookiesNamed(cookie), func(c *http.Cookie) bool { return s.isToken(c.Value) }):
			refuse(w, "found no token of this server, expected the address that aibd printed when it began")
		default:
			pages.ServeHTTP(w, r)
		}
	})
}

func (s *Server) isToken(text string) bool {
	return subtle.ConstantTimeCompare([]byte(text), []byte(s.token)) == 1
}

func refuse(w http.ResponseWriter, format string, args ...any) {
	http.Error(w, fmt.Sprintf(format, args...), http.StatusForbidden)
}

// isHere reports whether a host names this machine with the given port.
func isHere(host, port string) bool {
	name, hostPort, err := net.SplitHostPort(host)
	if err != nil {
		name, hostPort = strings.Trim(host, "[]"), "80"
	}
	if hostPort != port {
		return false
	}
	address, err := netip.ParseAddr(name)
	return strings.EqualFold(name, "localhost") || err == nil && address.IsLoopback()
}
