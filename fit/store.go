package fit

import (
	"errors"
	"slices"
	"time"

	"aibd/draws"
	"aibd/mcmc"
)

// A Store keeps the draws and the chains of a fit. Fit calls Open, Record and Save of different chains at the same
// time, and the other methods alone. Chains are numbered from zero.
type Store interface {
	// Begin returns the round to sample, and where those of its chains stand that are to be sampled. A round may be
	// complete.
	Begin() (Round, []Standing)
	// Open returns the checkpoint from which a chain continues, or nil if it is new. It is called before the first
	// scan of a chain.
	Open(chain int) (*mcmc.Checkpoint, error)
	// Record keeps a draw of a chain, of which it must keep a copy.
	Record(chain int, d *draws.Draw) error
	// Save is called with a chain after every few scans, with the time that its scans have taken in all. If it is the
	// last call for the chain in this round, or before Fit ends, the state of the chain must be kept. Otherwise it may
	// be. A nil chain has failed, and continues from the state before.
	Save(chain int, c *mcmc.Chain, took time.Duration, last bool) error
	// End is called when no chain makes more scans of the round: all are complete, Fit was stopped, or failed.
	End(failed error) error
	// Draws returns the draws by chain, in order and of equal number: those of the round under way, if it is the first
	// one or replaces the one before (Round.Replaces), or else those of the one before.
	Draws() ([][]*draws.Draw, error)
	// Next begins the round after a complete one, with the given growth (see Round.Next).
	Next(growth float64) error
}

// Standing is where a chain stands.
type Standing struct {
	Chain int // its number
	Scans int // made
	Took  time.Duration
}

// Memory is a Store in memory. A Memory that has been fitted may be fitted again: its chains continue.
type Memory struct {
	round  Round
	chains []memoryChain
	prior  Round           // the one before
	before [][]*draws.Draw // of prior; nil in the first round
}

type memoryChain struct {
	Standing
	checkpoint *mcmc.Checkpoint
	draws      []*draws.Draw
}

// NewMemory returns a store of a number of chains, with the length of their first round.
func NewMemory(chains int, length mcmc.Config) *Memory {
	m := &Memory{round: Round{Number: 1, Chains: chains, Length: length}, chains: make([]memoryChain, chains)}
	for c := range m.chains {
		m.chains[c].Chain = c
	}
	return m
}

// Begin implements Store.
func (m *Memory) Begin() (Round, []Standing) {
	var all []Standing
	for _, c := range m.chains {
		all = append(all, c.Standing)
	}
	return m.round, all
}

// Open implements Store.
func (m *Memory) Open(chain int) (*mcmc.Checkpoint, error) {
	c := &m.chains[chain]
	c.draws = c.draws[:m.round.Length.DrawsAt(c.Scans)] // those after the checkpoint are drawn again
	return c.checkpoint, nil
}

// Record implements Store.
func (m *Memory) Record(chain int, d *draws.Draw) error {
	c := &m.chains[chain]
	c.draws = append(c.draws, draws.Clone(d))
	return nil
}

// Save implements Store.
func (m *Memory) Save(chain int, c *mcmc.Chain, took time.Duration, last bool) error {
	if c == nil || !last {
		return nil
	}
	checkpoint, err := c.Checkpoint()
	if err != nil {
		return err
	}
	kept := &m.chains[chain]
	kept.checkpoint, kept.Scans, kept.Took = &checkpoint, c.Done(), took
	return nil
}

// End implements Store.
func (m *Memory) End(error) error { return nil }

// least returns the number of scans that each chain has made.
func (m *Memory) least() int {
	return slices.MinFunc(m.chains, func(a, b memoryChain) int { return a.Scans - b.Scans }).Scans
}

// Draws implements Store.
func (m *Memory) Draws() ([][]*draws.Draw, error) {
	if m.before != nil && !m.round.Replaces(m.prior, m.least()) {
		return m.before, nil
	}
	all := make([][]*draws.Draw, len(m.chains))
	shortest := m.round.Length.DrawsAt(m.least())
	for c := range all {
		all[c] = m.chains[c].draws[:shortest:shortest]
	}
	return all, nil
}

// Next implements Store.
func (m *Memory) Next(growth float64) error {
	if m.least() < m.round.Length.Scans() {
		return errors.New("found a round that is not complete, expected a complete one before the next")
	}
	m.before, _ = m.Draws()
	m.prior = m.round
	m.round = m.round.Next(growth)
	for c := range m.chains {
		m.chains[c].draws = nil
		for _, d := range m.before[c] {
			if number, ok := m.round.Retains(d.Iteration, m.prior); ok {
				retained := *d
				retained.Iteration = number
				m.chains[c].draws = append(m.chains[c].draws, &retained)
			}
		}
	}
	return nil
}
