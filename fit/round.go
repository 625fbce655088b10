package fit

import "aibd/mcmc"

// Round is a round: chains of one length.
type Round struct {
	Number int // from 1
	Chains int
	Length mcmc.Config
}

// Growths are the ratios that the windows of a round and of the round before may have, in ascending
// order. The window of a round is the scans from which it keeps draws.
var Growths = []float64{1.5, 2, 3, 4, 6}

// fewDraws is four times the ESS that agreement takes.
const fewDraws = 1600

// Next returns the next round. It skips what this one skips and the first quarter of its draws, and its window is
// growth times as long, one of Growths. If growth is below 2, it keeps half as many more draws. Otherwise it thins
// them, unless the chains together keep fewer than 1600: it then keeps more draws, and skips growth more. Skip and
// Thin thus determine the growth.
func (r Round) Next(growth float64) Round {
	l := &r.Length
	r.Number++
	l.Skip += max(1, l.Draws/4) * l.Thin
	switch {
	case growth < 2:
		l.Draws += max(1, l.Draws/2)
	case l.Draws*r.Chains < fewDraws:
		l.Skip += int(growth) * l.Thin
		factor := 1
		for factor < int(growth) && (int(growth)%factor > 0 || l.Draws*r.Chains*factor < fewDraws) {
			factor++
		}
		l.Draws *= factor
		l.Thin *= int(growth) / factor
	default:
		l.Thin *= int(growth)
	}
	return r
}

// Retains returns the number, from zero, that a draw of a chain of the round before has in r, and whether r has it.
func (r Round) Retains(draw int, before Round) (number int, ok bool) {
	scan := before.Length.ScanOf(draw)
	number = r.Length.DrawsAt(scan) - 1
	return number, number >= 0 && r.Length.ScanOf(number) == scan
}

// Replaces reports whether the draws of r, of which each chain has made at least some scans, come from at least as many
// scans as those of the round before. Then they replace them, although r may not be complete.
func (r Round) Replaces(before Round, scans int) bool {
	return r.Length.DrawsAt(scans)*r.Length.Thin >= before.Length.Draws*before.Length.Thin
}

// scans returns the scans of all chains.
func (r Round) scans() int { return r.Chains * r.Length.Scans() }
