// Package fit samples the posterior of a feature allocation model until its chains agree, as aibd fit does,
// and judges draws by the criterion of aibd fit.
//
// Fit samples chains in rounds. After each round it judges the draws. If the chains do not agree, they continue:
// the next round keeps draws of a longer part of them and forgets their beginning. Fit ends when the chains agree or
// when the next round would probably not end within the budget. A Store keeps the draws and the chains: Memory here,
// or a run on disk in the program.
//
// # What can be replaced
//
// The likelihood cannot be replaced: X is linear-Gaussian in the features (package lglfm), binary or by degrees, with
// categories and counts as latent Gaussian values. These can:
//
//   - the law of Z: any prior.Intensity, by prior.NewLaw;
//   - the decay of similarity with distance: any similarity.Decay, and any distances;
//   - the moves: a mcmc.Kernel in mcmc.Options.Kernels ends each scan, if features are binary;
//   - the start of each chain, the length of the first round, the store and the clock: fields of Options.
//
// The draws depend on the posterior, the options and the seed. Which rounds there are depends on the clock too, unless
// the budget is a number of scans.
package fit
