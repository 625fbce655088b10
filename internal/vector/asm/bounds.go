package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// flipBounds bounds the ratios of all flips of a row at once.
func flipBounds() {
	TEXT("flipBoundsAVX2", NOSPLIT, "func(n int, out, factor, delta, u, md, c, q, gd *float64, one, e, before, weight, half float64)")
	Pragma("noescape")
	Doc("flipBoundsAVX2 computes FlipBounds.")
	n := Load(Param("n"), GP64())
	base := map[string]Register{}
	for _, name := range []string{"out", "factor", "delta", "u", "md", "c", "q", "gd"} {
		base[name] = Load(Param(name), GP64())
	}
	one, e, before, weight, half := broadcast("one"), broadcast("e"), broadcast("before"), broadcast("weight"), broadcast("half")
	unit := ones()
	third, middle, part := YMM(), YMM(), YMM()
	VBROADCASTSD(constant("third", 1.0/3), third)
	VBROADCASTSD(constant("half", 0.5), middle)
	VBROADCASTSD(constant("part", 1.0/64), part)
	const greater = 30 // ordered, quiet
	each(n, 1, op{
		func(i Register, _ int) {
			d, s, x, t, p, ok := YMM(), YMM(), YMM(), YMM(), YMM(), YMM()
			VMOVUPD(at(base["delta"], i, 0), d)
			VMULPD(at(base["u"], i, 0), d, s)
			VADDPD(one, s, s)
			VADDPD(at(base["md"], i, 0), s, s)
			VMOVUPD(at(base["c"], i, 0), x)
			VSUBPD(at(base["q"], i, 0), x, x)
			VMULPD(d, x, x)
			VSUBPD(x, e, x)
			VADDPD(at(base["gd"], i, 0), x, x)
			VXORPD(ok, ok, ok)
			VCMPPD(U8(greater), ok, s, ok)
			VDIVPD(s, unit, s)
			VMULPD(s, x, x)
			VMULPD(weight, x, x)
			VSUBPD(x, before, x)
			VMULPD(one, s, t)
			VSUBPD(unit, t, t)
			VMULPD(third, t, p)
			VSUBPD(p, middle, p)
			VMULPD(t, p, p)
			VSUBPD(p, unit, p)
			VMULPD(t, p, p)
			VMULPD(half, p, p)
			VADDPD(p, x, x)
			VMULPD(part, x, x)
			VSUBPD(x, unit, x)
			VXORPD(p, p, p)
			VMAXPD(x, p, x) // x where it is not a number
			for range 6 {
				VMULPD(x, x, x)
			}
			VMOVUPD(at(base["factor"], i, 0), p)
			VDIVPD(x, p, x)
			VPCMPEQD(p, p, p)
			VXORPD(p, ok, ok)
			VORPD(ok, x, x)
			VMOVUPD(x, at(base["out"], i, 0))
		},
		func(i Register) {
			d, s, x, t, p, ok := XMM(), XMM(), XMM(), XMM(), XMM(), XMM()
			VMOVSD(at(base["delta"], i, 0), d)
			VMULSD(at(base["u"], i, 0), d, s)
			VADDSD(one.AsX(), s, s)
			VADDSD(at(base["md"], i, 0), s, s)
			VMOVSD(at(base["c"], i, 0), x)
			VSUBSD(at(base["q"], i, 0), x, x)
			VMULSD(d, x, x)
			VSUBSD(x, e.AsX(), x)
			VADDSD(at(base["gd"], i, 0), x, x)
			VXORPD(ok, ok, ok)
			VCMPSD(U8(greater), ok, s, ok)
			VDIVSD(s, unit.AsX(), s)
			VMULSD(s, x, x)
			VMULSD(weight.AsX(), x, x)
			VSUBSD(x, before.AsX(), x)
			VMULSD(one.AsX(), s, t)
			VSUBSD(unit.AsX(), t, t)
			VMULSD(third.AsX(), t, p)
			VSUBSD(p, middle.AsX(), p)
			VMULSD(t, p, p)
			VSUBSD(p, unit.AsX(), p)
			VMULSD(t, p, p)
			VMULSD(half.AsX(), p, p)
			VADDSD(p, x, x)
			VMULSD(part.AsX(), x, x)
			VSUBSD(x, unit.AsX(), x)
			VXORPD(p, p, p)
			VMAXSD(x, p, x)
			for range 6 {
				VMULSD(x, x, x)
			}
			VMOVSD(at(base["factor"], i, 0), p)
			VDIVSD(x, p, x)
			VPCMPEQD(p, p, p)
			VXORPD(p, ok, ok)
			VORPD(ok, x, x)
			VMOVSD(x, at(base["out"], i, 0))
		},
	})
	VZEROUPPER()
	RET()
}
