# Loadings, fitted values and residuals.

coef.aibd_fit <- function(object, ...) {
  found <- estimated(object, "loadings", "feature", ...)
  matrix(found$mean, ncol = length(object$variables), byrow = TRUE, dimnames = list(unique(found$feature), object$variables))
}

fitted.aibd_fit <- function(object, ...) by_item(object, estimated(object, "fitted", c("item", "variable"), ...)$fitted)

residuals.aibd_fit <- function(object, ...) {
  found <- estimated(object, "fitted", c("item", "variable"), ...)
  by_item(object, found$observed - found$fitted)
}

# estimated returns a table that aibd estimate writes. The columns of the given names are text.
estimated <- function(fit, table, names, ...) {
  file <- tempfile()
  on.exit(unlink(file))
  do.call(aibd_call, c(list(fit, "estimate", quiet = TRUE), setNames(list(file), table), list(...)))
  read.csv(file, na.strings = "", colClasses = sapply(names, function(name) "character"))
}

# by_item returns values, item by item, as a matrix.
by_item <- function(fit, values) {
  matrix(as.double(values), nrow = length(fit$items), byrow = TRUE, dimnames = list(fit$items, fit$variables))
}
