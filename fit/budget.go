package fit

import (
	"fmt"
	"time"

	"aibd/internal/words"
)

// Budget is how long Fit may take, judging included, or how many scans each chain may make, which gives the same draws
// on every machine. The zero Budget is one round, however long it takes.
type Budget struct {
	Time  time.Duration
	Scans int // of each chain; used if it is not 0
}

// IsZero reports whether there is one round only.
func (b Budget) IsZero() bool { return b == Budget{} }

// roughly formats an amount of the budget.
func (b Budget) roughly(amount float64) string {
	if b.Scans != 0 {
		return fmt.Sprintf("%.0f scans of each chain", amount)
	}
	return words.Duration(amount)
}

// meter is a budget and its start.
type meter struct {
	Budget
	now     func() time.Time
	start   time.Time
	judged  bool          // a round before, which measured judging
	judging time.Duration // of a draw of each chain
}

// took returns the time since the start.
func (m meter) took() time.Duration { return m.now().Sub(m.start) }

// remaining returns what remains of the budget after rounds of some scans of each chain, at least 0.
func (m meter) remaining(scans int) float64 {
	if m.Scans != 0 {
		return max(0, float64(m.Scans-scans))
	}
	return max(0, (m.Time - m.took()).Seconds())
}

// over reports whether no more scans of a round fit into the time of the budget, given how long judging its draws
// takes. As long as that is unknown, half of the time is for judging, except in the first second; without drawn draws of
// each chain, there is little to judge.
func (m meter) over(draws, drawn int) bool {
	switch took := m.took(); {
	case m.Time == 0 || m.Scans != 0:
		return false
	case !m.judged && drawn == 0:
		return took >= max(m.Time, time.Second)
	case !m.judged:
		return took >= max(m.Time/2, time.Second)
	default:
		return took+m.judging*time.Duration(draws) >= m.Time
	}
}

// plan holds the inputs to the choice of the next round.
type plan struct {
	round     Round   // before
	rate      float64 // scans of all chains in a unit of the budget
	judged    float64 // units of the budget that judging a draw of each chain takes
	needed    float64 // how many times as many draws agreement takes
	budget    Budget
	remaining float64
}

// cost returns how much of the budget the round after one will take, with a window that is growth times as long.
func (p plan) cost(after Round, growth float64) float64 {
	next := after.Next(growth)
	return float64(next.scans()-after.scans())/p.rate + p.judged*float64(next.Length.Draws)
}

// usual are the growths of windows after which further rounds may follow: R-hat and ESS of short chains say
// little, so that none is above 4.
var usual = []float64{1.5, 2, 4}

// growth returns how many times as long the window of the next round is: the first of usual that is at
// least two thirds of what is needed, or else the largest. It is at most the largest with which the round
// probably ends within the budget. If more draws are needed and no other round would fit after this one, it
// is the largest of Growths that fits. If no round fits, growth returns 0 and the reason.
func (p plan) growth() (growth float64, reason string) {
	first := usual[0]
	fits := func(g float64) bool { return p.remaining > 0 && p.cost(p.round, g) <= p.remaining }
	if !fits(first) {
		return 0, fmt.Sprintf("Round %d would take about %s; %s left of the budget", p.round.Number+1, p.budget.roughly(p.cost(p.round, first)), p.budget.roughly(p.remaining))
	}
	for _, g := range usual {
		if fits(g) && 1.5*growth < p.needed {
			growth = g
		}
	}
	if growth >= p.needed || p.cost(p.round, growth)+p.cost(p.round.Next(growth), first) <= p.remaining {
		return growth, ""
	}
	for _, g := range Growths {
		if fits(g) {
			growth = g
		}
	}
	return growth, ""
}
