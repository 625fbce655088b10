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

// A block is a number of registers that hold adjacent columns.
type block struct {
	acc  []VecVirtual
	mask VecVirtual // of the last register; nil for a full block
}

func newBlock(registers int, mask VecVirtual) block {
	b := block{make([]VecVirtual, registers), mask}
	for j := range b.acc {
		b.acc[j] = YMM()
	}
	return b
}

// masked reports whether register j holds fewer numbers than fit.
func (b block) masked(j int) bool { return b.mask != nil && j == len(b.acc)-1 }

// column returns the operand that begins j registers after base.
func column(base Register, j int) Mem { return Mem{Base: base, Disp: j * wide * size} }

// load and store move a block.
func (b block) load(base Register) {
	for j, y := range b.acc {
		if b.masked(j) {
			VMASKMOVPD(column(base, j), b.mask, y)
		} else {
			VMOVUPD(column(base, j), y)
		}
	}
}

func (b block) store(base Register) {
	for j, y := range b.acc {
		if b.masked(j) {
			VMASKMOVPD(y, b.mask, column(base, j))
		} else {
			VMOVUPD(y, column(base, j))
		}
	}
}

// operand returns register j of the row at base: in memory, or loaded into t under the
// mask.
func (b block) operand(base Register, j int, t VecVirtual) Op {
	if !b.masked(j) {
		return column(base, j)
	}
	VMASKMOVPD(column(base, j), b.mask, t)
	return t
}

// label returns a name that is used once in a function.
func (b block) label(name string) string {
	if b.mask == nil {
		return name + "Full"
	}
	return fmt.Sprintf("%s%d", name, len(b.acc))
}

// blocks emits body for n > 0 columns in blocks of 32 and a last one of 1 to 32: once
// for each number of registers. body must end without a jump. After a full block, m and
// y advance.
func blocks(n, m, y Register, body func(b block)) {
	table := masks()
	Label("block")
	CMPQ(n, U8(most*wide))
	JLE(LabelRef("last"))
	body(newBlock(most, nil))
	ADDQ(U32(most*wide*size), m)
	ADDQ(U32(most*wide*size), y)
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
		body(newBlock(registers, mask))
		JMP(LabelRef("done"))
	}
	Label("done")
}

// rows adds multiples of rows to y.
func rows() {
	begin("rowsAVX2", "func(n, rows int, a float64, x *float64, stepX int, m *float64, stepM int, y *float64)",
		"adds (a x[i*stepX]) times row i of m to y. Steps are in bytes, n and rows are positive.")
	n, rows, x, stepX := param("n"), param("rows"), param("x"), param("stepX")
	m, stepM, y := param("m"), param("stepM"), param("y")
	weight, place, left := GP64(), GP64(), GP64()
	scale, w, t := broadcast("a"), YMM(), YMM()
	blocks(n, m, y, func(b block) {
		b.load(y)
		MOVQ(x, weight)
		MOVQ(m, place)
		MOVQ(rows, left)
		again := b.label("rows")
		Label(again)
		VBROADCASTSD(Mem{Base: weight}, w)
		VMULPD(scale, w, w)
		for j, a := range b.acc {
			VMULPD(b.operand(place, j, t), w, t)
			VADDPD(t, a, a)
		}
		ADDQ(stepX, weight)
		ADDQ(stepM, place)
		DECQ(left)
		JNE(LabelRef(again))
		b.store(y)
	})
	end()
}

// triangle sums rows of a triangle: row q has entries from its block of 32 columns on,
// 0 up to column q, so that one that begins after a block is left out of it.
func triangle() {
	begin("triangleAVX2", "func(n, count int, members *int, m *float64, starts *int, y *float64)", "sets y to the sum of the rows of the triangle m in members, ascending, where column 0 of row q would be at starts[q]. n and count are positive.")
	n, count, members := param("n"), param("count"), param("members")
	m, starts, y := param("m"), param("starts"), param("y")
	last, next, left, place := GP64(), GP64(), GP64(), GP64()
	t := YMM()
	XORQ(last, last) // column of the block
	DECQ(last)
	blocks(n, m, y, func(b block) {
		for _, a := range b.acc {
			zero(a)
		}
		ADDQ(U8(len(b.acc)*wide), last)
		MOVQ(members, next)
		MOVQ(count, left)
		again, out := b.label("rows"), b.label("out")
		Label(again)
		MOVQ(Mem{Base: next}, place)
		CMPQ(place, last)
		JGE(LabelRef(out))
		MOVQ(Mem{Base: starts, Index: place, Scale: size}, place)
		LEAQ(Mem{Base: m, Index: place, Scale: size}, place)
		for j, a := range b.acc {
			VADDPD(b.operand(place, j, t), a, a)
		}
		ADDQ(U8(size), next)
		DECQ(left)
		JNE(LabelRef(again))
		Label(out)
		b.store(y)
	})
	end()
}

// outer adds multiples of one or two vectors to each row of a matrix.
func outer(name, signature, doc string, terms [][3]string) {
	begin(name, signature, doc)
	n, rows, m, stepM := param("n"), param("rows"), param("m"), param("stepM")
	i, rest := GP64(), GP64()
	type term struct {
		scale, weight VecVirtual
		x, y          Register
	}
	var ts []term
	for _, names := range terms {
		ts = append(ts, term{broadcast(names[0]), YMM(), param(names[1]), param(names[2])})
	}
	stepX := param("stepX")
	Label("row")
	for _, t := range ts {
		VBROADCASTSD(Mem{Base: t.x}, t.weight)
		VMULPD(t.scale, t.weight, t.weight)
	}
	XORQ(i, i)
	MOVQ(n, rest)
	body := func(l lane, i Register, j int) {
		sum := l.reg()
		for k, t := range ts {
			p := l.reg()
			l.mul(at(t.y, i, j), t.weight, p)
			if k == 0 {
				l.add(at(m, i, j), p, sum)
			} else {
				l.add(p, sum, sum)
			}
		}
		l.mov(sum, at(m, i, j))
	}
	steps("columns4", "columns1", i, rest, 4, body)
	steps("columns1", "singles", i, rest, 1, body)
	singles(i, rest, body)
	for _, t := range ts {
		ADDQ(stepX, t.x)
	}
	ADDQ(stepM, m)
	DECQ(rows)
	JNE(LabelRef("row"))
	end()
}
