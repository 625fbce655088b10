package fit

import (
	"fmt"
	"time"

	"aibd/internal/words"
)

// Budget is how long rounds are begun: until some time has passed, or until each chain has made some scans, which
// gives the same draws on every machine. The zero Budget is one round, however long it takes.
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

// meter is a budget from a start on.
type meter struct {
	Budget
	now   func() time.Time
	start time.Time
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

// grace is how much longer than the time of the budget a round may take that has begun.
func (m meter) grace() time.Duration { return max(m.Time/2, time.Minute) }

// mustEnd reports whether the time of the budget is used up and a round will not end within the grace, by the rate at
// which it has made some of all scans since it began.
func (m meter) mustEnd(began time.Time, made, all int) bool {
	if m.Time == 0 || m.Scans != 0 {
		return false
	}
	took := m.took()
	if took < m.Time {
		return false
	}
	if made > 0 {
		took += time.Duration(float64(all-made) / float64(made) * float64(m.now().Sub(began)))
	}
	return took > m.Time+m.grace()
}

// plan holds the inputs to the choice of the next round.
type plan struct {
	round  Round   // before
	rate   float64 // scans of all chains in a unit of the budget
	needed float64 // how many times as many draws agreement takes
	budget Budget
	left   float64
}

// cost returns how much of the budget the round after one will take, with a window that is growth times as long.
func (p plan) cost(after Round, growth float64) float64 {
	return float64(after.Next(growth).scans()-after.scans()) / p.rate
}

// usual are the growths of windows after which further rounds may follow: R-hat and ESS of short chains say
// little, so that none is above 4.
var usual = []float64{1.5, 2, 4}

// growth returns how many times as long the window of the next round is: the first of usual that is at
// least two thirds of what is needed, or else the largest. It is at most the largest with which the round
// probably ends within the budget. If more draws are needed and no other round would fit after this one, it
// is the largest of Growths that fits. If no round fits, growth returns 0 and the reason.
func (p plan) growth() (growth float64, why string) {
	first := usual[0]
	fits := func(g float64) bool { return p.left > 0 && p.cost(p.round, g) <= p.left }
	if !fits(first) {
		return 0, fmt.Sprintf("Round %d would take about %s; %s left of the budget", p.round.Number+1, p.budget.roughly(p.cost(p.round, first)), p.budget.roughly(p.left))
	}
	for _, g := range usual {
		if fits(g) && 1.5*growth < p.needed {
			growth = g
		}
	}
	if growth >= p.needed || p.cost(p.round, growth)+p.cost(p.round.Next(growth), first) <= p.left {
		return growth, ""
	}
	for _, g := range Growths {
		if fits(g) {
			growth = g
		}
	}
	return growth, ""
}
