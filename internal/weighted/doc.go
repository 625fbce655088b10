// Package weighted is the machinery of features whose items have them by degrees:
//
//	x_i = mu + sum_k z_ik w_ik a_k + e_i,   w_ik ~ N(m, v)
//
// with a_kd ~ N(0, (s_d SigmaA)^2), e_id ~ N(0, (s_d SigmaX)^2) and a flat prior of mu, if there is an
// intercept. Z has a law of package prior. With m = 0 and v = 1 features are called weighted, with
// m = 1 and v = SigmaW^2 graded; graded features with SigmaW = 0 are those of the paper.
//
// # Two forms
//
// A Model moves between two forms. With the loadings integrated out it changes the scales, the noise
// scales, SigmaW and the features of single items. Features of one item, with loadings and without
// weights of others, are noise of that item: item i with t = sum w^2 over its own features has noise
// of variance SigmaX^2 (1 + t SigmaA^2/SigmaX^2). So the loadings of shared features alone are
// unknown, and one factorization serves all items.
//
// Given the loadings, the rows of Z and of the weights are independent, except for the law of Z. A row
// then changes with its weights integrated out, and with the loadings of the item's own features
// and the item's missing cells. All of these are drawn when the row is done.
//
// A change with the loadings integrated out makes the loadings stale. They are drawn again before they
// are used.
package weighted
