needs_program()
set.seed(1)
x <- data.frame(a = rnorm(12), b = rnorm(12), row.names = paste0("i\"", 1:12, ", \u00fc"))
fit <- short(x, distance = 1:12)

test_that("a fit has draws, names and the observations", {
  expect_identical(fit$items, row.names(x))
  expect_identical(fit$variables, names(x))
  expect_identical(dim(fit$draws), c(120L, 17L))
  expect_identical(vapply(fit$Z, ncol, 0L), as.integer(fit$draws$n_features))
  expect_identical(dim(fit$permutation), c(120L, 12L))
  expect_identical(fit$spec$sampler$seed, 3)
})

test_that("features have weights", {
  graded <- short(x, features = "graded")
  expect_identical(graded$spec$likelihood$features, "graded")
  shares <- c("weight_common", "weight_own")
  expect_identical(grep("^weight_", names(graded$draws), value = TRUE), shares)
  expect_near(unname(rowSums(graded$draws[shares])), rep(1, 120))
  expect_identical(lapply(graded$W, dim), lapply(graded$Z, dim))
  expect_true(all(mapply(function(w, z) all(w[z == 0] == 0) && !any(w[z == 1] %in% 0:1), graded$W, graded$Z)))
  weighted <- short(x, features = "weighted")
  expect_identical(length(weighted$W), 120L)
  expect_identical(grep("^weight_", names(weighted$draws)), integer())
  near <- short(x, distance = 1:12, features = "weighted")$draws
  expect_identical(grep("^weight_", names(near), value = TRUE), append(shares, c("weight_near", "weight_rate"), 1))
  expect_near(near$weight_common + near$weight_near + near$weight_own, rep(1, 120))
  expect_null(short(x, features = "binary")$W)
  g <- aibd_estimate(graded)
  expect_identical(rownames(g), graded$items)
  expect_true(is.numeric(g) && (ncol(g) == 0 || !all(g %in% 0:1)))
  expect_error(aibd_fit(x, features = "grated"), "features", class = "aibd_error")
})

test_that("print and summary give the verdict and the quantities", {
  out <- capture.output(print(fit))
  expect_match(out, "^The chains |^The draws |^Too few ", all = FALSE)
  expect_match(out, "^SigmaX ", all = FALSE)
  s <- summary(fit)
  expect_near(s$quantities["mass", "mean"], mean(fit$draws$mass))
  expect_output(print(s), "The chains")
})

test_that("estimate and sharing have the names of the items", {
  found <- aibd_estimate(fit)
  expect_identical(rownames(found), fit$items)
  expect_identical(colnames(found), if (ncol(found) > 0) as.character(seq_len(ncol(found))))
  expect_identical(dimnames(aibd_sharing(fit)), list(fit$items, fit$items))
})

test_that("the program draws pictures and a report", {
  file <- tempfile(fileext = ".svg")
  plot(fit, "density", file)
  expect_match(readLines(file), "<svg", all = FALSE)
  expect_error(plot(fit, "desnity", file), "did you mean", class = "aibd_usage_error")
  expect_output(print(aibd_call(fit, "plot")), "sharing-distance")
  file <- tempfile(fileext = ".html")
  aibd_report(fit, file)
  expect_gt(file.size(file), 1e4)
  skip_if_not_installed("png")
  pdf(NULL)
  expect_silent(plot(fit))
  dev.off()
})

test_that("a run can be lengthened", {
  longer <- unwarned(aibd_resume(fit, more = 40))
  expect_identical(nrow(longer$draws), 200L)
  expect_identical(longer$draws$mass[1:60], fit$draws$mass[1:60])
})

test_that("set.seed repeats a fit", {
  draw <- function() unwarned(aibd_fit(x, warmup = 5, draws = 5, chains = 1))$draws
  set.seed(7)
  first <- draw()
  second <- draw()
  set.seed(7)
  expect_identical(draw(), first)
  expect_false(identical(second, first))
})

test_that("each setting without a flag is an argument", {
  keys <- aibd:::setting_keys
  listed <- grep("^[a-z]", aibd:::run_aibd(c("settings", "data", "likelihood", "distance", "prior", "sampler")), value = TRUE)
  expect_setequal(sub(" .*", "", listed[!grepl("--", listed)]), keys)
})

test_that("errors are conditions with the line of the program", {
  expect_error(aibd_fit(x, sead = 2), "^unknown argument \"sead\", did you mean \"seed\"\\?$", class = "aibd_usage_error")
  expect_error(aibd_fit(x, warmup = 10, draws = 20, strict = TRUE), "^strict: .*aibd_load", class = "aibd_not_agreed")
  expect_error(aibd_fit(x, mass_shape = -1), "^mass_shape: found -1, expected", class = "aibd_error")
  expect_error(aibd_fit(x, draws = 0), "draws", class = "aibd_error")
  expect_match(tryCatch(aibd_resume(fit, more = 1, strict = TRUE), aibd_not_agreed = function(e) e$path), fit$path, fixed = TRUE)
  expect_error(aibd_fit(x, 1:3), "distance: found 3 rows, expected 12")
  expect_error(aibd_fit(data.frame(a = 1:2, b = 1i)), "^x: column b: expected numbers, logicals, dates or a factor$")
  expect_error(predict(fit), "found no unknown cells", class = "aibd_error")
})

test_that("progress is messages, and notes alone if it is not asked for", {
  suppressMessages(expect_message(short(x, progress = TRUE), "scans in"))
  told <- capture.output(again <- short(x, progress = FALSE), type = "message")
  expect_identical(told, "aibd: no distances are given (distance = ...): the law is ibp")
})

test_that("a temporary run goes with its fit", {
  again <- short(x, distance = dist(x))
  folder <- dirname(again$path)
  expect_true(dir.exists(folder))
  rm(again)
  invisible(gc())
  expect_false(dir.exists(folder))
})

test_that("missing cells and new items are predicted in the units of the data", {
  set.seed(4)
  many <- data.frame(a = rnorm(20, 1000, 10), b = rnorm(20, -1, 0.1))
  many[3, "b"] <- NA
  holed <- short(many, distance = 1:20)
  p <- predict(holed)
  expect_identical(p$item, "3")
  expect_identical(p$variable, "b")
  expect_lt(abs(p$mean + 1), 0.5)
  set.seed(5)
  new <- data.frame(a = c(1000, NA), b = NA, row.names = c("u", "v"))
  p <- predict(holed, new, distance = c(2.5, 30))
  expect_identical(paste(p$item, p$variable), c("u b", "v a", "v b"))
  expect_true(all(p$lower < p$mean & p$mean < p$upper))
  expect_lt(abs(p$mean[2] - 1000), 50)
  features <- predict(holed, new, distance = c(2.5, 30), type = "features")
  expect_identical(dim(features), c(2L, ncol(aibd_estimate(holed))))
  expect_identical(rownames(features), c("u", "v"))
  expect_true(all(features >= 0 & features <= 1 + 1e-9))
})

test_that("posterior summarizes the draws as the program does", {
  skip_if_not_installed("posterior")
  found <- posterior::summarise_draws(posterior::as_draws(fit), "mean", "rhat", "ess_bulk")
  expect_near(as.numeric(found$mean[1]), mean(fit$draws$mass))
  expect_near(c(as.numeric(found$rhat[1]), as.numeric(found$ess_bulk[1])), unlist(summary(fit)$quantities["mass", c("r_hat", "ess_bulk")], use.names = FALSE))
})

test_that("bayesplot and rstantools take fits", {
  skip_if_not_installed("bayesplot")
  skip_if_not_installed("rstantools")
  skip_if_not_installed("posterior")
  expect_s3_class(bayesplot::mcmc_trace(posterior::as_draws(fit), pars = "mass"), "ggplot")
  file <- tempfile(fileext = ".svg")
  expect_match(bayesplot::pp_check(fit, file, quantity = "cor(a, b)"), "cor\\(a, b\\)", all = FALSE)
  expect_match(readLines(file), "<svg", all = FALSE)
  fixed <- short(x, distance = 1:12, mass = 2, fix_mass = TRUE, max_sigma_x = 3, sigma_a_shape = 2, sigma_a_rate = 5)
  priors <- rstantools::prior_summary(fixed)
  expect_identical(priors$parameter, c("allocation", "mass", "temperature", "sigma_x", "sigma_a"))
  expect_identical(priors$prior, c("aibd", "fixed at 2", "gamma(shape 1, rate 1), times the median distance", "uniform(0, 3)", "gamma(shape 2, rate 5)"))
  expect_identical(rstantools::prior_summary(short(x))$parameter, c("allocation", "mass", "sigma_x", "sigma_a"))
  places <- data.frame(g = seq_len(nrow(x)), t = rev(seq_len(nrow(x))))
  several <- short(x, distance = ~ g + t, side = places)
  expect_error(rstantools::prior_summary(several), "found several distances, expected at most one")
})

test_that("tidy and glance are tables of the summary", {
  skip_if_not_installed("generics")
  table <- generics::tidy(fit)
  expect_identical(names(table), c("term", "estimate", "std.error", "conf.low", "conf.high", "rhat", "ess"))
  expect_identical(table$term, row.names(summary(fit)$quantities))
  expect_near(table$estimate[table$term == "mass"], mean(fit$draws$mass))
  row <- generics::glance(fit)
  expect_identical(c(row$nobs, row$variables), dim(fit$X))
  expect_identical(row$draws, nrow(fit$draws))
  expect_identical(row$agreed, summary(fit)$verdict$agreed)
  expect_identical(row$agreed_on_large, summary(fit)$verdict$agreed_on_large)
})

test_that("coda summarizes the draws", {
  skip_if_not_installed("coda")
  chains <- coda::as.mcmc.list(fit)
  expect_identical(c(coda::nchain(chains), coda::niter(chains)), c(2L, 60L))
  expect_near(summary(chains)$statistics["mass", "Mean"], mean(fit$draws$mass))
})

test_that("loo leaves out each observed cell", {
  skip_if_not_installed("loo")
  expect_identical(nrow(suppressWarnings(loo::loo(fit))$pointwise), 24L)
})

test_that("ordered factors are ordinal columns", {
  y <- data.frame(x, grade = factor(rep(c("low", "mid", "high"), 4), c("low", "mid", "high"), ordered = TRUE), stars = rep(1:4, 3))
  y$grade[2] <- NA
  rated <- short(y, ordinal = "stars")
  expect_identical(grep("cutpoint", names(rated$draws), value = TRUE), paste0("cutpoint_", 1:3))
  expect_identical(grep("cutpoint", row.names(summary(rated)$quantities), value = TRUE), paste("cutpoint", c("grade mid|high", "stars 2|3", "stars 3|4")))
  expect_identical(unname(rated$X[, "stars"]), rep(0:3 + 0, 3))
  cell <- predict(rated)
  expect_identical(cell$variable, "grade")
  expect_match(cell$probabilities, "^low: .*; mid: .*; high: ")
  expect_identical(predict(rated, data.frame(a = 0, b = 0, grade = "low", stars = NA))$variable, "stars")
})

test_that("counts are latent values", {
  y <- data.frame(x, mites = rep(c(0, 0, 3, 17), 3))
  y$mites[2] <- NA
  counted <- short(y, count = "mites")
  expect_identical(unname(counted$X[, "mites"]), y$mites)
  cell <- predict(counted)
  expect_identical(cell$variable, "mites")
  expect_true(all(c(cell$lower, cell$upper) == round(c(cell$lower, cell$upper))))
  expect_error(short(y, count = "a"), "expected a count")
})

named <- data.frame(a = rnorm(6), b = rnorm(6), row.names = c("T", "F", "01", "NA", "Paris, France", "q\"q"))
named[4, 2] <- NA
places <- data.frame(lon = c(1, 2, 4, 8, 16, 32), lat = 0, city = c(row.names(named)[1:5], NA), row.names = row.names(named))
tiny <- function(...) unwarned(aibd_fit(..., warmup = 5, draws = 20, chains = 1, seed = 1))

test_that("rows of distances and covariates are matched by the names of the items", {
  back <- places[6:1, ]
  near <- tiny(named, distance = dist(places[1:2]))
  same <- function(...) expect_identical(tiny(named, ...)$draws, near$draws)
  same(distance = dist(back[1:2]))
  same(distance = as.matrix(dist(unname(as.matrix(places[1:2])))))
  part <- rbind(data.frame(lon = 0, lat = 0), data.frame(lon = places$lon, lat = 0))[-1, ]
  same(distance = dist(part)) # named 2 to 7
  line <- tiny(named, distance = "absolute", distance_columns = "lon", side = places)
  expect_identical(tiny(named, distance = "absolute", distance_columns = "lon", side = back)$draws, line$draws)
  expect_identical(tiny(named, distance = setNames(back$lon, row.names(back)))$draws$mass, line$draws$mass)
  row.names(back)[2] <- "Rome"
  expect_error(tiny(named, distance = dist(back[1:2])), "^distance: found no row for \"Paris, France\", expected one for each item of x")
  expect_error(tiny(named, side = back, distance = ~ lon), "^side: found no row for \"Paris, France\"")

  new <- data.frame(a = c(0, 1), b = NA, row.names = c("u", "v"))
  at <- function(rows) predict(line, new, side = data.frame(lon = c(1.5, 30), row.names = c("u", "v"))[rows, , drop = FALSE], seed = 1)
  expect_identical(at(2:1), at(1:2))
  expect_error(predict(line, new, side = places[1:2, ]), "^side: found no row for \"u\", \"v\", expected one for each item of newdata")
})

test_that("a formula names distances", {
  side <- data.frame(places, seen = as.Date("2020-01-01") + 1:6, kind = rep(c("u", "v"), 3))
  same <- function(formula, ...) expect_identical(tiny(named, distance = formula, side = side)$draws, tiny(named, distance = c(...), side = side)$draws)
  same(~ lon, "absolute:lon")
  same(~ seen + kind + euclidean(lon, lat), "absolute:seen", "same:kind", "euclidean:lon,lat")
  expect_error(tiny(named, distance = ~ age, side = side), "^distance: found no column \"age\" in side, expected one of lon")
  expect_error(tiny(named, distance = ~ lon), "^distance: found no column \"lon\" in x, expected one of a, b")
  sited <- data.frame(named, kind = side$kind, site = c("p", "q", "r"))
  for (column in c("kind", "site")) {
    same <- tiny(sited, distance = reformulate(column))
    expect_identical(unlist(same$spec$distance[[1]]$columns), column)
    expect_false(column %in% same$variables)
  }
})

test_that("rows are matched by name in any order, or R says so", {
  plain <- data.frame(a = named$a, b = 1:6)
  from <- c(3, 1, 6, 2, 5, 4)
  apart <- as.matrix(dist(places[1:2]))
  first <- tiny(plain, distance = unname(apart))
  same <- function(x, ...) expect_identical(tiny(x, ...)$draws, first$draws)
  for (prefix in c("X", "plot ", "")) {
    d <- apart
    dimnames(d) <- list(paste0(prefix, 1:6), paste0(prefix, 1:6))
    expect_message(same(plain, distance = d[from, from]), "^aibd: distance: row 2")
    expect_message(same(plain, distance = as.dist(d[from, from])), "^aibd: distance: row 2")
    expect_message(same(plain, distance = d[from, ]), "^aibd: distance: row 2")
    side <- data.frame(lon = places$lon, lat = places$lat, row.names = rownames(d))
    expect_message(near <- tiny(plain, distance = "euclidean", distance_columns = c("lon", "lat"), side = side[from, ]), "^aibd: side: row 2")
    expect_identical(near$draws, tiny(plain, distance = "euclidean", distance_columns = c("lon", "lat"), side = places)$draws)
  }
  # A data frame whose rows were put in another order after its distances were computed.
  expect_error(tiny(plain[from, ], distance = dist(places$lon)), "^distance: its rows have no names, and those of x are 1 to 6 in another order")
  expect_error(tiny(plain[from, ], distance = dist(data.frame(places$lon))), "^distance: its rows have no names")
  d <- unname(apart)
  dimnames(d) <- list(paste0("X", 1:6), paste0("X", 1:6))
  expect_error(tiny(plain[from, ], distance = d), "^distance: found no row for \"3\", .*; did you mean \"X3\"")
  expect_message(tiny(plain[from, ], distance = places$lon), "^aibd: distance: its rows have no names and are taken in the order of x")
  expect_message(tiny(plain, distance = dist(places[1:2])), "^aibd: distance: its names are not those of x")
})

test_that("the program matches names, and leaves out further rows", {
  side <- data.frame(lon = c(9, places$lon), row.names = c("new", rev(row.names(named))))
  expect_message(same <- tiny(named, distance = ~ lon, side = side), "side: 1 row of no item left out: \"new\"")
  expect_identical(same$draws, tiny(named, distance = rev(places$lon))$draws)
  apart <- as.matrix(dist(side))
  expect_message(by_matrix <- tiny(named, distance = apart), "distance: 1 row of no item left out: \"new\"")
  expect_identical(by_matrix$draws, tiny(named, distance = unname(apart)[7:2, 7:2])$draws)
  row.names(side) <- toupper(paste0("x", row.names(side)))
  expect_error(tiny(named, distance = ~ lon, side = side), "^side: found no row for \"T\", .*; did you mean \"XT\"", class = "aibd_error")
  part <- data.frame(a = named$a, b = 1:6, c = 6:1)[c(2, 4, 5), ]
  expect_identical(suppressMessages(tiny(part, distance = ~ lon, side = data.frame(lon = places$lon)))$draws, tiny(unname(as.matrix(part)), distance = places$lon[c(2, 4, 5)])$draws)
})

test_that("times are days, whatever way they are given", {
  at <- as.POSIXct("2021-03-27", tz = "UTC") + 21600 * c(0, 1, 3, 4, 8, 9)
  days <- as.numeric(at) / 86400
  drawn <- function(x, ...) suppressMessages(tiny(x, ...))$draws
  want <- drawn(named, distance = days)
  local <- at
  attr(local, "tzone") <- "America/New_York"
  expect_identical(drawn(named, distance = at), want)
  expect_identical(drawn(named, distance = as.POSIXlt(local)), want)
  expect_identical(drawn(named, distance = at - at[1]), want)
  expect_identical(drawn(named, distance = ~ t, side = data.frame(t = local)), want)
  expect_identical(drawn(named, distance = ~ t, side = data.frame(t = at - at[1])), want)
  expect_identical(drawn(data.frame(named, t = local), distance = "absolute:t"), want)
  expect_identical(drawn(data.frame(named, t = local), distance = ~ t), want)
})

test_that("matrices and data frames may be columns", {
  x <- data.frame(named, row.names = row.names(named))
  x$m <- poly(1:6, 2)
  x$z <- scale(1:6)
  x$d <- data.frame(u = 6:1)
  x$i <- I(matrix(1:12, 6))
  fit <- suppressMessages(tiny(x))
  expect_identical(fit$variables, c(names(named), "m.1", "m.2", "z", "d", "i.1", "i.2"))
  expect_identical(suppressMessages(predict(fit, x[1:2, ], seed = 1))$item, character())
  side <- data.frame(row.names = row.names(named))
  side$at <- as.matrix(places[1:2])
  expect_identical(suppressMessages(tiny(named, distance = "euclidean:at.lon,at.lat", side = side))$draws, suppressMessages(tiny(named, distance = as.matrix(places[1:2])))$draws)
  x$l <- as.list(1:6)
  expect_error(tiny(x), "^x: column l: found a list")
})

test_that("64-bit integers are numbers", {
  skip_if_not_installed("bit64")
  big <- bit64::as.integer64(c(3e9, 4e9, 9e9, 2e9, NA, 5e9))
  known <- replace(big, 5, bit64::as.integer64(7e9))
  fit <- suppressMessages(tiny(data.frame(named, n = big)))
  expect_identical(fit$draws, suppressMessages(tiny(data.frame(named, n = as.double(big))))$draws)
  drawn <- function(...) suppressMessages(tiny(named, ...))$draws
  want <- drawn(distance = as.double(known))
  expect_identical(drawn(distance = known), want)
  expect_identical(drawn(distance = ~ n, side = data.frame(n = known)), want)
  new <- function(n) suppressMessages(predict(fit, data.frame(a = NA, b = 1, n = n, row.names = "new")[c(names(named), "n")], seed = 1))
  expect_identical(new(big[1]), new(3e9))
})

test_that("names of variables may be numbers", {
  for (names in list(c("400", "410"), c("2", "1"), c("-0.5", "1e3"))) {
    y <- setNames(data.frame(named$a, 1:6, row.names = row.names(named)), names)
    numbered <- tiny(y, distance = setNames(places["lon"], "7"))
    expect_identical(numbered$variables, names)
    expect_identical(predict(numbered, y[1, ], distance = setNames(data.frame(1.5), "7"), seed = 1)$variable, character())
  }
})

test_that("names of items and variables are text", {
  names(named) <- c("T", "NA")
  named[3, 1] <- NA
  p <- predict(tiny(named))
  expect_identical(paste(p$item, p$variable), c("01 T", "NA NA"))
  expect_type(p$mean, "double")
})

test_that("the program chooses the law of a fit without distances", {
  expect_identical(tiny(named)$spec$prior$law, "ibp")
  expect_error(tiny(named, distance_file = "d.csv"), "^distance: found none", class = "aibd_error")
  expect_error(tiny(named, side = places), "^distance: found none", class = "aibd_error")
})

test_that("loo leaves out missing cells", {
  skip_if_not_installed("loo")
  expect_identical(nrow(suppressWarnings(loo::loo(tiny(named)))$pointwise), 11L)
})

test_that("columns of new items without names follow the order of the fit", {
  bare <- tiny(unname(as.matrix(named)))
  p <- predict(bare, matrix(c(1, NA), 1), seed = 1)
  expect_identical(c(p$item, p$variable), c("1", "x2"))
  expect_error(predict(bare, matrix(1:3, 1)), "^newdata: found 3 columns without names, expected 2$")
})

test_that("levels are text that the program can split", {
  rate <- function(levels) tiny(data.frame(named, g = factor(rep(levels, 3), levels, ordered = TRUE)))
  expect_identical(unname(rate(c("a \"b\"", "c d"))$X[, "g"]), rep(0:1 + 0, 3))
  expect_error(rate(c("(0,10]", "(10,20]")), "^x: column g: found level \"\\(0,10\\]\", expected levels without , and =$")
  expect_error(rate(c("lo", "x=1")), "^x: column g: found level \"x=1\"")
})
