package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// flipBounds bounds the ratios of all flips of a row at once.
func flipBounds() {
	begin("flipBoundsAVX2", "func(n int, out, factor, delta, u, md, c, q, gd *float64, one, e, before, weight, half float64)", "computes FlipBounds.")
	n := param("n")
	out, factor, delta, u := param("out"), param("factor"), param("delta"), param("u")
	md, c, q, gd := param("md"), param("c"), param("q"), param("gd")
	one, e, before, weight, half := broadcast("one"), broadcast("e"), broadcast("before"), broadcast("weight"), broadcast("half")
	unit := ones()
	third, middle, part := YMM(), YMM(), YMM()
	VBROADCASTSD(constant("third", 1.0/3), third)
	VBROADCASTSD(constant("half", 0.5), middle)
	VBROADCASTSD(constant("part", 1.0/64), part)
	const greater = 30 // ordered, quiet
	each(n, 1, func(l lane, i Register, j int) {
		d, s, x, t, p, ok := l.reg(), l.reg(), l.reg(), l.reg(), l.reg(), l.reg()
		l.mov(at(delta, i, j), d)
		l.mul(at(u, i, j), d, s)
		l.add(one, s, s)
		l.add(at(md, i, j), s, s)
		l.mov(at(c, i, j), x)
		l.sub(at(q, i, j), x, x)
		l.mul(d, x, x)
		l.sub(x, e, x)
		l.add(at(gd, i, j), x, x)
		l.xor(ok, ok, ok)
		l.cmp(U8(greater), ok, s, ok)
		l.div(s, unit, s)
		l.mul(s, x, x)
		l.mul(weight, x, x)
		l.sub(x, before, x)
		l.mul(one, s, t)
		l.sub(unit, t, t)
		l.mul(third, t, p)
		l.sub(p, middle, p)
		l.mul(t, p, p)
		l.sub(p, unit, p)
		l.mul(t, p, p)
		l.mul(half, p, p)
		l.add(p, x, x)
		l.mul(part, x, x)
		l.sub(x, unit, x)
		l.xor(p, p, p)
		l.max(x, p, x) // x where it is not a number
		for range 6 {
			l.mul(x, x, x)
		}
		l.mov(at(factor, i, j), p)
		l.div(x, p, x)
		l.do(VPCMPEQD, VPCMPEQD, p, p, p)
		l.xor(p, ok, ok)
		l.do(VORPD, VORPD, ok, x, x)
		l.mov(x, at(out, i, j))
	})
	end()
}
