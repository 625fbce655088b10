// Package predict gives what the draws of Z and the scales predict of X, with the loadings
// integrated out: the distributions of unknown cells with scores of hidden ones (Cells, ScoreOf),
// log densities of each cell given the others (CellLogLik), Pareto smoothed importance sampling (PSIS),
// and replicates of X with predictive checks, under the posterior or the prior (Replicator, Checker).
package predict
