package verdict

// The numbers by which results are judged. That of a single estimate, predict.MaxParetoK, is with it.

// Chains agree if R-hat is at most MaxRHat, and the bulk and tail effective sample sizes are
// at least MinESS, as Vehtari et al. (2021) recommend.
const (
	MaxRHat = 1.01
	MinESS  = 400
)

// If chains do not agree on all, a number has a star unless R-hat is at most ClearRHat and the bulk ESS at least ClearESS:
// what is slow biases what seems to mix. With an ESS of 1,000 in its place 11% of such numbers moved by more than two Monte
// Carlo errors in longer fits, with this one 6%, none by more than four (docs/lab/claims.md).
const (
	ClearRHat = 1.005
	ClearESS  = 2000
)

// MaxApart is the max share of the entries of a family with R-hat above MaxRHat. One entry
// may always be above it.
const MaxApart = 0.05

// Chains agree on what is large if the largest principal axes of their fitted values are the same in all, and make up
// MinLarge of the sum of squares at least. Halves of chains may differ on an axis by MaxDiffer of its size, which is a
// cosine of 0.95.
const (
	MinLarge  = 0.75
	MaxDiffer = 0.3
)

// negligible is a difference between chains that does not matter, in shared features or in multiples
// of the noise.
const negligible = 0.1

// Chains move through the same range if the central interval of each, without tailShare of its draws at either
// end, holds the medians of all, and R-hat is at most sameRHat. Their means then have a standard deviation of
// sqrt(R-hat^2 - 1) = 0.66 of that within chains. Those of four chains have an expected range of 2.06 times 0.66
// = 1.36, about the 1.28 to which such an interval of a normal distribution reaches.
const (
	tailShare = 0.1
	sameRHat  = 1.2
)

// A posterior piles up at the end of its prior if more than pileShare of the draws are in the last
// pileWidth of the prior's range. A posterior that is its uniform prior has pileWidth of them there.
const (
	pileWidth = 0.1
	pileShare = 0.25
)

// Repeated is the overlap from which on a posterior repeats its prior. Independent draws of
// the prior overlap by 0.9 and more from 200 draws on.
const Repeated = 0.8

// Distance matters if at most Matters of the draws of the temperature are in the lowest tenth of its
// prior, and little from MattersLittle on.
const (
	Matters       = 0.02
	MattersLittle = 0.2
)

// Together is the absolute correlation of two distances and of their temperatures from which on the data do not
// separate the distances.
const Together = 0.5

// NearMin is the ratio of the noise of a column to its minimum up to which it is near the minimum.
const NearMin = 1.25

// Certain is the share of draws that have each item of a certain feature, in a feature that overlaps with it by as much.
const Certain = 0.9

// A draw has a feature of an estimate if the overlap with the matched feature (posterior.Matching.Overlap) is at least
// Alike, and a feature is small if it adds less than Small to what all features add.
const (
	Alike = 0.5
	Small = 0.02
)

// ClearPart is the part of a feature that is clear, as a fraction of the noise variance.
const ClearPart = 0.1

// Models differ if their scores of hidden cells differ by more than MinDifference nats, below which the standard
// error is not reliable (Sivula, Magnusson, Matamoros and Vehtari, 2020), and by more than ErrorsApart
// standard errors.
const (
	MinDifference = 4
	ErrorsApart   = 2
)
