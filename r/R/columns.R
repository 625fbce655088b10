# Columns that are not numbers, or not vectors.

# numbers_of returns a vector or a matrix of 64-bit integers as doubles, and others as they are: R takes the bits of such
# integers for those of doubles. where is for an error.
numbers_of <- function(x, where) {
  if (!inherits(x, "integer64")) return(x)
  if (!requireNamespace("bit64", quietly = TRUE)) stop(where, ": found 64-bit integers, expected the package bit64, or numbers that as.numeric makes of them", call. = FALSE)
  structure(as.double(x), dim = dim(x), dimnames = dimnames(x))
}

# flattened returns a data frame with vectors in place of columns that are matrices or data frames, named as as.matrix
# and write.csv do, and numbers in place of 64-bit integers.
flattened <- function(x, what) {
  x <- as.data.frame(numbers_of(x, what), optional = TRUE)
  if (is.null(names(x))) names(x) <- seq_along(x)
  columns <- list()
  for (j in seq_along(x)) {
    name <- names(x)[j]
    where <- paste0(what, ": column ", name)
    column <- numbers_of(x[[j]], where)
    if (inherits(column, "POSIXlt")) column <- as.POSIXct(column)
    if (length(dim(column)) == 2) {
      inner <- flattened(if (is.data.frame(column)) column else unclass(as.matrix(column)), where)
      names(inner) <- if (length(inner) == 1) name else paste(name, names(inner), sep = ".")
      columns <- c(columns, inner)
      next
    }
    if (is.list(column) || length(dim(column)) > 2) stop(where, ": found ", if (is.list(column)) "a list" else "an array", ", expected a vector, a matrix or a data frame", call. = FALSE)
    columns <- c(columns, setNames(list(column), name))
  }
  structure(columns, names = as.character(names(columns)), row.names = attr(x, "row.names"), class = "data.frame")
}

# as_numbers returns x with logical columns as 0 and 1, and factors and text of two kinds as 0 and 1. Other text
# and factors are text: the program reads numbers with commas between thousands and marks of missing
# cells, and leaves out the rest with a note. Factors with numbers for levels are left out. Ordered factors stay, and
# dates and times, which the program does not take for data. kinds has the two kinds by column. New items get
# the numbers of the kinds of their fit. Messages say what was done with factors and text.
as_numbers <- function(x, kinds = list(), new = FALSE) {
  left_out <- character()
  for (name in names(x)) {
    column <- x[[name]]
    if (is.logical(column)) {
      x[[name]] <- as.integer(column)
    } else if ((is.factor(column) && !is.ordered(column)) || is.character(column)) {
      text <- replace(as.character(column), is_missing(column), NA)
      found <- if (is.factor(column)) intersect(levels(column), text) else sort(unique(text))
      if (!new && length(found) == 2 && (is.factor(column) || !all(is_number(found)))) {
        kinds[[name]] <- found
        message("aibd: x: column ", name, ": ", found[1], " is 0 and ", found[2], " is 1")
      } else if (!new && is.factor(column) && any(is_number(found))) {
        left_out <- c(left_out, sprintf("%s (%s)", name, if (length(found) > 6) paste(length(found), "kinds") else paste(found, collapse = ", ")))
        x[[name]] <- NULL
        next
      } else if (is.null(kinds[[name]])) {
        x[[name]] <- text
        next
      }
      bad <- setdiff(text, c(kinds[[name]], NA))
      if (length(bad)) stop("newdata: column ", name, ": found ", dQuote(bad[1], FALSE), ", expected ", paste(dQuote(kinds[[name]], FALSE), collapse = " or "), call. = FALSE)
      x[[name]] <- match(text, kinds[[name]]) - 1L
    } else if (!new && !is.numeric(column) && !is.ordered(column) && !inherits(column, c("Date", "POSIXt"))) {
      stop("x: column ", name, ": expected numbers, logicals, dates or a factor", call. = FALSE)
    }
  }
  if (length(left_out)) {
    message("aibd: x: left out, as factors with numbers for levels are no numbers: ", paste(left_out, collapse = "; "),
      ". read.csv(stringsAsFactors = FALSE) reads numbers with commas or n/a; factor(..., ordered = TRUE) makes a column ordinal; model.matrix makes a column of 0 and 1 for each kind")
  }
  list(x = x, kinds = kinds)
}

# is_missing returns which texts the program takes for missing cells.
is_missing <- function(text) tolower(trimws(text)) %in% c("", "na", "nan", "n/a", "null", ".", "?", "#n/a", "#div/0!", "#value!", "#ref!", "#name?", "#num!", "#null!")

# is_number returns which texts are numbers or limits, maybe with commas between thousands.
is_number <- function(text) !is.na(suppressWarnings(as.numeric(gsub("^[<>]=? *|,", "", text))))
