package main

// Kernels that return numbers, and the exponential.

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// An accumulator is a sum or a product: two registers, then the number that they fold
// into.
type accumulator struct {
	full, single instruction
	parts        [2]VecVirtual
	number       VecVirtual
}

func sum() *accumulator { return accumulate(VADDPD, VADDSD, zero) }

// product returns an accumulator that begins with one, in all of a register.
func product(one Register) *accumulator {
	return accumulate(VMULPD, VMULSD, func(y VecVirtual) { VMOVUPD(one, y) })
}

func accumulate(full, single instruction, start func(y VecVirtual)) *accumulator {
	a := &accumulator{full: full, single: single, parts: [2]VecVirtual{YMM(), YMM()}}
	start(a.parts[0])
	start(a.parts[1])
	return a
}

// take adds x to register j, or multiplies it by x.
func (a *accumulator) take(l lane, j int, x Op) {
	into := a.parts[j]
	if l.single {
		into = a.number
	}
	l.do(a.full, a.single, x, into, into)
}

// fold combines the registers: lanes l and l+4, then l and l+2, then the two that are
// left.
func (a *accumulator) fold() {
	y := a.parts[0]
	a.full(a.parts[1], y, y)
	high := XMM()
	VEXTRACTF128(U8(1), y, high)
	x := XMM()
	a.full(high, y.AsX(), x)
	odd := XMM()
	VUNPCKHPD(x, x, odd)
	a.single(odd, x, x)
	a.number = x
}

// reduce is each with two registers a block. After the last register it folds the
// accumulators, which then take the single numbers.
func reduce(n Register, body func(l lane, i Register, j int), into ...*accumulator) {
	i, rest := index(n)
	steps("blocks", "register", i, rest, 2, body)
	Label("register")
	step("fold", i, rest, 1, body)
	Label("fold")
	for _, a := range into {
		a.fold()
	}
	singles(i, rest, body)
}

func dot() {
	begin("dotAVX2", "func(n int, x, y *float64) float64", "returns the sum of x y.")
	n, x, y := param("n"), param("x"), param("y")
	s := sum()
	reduce(n, func(l lane, i Register, j int) {
		t := l.reg()
		l.mov(at(x, i, j), t)
		l.mul(at(y, i, j), t, t)
		s.take(l, j, t)
	}, s)
	end(s.number)
}

func forward() {
	begin("forwardAVX2", "func(n int, l float64, y, w *float64) float64", "computes w = y - l w and returns the sum of squares of w.")
	n, y, w, factor := param("n"), param("y"), param("w"), broadcast("l")
	s := sum()
	reduce(n, func(l lane, i Register, j int) {
		t, u := l.reg(), l.reg()
		l.mul(at(w, i, j), factor, t)
		l.mov(at(y, i, j), u)
		l.sub(t, u, u)
		l.mov(u, at(w, i, j))
		l.mul(u, u, u)
		s.take(l, j, u)
	}, s)
	end(s.number)
}

func oneMinus() {
	begin("oneMinusAVX2", "func(n int, u, r *float64) float64", "returns the product of 1 - u r.")
	n, u, r := param("n"), param("u"), param("r")
	one := ones()
	prod := product(one)
	reduce(n, func(l lane, i Register, j int) {
		t := l.reg()
		l.mov(at(u, i, j), t)
		l.mul(at(r, i, j), t, t)
		l.sub(t, one, t)
		prod.take(l, j, t)
	}, prod)
	end(prod.number)
}

func flipProducts() {
	begin("flipProductsAVX2", "func(n int, u, f, r *float64, s float64) (num, den float64)", "returns the products of 1 - u r - s f r and of 1 - u r.")
	n, u, f, r := param("n"), param("u"), param("f"), param("r")
	s, one := broadcast("s"), ones()
	num, den := product(one), product(one)
	reduce(n, func(l lane, i Register, j int) {
		t, k, c := l.reg(), l.reg(), l.reg()
		l.mov(at(r, i, j), t)
		l.mul(at(f, i, j), s, k)
		l.mul(t, k, k)
		l.mul(at(u, i, j), t, c)
		l.sub(c, one, c)
		den.take(l, j, c)
		l.sub(k, c, c)
		num.take(l, j, c)
	}, num, den)
	end(num.number, den.number)
}

func swapProducts() {
	begin("swapProductsAVX2", "func(n int, x, y *float64, a, b, c, d float64) (num, den float64)", "returns the products of (1 - a x) (1 - b y) and of (1 - c x) (1 - d y).")
	n, x, y := param("n"), param("x"), param("y")
	one := ones()
	a, b, c, d := broadcast("a"), broadcast("b"), broadcast("c"), broadcast("d")
	num, den := product(one), product(one)
	reduce(n, func(l lane, i Register, j int) {
		factor := func(into *accumulator, a, b VecVirtual) {
			t, u := l.reg(), l.reg()
			l.mul(at(x, i, j), a, t)
			l.sub(t, one, t)
			l.mul(at(y, i, j), b, u)
			l.sub(u, one, u)
			l.mul(u, t, t)
			into.take(l, j, t)
		}
		factor(num, a, b)
		factor(den, c, d)
	}, num, den)
	end(num.number, den.number)
}

func shrink() {
	begin("shrinkAVX2", "func(n int, x, y *float64, least float64) int", "computes y -= x and returns other than 0 if that left less than least of any.")
	n, x, y, least := param("n"), param("x"), param("y"), broadcast("least")
	any := YMM()
	zero(any)
	const less = 17 // ordered, quiet
	each(n, 2, func(l lane, i Register, j int) {
		t, u := l.reg(), l.reg()
		l.mov(at(y, i, j), t)
		l.mul(t, least, u)
		l.sub(at(x, i, j), t, t)
		l.mov(t, at(y, i, j))
		l.cmp(U8(less), u, t, u)
		if l.single {
			wider := YMM()
			zero(wider)
			VMOVSD(u, wider.AsX(), wider.AsX())
			u = wider
		}
		VORPD(u, any, any)
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
// to r^13, whose rest is below 1e-17, in Horner's form.
func exp() {
	begin("expAVX2", "func(n int, shift, scale float64, x, out *float64)", "computes exp((x - shift) scale) for arguments of at most 0, those below -708 taken as -708.")
	n, x, out := param("n"), param("x"), param("out")
	shift, scale := broadcast("shift"), broadcast("scale")
	least, log2e, magic := filled(constant("least", -708)), filled(constant("log2e", math.Log2E)), filled(constant("magic", 3<<51))
	high, low := filled(constant("ln2high", 6.93147180369123816490e-01)), filled(constant("ln2low", 1.90821492927058770002e-10))
	const terms = 14
	series := GLOBL("series", RODATA|NOPTR)
	factorial := 1.0
	for k := range terms {
		factorial *= max(float64(k), 1)
		for l := range wide {
			DATA((k*wide+l)*size, F64(1/factorial))
		}
	}
	bias := GLOBL("bias", RODATA|NOPTR)
	for l := range wide {
		DATA(l*size, U64(1023))
	}
	table := GP64()
	LEAQ(series, table)
	term := func(k int) Mem { return Mem{Base: table, Disp: k * wide * size} }
	each(n, 1, func(l lane, i Register, j int) {
		v, t, w, p := l.reg(), l.reg(), l.reg(), l.reg()
		l.mov(at(x, i, j), v)
		l.sub(shift, v, v)
		l.mul(scale, v, v)
		l.max(least, v, v)
		l.mul(log2e, v, t)
		l.add(magic, t, t)
		l.sub(magic, t, w)
		l.mul(high, w, p)
		l.sub(p, v, v)
		l.mul(low, w, p)
		l.sub(p, v, v)
		l.mov(term(terms-1), p)
		for k := terms - 2; k >= 0; k-- {
			l.mul(v, p, p)
			l.add(term(k), p, p)
		}
		l.do(VPADDQ, VPADDQ, bias, t, t)
		l.do(VPSLLQ, VPSLLQ, U8(52), t, t)
		l.mul(t, p, p)
		l.mov(p, at(out, i, j))
	})
	end()
}
