// Package segment encodes draws as Parquet files. It reads and writes segments.
//
// # Columns
//
// A segment has a row for each draw. Names and numbering follow the R package posterior:
// everything counts from one.
//
//	.chain .iteration .draw           int32   .draw = (.chain - 1) * draws per chain + .iteration
//	mass sigma_x sigma_a              double
//	temperature                       double, NULL if the law has none
//	n_features n_ones                 int32   columns of Z and ones in Z
//	log_lik log_prior                 double
//	permutation                       list of int32, NULL if the law has none
//	features                          bytes: Z
//	weights                           bytes: floats, little-endian, the weights of features; NULL if
//	                                  they have none
//	cells                             bytes: doubles, little-endian, the values of cells between
//	                                  bounds, row by row; NULL if X has none
//	cutpoints                         list of double: the unknown cutpoints of ordinal columns,
//	                                  column by column; NULL if X has none
//	noise_scales                      list of double: the noise scales of columns; NULL if X has none
//	further_temperatures              list of double: the temperatures of the distances after the
//	                                  first; NULL if the law has no more than one
//	weight_shares                     list of double: the shares of the variance of the weights, the
//	                                  common one and one that follows each distance; NULL if weights
//	                                  are independent
//	weight_rates                      list of double: how fast the correlation of the weights decays
//	                                  with each distance, 0 where it is given; NULL if they follow none
//
// Column features holds ceil(N/8) bytes for each feature, feature by feature.
// Item i, counted from zero, is bit i%8, the least significant first, of byte
// i/8. Column weights holds 4 bytes for each one of Z, feature by feature, items
// ascending: a weight is rounded to a float. The file metadata say both too
// (aibd.features, aibd.weights), and hold the Header as JSON (aibd.segment), the
// version of this format and a checksum of the file.
package segment
