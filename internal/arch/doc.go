// Package arch holds the rules of the project's architecture, as a test: which
// package may import which, what the pure half may not touch, and what public packages show.
package arch
