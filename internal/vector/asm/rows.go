package main

// Kernels that combine the rows of a matrix: a block of up to 32 columns is kept in
// registers while the rows pass.

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

const most = 8 // registers in a block

// masks returns the address of a table in which the numbers from 4-n on mask n.
func masks() Register {
	m, ok := constants["masks"]
	if !ok {
		m = GLOBL("masks", RODATA|NOPTR)
		for l := range 2 * wide {
			x := uint64(0)
			if l < wide {
				x = ^uint64(0)
			}
			DATA(l*size, U64(x))
		}
		constants["masks"] = m
	}
	r := GP64()
	LEAQ(m, r)
	return r
}

// blocks runs body over n > 0 columns in blocks of 32 and a last one of 1 to 32.
// body is emitted once for each number of registers, with the mask of the last one
// (nil for a full block), and is to end without a jump. base is advanced by hand.
func blocks(n Register, body func(registers int, mask VecVirtual), advance func()) {
	table := masks()
	Label("block")
	CMPQ(n, U8(most*wide))
	JLE(LabelRef("last"))
	body(most, nil)
	advance()
	SUBQ(U8(most*wide), n)
	JMP(LabelRef("block"))
	Label("last")
	// The mask: n mod 4 numbers, 4 where that is 0.
	index := GP64()
	MOVQ(n, index)
	NEGQ(index)
	ANDQ(U8(wide-1), index)
	mask := YMM()
	VMOVUPD(Mem{Base: table, Index: index, Scale: size}, mask)
	for registers := 1; registers < most; registers++ {
		CMPQ(n, U8(registers*wide))
		JLE(LabelRef(fmt.Sprintf("last%d", registers)))
	}
	for registers := most; registers > 0; registers-- {
		Label(fmt.Sprintf("last%d", registers))
		body(registers, mask)
		JMP(LabelRef("done"))
	}
	Label("done")
}

// load and store move a block; the last register is masked.
func load(base Register, acc []VecVirtual, mask VecVirtual) {
	for j, y := range acc {
		if mask != nil && j == len(acc)-1 {
			VMASKMOVPD(Mem{Base: base, Disp: j * wide * size}, mask, y)
		} else {
			VMOVUPD(Mem{Base: base, Disp: j * wide * size}, y)
		}
	}
}

func store(base Register, acc []VecVirtual, mask VecVirtual) {
	for j, y := range acc {
		if mask != nil && j == len(acc)-1 {
			VMASKMOVPD(y, mask, Mem{Base: base, Disp: j * wide * size})
		} else {
			VMOVUPD(y, Mem{Base: base, Disp: j * wide * size})
		}
	}
}

// label returns a name that is used once in a function.
func label(name string, registers int, mask VecVirtual) string {
	if mask == nil {
		return name + "Full"
	}
	return fmt.Sprintf("%s%d", name, registers)
}

func weighted(t, acc VecVirtual) { VADDPD(t, acc, acc) }
func negated(t, acc VecVirtual)  { VSUBPD(t, acc, acc) }

func rows(name, doc string, combine func(t, acc VecVirtual)) {
	TEXT(name, NOSPLIT, "func(n, rows int, x *float64, stepX int, m *float64, stepM int, y *float64)")
	Pragma("noescape")
	Doc(doc + " Steps are in bytes, n and rows are positive.")
	n := Load(Param("n"), GP64())
	rows := Load(Param("rows"), GP64())
	x := Load(Param("x"), GP64())
	stepX := Load(Param("stepX"), GP64())
	m := Load(Param("m"), GP64())
	stepM := Load(Param("stepM"), GP64())
	y := Load(Param("y"), GP64())
	weight, place, left := GP64(), GP64(), GP64()
	w, t := YMM(), YMM()
	blocks(n, func(registers int, mask VecVirtual) {
		acc := make([]VecVirtual, registers)
		for j := range acc {
			acc[j] = YMM()
		}
		load(y, acc, mask)
		MOVQ(x, weight)
		MOVQ(m, place)
		MOVQ(rows, left)
		again := label("rows", registers, mask)
		Label(again)
		VBROADCASTSD(Mem{Base: weight}, w)
		for j, a := range acc {
			if mask != nil && j == registers-1 {
				VMASKMOVPD(Mem{Base: place, Disp: j * wide * size}, mask, t)
				VMULPD(t, w, t)
			} else {
				VMULPD(Mem{Base: place, Disp: j * wide * size}, w, t)
			}
			combine(t, a)
		}
		ADDQ(stepX, weight)
		ADDQ(stepM, place)
		DECQ(left)
		JNE(LabelRef(again))
		store(y, acc, mask)
	}, func() {
		ADDQ(U32(most*wide*size), m)
		ADDQ(U32(most*wide*size), y)
	})
	VZEROUPPER()
	RET()
}

// triangle sums rows of a triangle: row q has entries from its block of 32 columns on,
// 0 up to column q, so that one that begins after a block is left out of it.
func triangle() {
	TEXT("triangleAVX2", NOSPLIT, "func(n, count int, members *int, m *float64, starts *int, y *float64)")
	Pragma("noescape")
	Doc("triangleAVX2 sets y to the sum of the rows of the triangle m in members, ascending, where column 0 of row q would be at starts[q]. n and count are positive.")
	n := Load(Param("n"), GP64())
	count := Load(Param("count"), GP64())
	members := Load(Param("members"), GP64())
	m := Load(Param("m"), GP64())
	starts := Load(Param("starts"), GP64())
	y := Load(Param("y"), GP64())
	end, next, left, place := GP64(), GP64(), GP64(), GP64()
	t := YMM()
	XORQ(end, end) // the first column after the block, but for one
	DECQ(end)
	blocks(n, func(registers int, mask VecVirtual) {
		acc := make([]VecVirtual, registers)
		for j := range acc {
			acc[j] = YMM()
			zero(acc[j])
		}
		ADDQ(U8(registers*wide), end)
		MOVQ(members, next)
		MOVQ(count, left)
		again, out := label("rows", registers, mask), label("out", registers, mask)
		Label(again)
		MOVQ(Mem{Base: next}, place)
		CMPQ(place, end)
		JGE(LabelRef(out))
		MOVQ(Mem{Base: starts, Index: place, Scale: size}, place)
		LEAQ(Mem{Base: m, Index: place, Scale: size}, place)
		for j, a := range acc {
			if mask != nil && j == registers-1 {
				VMASKMOVPD(Mem{Base: place, Disp: j * wide * size}, mask, t)
				VADDPD(t, a, a)
			} else {
				VADDPD(Mem{Base: place, Disp: j * wide * size}, a, a)
			}
		}
		ADDQ(U8(size), next)
		DECQ(left)
		JNE(LabelRef(again))
		Label(out)
		store(y, acc, mask)
	}, func() {
		ADDQ(U32(most*wide*size), m)
		ADDQ(U32(most*wide*size), y)
	})
	VZEROUPPER()
	RET()
}

// outer adds multiples of one or two vectors to each row of a matrix.
func outer(name, doc, signature string, terms [][3]string) {
	TEXT(name, NOSPLIT, signature)
	Pragma("noescape")
	Doc(doc)
	n := Load(Param("n"), GP64())
	rows := Load(Param("rows"), GP64())
	m := Load(Param("m"), GP64())
	stepM := Load(Param("stepM"), GP64())
	i, rest := GP64(), GP64()
	type term struct {
		scale, weight VecVirtual
		x, y          Register
	}
	var ts []term
	for _, names := range terms {
		ts = append(ts, term{broadcast(names[0]), YMM(), Load(Param(names[1]), GP64()), Load(Param(names[2]), GP64())})
	}
	stepX := Load(Param("stepX"), GP64())
	Label("row")
	for _, t := range ts {
		VBROADCASTSD(Mem{Base: t.x}, t.weight)
		VMULPD(t.scale, t.weight, t.weight)
	}
	XORQ(i, i)
	MOVQ(n, rest)
	for _, block := range []int{4, 1} {
		again, out := fmt.Sprintf("columns%d", block), fmt.Sprintf("out%d", block)
		Label(again)
		CMPQ(rest, U8(block*wide))
		JLT(LabelRef(out))
		for j := range block {
			sum := YMM()
			for k, t := range ts {
				p := YMM()
				VMULPD(at(t.y, i, j*wide), t.weight, p)
				if k == 0 {
					VADDPD(at(m, i, j*wide), p, sum)
				} else {
					VADDPD(p, sum, sum)
				}
			}
			VMOVUPD(sum, at(m, i, j*wide))
		}
		ADDQ(U8(block*wide), i)
		SUBQ(U8(block*wide), rest)
		JMP(LabelRef(again))
		Label(out)
	}
	Label("singles")
	TESTQ(rest, rest)
	JLE(LabelRef("next"))
	sum := XMM()
	for k, t := range ts {
		p := XMM()
		VMULSD(at(t.y, i, 0), t.weight.AsX(), p)
		if k == 0 {
			VADDSD(at(m, i, 0), p, sum)
		} else {
			VADDSD(p, sum, sum)
		}
	}
	VMOVSD(sum, at(m, i, 0))
	INCQ(i)
	DECQ(rest)
	JMP(LabelRef("singles"))
	Label("next")
	for _, t := range ts {
		ADDQ(stepX, t.x)
	}
	ADDQ(stepM, m)
	DECQ(rows)
	JNE(LabelRef("row"))
	VZEROUPPER()
	RET()
}
