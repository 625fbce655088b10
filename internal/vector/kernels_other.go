//go:build !amd64 || purego

package vector

// haveKernels says that this build has AVX2 kernels: it has none, and these are
// never called.
const haveKernels = false

func axpyAVX2(int, float64, *float64, *float64) { panic("vector: no kernel") }

func axpy2AVX2(int, float64, *float64, float64, *float64, *float64) { panic("vector: no kernel") }

func exchangeAVX2(int, *float64, *float64, *float64, *float64, *float64, *float64, float64, float64, float64, float64) {
	panic("vector: no kernel")
}

func forwardAVX2(int, float64, *float64, *float64) float64 { panic("vector: no kernel") }

func shrinkAVX2(int, *float64, *float64, float64) int { panic("vector: no kernel") }

func oneMinusAVX2(int, *float64, *float64) float64 { panic("vector: no kernel") }

func flipProductsAVX2(int, *float64, *float64, *float64, float64) (num, den float64) {
	panic("vector: no kernel")
}

func expAVX2(int, float64, float64, *float64, *float64) { panic("vector: no kernel") }

func addRowsAVX2(int, int, *float64, int, *float64, int, *float64) { panic("vector: no kernel") }

func subRowsAVX2(int, int, *float64, int, *float64, int, *float64) { panic("vector: no kernel") }

func triangleAVX2(int, int, *int, *float64, *int, *float64) { panic("vector: no kernel") }

func swapProductsAVX2(int, *float64, *float64, float64, float64, float64, float64) (num, den float64) {
	panic("vector: no kernel")
}

func dotAVX2(int, *float64, *float64) float64 { panic("vector: no kernel") }

func outerAVX2(int, int, float64, *float64, int, *float64, int, *float64) { panic("vector: no kernel") }

func outer2AVX2(int, int, float64, *float64, *float64, float64, *float64, *float64, int, *float64, int) {
	panic("vector: no kernel")
}

func flipBoundsAVX2(int, *float64, *float64, *float64, *float64, *float64, *float64, *float64, *float64, float64, float64, float64, float64, float64) {
	panic("vector: no kernel")
}
