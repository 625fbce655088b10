//go:build amd64 && !purego

package vector

// haveKernels says that this build has AVX2 kernels.
const haveKernels = true
