package verdict

// Chains agree if R-hat is at most MaxRHat, and the bulk and tail effective sample sizes are
// at least MinESS, as Vehtari et al. (2021) recommend.
const (
	MaxRHat = 1.01
	MinESS  = 400
)

// MaxApart is the max share of the entries of a family with R-hat above MaxRHat. One entry
// may always be above it.
const MaxApart = 0.05

// Tests of patterns reject at these levels.
const (
	levelsAlpha = 0.01 // for each quantity
	driftAlpha  = 0.05 // for all quantities together
	clearRHat   = 1.1  // levels and drifts are of quantities with at least this R-hat
)

// A chain visits the range of another if a share of at least visitShare of its draws lies beyond
// the median of the other. visitSD is the same in standard deviations of a normal distribution.
const (
	visitShare = 0.01
	visitSD    = 2.33
)

// maxExcess is the max ratio of the variance between the means of slow chains to what the
// effective sample sizes of single chains predict. These are too large in chains that are short
// for their autocorrelation.
const maxExcess = 20
