package model

// Estimates of the memory that a fit needs. The bytes per entry count the arrays in
// the packages below; TestEstimate compares the estimates with what is allocated.

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"aibd/dataset"
	"aibd/internal/lists"
	"aibd/internal/spec"
	"aibd/internal/words"
	"aibd/mcmc"
)

// SegmentDraws returns the number of draws in a file, for runs of n items: 500, or
// fewer of very many items, so that a file stays far below the 2 GiB that Parquet can
// hold in a page.
func SegmentDraws(n int) int { return min(500, max(1, 5_000_000/max(1, n))) }

// need is the memory that something needs, by parts.
type need []part

type part struct {
	what   string // that needs it
	bytes  float64
	advice string // a setting that needs less
}

func (n need) total() float64 {
	return lists.Sum(lists.Map(n, func(p part) float64 { return p.bytes }))
}

// guessedFeatures is the number of features, which is unknown before the fit.
const guessedFeatures = 50

// guessedShare is the part of the items that have a feature, which is unknown too.
const guessedShare = 0.25

// fitNeed returns what a fit of N items and D columns needs. The spec is complete.
func fitNeed(s spec.Spec, items, columns int) need {
	n, d, k := float64(items), float64(columns), float64(guessedFeatures)
	rank := min(n, d)
	// As read, as transformed, and as the likelihood has it.
	data := 16*n*d + 8*n*rank
	if d > n {
		data += 16 * n * d // turned to N columns
	}
	o := s.Sampler
	kept := float64(min(o.Draws, SegmentDraws(items)))
	chain := 8*n*rank + // turned, for other scales
		k*(8*n+24*rank) // Z, Z'X, the loadings
	buffered := kept * (n*k/8*2 + 200) // draws that are not on disk
	if s.Prior.HasPermutation() {
		buffered += kept * n * 40
	}
	if s.Likelihood.HasWeights() {
		chain += 16*n*d + // X, and X at the start of a scan
			60*n*k*guessedShare + 8*k*d // features of items with weights, and the loadings
		buffered += kept * n * k * guessedShare * 4 * 2
	}
	if s.Prior.Law != "ibp" {
		chain += 24 * n * k // the law at the columns of Z, now and proposed
	}
	if s.Data.Noise != spec.NoiseCommon {
		chain += 48 * n * d // X, X over the noise scales and turned, now and at the start
	}
	if items <= mcmc.MaxClustered {
		chain += 16 * n * (rank + k) // sums over the nodes of the tree of the items
	}
	all, chains := o.Chains, fmt.Sprintf("%d chains", o.Chains)
	return append(need{
		{"the data (N x D)", data, "fewer columns or items"},
		{chains, float64(all)*chain + float64(o.Chains)*buffered, "fewer chains"},
	}, lawNeed(s, items, all, chains)...)
}

// Bytes for each pair of items.
const (
	pairsDistance = 8
	pairsChanged  = 8  // with another unit or a shift
	pairsLaw      = 45 // similarities, and the numbers of the distinct distances
	pairsChain    = 20 // of each chain: similarities and tables, now and proposed
)

// lawNeed returns what the law needs, alone or in chains; label names the chains.
func lawNeed(s spec.Spec, items, chains int, label string) need {
	if s.Prior.Law == "ibp" {
		return nil
	}
	what := "the law " + s.Prior.Law
	if chains > 0 {
		what += " in " + label
	}
	pairs, distance, law := float64(items)*float64(items), pairsDistance, pairsLaw+chains*pairsChain
	if s.Distance.Per() != 1 || s.Distance.Shift != 0 {
		distance += pairsChanged
	}
	const advice = "the law ibp (--prior ibp) needs no distances of all pairs"
	several := len(s.Distances())
	distance, law = distance*several, law*several
	return need{
		{fmt.Sprintf("distances between all pairs of items (N x N x %d bytes)", distance), float64(distance) * pairs, advice},
		{fmt.Sprintf("%s (N x N x %d bytes)", what, law), float64(law) * pairs, advice},
	}
}

// Memory is an amount of available memory.
type Memory struct {
	Bytes  float64
	Source string // its source
}

// Forecast returns a check of a data file before it is read. Its extent is approximate, so
// the check refuses only what needs far too much.
func Forecast(s spec.Spec, m Memory) func(dataset.Extent) error {
	return func(e dataset.Extent) error {
		if err := m.Holds(e); err != nil {
			return err
		}
		columns := e.Columns
		if s.Data.NamesColumns() {
			columns = 1 // or more, by name or pattern
		}
		e.Rows = s.Data.Items(e.Rows)
		return Memory{1.5 * m.Bytes, m.Source}.refuse(m, fitNeed(s, e.Rows, columns), fmt.Sprintf("about %d items x %d columns", e.Rows, columns))
	}
}

// Holds reports an error if there is not enough memory for a table.
func (m Memory) Holds(e dataset.Extent) error {
	return m.covers(need{{"the table", float64(e.Bytes), "fewer columns or items"}}, fmt.Sprintf("about %d rows of %d cells", e.Rows, e.Columns))
}

// HoldsMatrix reports an error if there is not enough memory to read a square matrix.
func (m Memory) HoldsMatrix(e dataset.Extent) error {
	// Reading needs it twice. The first line is a row unless it has names.
	n := need{{"the matrix", 2 * float64(e.Bytes), "fewer items"}}
	return m.covers(n, fmt.Sprintf("about %d x %d numbers", e.Rows+1, e.Columns))
}

// covers reports an error if there is less memory than what needs.
func (m Memory) covers(n need, what string) error { return m.refuse(m, n, what) }

// refuse reports an error if the need is more than m. The error names the available memory.
func (m Memory) refuse(available Memory, n need, what string) error {
	if n.total() <= m.Bytes {
		return nil
	}
	n = slices.Clone(n)
	slices.SortStableFunc(n, func(a, b part) int { return cmp.Compare(b.bytes, a.bytes) })
	var parts []string
	for _, p := range n {
		if p.bytes >= n.total()/100 {
			parts = append(parts, fmt.Sprintf("%s for %s", words.Bytes(p.bytes), p.what))
		}
	}
	message := fmt.Sprintf("%s need about %s of memory, there are %s (%s)", what, words.Bytes(n.total()), words.Bytes(available.Bytes), available.Source)
	if len(parts) > 1 {
		message += ": " + strings.Join(parts, ", ")
	} else {
		message += ", for " + n[0].what
	}
	return errors.New(message + "; " + n[0].advice)
}
