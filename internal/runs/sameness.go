package runs

// What the bytes of the draws depend on beside the spec and the data.

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"golang.org/x/sys/cpu"

	"aibd/internal/vector"
)

// buildInfo is what may change the last bit of a result beside the version of the
// program.
type buildInfo struct {
	Go    string `json:"go"`
	OS    string `json:"os"`
	Arch  string `json:"arch"`
	Float string `json:"float"` // how floating point is done, see float
	// Kernels are those of package vector that were used, avx2 or portable. They give
	// the same bits.
	Kernels string `json:"kernels"`
	Same    string `json:"same"` // the promise
}

// promise says when two runs of the same spec have the same draws. It stands in
// every run.json.
const promise = "draws are identical to the byte under the same aibd, go, arch and float, on any number of cores and after any interruption; otherwise they are as good, but may differ from the last bit of a number on"

// thisBuild describes the program that runs.
func thisBuild() buildInfo {
	return buildInfo{Go: runtime.Version(), OS: runtime.GOOS, Arch: arch(), Float: float(), Kernels: vector.Kernels(), Same: promise}
}

// arch names the architecture, with its level where the program was compiled for one
// above the first: from amd64 v3 on, compilers fuse multiplication and addition.
func arch() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "GO"+strings.ToUpper(runtime.GOARCH) && s.Value != "v1" && s.Value != "" {
				return runtime.GOARCH + " " + s.Value
			}
		}
	}
	return runtime.GOARCH
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

// differs reports that the program differs from the one that made a run in a way
// that may change its draws.
func (r record) differs(version string) error {
	made, now := r.Build, thisBuild()
	if r.Aibd == version && made.Go == now.Go && made.Arch == now.Arch && made.Float == now.Float {
		return nil
	}
	return fmt.Errorf("found a run of aibd %s (%s, %s, %s), expected one of this aibd %s (%s, %s, %s)",
		r.Aibd, made.Go, made.Arch, made.Float, version, now.Go, now.Arch, now.Float)
}
