# What the program says, in words of R.

# in_r returns lines of the program with its flags as arguments of R, its verbs as functions, rows of a
# data frame for lines of a file, and without the names of temporary folders.
in_r <- function(lines) {
  lines <- gsub(paste0("\\Q", temporary(), "\\E/([^/ :\"']+/)*"), "", lines, perl = TRUE)
  # Files have a header, and matrices a column of names before the others.
  lines <- sub("^((side|distance): line [0-9]+), column 1: found the id ", "\\1: found the id ", lines)
  lines <- each(lines, "\\bdistance: line [0-9]+, column [0-9]+", function(m) less(m, "column"))
  lines <- each(lines, "\\b(x|side|distance|newdata): line [0-9]+", function(m) sub("line", "row", less(m, "line")))
  lines <- sub("^unknown flag ", "unknown argument ", lines)
  lines <- each(lines, "^[a-z_.]+(?=: )", argument_of)
  lines <- each(lines, "\\baibd resume [^ #`]+( [^#`]*[^#` ])?", function(m) call_of("aibd_resume(fit", m))
  lines <- each(lines, "\\baibd (report|estimate|compare) [^ #`]+( --[a-z-]+([= ][^-( ][^ ]*)?)*", function(m) {
    verb <- sub("^aibd ([a-z]+).*", "\\1", m)
    call_of(switch(verb, report = "aibd_report(fit, file", estimate = "aibd_estimate(fit", paste0("aibd_call(fit, ", dQuote(verb, FALSE))), m)
  })
  lines <- sub("found none, expected the file of the matrix$", "found no matrix, expected distance = the matrix itself, or \"matrix:FILE\"", lines)
  lines <- each(lines, "\\baibd fit [^ #`]+/run\\.json( [^#`]*[^#` ])?", function(m) call_of("aibd_fit(x, ...", sub(" --out \\S+", "", m)))
  lines <- each(lines, paste0("(?<![[:alnum:]])--(?:set [a-z_.]+=[[:alnum:]._-]+|[a-z][a-z-]*([:\"]|=[[:alnum:].-]+| '[^']*'| ", values, ")?)"), argument)
  gsub("(= \"[^\"]*\"|= [0-9.]+) ([a-z_]+ = )", "\\1, \\2", lines)
}

# values match the values of flags that the program proposes, apart from those in quotation marks.
values <- "(?:[a-z-]+:[^ ;:()]+|great-circle|euclidean|absolute|common|none|binary|weighted|graded|ibp|aibd|ddibp|NAME|-?[0-9][[:alnum:].]*|[^ ;:()]+,[^ ;:()]+)(?![[:alnum:]])"

# argument returns a flag of the program, maybe with a value, as an argument of R.
argument <- function(flag) {
  if (grepl("[:\"]$", flag)) return(gsub("-", "_", substring(flag, 3)))
  if (startsWith(flag, "--set ")) flag <- paste0("--", gsub("_", "-", argument_of(sub("^--set ([^=]*).*", "\\1", flag))), sub("^[^=]*", "", flag))
  name <- gsub("-", "_", sub("^--([a-z][a-z-]*).*", "\\1", flag))
  value <- gsub("^[= ]|'", "", sub("^--[a-z][a-z-]*", "", flag))
  if (!nzchar(value)) return(paste(name, if (name %in% c("all", "json")) "= TRUE" else "= ..."))
  plain <- value %in% c("true", "false") || grepl("^-?[0-9]+(\\.[0-9]*)?$", value)
  paste(name, "=", if (plain) sub("true", "TRUE", sub("false", "FALSE", value)) else dQuote(value, FALSE))
}

# call_of returns a call with the flags in a text as further arguments.
call_of <- function(call, text) {
  flags <- regmatches(text, gregexpr("--[a-z-]+([= ][^-( ][^ ]*)?", text))[[1]]
  set <- ifelse(grepl("[= ]", flags), flags, paste0(flags, "=true"))
  paste0(paste(c(call, vapply(set, argument, "")), collapse = ", "), ")")
}

# less returns a text with the number behind a word less by 1.
less <- function(text, word) {
  number <- as.integer(sub(paste0(".*", word, " ([0-9]+).*"), "\\1", text))
  sub(paste0(word, " [0-9]+"), paste(word, number - 1), text)
}

# each replaces the matches of a pattern by what to returns for them.
each <- function(lines, pattern, to) {
  found <- gregexpr(pattern, lines, perl = TRUE)
  regmatches(lines, found) <- lapply(regmatches(lines, found), function(matches) vapply(matches, to, ""))
  lines
}

temporary <- function() normalizePath(tempdir())
