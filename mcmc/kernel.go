package mcmc

import (
	"math/rand/v2"
	"slices"
)

// A Kernel moves the state and leaves the posterior invariant. On rejection the
// state is unchanged. Kernels hold their own working memory and belong to one
// chain.
type Kernel interface {
	// Name is the kernel's name in reports, the same for the same kind of kernel.
	Name() string
	// Step makes one move.
	Step(rng *rand.Rand, s *State) Info
}

// Info counts what a step proposed and what it accepted.
type Info struct{ Proposed, Accepted int }

func (i *Info) add(j Info) {
	i.Proposed += j.Proposed
	i.Accepted += j.Accepted
}

// An Adapter is a Kernel whose step size is tuned while the chain warms up. After
// Adapt(false) it no longer changes.
type Adapter interface {
	Kernel
	// Adapt turns tuning on or off.
	Adapt(on bool)
	// Tuning returns the numbers that tuning has reached, SetTuning puts them back.
	// SetTuning panics on another number of them than Tuning returns.
	Tuning() []float64
	SetTuning([]float64)
}

// Cycle makes one scan of its kernels, one after the other in fixed order.
type Cycle struct {
	kernels  []Kernel
	adapters []Adapter // those that are tuned, each once
	totals   []Info
}

// NewCycle returns the cycle of the kernels. A kernel that stands more than once
// is run as often.
func NewCycle(kernels ...Kernel) *Cycle {
	c := &Cycle{kernels: kernels, totals: make([]Info, len(kernels))}
	for _, k := range kernels {
		if a, ok := k.(Adapter); ok && !slices.Contains(c.adapters, a) {
			c.adapters = append(c.adapters, a)
		}
	}
	return c
}

// Name returns "cycle".
func (c *Cycle) Name() string { return "cycle" }

// Step runs each kernel once.
func (c *Cycle) Step(rng *rand.Rand, s *State) Info {
	var sum Info
	for i, k := range c.kernels {
		info := k.Step(rng, s)
		c.totals[i].add(info)
		sum.add(info)
	}
	return sum
}

// A Total is what the kernels of one name have done since the last ResetTotals.
type Total struct {
	Name string
	Info
}

// Totals returns the totals by name, in the order of the cycle.
func (c *Cycle) Totals() []Total {
	var totals []Total
	index := map[string]int{}
	for i, k := range c.kernels {
		j, ok := index[k.Name()]
		if !ok {
			j = len(totals)
			index[k.Name()] = j
			totals = append(totals, Total{Name: k.Name()})
		}
		totals[j].add(c.totals[i])
	}
	return totals
}

// ResetTotals forgets the totals.
func (c *Cycle) ResetTotals() { clear(c.totals) }
