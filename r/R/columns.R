# Columns that are not numbers.

# as_numbers returns x with logical columns as 0 and 1, factors and text of two kinds as 0 and 1, and
# without those of other numbers of kinds. Ordered factors stay, and dates, which the program does not
# take for data. kinds has the two kinds by column. New items get
# the numbers of the kinds of their fit. Messages say what was done with factors and text.
as_numbers <- function(x, kinds = list(), new = FALSE) {
  left_out <- character()
  for (name in names(x)) {
    column <- x[[name]]
    if (is.logical(column)) {
      x[[name]] <- as.integer(column)
    } else if ((is.factor(column) && !is.ordered(column)) || is.character(column)) {
      text <- as.character(column)
      if (!new) {
        found <- if (is.factor(column)) levels(droplevels(column)) else sort(unique(text))
        if (length(found) != 2) {
          left_out <- c(left_out, sprintf("%s (%s)", name, if (length(found) > 6) paste(length(found), "kinds") else paste(found, collapse = ", ")))
          x[[name]] <- NULL
          next
        }
        kinds[[name]] <- found
        message("aibd: x: column ", name, ": ", found[1], " is 0 and ", found[2], " is 1")
      } else if (is.null(kinds[[name]])) {
        next
      }
      bad <- setdiff(text, c(kinds[[name]], NA))
      if (length(bad)) stop("newdata: column ", name, ": found ", dQuote(bad[1], FALSE), ", expected ", paste(dQuote(kinds[[name]], FALSE), collapse = " or "), call. = FALSE)
      x[[name]] <- match(text, kinds[[name]]) - 1L
    } else if (!new && !is.numeric(column) && !is.ordered(column) && !inherits(column, "Date")) {
      stop("x: column ", name, ": expected numbers, logicals, dates or a factor", call. = FALSE)
    }
  }
  if (length(left_out)) {
    message("aibd: x: left out, as they are neither numbers nor of two kinds: ", paste(left_out, collapse = "; "),
      ". factor(..., ordered = TRUE) makes a column ordinal; model.matrix makes a column of 0 and 1 for each kind")
  }
  list(x = x, kinds = kinds)
}
