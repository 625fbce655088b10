# Prints the values of a file that aibd export wrote.
args <- commandArgs(trailingOnly = TRUE)
line <- function(name, values) {
  text <- if (is.double(values)) sprintf("%.17g", values) else as.character(values)
  text[is.na(values)] <- "NA"
  cat(enc2utf8(paste(c(name, text), collapse = " ")), "\n", sep = "")
}
Sys.setlocale("LC_CTYPE", "C.UTF-8") -> locale
z <- function(m) line("Z", c(ncol(m), t(m)))
w <- function(m) line("W", c(ncol(m), as.double(t(m))))
# R has no floats: to the nearest one.
float <- function(v) readBin(writeBin(v, raw(), size = 4), "double", length(v), size = 4)
if (endsWith(args[1], ".csv")) {
  d <- read.csv(args[1], check.names = FALSE, numerals = "no.loss", colClasses = "character", na.strings = character())
  items <- 11
  for (name in names(d)) {
    if (name == "permutation") {
      line(name, unlist(strsplit(d[[name]], " ")))
    } else if (name == "features") {
      for (text in d$features) {
        members <- strsplit(strsplit(text, "|", fixed = TRUE)[[1]], " ")
        z(vapply(members, function(m) as.integer(seq_len(items) %in% m), integer(items)))
      }
    } else if (name == "weights") {
      for (row in seq_along(d$weights)) {
        parts <- function(text) strsplit(strsplit(text, "|", fixed = TRUE)[[1]], " ")
        members <- parts(d$features[row])
        values <- parts(d$weights[row])
        w(vapply(seq_along(members), function(k) {
          replace(numeric(items), as.integer(members[[k]]), float(as.numeric(values[[k]])))
        }, numeric(items)))
      }
    } else {
      v <- as.numeric(d[[name]])
      line(name, if (all(v == round(v)) && max(v) < 1e5 && min(v) >= 0) as.integer(v) else v)
    }
  }
  quit()
}
x <- readRDS(args[1])
stopifnot(identical(class(x$draws), "data.frame"), identical(row.names(x$draws), as.character(seq_along(x$Z))),
  identical(x$spec, list(a = list(b = list(1, 2.5), c = NULL, d = TRUE), e = "\u00fc\n")),
  identical(x$summary, list(ok = list(TRUE))))
for (name in names(x$draws)) line(name, x$draws[[name]])
if (!is.null(x$permutation)) line("permutation", c(t(x$permutation)))
for (m in x$Z) z(m)
for (m in x$W) w(m)
line("X", c(t(x$X)))
stopifnot(identical(dimnames(x$X), list(x$items, x$variables)), is.na(x$X[4, 2]), !is.nan(x$X[4, 2]))
for (group in c("log_likelihood", "posterior_predictive")) {
  line(group, apply(x[[group]], 1, function(cells) t(matrix(cells, nrow = length(x$items)))))
}
line("items", x$items)
line("variables", x$variables)
