// Package vector holds the loops in which the time goes: sums and products over
// contiguous numbers, in AVX2 where the processor has it and in Go elsewhere. Both
// give the same bits: no product is fused into a sum, and where a sum or a product
// is split, it is split in the same way.
//
// A matrix is a slice with a leading dimension: row i begins at i*ld.
package vector

import "golang.org/x/sys/cpu"

//go:generate go -C asm run . -out ../kernels_amd64.s -stubs ../kernels_amd64.go -pkg vector

// fast says that the AVX2 kernels are in force.
var fast = haveKernels && cpu.X86.HasAVX2

// Kernels names the kernels in force: "avx2" or "portable". The build tag purego
// leaves the former out, GODEBUG=cpu.avx2=off turns them off.
func Kernels() string {
	if fast {
		return "avx2"
	}
	return "portable"
}

// UsePortable turns the AVX2 kernels off. It is not for use while others compute.
func UsePortable() { fast = false }
