//go:build !amd64

package vector

// There are no kernels here: avx2 is false, and these are never called.

const none = "vector: no kernels on this architecture"

func axpyAVX2(int, float64, *float64, *float64) { panic(none) }
func exchangeAVX2(int, *float64, *float64, *float64, *float64, *float64, *float64, float64, float64, float64, float64) {
	panic(none)
}
func dotAVX2(int, *float64, *float64) float64              { panic(none) }
func forwardAVX2(int, float64, *float64, *float64) float64 { panic(none) }
func shrinkAVX2(int, *float64, *float64, float64) int      { panic(none) }
func flipBoundsAVX2(int, *float64, *float64, *float64, *float64, *float64, *float64, *float64, *float64, float64, float64, float64, float64, float64) {
	panic(none)
}
func oneMinusAVX2(int, *float64, *float64) float64                                   { panic(none) }
func flipProductsAVX2(int, *float64, *float64, *float64, float64) (num, den float64) { panic(none) }
func swapProductsAVX2(int, *float64, *float64, float64, float64, float64, float64) (num, den float64) {
	panic(none)
}
func expAVX2(int, float64, float64, *float64, *float64)                   { panic(none) }
func rowsAVX2(int, int, float64, *float64, int, *float64, int, *float64)  { panic(none) }
func outerAVX2(int, int, float64, *float64, int, *float64, int, *float64) { panic(none) }
func outer2AVX2(int, int, float64, *float64, *float64, float64, *float64, *float64, int, *float64, int) {
	panic(none)
}
func triangleAVX2(int, int, *int, *float64, *int, *float64) { panic(none) }
