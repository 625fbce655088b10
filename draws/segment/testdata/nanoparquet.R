# Reads segments of draws with the R package nanoparquet and prints what it
# found as JSON. Arguments: a library with the package, the number of items,
# files.
arguments <- commandArgs(trailingOnly = TRUE)
library(nanoparquet, lib.loc = arguments[1])
N <- as.integer(arguments[2])
draws <- do.call(rbind, lapply(arguments[-(1:2)], read_parquet))

# Z of a draw: items are rows, features are columns.
Z <- function(b) matrix(as.integer(rawToBits(b)), nrow = 8 * ceiling(N / 8))[1:N, , drop = FALSE]

scalars <- c(".chain", ".iteration", ".draw", "mass", "temperature", "sigma_x", "sigma_a", "n_features", "n_ones", "log_lik", "log_prior")
z <- lapply(draws$features, Z)
stopifnot(vapply(z, ncol, 1L) == draws$n_features)
found <- c(
  sapply(draws[scalars], sum, na.rm = TRUE),
  rows = nrow(draws),
  no_temperature = sum(is.na(draws$temperature)),
  no_permutation = sum(lengths(draws$permutation) == 0),
  permutation = sum(unlist(lapply(draws$permutation, function(p) sum(p * seq_along(p))))),
  ones = sum(unlist(z)),
  features = sum(mapply(function(draw, z) draw * sum(row(z) * col(z) * z), draws$.draw, z)))
cat("{", paste0('"', names(found), '":', format(found, digits = 17, trim = TRUE, scientific = FALSE), collapse = ","), "}\n")
