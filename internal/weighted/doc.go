// Package weighted is the machinery of features with weights:
//
//	x_i = mu + sum_k z_ik w_ik a_k + e_i,   w_.k ~ N(0, C),   C = c 11' + sum_m s_m R_m + e I
//
// with a_kd ~ N(0, (s_d SigmaA)^2), e_id ~ N(0, (s_d SigmaX)^2) and a flat prior of mu, if there is an
// intercept. Z has a law of package prior. The correlations R_m fall with distances, see Prior. Without a Prior
// C = I and weights are independent. Without distances C has a closed form.
//
// # Two forms
//
// A Model moves between two forms. With the loadings integrated out it changes the scales, the noise
// scales, the shares of C with the weights along, and the singletons of each item.
// Singletons then act as additional noise: with t the sum of their squared weights, item i has noise of
// variance SigmaX^2 (1 + t SigmaA^2/SigmaX^2). Only the loadings of shared features remain unknown, and one
// factorization serves all items.
//
// Given the loadings, it updates columns of Z and of the weights, each with the loadings of its feature integrated out,
// and then rows, each with its weights, the loadings of its singletons and its missing cells
// integrated out. The end of the update draws all of these. Columns are updated only if weights are
// dependent. Features of several items are born and die given the loadings of the others.
//
// A change with the loadings integrated out makes the loadings stale. They are drawn again before they
// are used.
//
// # Weights of items without a feature
//
// If C is a matrix, a flip needs the weight that an item would have. DrawRows draws the weights of all items
// without a feature given those of its members and keeps them while it updates columns and rows. Elsewhere they
// are integrated out.
package weighted
