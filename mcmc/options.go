package mcmc

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"aibd/internal/collapsed"
	"aibd/internal/intensity"
	"aibd/internal/lists"
)

// Options are the settings of a scan: one update of any noise scales of columns and of the unknown
// cells of X; one of Z, row by row (with the missing cells of the row) and then by clusters of items,
// by sums and combinations of columns, with an intercept by complements of columns, and by
// births and deaths of columns; then Others updates of everything else that is random, then
// Insertions.
type Options struct {
	Anneal          int      // scans of warmup over which the power of the likelihood grows to that of the posterior; 0: none. Half of warmup is good
	Blocks          int      // columns of a row that are drawn jointly, for a random half of the rows, at most 20; 0: none
	Clusters        int      // proposals for each column to flip a cluster of items, at most N/2; 0: none
	Sums            int      // proposals of each scan to add one column to another, or to subtract it, at most one for each pair; 0: none
	Combinations    int      // proposals of each scan to add two or three columns to another, with signs, at most half as many as pairs; 0: none
	Births          int      // births or deaths of whole columns that each scan proposes
	OtherUpdates    int      // other updates a scan, at least 0. With more than 100,000 distances one in five proposes a temperature, otherwise all
	ShuffleSize     int      // positions in a shuffle of the permutation; 0: none. An update has one shuffle
	Insertions      int      // items that each scan moves in the permutation by Gibbs steps
	StepTemperature float64  // standard deviation of the random walk, where tuning starts
	StepX, StepA    float64  // the same for the scales
	Correlation     float64  // of the proposals of the scales
	Tune            bool     // tune the steps during warmup
	Truncation      float64  // 0: singletons exactly; else the paper's divisor
	Kernels         []Kernel // user-defined moves that end each scan; features must be binary
}

// Validate reports what is out of range.
func (o Options) Validate() error {
	for _, v := range []struct {
		name   string
		x, max int
	}{
		{"annealing", o.Anneal, math.MaxInt}, {"blocks", o.Blocks, collapsed.MaxBlock}, {"clusters", o.Clusters, math.MaxInt},
		{"sums", o.Sums, math.MaxInt}, {"combinations", o.Combinations, math.MaxInt}, {"births", o.Births, math.MaxInt},
		{"other updates", o.OtherUpdates, math.MaxInt}, {"insertions", o.Insertions, math.MaxInt},
	} {
		switch {
		case v.x > v.max:
			return fmt.Errorf("%s: found %d, expected at most %d", v.name, v.x, v.max)
		case v.x < 0:
			return fmt.Errorf("%s: found %d, expected at least 0", v.name, v.x)
		}
	}
	switch {
	case o.ShuffleSize < 0 || o.ShuffleSize == 1:
		return fmt.Errorf("shuffle size: found %d, expected 0 or at least 2", o.ShuffleSize)
	case !(math.Abs(o.Correlation) < 1):
		return fmt.Errorf("correlation of the proposals: found %g, expected a number between -1 and 1", o.Correlation)
	case o.Truncation != 0 && !(o.Truncation >= 1):
		return fmt.Errorf("truncation divisor: found %g, expected at least 1, or 0 for the exact update", o.Truncation)
	}
	for _, k := range o.Kernels {
		if k.Name == "" || k.Step == nil {
			return fmt.Errorf("kernel %q: expected a name and a function", k.Name)
		}
	}
	return cmp.Or(positive("step of the temperature: found", o.StepTemperature), positive("step of SigmaX: found", o.StepX), positive("step of SigmaA: found", o.StepA))
}

// positive returns an error unless x is positive and finite. The error begins with its name.
func positive(name string, x float64) error {
	if !(x > 0) || math.IsInf(x, 1) {
		return fmt.Errorf("%s %g, expected a positive finite number", name, x)
	}
	return nil
}

// manyDistances is the number of distances above which a scan makes fewer proposals of the
// temperature.
const manyDistances = 100_000

// proposesEvery returns of how many updates of the unknowns other than Z one proposes a temperature. A temperature
// visits all distances of n items and a shuffle few, so with many one update in five proposes one.
func proposesEvery(n int) int {
	if n*(n-1)/2 > manyDistances {
		return 5
	}
	return 1
}

// scan returns the scan of a posterior, whose random walks take their steps from t.
func (o Options) scan(post *Posterior, t *tuner) *cycle {
	var update singletons = new(exactSingletons)
	if o.Truncation != 0 {
		update = &truncatedSingletons{divisor: o.Truncation}
	}
	if post.Features.weights() {
		return newCycle(append(o.weightKernels(post, t), o.otherKernels(post, t)...)...)
	}
	var kernels []kernel
	if post.Data.HasNoiseScales() {
		kernels = append(kernels, newNoise(post))
	}
	ends := post.Data.Bounded()
	if post.Data.Unknown() > ends {
		kernels = append(kernels, cells)
	}
	if ends > 0 {
		kernels = append(kernels, bounded)
	}
	if collapsed.Unwrap(post.Data).HasOrdinal() {
		kernels = append(kernels, cutpoints)
	}
	kernels = append(kernels, &rows{singletons: update})
	if o.Blocks > 0 {
		kernels = append(kernels, &blocks{size: o.Blocks})
	}
	if o.Clusters > 0 {
		kernels = append(kernels, newClusters(post.Data, min(o.Clusters, (post.Data.N()+1)/2)))
	}
	if o.Sums > 0 {
		kernels = append(kernels, &sums{tries: o.Sums})
	}
	if o.Combinations > 0 {
		kernels = append(kernels, &combinations{tries: o.Combinations})
	}
	if post.Data.Intercept() {
		kernels = append(kernels, complement)
	}
	kernels = append(kernels, slices.Repeat([]kernel{new(columns)}, o.Births)...)
	kernels = append(kernels, o.otherKernels(post, t)...)
	for _, k := range o.Kernels {
		kernels = append(kernels, &ownKernel{kernel: k})
	}
	return newCycle(kernels...)
}

// otherKernels returns the kernels of a scan that update everything except Z and what goes with it.
func (o Options) otherKernels(post *Posterior, t *tuner) (kernels []kernel) {
	shuffle := &shuffle{size: o.ShuffleSize}
	every := proposesEvery(post.Law.N())
	temperatures := lists.Map(post.randomTemperatures(), func(m int) kernel { return &temperature{tuner: t, distance: m} })
	for update := range o.OtherUpdates {
		if post.Permutation && o.ShuffleSize > 0 {
			kernels = append(kernels, shuffle)
		}
		if post.Mass != nil {
			kernels = append(kernels, mass)
		}
		if update%every == 0 {
			kernels = append(kernels, temperatures...)
		}
		if (post.SigmaX.Random() || post.SigmaA.Random()) && !post.Features.weights() {
			kernels = append(kernels, scales{t})
		}
	}
	if _, ok := intensity.Unwrap(post.Law).Tracker().(intensity.Inserter); ok && post.Permutation {
		kernels = append(kernels, slices.Repeat([]kernel{new(insert)}, o.Insertions)...)
	}
	return kernels
}
