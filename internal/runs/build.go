package runs

// What the bytes of the draws depend on beside the spec and the data.

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"golang.org/x/sys/cpu"

	"aibd/internal/visible"
)

// DrawsFormat is raised by every change that changes draws: of what a chain computes, in
// which order, or of how it uses its stream. testdata/formats.txt ties it to the golden
// draws.
const DrawsFormat = 40

// Program is a build of this program. Runs of the same spec and data have the same draws
// under programs of equal version, draws, go, arch and float.
type Program struct {
	Aibd  string    `json:"aibd"` // version
	Build buildInfo `json:"build"`
}

type buildInfo struct {
	Draws    int    `json:"draws"`    // DrawsFormat
	Revision string `json:"revision"` // of the source; empty if unknown; + follows if it was modified
	Go       string `json:"go"`
	OS       string `json:"os"`
	Arch     string `json:"arch"`
	Float    string `json:"float"` // how floating point is done, see float
	Same     string `json:"same"`  // the promise
}

// promise says when two runs of the same spec have the same draws. Every run.json contains
// it.
const promise = "draws are identical to the byte under the same aibd, draws, go, arch and float, on any number of cores and after any interruption; otherwise they are as good, but may differ from the last bit of a number on"

// thisProgram describes the program that runs.
func thisProgram(version string) Program {
	b := buildInfo{Draws: DrawsFormat, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, Float: float(), Same: promise}
	if info, ok := debug.ReadBuildInfo(); ok {
		versions := map[string]string{}
		for _, s := range info.Settings {
			versions[s.Key] = s.Value
		}
		// From amd64 v3 on, compilers fuse multiplication and addition.
		if level := versions["GO"+strings.ToUpper(runtime.GOARCH)]; level != "v1" && level != "" {
			b.Arch += " " + level
		}
		if b.Revision = versions["vcs.revision"]; b.Revision != "" && versions["vcs.modified"] == "true" {
			b.Revision += "+"
		}
	}
	return Program{version, b}
}

// float names how this processor does floating point: portable is plain Go. With
// fma, which most processors have, Go's exponential function uses fused
// multiplication and addition, and rounds otherwise than without.
func float() string {
	if cpu.X86.HasAVX && cpu.X86.HasFMA {
		return "portable, exp by fma"
	}
	return "portable"
}

// differs reports an error that names all in which the program that made a run differs
// from now, and which may change draws. The number of the draws decides where a revision
// is unknown: go run, go test and builds without Git note none.
func (made Program) differs(now Program) error {
	var names, expected []string
	for _, v := range []struct{ what, made, now string }{
		{"aibd ", made.Aibd, now.Aibd},
		{"draws ", fmt.Sprint(made.Build.Draws), fmt.Sprint(now.Build.Draws)},
		{"", made.Build.Go, now.Build.Go},
		{"", made.Build.Arch, now.Build.Arch},
		{"float ", made.Build.Float, now.Build.Float},
		{"revision ", short(made.Build.Revision), short(now.Build.Revision)},
	} {
		if v.made != v.now && (v.what != "revision " || v.made != "" && v.now != "") {
			names, expected = append(names, v.what+visible.Clipped(v.made, 40)), append(expected, v.what+v.now)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return fmt.Errorf("found a run of another build: %s, expected %s", strings.Join(names, ", "), strings.Join(expected, ", "))
}

// short returns the first digits of a revision, and whether it was modified.
func short(revision string) string {
	digits := strings.TrimSuffix(revision, "+")
	return digits[:min(len(digits), 12)] + revision[len(digits):]
}
