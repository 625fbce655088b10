# The functions of the R package aibd 0.1.9, by its names and arguments.

number <- function(x, name) {
  if (!is.numeric(x) || length(x) != 1 || is.na(x)) stop(sprintf("%s: expected a number", name))
  as.double(x)
}

ibp <- function(mass, x) {
  labels <- if (length(x) == 1 && is.numeric(x)) as.character(seq_len(x)) else as.character(x)
  structure(list(mass = number(mass, "mass"), nItems = length(labels), labels = labels), class = "ibpFADistribution")
}

aibd <- function(mass, permutation, temperature, distance, decayFunction = c("exponential", "reciprocal", "identity")[1]) {
  distance <- as.matrix(distance)
  n <- nrow(distance)
  if (ncol(distance) != n) stop(sprintf("distance: found %d columns, expected %d", ncol(distance), n))
  if (!is.null(permutation) && !identical(sort(as.integer(permutation)), seq_len(n))) {
    stop(sprintf("permutation: expected the numbers 1 to %d in some order", n))
  }
  labels <- if (is.null(rownames(distance))) as.character(seq_len(n)) else rownames(distance)
  structure(list(mass = number(mass, "mass"), permutation = permutation, temperature = number(temperature, "temperature"), distance = distance,
    decayFunction = match.arg(decayFunction, c("exponential", "reciprocal", "identity")), nItems = n, labels = labels), class = "aibdFADistribution")
}

# law_flags writes the distances of a distribution and returns its flags, without mass and
# temperature.
law_flags <- function(distribution, folder) {
  if (inherits(distribution, "ibpFADistribution")) return("--prior=ibp")
  if (!inherits(distribution, "aibdFADistribution")) stop("distribution: expected a result of ibp or aibd")
  file <- file.path(folder, "distance")
  write_distances(distribution$distance, seq_len(distribution$nItems), file)
  decay <- if (distribution$decayFunction == "identity") "given" else distribution$decayFunction
  c("--prior=aibd", paste0("--distance=matrix:", file), paste0("--decay=", decay))
}

# fixed_flags returns the flags of the law with all its parameters.
fixed_flags <- function(distribution, folder) {
  law <- c(law_flags(distribution, folder), flags(list(mass = distribution$mass)))
  if (inherits(distribution, "ibpFADistribution")) return(law)
  order <- if (is.null(distribution$permutation)) "random" else as.integer(distribution$permutation)
  c(law, flags(list(permutation = order)), if (distribution$decayFunction != "identity") flags(list(temperature = distribution$temperature)))
}

# in_folder calls do with a temporary directory.
in_folder <- function(do) {
  folder <- tempfile("aibd-")
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  do(folder)
}

# seed returns a seed from R's generator.
seed <- function() sample.int(.Machine$integer.max, 1)

# logs returns the values that follow a label in what the program prints.
logs <- function(printed, label) {
  found <- grep(paste0("^", label), printed, value = TRUE)
  as.numeric(sub("^[^:]*: (\\S+).*", "\\1", found))
}

sampleFeatureAllocation <- function(nSamples, distribution, implementation = "scala", parallel = TRUE) {
  in_folder(function(folder) {
    items <- if (inherits(distribution, "ibpFADistribution")) flags(list(items = distribution$nItems))
    read_allocations(run_aibd(c("prior", "sample", fixed_flags(distribution, folder), items,
      flags(list(n = as.integer(nSamples), seed = seed())))))
  })
}

logProbabilityFeatureAllocation <- function(featureAllocation, distribution, implementation = "scala") {
  in_folder(function(folder) {
    file <- file.path(folder, "Z.txt")
    write_allocations(featureAllocation, file)
    logs(run_aibd(c("prior", "pmf", "--z", file, fixed_flags(distribution, folder))), "log pmf")
  })
}

# scales returns the standard deviations, given themselves or as precisions.
scales <- function(precisionX, precisionA, sdX, sdA) {
  one <- function(precision, sd, name) {
    if (missing(precision) == missing(sd)) stop(sprintf("expected exactly one of precision%s and sd%s", name, name))
    if (missing(sd)) 1 / sqrt(number(precision, name)) else number(sd, name)
  }
  list(`sigma-x` = one(precisionX, sdX, "X"), `sigma-a` = one(precisionA, sdA, "A"))
}

# write_x writes X and returns the flags to take it as it is.
write_x <- function(X, folder) {
  X <- as.matrix(X)
  if (!ncol(X)) stop("X: found no columns, expected at least one")
  file <- file.path(folder, "X")
  colnames(X) <- paste0("x", seq_len(ncol(X)))
  write_table(X, as.character(seq_len(nrow(X))), file)
  c(file, "--center=false", "--scale=false", "--set=data.noise=common")
}

logLikelihoodLGLFM <- function(featureAllocation, X, precisionX, precisionA, sdX, sdA, implementation = "scala") {
  at <- scales(precisionX, precisionA, sdX, sdA)
  in_folder(function(folder) {
    file <- file.path(folder, "Z.txt")
    write_allocations(featureAllocation, file)
    logs(run_aibd(c("loglik", "--z", file, write_x(X, folder), flags(at))), "log likelihood")
  })
}

logPosteriorLGLFM <- function(featureAllocation, distribution, X, precisionX, precisionA, sdX, sdA, implementation = "scala") {
  at <- scales(precisionX, precisionA, sdX, sdA)
  in_folder(function(folder) {
    file <- file.path(folder, "Z.txt")
    write_allocations(featureAllocation, file)
    logs(run_aibd(c("logpost", "--z", file, write_x(X, folder), flags(at), fixed_flags(distribution, folder))), "log posterior density")
  })
}

samplePosteriorLGLFM <- function(featureAllocation, distribution, X, precisionX, precisionA, sdX = 1 / sqrt(precisionX), sdA = 1 / sqrt(precisionA),
                                 massPriorShape = -1, massPriorRate = -1, nPerShuffle = 0L, temperaturePriorShape = -1, temperaturePriorRate = -1,
                                 maxStandardDeviationX = sd(X), maxStandardDeviationA = maxStandardDeviationX,
                                 sdProposedTemperature = -1, sdProposedStandardDeviationX = -1, sdProposedStandardDeviationA = -1, corProposedSdXSdA = 0,
                                 newFeaturesTruncationDivisor = 1000, nOtherUpdatesPerAllocationUpdate = 10L, nSamples = 1L, thin = 1L,
                                 rankOneUpdates = FALSE, verbose = TRUE, parallel = FALSE) {
  settings <- list(
    features = "binary", chains = 1L, warmup = 0L, draws = as.integer(nSamples), until = "draws", thin = as.integer(thin), anneal = 0, tune = FALSE, insertions = 0L,
    seed = seed(), `sigma-x` = number(sdX, "sdX"), `sigma-a` = number(sdA, "sdA"), mass = distribution$mass,
    `other-updates` = as.integer(nOtherUpdatesPerAllocationUpdate), `step-correlation` = number(corProposedSdXSdA, "corProposedSdXSdA"))
  random_sd <- function(step, max, name) {
    if (step > 0) {
      if (settings[[name]] >= max) {
        warning(sprintf("%s: found a start of %g, expected one below the maximum %g; the chain starts at half of the maximum", name, settings[[name]], max))
        settings[[name]] <<- max / 2
      }
      settings[[paste0("step-", name)]] <<- step
      settings[[paste0("max-", name)]] <<- max
    } else settings[[paste0("fix-", name)]] <<- TRUE
  }
  random_sd(sdProposedStandardDeviationX, maxStandardDeviationX, "sigma-x")
  random_sd(sdProposedStandardDeviationA, maxStandardDeviationA, "sigma-a")
  random_gamma <- function(shape, rate, name) {
    if (shape > 0 && rate > 0) {
      settings[[paste0(name, "-shape")]] <<- shape
      settings[[paste0(name, "-rate")]] <<- rate
    } else settings[[paste0("fix-", name)]] <<- TRUE
  }
  random_gamma(massPriorShape, massPriorRate, "mass")
  tempered <- inherits(distribution, "aibdFADistribution") && distribution$decayFunction != "identity"
  if (tempered) {
    settings$temperature <- distribution$temperature
    settings$`temperature-unit` <- "distance"
    random_gamma(temperaturePriorShape, temperaturePriorRate, "temperature")
    if (sdProposedTemperature > 0) settings$`step-temperature` <- sdProposedTemperature
  }
  in_folder(function(folder) {
    spec <- character()
    if (inherits(distribution, "aibdFADistribution")) {
      settings$`shuffle-size` <- if (nPerShuffle < 2) 0L else as.integer(nPerShuffle)
      kind <- if (nPerShuffle >= 2 || is.null(distribution$permutation)) "random" else "fixed"
      spec <- file.path(folder, "spec.toml")
      writeLines(c("[prior.permutation]", sprintf("kind = \"%s\"", kind),
        if (!is.null(distribution$permutation)) sprintf("order = [%s]", paste(as.integer(distribution$permutation), collapse = ", "))), spec)
      spec <- c("--spec", spec)
    }
    init <- if (ncol(featureAllocation)) file.path(folder, "Z.txt") else "empty"
    if (ncol(featureAllocation)) write_allocations(featureAllocation, init)
    run <- file.path(folder, "run")
    run_aibd(c("fit", spec, write_x(X, folder), law_flags(distribution, folder), paste0("--set=sampler.init=", init), "--out", run, flags(settings)), progress = verbose)
    found <- aibd_load(run)
    n <- distribution$nItems
    permutations <- if (is.null(found$permutation)) matrix(0:(n - 1), length(found$Z), n, byrow = TRUE) else found$permutation - 1L
    d <- found$draws
    list(featureAllocation = found$Z, permutations = as.data.frame(permutations), parameters = data.frame(
      mass = d$mass, temperature = if (is.null(d$temperature)) NA_real_ else d$temperature,
      standardDeviationX = d$sigma_x, standardDeviationA = d$sigma_a))
  })
}
