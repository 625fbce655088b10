// Package factors predicts hidden cells of a matrix by simple models: factor analysis, principal
// components and columns alone, with a negative binomial distribution for counts. Predictions of features are compared with theirs.
package factors
