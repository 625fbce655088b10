// Package draws defines a posterior draw and its encoding as Parquet files. It reads and
// writes segments, and writes tables of some columns of several chains.
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
//
// Column features holds ceil(N/8) bytes for each feature, feature by feature.
// Item i, counted from zero, is bit i%8, the least significant first, of byte
// i/8. The file metadata says so too (aibd.features), and gives the number of
// items (aibd.items), the run, the chain, the number of the segment in the chain, the
// draws per chain, the version of this format and a checksum of the file.
//
// # Reading draws without this package
//
// In the lines below N is the number of items, and Z has a row for each item
// and a column for each feature.
//
// R, with any of three packages (nanoparquet from version 0.5.0):
//
//	d <- arrow::read_parquet("segment.parquet")
//	d <- nanoparquet::read_parquet("segment.parquet")
//	d <- DBI::dbGetQuery(DBI::dbConnect(duckdb::duckdb()), "FROM 'segment.parquet'")
//
//	Z <- function(b) matrix(as.integer(rawToBits(b)), nrow = 8 * ceiling(N / 8))[1:N, , drop = FALSE]
//	Z(d$features[[1]])
//	posterior::summarise_draws(d[c(".chain", ".iteration", ".draw", "mass", "n_features", "log_lik")])
//
// Python, with pandas or duckdb:
//
//	d = pandas.read_parquet("segment.parquet")
//	d = duckdb.sql("FROM 'segment.parquet'").df()
//
//	def Z(b): return numpy.unpackbits(numpy.frombuffer(b, "u1").reshape(-1, -(-N // 8)), axis=1, count=N, bitorder="little").T
//	Z(d.features[0])
//
// DuckDB, whose bit strings begin with the most significant bit of a byte:
//
//	SELECT ".chain", avg(mass), avg(n_features) FROM 'chain-*/*.parquet' GROUP BY ".chain";
//
//	SELECT ".draw", feature, item  -- the ones of Z
//	FROM (SELECT *, unnest(range(1, n_features + 1)) AS feature FROM 'segment.parquet'), range(1, N + 1) AS items(item)
//	WHERE get_bit(features::BIT, ((feature - 1) * ((N + 7) // 8) * 8 + (item - 1) // 8 * 8 + 7 - (item - 1) % 8)::INT) = 1;
package draws
