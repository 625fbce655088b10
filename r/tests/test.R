# Tests of the package against the program that AIBD names.
library(aibd)
if (!nzchar(aibd_program(FALSE))) quit()

near <- function(a, b) stopifnot(isTRUE(all.equal(a, b, tolerance = 1e-12)))
fails <- function(expr, pattern, class = "error") {
  e <- tryCatch({ expr; NULL }, error = identity)
  if (is.null(e) || !grepl(pattern, conditionMessage(e)) || !inherits(e, class)) stop("expected ", pattern, ", found ", if (!is.null(e)) conditionMessage(e))
}
set.seed(1)

# Reference values of the package 0.1.9, confirmed by an independent computation.
near(logProbabilityFeatureAllocation(matrix(1, 4, 5), ibp(1, 4)), -13.80229688171479)
d <- matrix(c(0, 1.00001, 11.00001, 1.00001, 0, 10.00001, 11.00001, 10.00001, 0), 3)
z <- rbind(c(1, 1, 0, 1), c(1, 1, 1, 1), 0)
near(round(logProbabilityFeatureAllocation(z, aibd(5, 1:3, 5, d)), 11), -11.67441545820)

# A list, the marginal law, a draw without features.
law <- aibd(1.2, NULL, 1.5, d)
many <- logProbabilityFeatureAllocation(list(z, matrix(0, 3, 0), z), law)
stopifnot(length(many) == 3, many[1] == many[3], all(is.finite(many)))
near(logProbabilityFeatureAllocation(matrix(0, 3, 0), ibp(2, 3)), -2 * (1 + 1 / 2 + 1 / 3))

# What R writes is read.
for (write in list(write.csv, write.table)) {
  file <- tempfile()
  write(z, file)
  near(aibd:::logs(aibd:::run_aibd(c("prior", "pmf", "--prior=ibp", "--z", file)), "log pmf"), logProbabilityFeatureAllocation(z, ibp(1, 3)))
}

# The likelihood is that of the normal law with covariance sdA^2 ZZ' + sdX^2 I.
X <- matrix(rnorm(6), 3)
C <- 1.5^2 * tcrossprod(z) + 0.3^2 * diag(3)
expected <- sum(apply(X, 2, function(x) -(x %*% solve(C, x) + determinant(C)$modulus + 3 * log(2 * pi)) / 2))
near(logLikelihoodLGLFM(z, X, sdX = 0.3, sdA = 1.5), expected)
near(logLikelihoodLGLFM(z, X, precisionX = 1 / 0.3^2, precisionA = 1 / 1.5^2), expected)
near(logPosteriorLGLFM(list(z, z), law, X, sdX = 0.3, sdA = 1.5), rep(expected + many[1], 2))
fails(logLikelihoodLGLFM(z, X, sdX = 1, precisionX = 1, sdA = 1), "exactly one of precisionX and sdX")

# Draws of the prior have its mean number of features and follow set.seed.
set.seed(2)
draws <- sampleFeatureAllocation(2000, ibp(1, 4))
set.seed(2)
stopifnot(identical(draws, sampleFeatureAllocation(2000, ibp(1, 4))), length(draws) == 2000, all(vapply(draws, nrow, 0L) == 4))
features <- vapply(draws, ncol, 0L)
stopifnot(abs(mean(features) - sum(1 / 1:4)) < 5 * sd(features) / sqrt(2000))
stopifnot(length(sampleFeatureAllocation(3, law)) == 3)

# The posterior of 0.1.9: everything fixed unless given.
s <- samplePosteriorLGLFM(z, aibd(1, c(3, 1, 2), 1, d), X, sdX = 0.5, sdA = 1, verbose = FALSE)
stopifnot(length(s$featureAllocation) == 1, identical(names(s), c("featureAllocation", "permutations", "parameters")))
s <- samplePosteriorLGLFM(z, aibd(1, c(3, 1, 2), 1, d), X, sdX = 0.5, sdA = 1, nSamples = 50, thin = 2, verbose = FALSE, rankOneUpdates = TRUE)
stopifnot(identical(dim(s$permutations), c(50L, 3L)), all(t(s$permutations) == c(2, 0, 1)),
  identical(names(s$parameters), c("mass", "temperature", "standardDeviationX", "standardDeviationA")),
  all(t(s$parameters) == c(1, 1, 0.5, 1)), length(unique(vapply(s$featureAllocation, ncol, 0L))) > 1)
s <- samplePosteriorLGLFM(matrix(0, 3, 0), aibd(1, 1:3, 1, d), X, sdX = 0.5, sdA = 1, nSamples = 50, massPriorShape = 2, massPriorRate = 1, nPerShuffle = 2,
  temperaturePriorShape = 2, temperaturePriorRate = 1, sdProposedTemperature = 0.5, sdProposedStandardDeviationX = 0.2, sdProposedStandardDeviationA = 0.2, maxStandardDeviationA = 2, verbose = FALSE)
stopifnot(all(vapply(s$parameters, function(p) length(unique(p)) > 1, NA)), nrow(unique(s$permutations)) > 1, all(s$parameters$standardDeviationX < sd(X)))

# aibd_fit and its methods.
x <- data.frame(a = rnorm(12), b = rnorm(12), row.names = paste0("i\"", 1:12, ", \u00fc"))
fit <- aibd_fit(x, distance = 1:12, warmup = 50, draws = 60, chains = 2, seed = 3)
stopifnot(identical(fit$items, row.names(x)), identical(fit$variables, names(x)), identical(dim(fit$draws), c(120L, 11L)), length(fit$Z) == 120,
  all(vapply(fit$Z, ncol, 0L) == fit$draws$n_features), identical(dim(fit$permutation), c(120L, 12L)))
out <- capture.output(print(fit))
stopifnot(any(grepl("^The chains |^The draws |^Too few ", out)), any(grepl("^SigmaX ", out)))
s <- summary(fit)
near(s$quantities["mass", "mean"], mean(fit$draws$mass))
invisible(capture.output(print(s)))
stopifnot(nrow(aibd_estimate(fit)) == 12, identical(dim(aibd_sharing(fit)), c(12L, 12L)))
pdf(NULL)
plot(fit)
longer <- aibd_resume(fit, more = 40)
stopifnot(nrow(longer$draws) == 200, identical(longer$draws$mass[1:60], fit$draws$mass[1:60]))
fails(aibd_fit(x, mas = 2), "unknown flag \"--mas\", did you mean \"--mass\"", "aibd_usage_error")
fails(aibd_fit(x, warmup = 10, draws = 20, strict = TRUE), "^--strict: .*aibd_load", "aibd_not_agreed")
fails(aibd_fit(x, 1:3), "distance: found 3 rows, expected 12")
told <- capture.output(aibd_fit(x, dist(x), warmup = 10, draws = 20, chains = 1, progress = TRUE) -> again, type = "message")
stopifnot(any(grepl("scans in", told)))
folder <- dirname(again$path)
rm(again)
invisible(gc())
stopifnot(!dir.exists(folder))
if (requireNamespace("posterior", quietly = TRUE)) {
  found <- posterior::summarise_draws(posterior::as_draws(fit), "mean", "rhat", "ess_bulk")
  near(as.numeric(found$mean[1]), mean(fit$draws$mass))
  near(c(as.numeric(found$rhat[1]), as.numeric(found$ess_bulk[1])), unlist(summary(fit)$quantities["mass", c("r_hat", "ess_bulk")], use.names = FALSE))
}
if (requireNamespace("loo", quietly = TRUE)) {
  l <- suppressWarnings(loo::loo(fit))
  stopifnot(nrow(l$pointwise) == 24, is.finite(l$estimates["elpd_loo", "Estimate"]))
}

# An interrupt keeps the draws.
script <- tempfile(fileext = ".R")
folder <- tempfile()
writeLines(c("library(aibd)", sprintf("x <- matrix(rnorm(40), 10); r <- tryCatch(aibd_fit(x, out = \"%s\", warmup = 10, draws = 1e8, checkpoint = 0), error = identity)", folder),
  "cat(class(r)[1], nrow(aibd_load(r$path)$draws) > 0, \"\\n\")"), script)
con <- pipe(sprintf("echo $$; exec %s --no-echo -f %s 2>&1", shQuote(file.path(R.home("bin"), "R")), shQuote(script)), "r")
pid <- as.integer(readLines(con, 1))
for (i in 1:300) {
  if (length(Sys.glob(file.path(folder, "run", "chain-4", "draws-*.parquet")))) break
  Sys.sleep(0.1)
}
tools::pskill(pid, tools::SIGINT)
out <- readLines(con)
close(con)
if (!any(grepl("aibd_interrupted TRUE", out))) stop(paste(out, collapse = "\n"))
