// Package segment encodes draws as Parquet files. It reads and writes segments, and writes
// tables of some columns of several chains.
//
// # Columns
//
// A segment has a row for each draw. Names and numbering follow the R package posterior:
// everything counts from one.
//
//	.chain .iteration .draw           int32   .draw = (.chain - 1) * draws per chain + .iteration
//	mass sigma_x sigma_a              double
//	temperature                       double, NULL if the law has none
//	sigma_w                           double, after sigma_a; only where features are graded
//	n_features n_ones                 int32   columns of Z and ones in Z
//	log_lik log_prior                 double
//	permutation                       list of int32, NULL if the law has none
//	features                          bytes: Z
//	weights                           bytes: floats, little-endian; only where features have
//	                                  weights, which these are
//	cells                             bytes: doubles, little-endian; only where X has cells
//	                                  between bounds, whose values these are, row by row
//	cutpoints                         list of double; only where X has ordinal columns, whose
//	                                  unknown cutpoints these are, column by column
//	noise_scales                      list of double; only where columns of X have noise scales,
//	                                  which these are, column by column
//	further_temperatures              list of double; only where the law has several distances: the
//	                                  temperatures of those after the first
//
// Column features holds ceil(N/8) bytes for each feature, feature by feature.
// Item i, counted from zero, is bit i%8, the least significant first, of byte
// i/8. Column weights holds 4 bytes for each one of Z, feature by feature, items
// ascending: a weight is rounded to a float. The file metadata says both too
// (aibd.features, aibd.weights), and gives the number of items (aibd.items), the
// run, the chain, the number of the segment in the chain, the draws per chain, the
// version of this format and a checksum of the file.
package segment
