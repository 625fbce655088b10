package main

// Kernels that end in one number, and the exponential.

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// fold combines two registers into one number by op: lanes l and l+4, then l and
// l+2, then the two that are left.
func fold(vector func(Op, Op, Op), pair, single func(Op, Op, Op), a, b VecVirtual) VecVirtual {
	vector(b, a, a)
	high := XMM()
	VEXTRACTF128(U8(1), a, high)
	x := XMM()
	pair(high, a.AsX(), x)
	odd := XMM()
	VUNPCKHPD(x, x, odd)
	single(odd, x, x)
	return x
}

func mulY(a, b, c Op) { VMULPD(a, b, c) }
func mulS(a, b, c Op) { VMULSD(a, b, c) }
func addY(a, b, c Op) { VADDPD(a, b, c) }
func addS(a, b, c Op) { VADDSD(a, b, c) }

// reduce is each with two registers a block, a fold after the last register, and
// single numbers into what it left.
func reduce(n Register, full func(i Register, j int), folds func(), single func(i Register)) {
	i := GP64()
	XORQ(i, i)
	rest := GP64()
	MOVQ(n, rest)
	Label("blocks")
	CMPQ(rest, U8(2*wide))
	JLT(LabelRef("register"))
	full(i, 0)
	full(i, 1)
	ADDQ(U8(2*wide), i)
	SUBQ(U8(2*wide), rest)
	JMP(LabelRef("blocks"))
	Label("register")
	CMPQ(rest, U8(wide))
	JLT(LabelRef("fold"))
	full(i, 0)
	ADDQ(U8(wide), i)
	SUBQ(U8(wide), rest)
	Label("fold")
	folds()
	Label("singles")
	TESTQ(rest, rest)
	JLE(LabelRef("done"))
	single(i)
	INCQ(i)
	DECQ(rest)
	JMP(LabelRef("singles"))
	Label("done")
}

// pairOf returns two registers with the same contents.
func pairOf(init func(y VecVirtual)) [2]VecVirtual {
	p := [2]VecVirtual{YMM(), YMM()}
	init(p[0])
	init(p[1])
	return p
}

func zero(y VecVirtual) { VXORPD(y, y, y) }

func forward() {
	TEXT("forwardAVX2", NOSPLIT, "func(n int, l float64, y, w *float64) float64")
	Pragma("noescape")
	Doc("forwardAVX2 computes w = y - l w and returns the sum of squares of w.")
	n, y, w, l := Load(Param("n"), GP64()), Load(Param("y"), GP64()), Load(Param("w"), GP64()), broadcast("l")
	acc, sum := pairOf(zero), VecVirtual(nil)
	reduce(n, func(i Register, j int) {
		t, u := YMM(), YMM()
		VMULPD(at(w, i, j*wide), l, t)
		VMOVUPD(at(y, i, j*wide), u)
		VSUBPD(t, u, u)
		VMOVUPD(u, at(w, i, j*wide))
		VMULPD(u, u, u)
		VADDPD(u, acc[j], acc[j])
	}, func() {
		sum = fold(addY, addY, addS, acc[0], acc[1])
	}, func(i Register) {
		t, u := XMM(), XMM()
		VMULSD(at(w, i, 0), l.AsX(), t)
		VMOVSD(at(y, i, 0), u)
		VSUBSD(t, u, u)
		VMOVSD(u, at(w, i, 0))
		VMULSD(u, u, u)
		VADDSD(u, sum, sum)
	})
	VZEROUPPER()
	Store(sum, ReturnIndex(0))
	RET()
}

func oneMinus() {
	TEXT("oneMinusAVX2", NOSPLIT, "func(n int, u, r *float64) float64")
	Pragma("noescape")
	Doc("oneMinusAVX2 returns the product of 1 - u r.")
	n, u, r := Load(Param("n"), GP64()), Load(Param("u"), GP64()), Load(Param("r"), GP64())
	one := ones()
	acc, prod := pairOf(func(y VecVirtual) { VMOVUPD(one, y) }), VecVirtual(nil)
	reduce(n, func(i Register, j int) {
		t := YMM()
		VMOVUPD(at(u, i, j*wide), t)
		VMULPD(at(r, i, j*wide), t, t)
		VSUBPD(t, one, t)
		VMULPD(t, acc[j], acc[j])
	}, func() {
		prod = fold(mulY, mulY, mulS, acc[0], acc[1])
	}, func(i Register) {
		t := XMM()
		VMOVSD(at(u, i, 0), t)
		VMULSD(at(r, i, 0), t, t)
		VSUBSD(t, one.AsX(), t)
		VMULSD(t, prod, prod)
	})
	VZEROUPPER()
	Store(prod, ReturnIndex(0))
	RET()
}

func flipProducts() {
	TEXT("flipProductsAVX2", NOSPLIT, "func(n int, u, f, r *float64, s float64) (num, den float64)")
	Pragma("noescape")
	Doc("flipProductsAVX2 returns the products of 1 - u r - s f r and of 1 - u r.")
	n, u, f, r := Load(Param("n"), GP64()), Load(Param("u"), GP64()), Load(Param("f"), GP64()), Load(Param("r"), GP64())
	s, one := broadcast("s"), ones()
	start := func(y VecVirtual) { VMOVUPD(one, y) }
	num, den := pairOf(start), pairOf(start)
	var x, y VecVirtual
	reduce(n, func(i Register, j int) {
		t, k, c := YMM(), YMM(), YMM()
		VMOVUPD(at(r, i, j*wide), t)
		VMULPD(at(f, i, j*wide), s, k)
		VMULPD(t, k, k)
		VMULPD(at(u, i, j*wide), t, c)
		VSUBPD(c, one, c)
		VMULPD(c, den[j], den[j])
		VSUBPD(k, c, c)
		VMULPD(c, num[j], num[j])
	}, func() {
		x = fold(mulY, mulY, mulS, num[0], num[1])
		y = fold(mulY, mulY, mulS, den[0], den[1])
	}, func(i Register) {
		t, k, c := XMM(), XMM(), XMM()
		VMOVSD(at(r, i, 0), t)
		VMULSD(at(f, i, 0), s.AsX(), k)
		VMULSD(t, k, k)
		VMULSD(at(u, i, 0), t, c)
		VSUBSD(c, one.AsX(), c)
		VMULSD(c, y, y)
		VSUBSD(k, c, c)
		VMULSD(c, x, x)
	})
	VZEROUPPER()
	Store(x, Return("num"))
	Store(y, Return("den"))
	RET()
}

func shrink() {
	TEXT("shrinkAVX2", NOSPLIT, "func(n int, x, y *float64, least float64) int")
	Pragma("noescape")
	Doc("shrinkAVX2 computes y -= x and returns other than 0 if that left less than least of any.")
	n, x, y, least := Load(Param("n"), GP64()), Load(Param("x"), GP64()), Load(Param("y"), GP64()), broadcast("least")
	any := YMM()
	zero(any)
	const less = 17 // ordered, quiet
	each(n, 2, op{
		func(i Register, j int) {
			t, u := YMM(), YMM()
			VMOVUPD(at(y, i, j*wide), t)
			VMULPD(t, least, u)
			VSUBPD(at(x, i, j*wide), t, t)
			VMOVUPD(t, at(y, i, j*wide))
			VCMPPD(U8(less), u, t, u)
			VORPD(u, any, any)
		},
		func(i Register) {
			t, u := XMM(), XMM()
			VMOVSD(at(y, i, 0), t)
			VMULSD(t, least.AsX(), u)
			VSUBSD(at(x, i, 0), t, t)
			VMOVSD(t, at(y, i, 0))
			VCMPSD(U8(less), u, t, u)
			wider := YMM()
			zero(wider)
			VMOVSD(u, wider.AsX(), wider.AsX())
			VORPD(wider, any, any)
		},
	})
	mask := GP32()
	VMOVMSKPD(any, mask)
	VZEROUPPER()
	out := GP64()
	MOVL(mask, out.As32())
	Store(out, ReturnIndex(0))
	RET()
}

// exp is 2^n e^r with n the nearest whole number to x/log 2: e^r by its series up
// to r^13, of which the rest is below 1e-17, in Horner's form.
func exp() {
	TEXT("expAVX2", NOSPLIT, "func(n int, shift, scale float64, x, out *float64)")
	Pragma("noescape")
	Doc("expAVX2 computes exp((x - shift) scale) for arguments of at most 0, those below -708 taken as -708.")
	n, x, out := Load(Param("n"), GP64()), Load(Param("x"), GP64()), Load(Param("out"), GP64())
	shift, scale := broadcast("shift"), broadcast("scale")
	cell := func(name string, v float64) VecVirtual {
		y := YMM()
		VBROADCASTSD(constant(name, v), y)
		return y
	}
	least, log2e, magic := cell("least", -708), cell("log2e", math.Log2E), cell("magic", 3<<51)
	high, low := cell("ln2high", 6.93147180369123816490e-01), cell("ln2low", 1.90821492927058770002e-10)
	series := GLOBL("series", RODATA|NOPTR)
	factorial := 1.0
	var terms [14]float64
	for k := range terms {
		if k > 0 {
			factorial *= float64(k)
		}
		terms[k] = 1 / factorial
	}
	for k, c := range terms {
		for l := range wide {
			DATA((k*wide+l)*size, F64(c))
		}
	}
	bias := GLOBL("bias", RODATA|NOPTR)
	for l := range wide {
		DATA(l*size, U64(1023))
	}
	table := GP64()
	LEAQ(series, table)
	term := func(k int) Mem { return Mem{Base: table, Disp: k * wide * size} }
	each(n, 1, op{
		func(i Register, _ int) {
			v, t, w, p := YMM(), YMM(), YMM(), YMM()
			VMOVUPD(at(x, i, 0), v)
			VSUBPD(shift, v, v)
			VMULPD(scale, v, v)
			VMAXPD(least, v, v)
			VMULPD(log2e, v, t)
			VADDPD(magic, t, t)
			VSUBPD(magic, t, w)
			VMULPD(high, w, p)
			VSUBPD(p, v, v)
			VMULPD(low, w, p)
			VSUBPD(p, v, v)
			VMOVUPD(term(13), p)
			for k := 12; k >= 0; k-- {
				VMULPD(v, p, p)
				VADDPD(term(k), p, p)
			}
			VPADDQ(bias, t, t)
			VPSLLQ(U8(52), t, t)
			VMULPD(t, p, p)
			VMOVUPD(p, at(out, i, 0))
		},
		func(i Register) {
			v, t, w, p := XMM(), XMM(), XMM(), XMM()
			VMOVSD(at(x, i, 0), v)
			VSUBSD(shift.AsX(), v, v)
			VMULSD(scale.AsX(), v, v)
			VMAXSD(least.AsX(), v, v)
			VMULSD(log2e.AsX(), v, t)
			VADDSD(magic.AsX(), t, t)
			VSUBSD(magic.AsX(), t, w)
			VMULSD(high.AsX(), w, p)
			VSUBSD(p, v, v)
			VMULSD(low.AsX(), w, p)
			VSUBSD(p, v, v)
			VMOVSD(term(13), p)
			for k := 12; k >= 0; k-- {
				VMULSD(v, p, p)
				VADDSD(term(k), p, p)
			}
			VPADDQ(bias, t, t)
			VPSLLQ(U8(52), t, t)
			VMULSD(t, p, p)
			VMOVSD(p, at(out, i, 0))
		},
	})
	VZEROUPPER()
	RET()
}

func swapProducts() {
	TEXT("swapProductsAVX2", NOSPLIT, "func(n int, x, y *float64, a, b, c, d float64) (num, den float64)")
	Pragma("noescape")
	Doc("swapProductsAVX2 returns the products of (1 - a x) (1 - b y) and of (1 - c x) (1 - d y).")
	n, x, y := Load(Param("n"), GP64()), Load(Param("x"), GP64()), Load(Param("y"), GP64())
	one := ones()
	var weight [4]VecVirtual
	for k, name := range []string{"a", "b", "c", "d"} {
		weight[k] = broadcast(name)
	}
	start := func(y VecVirtual) { VMOVUPD(one, y) }
	acc := [2][2]VecVirtual{pairOf(start), pairOf(start)}
	var out [2]VecVirtual
	reduce(n, func(i Register, j int) {
		for k := range 2 {
			t, u := YMM(), YMM()
			VMULPD(at(x, i, j*wide), weight[2*k], t)
			VSUBPD(t, one, t)
			VMULPD(at(y, i, j*wide), weight[2*k+1], u)
			VSUBPD(u, one, u)
			VMULPD(u, t, t)
			VMULPD(t, acc[k][j], acc[k][j])
		}
	}, func() {
		for k := range 2 {
			out[k] = fold(mulY, mulY, mulS, acc[k][0], acc[k][1])
		}
	}, func(i Register) {
		for k := range 2 {
			t, u := XMM(), XMM()
			VMULSD(at(x, i, 0), weight[2*k].AsX(), t)
			VSUBSD(t, one.AsX(), t)
			VMULSD(at(y, i, 0), weight[2*k+1].AsX(), u)
			VSUBSD(u, one.AsX(), u)
			VMULSD(u, t, t)
			VMULSD(t, out[k], out[k])
		}
	})
	VZEROUPPER()
	Store(out[0], Return("num"))
	Store(out[1], Return("den"))
	RET()
}

func dot() {
	TEXT("dotAVX2", NOSPLIT, "func(n int, x, y *float64) float64")
	Pragma("noescape")
	Doc("dotAVX2 returns the sum of x y.")
	n, x, y := Load(Param("n"), GP64()), Load(Param("x"), GP64()), Load(Param("y"), GP64())
	acc, sum := pairOf(zero), VecVirtual(nil)
	reduce(n, func(i Register, j int) {
		t := YMM()
		VMOVUPD(at(x, i, j*wide), t)
		VMULPD(at(y, i, j*wide), t, t)
		VADDPD(t, acc[j], acc[j])
	}, func() {
		sum = fold(addY, addY, addS, acc[0], acc[1])
	}, func(i Register) {
		t := XMM()
		VMOVSD(at(x, i, 0), t)
		VMULSD(at(y, i, 0), t, t)
		VADDSD(t, sum, sum)
	})
	VZEROUPPER()
	Store(sum, ReturnIndex(0))
	RET()
}
