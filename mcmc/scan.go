package mcmc

import (
	"fmt"
	"math"

	"aibd/lglfm"
	"aibd/prior"
)

// Options are the settings of the standard scan: one update of Z, row by row and then
// by clusters of items, by sums and combinations of columns and by births and deaths of
// columns; then Others updates of everything else that is random, then Insertions.
type Options struct {
	Anneal          int     // scans of warmup over which the likelihood is annealed, 0: none; half of warmup is good
	Blocks          int     // columns of a row that are drawn jointly, at most lglfm.MaxBlock; 0: none
	Clusters        int     // proposals for each column to flip a cluster of items; 0, or more than MaxClustered items: none
	Sums            int     // proposals of each scan to add one column to another, or to subtract it; 0: none
	Combinations    int     // proposals of each scan to add two or three columns to another, with signs; 0: none
	RungsAbove      int     // chains at powers of the likelihood above 1 to exchange states with (see Temper)
	RungsBelow      int     // the same below 1
	Births          int     // births or deaths of whole columns that each scan proposes
	Others          int     // other updates a scan, at least 0
	ShuffleSize     int     // positions that a shuffle of the permutation takes; 0: none
	Insertions      int     // items inserted anew in the permutation by each scan, where the law can weigh it
	StepTemperature float64 // standard deviation of the random walk, where tuning starts
	StepX, StepA    float64 // the same for the scales
	Correlation     float64 // of the proposals of the scales
	Tune            bool    // tune the steps, and the powers of rungs, during warmup
	Truncation      float64 // 0: singletons exactly; else the paper's divisor
}

// MaxClustered is the number of items up to which the standard scan flips clusters of
// them: to make their tree takes O(N²) time and numbers.
const MaxClustered = 2000

// DefaultOptions returns the settings that fit data of unit variance.
func DefaultOptions() Options {
	return Options{
		Clusters: 30, Sums: 200, Combinations: 100, Births: 1, Others: 10, ShuffleSize: 4, Insertions: 1,
		StepTemperature: 0.2, StepX: 0.02, StepA: 0.02, Correlation: -0.3, Tune: true,
	}
}

// Validate reports what is out of range.
func (o Options) Validate() error {
	positive := func(name string, x float64) error {
		if !(x > 0) || math.IsInf(x, 1) {
			return fmt.Errorf("%s: found %g, expected a positive finite number", name, x)
		}
		return nil
	}
	switch {
	case o.Anneal < 0:
		return fmt.Errorf("annealing: found %d scans, expected at least 0", o.Anneal)
	case o.Blocks < 0 || o.Blocks > lglfm.MaxBlock:
		return fmt.Errorf("blocks: found %d columns, expected 0 to %d", o.Blocks, lglfm.MaxBlock)
	case o.Clusters < 0:
		return fmt.Errorf("clusters: found %d, expected at least 0", o.Clusters)
	case o.Sums < 0:
		return fmt.Errorf("sums: found %d, expected at least 0", o.Sums)
	case o.Combinations < 0:
		return fmt.Errorf("combinations: found %d, expected at least 0", o.Combinations)
	case o.RungsAbove < 0 || o.RungsBelow < 0:
		return fmt.Errorf("rungs: found %d above and %d below, expected at least 0", o.RungsAbove, o.RungsBelow)
	case o.Births < 0:
		return fmt.Errorf("births: found %d, expected at least 0", o.Births)
	case o.Others < 0:
		return fmt.Errorf("other updates: found %d, expected at least 0", o.Others)
	case o.ShuffleSize < 0 || o.ShuffleSize == 1:
		return fmt.Errorf("shuffle size: found %d, expected 0 or at least 2", o.ShuffleSize)
	case o.Insertions < 0:
		return fmt.Errorf("insertions: found %d, expected at least 0", o.Insertions)
	case !(math.Abs(o.Correlation) < 1):
		return fmt.Errorf("correlation of the proposals: found %g, expected a number between -1 and 1", o.Correlation)
	case o.Truncation != 0 && !(o.Truncation >= 1):
		return fmt.Errorf("truncation divisor: found %g, expected at least 1, or 0 for the exact update", o.Truncation)
	}
	if err := positive("step of the temperature", o.StepTemperature); err != nil {
		return err
	}
	if err := positive("step of SigmaX", o.StepX); err != nil {
		return err
	}
	return positive("step of SigmaA", o.StepA)
}

// NewScan returns the standard scan for a posterior. It returns an error if the
// options are not valid.
func NewScan(post *Posterior, o Options) (*Cycle, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	var singletons Singletons = new(ExactSingletons)
	if o.Truncation != 0 {
		singletons = &TruncatedSingletons{Divisor: o.Truncation}
	}
	var kernels []Kernel
	if o.Anneal > 0 {
		kernels = append(kernels, NewAnneal(o.Anneal))
	}
	kernels = append(kernels, NewRows(singletons))
	if o.Blocks > 0 {
		kernels = append(kernels, NewBlocks(o.Blocks))
	}
	if o.Clusters > 0 && post.Data.N() <= MaxClustered {
		kernels = append(kernels, NewClusters(post.Data, o.Clusters))
	}
	if o.Sums > 0 {
		kernels = append(kernels, NewSums(o.Sums))
	}
	if o.Combinations > 0 {
		kernels = append(kernels, NewCombinations(o.Combinations))
	}
	columns := NewColumns()
	for range o.Births {
		kernels = append(kernels, columns)
	}
	var others []Kernel
	if post.Permutation {
		if o.ShuffleSize > 0 {
			others = append(others, NewShuffle(o.ShuffleSize))
		}
	}
	if post.Mass != nil {
		others = append(others, Mass{})
	}
	tune := func(a Adapter) Kernel {
		if o.Tune {
			return a
		}
		return fixed{a}
	}
	if post.Temperature != nil {
		others = append(others, tune(NewTemperature(o.StepTemperature)))
	}
	if post.SigmaX.Random() || post.SigmaA.Random() {
		others = append(others, tune(NewScales(o.StepX, o.StepA, o.Correlation)))
	}
	for range o.Others {
		kernels = append(kernels, others...)
	}
	if _, ok := post.Law.Tracker().(prior.Inserter); ok && post.Permutation {
		insert := NewInsert()
		for range o.Insertions {
			kernels = append(kernels, insert)
		}
	}
	if o.RungsAbove+o.RungsBelow > 0 {
		rung := o
		rung.Anneal, rung.RungsAbove, rung.RungsBelow = 0, 0, 0
		temper := NewTemper(post, o.RungsAbove, o.RungsBelow, func(p *Posterior) *Cycle {
			cycle, _ := NewScan(p, rung) // valid, as o is
			return cycle
		})
		temper.still = !o.Tune // and not fixed, which checkpoints would know nothing of
		kernels = append(kernels, temper)
	}
	return NewCycle(kernels...), nil
}

// fixed is a kernel whose steps are not tuned.
type fixed struct{ Kernel }
