# Fits, and what they found.

aibd_fit <- function(x, distance = NULL, ..., side = NULL, features = NULL, out = NULL, progress = interactive()) {
  if (is.list(x) && !is.data.frame(x)) stop("x: found a list, expected a matrix or a data frame", call. = FALSE)
  if (is.character(x) && length(x) == 1) stop("x: found the text ", dQuote(x, FALSE), ", expected a matrix or a data frame, such as read.csv(", dQuote(x, FALSE), ") returns", call. = FALSE)
  x <- as.data.frame(numbers_of(x, "x"), optional = TRUE)
  if (is.null(names(x))) names(x) <- paste0("x", seq_along(x))
  x <- flattened(x, "x")
  if (length(bad <- which(duplicated(names(x))))) stop("x: column ", bad[1], ": found the name ", dQuote(names(x)[bad[1]], FALSE), " again, expected distinct names: names(x) <- make.unique(names(x))", call. = FALSE)
  given <- x
  coded <- as_numbers(x)
  x <- coded$x
  ordered <- vapply(x, is.ordered, NA)
  for (name in names(x)[ordered]) {
    bad <- grep("[,=]", levels(x[[name]]), value = TRUE)
    if (length(bad)) stop("x: column ", name, ": found level ", dQuote(bad[1], FALSE), ", expected levels without , and =", call. = FALSE)
  }
  items <- row.names(x)
  settings <- c(list(...), if (!is.null(features)) list(features = features))
  files <- gsub("[.-]", "_", names(settings)) %in% c("distance_file", "holdout_file", "init")
  settings[files] <- lapply(settings[files], whole)
  if (is.null(settings$seed)) settings$seed <- seed()
  folder <- if (is.null(out)) tempfile("aibd-fit-") else out
  if (!dir.create(folder)) stop(out, ": expected a new directory for the run", call. = FALSE)
  path <- file.path(normalizePath(folder), "run")
  on.exit(if (is.null(out) && !begun(path)) unlink(folder, recursive = TRUE))
  write_table(x, items, file.path(folder, "x"))
  if (length(coded$kinds)) saveRDS(coded$kinds, file.path(folder, "kinds.rds"))
  labels <- vapply(x[ordered], function(f) paste(levels(f), collapse = ","), "")
  if (any(ordered)) settings$ordinal <- c(settings$ordinal, paste0(names(x)[ordered], "=", labels))
  settings <- modifyList(distance_settings(folder, distance, items, side, given[names(x)]), settings)
  fit <- naming(path, {
    run_aibd(c("fit", "x", "--out", "run", flags(modifyList(list(header = TRUE), settings))), folder, progress, notes = TRUE)
    aibd_load(path)
  })
  if (is.null(out)) {
    # The temporary directory goes when the fit does.
    fit$folder <- new.env()
    reg.finalizer(fit$folder, function(e) unlink(folder, recursive = TRUE), onexit = TRUE)
  }
  warn(fit)
}

# warn warns of what the verdict on a fit warns of, and returns the fit.
warn <- function(fit) {
  verdict <- fit$summary$verdict
  lines <- if (!verdict$agreed) {
    paste(sub("\\.$", "", grep(" not agree", aibd_call(fit, "summary"), value = TRUE)[1]), "print(fit) says what to try", sep = "; ")
  }
  for (line in c(lines, unlist(verdict$bounds))) {
    warning(structure(class = c("aibd_warning", "warning", "condition"), list(message = in_r(line), call = NULL)))
  }
  fit
}

# begun returns whether a directory has a run, which may have draws.
begun <- function(path) file.exists(file.path(path, "run.json"))

# naming evaluates an expression that samples a run. The error of a run that was begun, also
# an interrupt while an interrupted program saves its draws, names the run.
naming <- function(path, expr) {
  named <- function(e) {
    if (inherits(e, "interrupt")) e <- program_error("interrupted", "aibd_interrupted")
    if (begun(path)) {
      e$path <- path
      e$message <- paste0(e$message, "; aibd_load(\"", path, "\") reads the draws")
    }
    stop(e)
  }
  tryCatch(expr, error = named, interrupt = named)
}

# distance_settings writes the files of the distances and returns the settings that name
# them. A formula without side is of columns of x.
distance_settings <- function(folder, distance, items, side, x) {
  found <- list()
  if (!is.null(side)) {
    side <- flattened(side, "side")
    write_side(side, items, file.path(folder, "side"))
    found$side <- "side"
  }
  if (is.null(distance)) return(found)
  if (inherits(distance, "formula")) distance <- terms_of(distance, if (is.null(side)) x else side, if (is.null(side)) "x" else "side")
  if (is.character(distance)) {
    file <- "^((.*=)?(matrix|tree):)(.*)"
    with <- grepl(file, distance)
    distance[with] <- paste0(sub(file, "\\1", distance[with]), vapply(sub(file, "\\4", distance[with]), whole, ""))
    return(c(found, list(distance = distance)))
  }
  if (!is.null(side)) stop("distance: found numbers beside side, expected one of them", call. = FALSE)
  if (inherits(distance, "dist")) distance <- as.matrix(distance)
  if (NCOL(distance) > 3 && abs(NROW(distance) - NCOL(distance)) == 1) {
    stop(sprintf("distance: found %d x %d numbers, expected a square matrix of distances, or coordinates in fewer columns", NROW(distance), NCOL(distance)), call. = FALSE)
  }
  if (NROW(distance) == NCOL(distance)) {
    message("aibd: distance: predict needs positions or coordinates of new items, which a matrix of distances does not give; distance = coordinates makes both possible")
    distance <- as.matrix(numbers_of(distance, "distance"))
    columns <- match(rownames(distance), colnames(distance))
    if (length(columns) && !anyNA(columns)) distance <- distance[, columns, drop = FALSE]
    names <- names_of(items, rownames(distance), nrow(distance), "distance", square = TRUE)
    write_distances(distance, names, file.path(folder, "distance"))
    return(list(distance = "matrix", `distance-file` = "distance"))
  }
  d <- positions(distance)
  write_side(d, items, file.path(folder, "distance"), "distance")
  list(side = "distance", distance = if (ncol(d) == 1) "absolute" else "euclidean", `distance-columns` = colnames(d))
}

# terms_of returns the distances of a formula such as ~ age + site + great_circle(lon, lat): of numbers,
# dates and times the difference, of other columns whether they are the same, of a call its kind. what is
# the name of side in errors.
terms_of <- function(formula, side, what) {
  vapply(as.list(attr(stats::terms(formula), "variables"))[-1], function(term) {
    columns <- all.vars(term)
    unknown <- setdiff(columns, names(side))
    if (length(unknown)) stop("distance: found no column ", dQuote(unknown[1], FALSE), " in ", what, ", expected one of ", paste(names(side), collapse = ", "), call. = FALSE)
    kind <- if (is.call(term)) gsub("_", "-", as.character(term[[1]])) else if (is.numeric(side[[columns]]) || inherits(side[[columns]], c("Date", "POSIXt", "difftime"))) "absolute" else "same"
    paste0(kind, ":", paste(columns, collapse = ","))
  }, "")
}

# whole returns the whole path of a file that is there, as the program runs in another directory, and others as they are.
whole <- function(file) if (is.character(file) && length(file) == 1 && utils::file_test("-f", file)) normalizePath(file) else file

# positions returns the places of items as a data frame, of times too.
positions <- function(distance) {
  d <- numbers_of(distance, "distance")
  named <- !is.null(colnames(d))
  d <- flattened(d, "distance")
  if (!named) names(d) <- paste0("position", seq_along(d))
  d
}

# names_of returns names for rows that have the names in found, by which the program matches them with the items: their
# own, or those of the items in their order if they or the items have none, or only one of them has numbers for names,
# as parts of tables have. A message says what is not evident.
names_of <- function(items, found, n, what, square = FALSE) {
  numbers <- function(names) all(grepl("^[0-9]+$", names))
  counts <- function(names) identical(names, as.character(seq_along(names)))
  tell <- function(...) message("aibd: ", what, ": ", ...)
  if (n != length(items)) {
    if (is.null(found) || counts(items) || counts(found) && !all(items %in% found)) stop(sprintf("%s: found %d rows, expected %d", what, n, length(items)), call. = FALSE)
    return(found)
  }
  if (is.null(found) || counts(found)) { # numbers that R gives to rows without names
    if (!counts(items) && setequal(items, as.character(seq_len(n)))) {
      if (square) stop(sprintf("%s: its rows have no names, and those of x are 1 to %d in another order: name the rows, or take both in their order with row.names(x) <- NULL", what, n), call. = FALSE)
      tell("its rows have no names and are taken in the order of x, whose rows have the names ", items[1], ", ", items[2], " and so on")
    }
    return(items)
  }
  numbered <- sub("^[^0-9]*", "", found) # as in X1
  if (counts(items) && setequal(numbered, items)) {
    tell("row ", match("1", numbered), " has the name ", found[match("1", numbered)], " and is taken for the first row of x, and so on")
    return(numbered)
  }
  if (counts(items) || numbers(found) != numbers(items) && !any(items %in% numbered)) {
    tell("its names are not those of x, and its rows are taken in their order")
    return(items)
  }
  found
}

write_side <- function(side, items, file, what = "side") {
  write_table(side, names_of(items, row.names(side), nrow(side), what), file)
}

# write_distances writes a square matrix of the items with the given names.
write_distances <- function(d, names, file) {
  dimnames(d) <- list(NULL, names)
  write_table(d, names, file)
}

aibd_load <- function(path) {
  path <- normalizePath(path, mustWork = TRUE)
  fit <- structure(list(path = path, cwd = dirname(path)), class = "aibd_fit")
  kinds <- file.path(fit$cwd, "kinds.rds")
  if (file.exists(kinds)) fit$kinds <- readRDS(kinds)
  reread(fit)
}

# reread returns a fit with the draws that its run has now.
reread <- function(fit) {
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  aibd_export(fit, file)
  x <- readRDS(file)
  fit[names(x)] <- x
  fit
}

aibd_resume <- function(fit, ..., progress = interactive()) {
  naming(fit$path, run_aibd(c("resume", run_of(fit), flags(list(...), FALSE)), fit$cwd, progress, notes = TRUE))
  warn(reread(fit))
}

aibd_export <- function(fit, file, ...) {
  aibd_call(fit, "export", absolute(file), ...)
  invisible(file)
}

aibd_call <- function(fit, verb, ...) {
  settings <- list(...)
  named <- if (is.null(names(settings))) rep(FALSE, length(settings)) else nzchar(names(settings))
  structure(run_aibd(c(verb, run_of(fit), as.character(settings[!named]), flags(settings[named], verb == "compare")), fit$cwd, notes = TRUE), class = "aibd_text")
}

# run_of returns the name of the run in the directory from which it was sampled: pictures and pages
# have it.
run_of <- function(fit) {
  above <- paste0(fit$cwd, "/")
  if (startsWith(fit$path, above)) substring(fit$path, nchar(above) + 1) else fit$path
}

aibd_report <- function(fit, file) {
  aibd_call(fit, "report", out = absolute(file))
  invisible(file)
}

# absolute returns the path of a file that need not exist.
absolute <- function(file) file.path(normalizePath(dirname(file), mustWork = TRUE), basename(file))

print.aibd_text <- function(x, ...) {
  cat(in_r(x), sep = "\n")
  invisible(x)
}

aibd_estimate <- function(fit, ...) {
  file <- tempfile()
  on.exit(unlink(file))
  if (is.null(fit$W)) {
    aibd_call(fit, "estimate", quiet = TRUE, out = file, ...)
    z <- read_allocations(readLines(file))[[1]]
  } else {
    aibd_call(fit, "estimate", quiet = TRUE, csv = file, ...)
    z <- unname(as.matrix(utils::read.csv(file, check.names = FALSE)[-1]))
    storage.mode(z) <- "double" # also without features
  }
  dimnames(z) <- list(fit$items, seq_len(ncol(z)))
  z
}

aibd_sharing <- function(fit) {
  s <- Reduce(`+`, lapply(fit$Z, tcrossprod)) / length(fit$Z)
  dimnames(s) <- list(fit$items, fit$items)
  s
}

predict.aibd_fit <- function(object, newdata = NULL, side = NULL, distance = NULL, type = c("cells", "features"), ...) {
  type <- match.arg(type)
  settings <- list(...)
  if (!is.null(newdata) && identical(object$spec$distance[[1]]$kind, "matrix") && !identical(object$spec$prior$law, "ibp")) {
    stop("newdata: found a fit to a matrix of distances, which has none of new items; expected one with distance = positions or coordinates", call. = FALSE)
  }
  in_folder(function(folder) {
    new <- character()
    if (!is.null(newdata)) {
      newdata <- as.data.frame(numbers_of(newdata, "newdata"), optional = TRUE)
      if (is.null(names(newdata))) {
        if (ncol(newdata) != length(object$variables)) stop(sprintf("newdata: found %d columns without names, expected %d", ncol(newdata), length(object$variables)))
        names(newdata) <- object$variables
      }
      newdata <- as_numbers(flattened(newdata, "newdata"), object$kinds, new = TRUE)$x
      new <- file.path(folder, "newdata")
      write_table(newdata, row.names(newdata), new)
      if (!is.null(distance)) side <- positions(distance)
      if (!is.null(side)) {
        what <- if (is.null(distance)) "side" else "distance"
        settings$side <- file.path(folder, what)
        write_side(flattened(side, what), row.names(newdata), settings$side, what)
      }
      if (is.null(settings$seed)) settings$seed <- seed()
    }
    file <- file.path(folder, "out.csv")
    settings[[if (type == "cells") "out" else "features"]] <- file
    do.call(aibd_call, c(list(object, "predict"), new, settings))
    names <- c("item", if (type == "cells") "variable")
    found <- read.csv(file, check.names = FALSE, na.strings = "", colClasses = sapply(names, function(name) "character"))
    if (all(is.na(found$probabilities))) found$probabilities <- NULL # without binary and ordinal columns
    if (type == "cells") return(found)
    structure(as.matrix(found[-1]), dimnames = list(found$item, NULL))
  })
}

# read_allocations parses the text of matrices that blank lines separate.
read_allocations <- function(text) {
  blocks <- split(text[nzchar(text)], cumsum(!nzchar(text))[nzchar(text)])
  unname(lapply(blocks, function(rows) {
    if (rows[1] == "-") return(matrix(0L, length(rows), 0))
    cells <- strsplit(rows, ",", fixed = TRUE)
    matrix(as.integer(unlist(cells)), nrow = length(rows), byrow = TRUE)
  }))
}

print.aibd_fit <- function(x, ...) {
  print(aibd_call(x, "summary"))
  invisible(x)
}

summary.aibd_fit <- function(object, ...) {
  columns <- c("mean", "sd", "mcse", "q5", "q50", "q95", "r_hat", "ess_bulk", "ess_tail")
  q <- object$summary$quantities
  table <- as.data.frame(sapply(columns, function(column) vapply(q, function(one) {
    if (is.null(one[[column]])) NA_real_ else one[[column]]
  }, 0)))
  row.names(table) <- vapply(q, function(one) if (grepl("_[0-9]+$", one$name)) one$label else one$name, "")
  structure(list(verdict = object$summary$verdict, quantities = table), class = "summary.aibd_fit")
}

print.summary.aibd_fit <- function(x, digits = 3, ...) {
  cat(if (x$verdict$agreed) "The chains agree.\n" else if (x$verdict$agreed_on_large) "The chains agree on what is large.\n" else "The chains do not agree.\n")
  rounded <- as.matrix(x$quantities)
  ess <- startsWith(colnames(rounded), "ess")
  rounded[, ess] <- round(rounded[, ess])
  rounded[, !ess] <- signif(rounded[, !ess], digits)
  text <- array(vapply(rounded, format, "", digits = 15), dim(rounded), dimnames(rounded))
  print(text, quote = FALSE, right = TRUE, ...)
  invisible(x)
}

plot.aibd_fit <- function(x, name = "trace", file = NULL, ...) {
  draw(file, function(file) aibd_call(x, "plot", name, out = file))
  invisible(if (is.null(file)) x else file)
}

# draw calls write with the file of a picture, and shows it on the current device if none is given. It returns what
# write does.
draw <- function(file, write) {
  if (!is.null(file)) return(write(absolute(file)))
  if (!requireNamespace("png", quietly = TRUE)) stop("found no package png, expected it or a file for the picture")
  file <- tempfile(fileext = ".png")
  on.exit(unlink(file))
  printed <- write(file)
  picture <- png::readPNG(file)
  old <- par(mar = c(0, 0, 0, 0))
  on.exit(par(old), add = TRUE)
  plot.new()
  plot.window(c(0, ncol(picture)), c(0, nrow(picture)), asp = 1)
  rasterImage(picture, 0, 0, ncol(picture), nrow(picture))
  printed
}

pp_check.aibd_fit <- function(object, file = NULL, ...) draw(file, function(file) aibd_call(object, "check", plot = file, ...))

prior_summary.aibd_fit <- function(object, ...) {
  prior <- object$spec$prior
  if (length(object$spec$distance) > 1) {
    stop("prior_summary: found several distances, expected at most one (aibd_fit prints all priors)", call. = FALSE)
  }
  law <- function(p) {
    if (p$fixed) return(sprintf("fixed at %g", p$value))
    if (p$shape > 0) return(sprintf("gamma(shape %g, rate %g)", p$shape, p$rate))
    if (p$max > 0) sprintf("uniform(0, %g)", p$max) else sprintf("exponential(mean %g)", p$mean)
  }
  parts <- prior[c("mass", if (prior$law != "ibp") "temperature", "sigma_x", "sigma_a")]
  unit <- if (identical(prior$temperature_unit, "median")) ", times the median distance" else ""
  laws <- paste0(vapply(parts, law, ""), ifelse(names(parts) == "temperature", unit, ""))
  data.frame(parameter = c("allocation", names(parts)), prior = c(prior$law, laws))
}

as_draws.aibd_fit <- function(x, ...) posterior::as_draws_df(x$draws)

# Package broom gives columns these names.
tidy.aibd_fit <- function(x, ...) {
  q <- summary(x)$quantities
  data.frame(term = row.names(q), estimate = q$mean, std.error = q$sd, conf.low = q$q5, conf.high = q$q95,
             rhat = q$r_hat, ess = q$ess_bulk)
}

glance.aibd_fit <- function(x, ...) {
  data.frame(nobs = length(x$items), variables = length(x$variables), chains = length(unique(x$draws$.chain)),
             draws = nrow(x$draws), agreed = summary(x)$verdict$agreed, agreed_on_large = summary(x)$verdict$agreed_on_large)
}

as.mcmc.list.aibd_fit <- function(x, ...) {
  numbers <- x$draws[!startsWith(names(x$draws), ".")]
  coda::mcmc.list(lapply(split(numbers, x$draws$.chain), coda::mcmc))
}

loo.aibd_fit <- function(x, ...) {
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  aibd_export(x, file, columns = "log_lik", log_likelihood = TRUE)
  found <- readRDS(file)
  known <- !is.na(colSums(found$log_likelihood)) # cells that are neither missing nor hidden
  log_likelihood <- found$log_likelihood[, known, drop = FALSE]
  r_eff <- loo::relative_eff(exp(log_likelihood), chain_id = match(found$draws$.chain, unique(found$draws$.chain)))
  loo::loo(log_likelihood, r_eff = r_eff, ...)
}
