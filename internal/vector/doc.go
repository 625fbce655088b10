// Package vector has the hot loops: sums and products over contiguous numbers, in AVX2
// if the processor has it and in Go otherwise. Both give the same bits: no product is
// fused into a sum, and sums and products are split in the same way.
//
// A matrix is a slice with a leading dimension: row i begins at i*ld.
package vector

import (
	"runtime"

	"golang.org/x/sys/cpu"
)

//go:generate go -C asm run . -out ../kernels_amd64.s -stubs ../kernels_amd64.go -pkg vector

// avx2 says that the AVX2 kernels are used.
var avx2 = runtime.GOARCH == "amd64" && cpu.X86.HasAVX2

// Kernels returns the name of the kernels that are used: "avx2" or "portable".
// UsePortable and GODEBUG=cpu.avx2=off turn the former off.
func Kernels() string {
	if avx2 {
		return "avx2"
	}
	return "portable"
}

// UsePortable turns the AVX2 kernels off. It must not be called while another goroutine
// uses the package.
func UsePortable() { avx2 = false }
