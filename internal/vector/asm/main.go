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
	exchange()
	dot()
	forward()
	shrink()
	flipBounds()
	oneMinus()
	flipProducts()
	swapProducts()
	exp()
	rows()
	outer("outerAVX2", "func(n, rows int, a float64, x *float64, stepX int, m *float64, stepM int, y *float64)",
		"adds (a x[i*stepX]) y to row i of m. Steps are in bytes, n and rows are positive.",
		[][3]string{{"a", "x", "y"}})
	outer("outer2AVX2", "func(n, rows int, a float64, x, y *float64, b float64, w, z *float64, stepX int, m *float64, stepM int)",
		"adds (a x[i*stepX]) y and then (b w[i*stepX]) z to row i of m.",
		[][3]string{{"a", "x", "y"}, {"b", "w", "z"}})
	triangle()

	Generate()
}

// begin starts a kernel. doc continues the sentence that its name begins.
func begin(name, signature, doc string) {
	TEXT(name, NOSPLIT, signature)
	Pragma("noescape")
	Doc(name + " " + doc)
}

// end ends a kernel that returns the given numbers.
func end(results ...Register) {
	VZEROUPPER()
	for i, r := range results {
		Store(r, ReturnIndex(i))
	}
	RET()
}

// param loads a parameter into a general register.
func param(name string) Register { return Load(Param(name), GP64()) }

// broadcast loads a parameter into all of a register.
func broadcast(name string) VecVirtual {
	m, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return filled(m.Addr)
}

// filled returns a register with a number in memory in all of it.
func filled(m Mem) VecVirtual {
	y := YMM()
	VBROADCASTSD(m, y)
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

// ones returns a register of ones.
func ones() VecVirtual { return filled(constant("one", 1)) }

func zero(y VecVirtual) { VXORPD(y, y, y) }

// at returns the operand j registers after number index of base.
func at(base, index Register, j int) Mem {
	return Mem{Base: base, Index: index, Scale: size, Disp: j * wide * size}
}

// A lane emits instructions on full registers or, if single, on their first numbers.
type lane struct{ single bool }

// reg returns a new register.
func (l lane) reg() VecVirtual {
	if l.single {
		return XMM()
	}
	return YMM()
}

type instruction = func(ops ...Op)

// do emits one of two instructions.
func (l lane) do(full, single instruction, ops ...Op) {
	if !l.single {
		full(ops...)
		return
	}
	for i, o := range ops {
		if r, ok := o.(VecVirtual); ok {
			ops[i] = r.AsX()
		}
	}
	single(ops...)
}

func (l lane) mov(from, to Op) { l.do(VMOVUPD, VMOVSD, from, to) }
func (l lane) add(ops ...Op)   { l.do(VADDPD, VADDSD, ops...) }
func (l lane) sub(ops ...Op)   { l.do(VSUBPD, VSUBSD, ops...) }
func (l lane) mul(ops ...Op)   { l.do(VMULPD, VMULSD, ops...) }
func (l lane) div(ops ...Op)   { l.do(VDIVPD, VDIVSD, ops...) }
func (l lane) max(ops ...Op)   { l.do(VMAXPD, VMAXSD, ops...) }
func (l lane) cmp(ops ...Op)   { l.do(VCMPPD, VCMPSD, ops...) }
func (l lane) xor(ops ...Op)   { l.do(VXORPD, VXORPD, ops...) }

// each emits body for n numbers: for blocks of so many registers, then for one
// register at a time, then for single numbers. body emits the step at index i, j
// registers further.
func each(n Register, block int, body func(l lane, i Register, j int)) {
	i, rest := index(n)
	if block > 1 {
		steps("blocks", "registers", i, rest, block, body)
	}
	steps("registers", "singles", i, rest, 1, body)
	singles(i, rest, body)
}

// index returns an index of 0 and the number of steps that remain.
func index(n Register) (i, rest Register) {
	i = GP64()
	XORQ(i, i)
	rest = GP64()
	MOVQ(n, rest)
	return i, rest
}

// steps emits body for blocks of so many registers as long as there are so many
// numbers, and then continues at the label next.
func steps(label, next string, i, rest Register, block int, body func(l lane, i Register, j int)) {
	Label(label)
	step(next, i, rest, block, body)
	JMP(LabelRef(label))
}

// step emits body for a block if there are so many numbers, else a jump to next.
func step(next string, i, rest Register, block int, body func(l lane, i Register, j int)) {
	CMPQ(rest, U8(block*wide))
	JLT(LabelRef(next))
	for j := range block {
		body(lane{}, i, j)
	}
	ADDQ(U8(block*wide), i)
	SUBQ(U8(block*wide), rest)
}

// singles emits body for the numbers that remain.
func singles(i, rest Register, body func(l lane, i Register, j int)) {
	Label("singles")
	TESTQ(rest, rest)
	JLE(LabelRef("done"))
	body(lane{single: true}, i, 0)
	INCQ(i)
	DECQ(rest)
	JMP(LabelRef("singles"))
	Label("done")
}

func axpy() {
	begin("axpyAVX2", "func(n int, a float64, x, y *float64)", "computes y += a x.")
	n, x, y, a := param("n"), param("x"), param("y"), broadcast("a")
	each(n, 4, func(l lane, i Register, j int) {
		t := l.reg()
		l.mul(at(x, i, j), a, t)
		l.add(at(y, i, j), t, t)
		l.mov(t, at(y, i, j))
	})
	end()
}

func exchange() {
	begin("exchangeAVX2", "func(n int, p, q, v, m, a, b *float64, cv, cm, ca, cb float64)", "computes p += cv v - cm m and q += cv a + ca v + cm b + cb m.")
	p, q, vs, ms, a, b := param("p"), param("q"), param("v"), param("m"), param("a"), param("b")
	n := param("n")
	cv, cm, ca, cb := broadcast("cv"), broadcast("cm"), broadcast("ca"), broadcast("cb")
	each(n, 1, func(l lane, i Register, j int) {
		v, m, t, s := l.reg(), l.reg(), l.reg(), l.reg()
		l.mov(at(vs, i, j), v)
		l.mov(at(ms, i, j), m)
		l.mul(v, cv, t)
		l.add(at(p, i, j), t, s)
		l.mul(m, cm, t)
		l.sub(t, s, s)
		l.mov(s, at(p, i, j))
		l.mul(at(a, i, j), cv, t)
		l.add(at(q, i, j), t, s)
		l.mul(v, ca, t)
		l.add(t, s, s)
		l.mul(at(b, i, j), cm, t)
		l.add(t, s, s)
		l.mul(m, cb, t)
		l.add(t, s, s)
		l.mov(s, at(q, i, j))
	})
	end()
}
