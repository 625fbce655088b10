// Command asm writes the AVX2 kernels of internal/vector: kernels_amd64.s and the
// declarations of them. It is a module of its own, so that those who use the
// library do not get its dependencies. Run it by go generate in internal/vector.
//
// No kernel fuses a multiplication and an addition: each computes what the portable
// loops of internal/vector do, in the same order, to the last bit.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

const (
	size = 8 // bytes of a number
	wide = 4 // numbers in a register
)

func main() {
	ConstraintExpr("amd64")

	axpy()
	axpy2()
	exchange()
	dot()
	forward()
	shrink()
	flipBounds()
	oneMinus()
	flipProducts()
	swapProducts()
	exp()
	rows("addRowsAVX2", "addRowsAVX2 adds x[i*stepX] times row i of m to y.", weighted)
	rows("subRowsAVX2", "subRowsAVX2 subtracts x[i*stepX] times row i of m from y.", negated)
	outer("outerAVX2", "outerAVX2 adds (a x[i*stepX]) y to row i of m. Steps are in bytes, n and rows are positive.",
		"func(n, rows int, a float64, x *float64, stepX int, m *float64, stepM int, y *float64)",
		[][3]string{{"a", "x", "y"}})
	outer("outer2AVX2", "outer2AVX2 adds (a x[i*stepX]) y and then (b w[i*stepX]) z to row i of m.",
		"func(n, rows int, a float64, x, y *float64, b float64, w, z *float64, stepX int, m *float64, stepM int)",
		[][3]string{{"a", "x", "y"}, {"b", "w", "z"}})
	triangle()

	Generate()
}

// at returns the register-wide or single operand j numbers after base.
func at(base, index Register, j int) Mem {
	return Mem{Base: base, Index: index, Scale: size, Disp: j * size}
}

// broadcast loads a parameter into all of a register.
func broadcast(name string) VecVirtual {
	y := YMM()
	m, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	VBROADCASTSD(m.Addr, y)
	return y
}

// ones returns a register of ones.
func ones() VecVirtual {
	y := YMM()
	VBROADCASTSD(constant("one", 1), y)
	return y
}

var constants = map[string]Mem{}

// constant returns a number in memory.
func constant(name string, x float64) Mem {
	if m, ok := constants[name]; ok {
		return m
	}
	m := GLOBL(name, RODATA|NOPTR)
	DATA(0, F64(x))
	constants[name] = m
	return m
}

// An op emits one step at index i, of a full register, of j registers further, or of
// a single number.
type op struct {
	full   func(i Register, j int)
	single func(i Register)
}

// each runs o over n numbers: blocks of so many registers, then one register at a
// time, then single numbers.
func each(n Register, block int, o op) {
	i := GP64()
	XORQ(i, i)
	rest := GP64()
	MOVQ(n, rest)
	if block > 1 {
		Label("blocks")
		CMPQ(rest, U8(block*wide))
		JLT(LabelRef("registers"))
		for j := range block {
			o.full(i, j)
		}
		ADDQ(U8(block*wide), i)
		SUBQ(U8(block*wide), rest)
		JMP(LabelRef("blocks"))
	}
	Label("registers")
	CMPQ(rest, U8(wide))
	JLT(LabelRef("singles"))
	o.full(i, 0)
	ADDQ(U8(wide), i)
	SUBQ(U8(wide), rest)
	JMP(LabelRef("registers"))
	Label("singles")
	TESTQ(rest, rest)
	JLE(LabelRef("done"))
	o.single(i)
	INCQ(i)
	DECQ(rest)
	JMP(LabelRef("singles"))
	Label("done")
}

func axpy() {
	TEXT("axpyAVX2", NOSPLIT, "func(n int, a float64, x, y *float64)")
	Pragma("noescape")
	Doc("axpyAVX2 computes y += a x.")
	n, x, y, a := Load(Param("n"), GP64()), Load(Param("x"), GP64()), Load(Param("y"), GP64()), broadcast("a")
	each(n, 4, op{
		func(i Register, j int) {
			t := YMM()
			VMULPD(at(x, i, j*wide), a, t)
			VADDPD(at(y, i, j*wide), t, t)
			VMOVUPD(t, at(y, i, j*wide))
		},
		func(i Register) {
			t := XMM()
			VMULSD(at(x, i, 0), a.AsX(), t)
			VADDSD(at(y, i, 0), t, t)
			VMOVSD(t, at(y, i, 0))
		},
	})
	VZEROUPPER()
	RET()
}

func axpy2() {
	TEXT("axpy2AVX2", NOSPLIT, "func(n int, a float64, x *float64, b float64, z, y *float64)")
	Pragma("noescape")
	Doc("axpy2AVX2 computes y += a x and then y += b z.")
	n, x, y, z := Load(Param("n"), GP64()), Load(Param("x"), GP64()), Load(Param("y"), GP64()), Load(Param("z"), GP64())
	a, b := broadcast("a"), broadcast("b")
	each(n, 2, op{
		func(i Register, j int) {
			t, u := YMM(), YMM()
			VMULPD(at(x, i, j*wide), a, t)
			VMULPD(at(z, i, j*wide), b, u)
			VADDPD(at(y, i, j*wide), t, t)
			VADDPD(u, t, t)
			VMOVUPD(t, at(y, i, j*wide))
		},
		func(i Register) {
			t, u := XMM(), XMM()
			VMULSD(at(x, i, 0), a.AsX(), t)
			VMULSD(at(z, i, 0), b.AsX(), u)
			VADDSD(at(y, i, 0), t, t)
			VADDSD(u, t, t)
			VMOVSD(t, at(y, i, 0))
		},
	})
	VZEROUPPER()
	RET()
}

func exchange() {
	TEXT("exchangeAVX2", NOSPLIT, "func(n int, p, q, v, m, a, b *float64, cv, cm, ca, cb float64)")
	Pragma("noescape")
	Doc("exchangeAVX2 computes p += cv v - cm m and q += cv a + ca v + cm b + cb m.")
	var base [6]Register
	for k, name := range []string{"p", "q", "v", "m", "a", "b"} {
		base[k] = Load(Param(name), GP64())
	}
	n := Load(Param("n"), GP64())
	cv, cm, ca, cb := broadcast("cv"), broadcast("cm"), broadcast("ca"), broadcast("cb")
	p, q := base[0], base[1]
	each(n, 1, op{
		func(i Register, _ int) {
			v, m, t, s := YMM(), YMM(), YMM(), YMM()
			VMOVUPD(at(base[2], i, 0), v)
			VMOVUPD(at(base[3], i, 0), m)
			VMULPD(v, cv, t)
			VADDPD(at(p, i, 0), t, s)
			VMULPD(m, cm, t)
			VSUBPD(t, s, s)
			VMOVUPD(s, at(p, i, 0))
			VMULPD(at(base[4], i, 0), cv, t)
			VADDPD(at(q, i, 0), t, s)
			VMULPD(v, ca, t)
			VADDPD(t, s, s)
			VMULPD(at(base[5], i, 0), cm, t)
			VADDPD(t, s, s)
			VMULPD(m, cb, t)
			VADDPD(t, s, s)
			VMOVUPD(s, at(q, i, 0))
		},
		func(i Register) {
			v, m, t, s := XMM(), XMM(), XMM(), XMM()
			VMOVSD(at(base[2], i, 0), v)
			VMOVSD(at(base[3], i, 0), m)
			VMULSD(v, cv.AsX(), t)
			VADDSD(at(p, i, 0), t, s)
			VMULSD(m, cm.AsX(), t)
			VSUBSD(t, s, s)
			VMOVSD(s, at(p, i, 0))
			VMULSD(at(base[4], i, 0), cv.AsX(), t)
			VADDSD(at(q, i, 0), t, s)
			VMULSD(v, ca.AsX(), t)
			VADDSD(t, s, s)
			VMULSD(at(base[5], i, 0), cm.AsX(), t)
			VADDSD(t, s, s)
			VMULSD(m, cb.AsX(), t)
			VADDSD(t, s, s)
			VMOVSD(s, at(q, i, 0))
		},
	})
	VZEROUPPER()
	RET()
}
