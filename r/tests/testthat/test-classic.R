# The functions of the package aibd 0.1.9.
needs_program()
set.seed(1)
X <- matrix(rnorm(6), 3)
law <- aibd(1.2, NULL, 1.5, d)

test_that("log probabilities equal those of version 0.1.9", {
  # Values of version 0.1.9, confirmed by an independent computation.
  expect_near(logProbabilityFeatureAllocation(matrix(1, 4, 5), ibp(1, 4)), -13.80229688171479)
  expect_near(round(logProbabilityFeatureAllocation(z, aibd(5, 1:3, 5, d)), 11), -11.67441545820)
})

test_that("lists, averages over orders and empty allocations have log probabilities", {
  many <- logProbabilityFeatureAllocation(list(z, matrix(0, 3, 0), z), law)
  expect_length(many, 3)
  expect_identical(many[1], many[3])
  expect_true(all(is.finite(many)))
  expect_near(logProbabilityFeatureAllocation(matrix(0, 3, 0), ibp(2, 3)), -2 * (1 + 1 / 2 + 1 / 3))
  expect_identical(ibp(1, c("CA", "WI"))$nItems, ibp(1, 2)$nItems)
})

test_that("files that R writes are read", {
  for (write in list(write.csv, write.table)) {
    file <- tempfile()
    write(z, file)
    printed <- aibd:::run_aibd(c("prior", "pmf", "--prior=ibp", "--z", file))
    expect_near(aibd:::logs(printed, "log pmf"), logProbabilityFeatureAllocation(z, ibp(1, 3)))
  }
})

test_that("the likelihood is the density of the normal law with covariance sdA^2 ZZ' + sdX^2 I", {
  C <- 1.5^2 * tcrossprod(z) + 0.3^2 * diag(3)
  expected <- sum(apply(X, 2, function(x) -(x %*% solve(C, x) + determinant(C)$modulus + 3 * log(2 * pi)) / 2))
  expect_near(logLikelihoodLGLFM(z, X, sdX = 0.3, sdA = 1.5), expected)
  expect_near(logLikelihoodLGLFM(z, X, precisionX = 1 / 0.3^2, precisionA = 1 / 1.5^2), expected)
  expect_near(logPosteriorLGLFM(list(z, z), law, X, sdX = 0.3, sdA = 1.5), rep(expected + logProbabilityFeatureAllocation(z, law), 2))
  expect_error(logLikelihoodLGLFM(z, X, sdX = 1, precisionX = 1, sdA = 1), "exactly one of precisionX and sdX")
})

test_that("draws of the prior have its mean number of features and follow set.seed", {
  set.seed(2)
  draws <- sampleFeatureAllocation(2000, ibp(1, 4))
  set.seed(2)
  expect_identical(draws, sampleFeatureAllocation(2000, ibp(1, 4)))
  expect_true(all(vapply(draws, nrow, 0L) == 4))
  features <- vapply(draws, ncol, 0L)
  expect_lt(abs(mean(features) - sum(1 / 1:4)), 5 * sd(features) / sqrt(2000))
  expect_length(sampleFeatureAllocation(3, law, parallel = FALSE), 3)
})

test_that("everything but Z is fixed unless its prior is given", {
  s <- samplePosteriorLGLFM(z, aibd(1, c(3, 1, 2), 1, d), X, sdX = 0.5, sdA = 1, verbose = FALSE)
  expect_length(s$featureAllocation, 1)
  expect_named(s, c("featureAllocation", "permutations", "parameters"))
  s <- samplePosteriorLGLFM(z, aibd(1, c(3, 1, 2), 1, d), X, sdX = 0.5, sdA = 1, nSamples = 50, thin = 2, nPerShuffle = 1L, verbose = FALSE, rankOneUpdates = TRUE)
  expect_identical(dim(s$permutations), c(50L, 3L))
  expect_true(all(t(s$permutations) == c(2, 0, 1)))
  expect_named(s$parameters, c("mass", "temperature", "standardDeviationX", "standardDeviationA"))
  expect_true(all(t(s$parameters) == c(1, 1, 0.5, 1)))
  expect_gt(length(unique(vapply(s$featureAllocation, ncol, 0L))), 1)
})

test_that("a start above the maximum is a warning, which can be suppressed", {
  sample <- function() samplePosteriorLGLFM(z, ibp(1, 3), X, sdX = 9, sdA = 1, sdProposedStandardDeviationX = 0.1, verbose = FALSE)
  expect_warning(sample(), "sigma-x: found a start of 9, expected one below the maximum")
  expect_warning(suppressWarnings(sample()), NA)
})

test_that("everything is random if its prior is given", {
  s <- samplePosteriorLGLFM(matrix(0, 3, 0), aibd(1, 1:3, 1, d), X, sdX = 0.5, sdA = 1, nSamples = 50, massPriorShape = 2, massPriorRate = 1, nPerShuffle = 2,
    temperaturePriorShape = 2, temperaturePriorRate = 1, sdProposedTemperature = 0.5, sdProposedStandardDeviationX = 0.2, sdProposedStandardDeviationA = 0.2, maxStandardDeviationA = 2, verbose = FALSE)
  expect_true(all(vapply(s$parameters, function(p) length(unique(p)) > 1, NA)))
  expect_gt(nrow(unique(s$permutations)), 1)
  expect_true(all(s$parameters$standardDeviationX < sd(X)))
})
