// Package weighted is the machinery of features with weights:
//
//	x_i = mu + sum_k z_ik w_ik a_k + e_i,   w_ik ~ N(m, v)
//
// with a_kd ~ N(0, (s_d SigmaA)^2), e_id ~ N(0, (s_d SigmaX)^2) and a flat prior of mu, if there is an
// intercept. Z has a law of package prior. Features with m = 0 and v = 1 are called weighted, those
// with m = 1 and v = SigmaW^2 graded. Graded features with SigmaW = 0 are the binary features of the
// paper.
//
// # Two forms
//
// A Model moves between two forms. With the loadings integrated out it changes the scales, the noise
// scales, SigmaW and the own features of each item, which no other item has. Own features then act as
// additional noise: with t the sum of their squared weights, item i has noise of variance
// SigmaX^2 (1 + t SigmaA^2/SigmaX^2). Only the loadings of shared features remain unknown, and one
// factorization serves all items.
//
// Given the loadings, the rows of Z and of the weights are independent, except for the law of Z. A row
// is updated with its weights, the loadings of the item's own features and the item's missing cells
// integrated out. All of these are drawn at the end of the update.
//
// A change with the loadings integrated out makes the loadings stale. They are drawn again before they
// are used.
package weighted
