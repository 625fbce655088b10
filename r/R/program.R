# Runs the program aibd.

aibd_program <- function(required = TRUE) {
  places <- c(getOption("aibd.program", ""), Sys.getenv("AIBD"), system.file("bin", "aibd", package = "aibd"), Sys.which("aibd"))
  found <- places[nzchar(places)]
  if (length(found)) return(found[[1L]])
  if (required) {
    stop("found no program aibd: install the package that has it (make r-package), put aibd on the PATH, or name it: options(aibd.program = \"/path/of/aibd\")")
  }
  ""
}

# run_aibd runs the program in a directory and returns the lines that it prints. Its
# progress becomes messages if progress is TRUE, and so do its notes if notes is TRUE. An interrupt of R stops the program, which
# first saves its draws. Errors have the line that the program prints, and a class for its
# exit status.
run_aibd <- function(args, cwd = ".", progress = FALSE, notes = FALSE) {
  folder <- tempfile("aibd-")
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  file <- function(name) file.path(folder, name)
  # The program ignores the interrupts of the terminal and is stopped by SIGTERM, once. An empty
  # line every 0.2 s lets R look for interrupts while the program prints nothing.
  script <- sprintf("cd %s && trap '' INT && { while sleep 0.2 >&2; do echo; done & sh -c 'echo $$ > \"$0\"; exec \"$@\"' %s %s 2>&1 >%s; echo $? >%s; kill $! 2>/dev/null; }",
    shQuote(cwd), shQuote(file("pid")), paste(shQuote(c(aibd_program(), args)), collapse = " "), shQuote(file("out")), shQuote(file("status")))
  lines <- character()
  follow <- function(con) {
    while (length(line <- readLines(con, 1L, encoding = "UTF-8"))) {
      Sys.sleep(1e-3) # R looks for interrupts here
      if (!nzchar(line)) next
      lines <<- c(lines, line)
      if (notes && grepl("^(Note:?|Left out) ", line)) message("aibd: ", in_r(sub("^Left out +", "left out: ", sub("^Note:? +", "", line))))
      else if (progress && !startsWith(line, "aibd: ")) message(in_r(line))
    }
  }
  con <- pipe(script, "r")
  tryCatch(follow(con), interrupt = function(i) {
    pskill(as.integer(readLines(file("pid"))), SIGTERM)
    follow(con)
  }, finally = close(con))
  status <- if (file.exists(file("status"))) as.integer(readLines(file("status"))) else 1L
  told <- in_r(sub("^aibd: ", "", grep("^aibd: ", lines, value = TRUE)))
  if (status == 0L) {
    if (notes) for (note in told) message("aibd: ", note)
    return(readLines(file("out"), encoding = "UTF-8"))
  }
  message <- if (length(told)) told[length(told)] else sprintf("aibd ended with status %d", status)
  class <- switch(as.character(status), "2" = "aibd_usage_error", "3" = , "4" = "aibd_not_agreed", "130" = "aibd_interrupted")
  stop(program_error(message, class))
}

# program_error returns an error of the program.
program_error <- function(message, class) {
  structure(class = c(class, "aibd_error", "error", "condition"), list(message = message, call = NULL))
}

# exact returns numbers as text that reads back the same.
exact <- function(x) {
  text <- if (is.double(x)) sprintf("%.17g", x) else as.character(x)
  ifelse(is.na(x), "NA", text)
}

# flags returns a list of settings as flags of the program, or as keys of --set if they have no flag and the verb takes a spec.
flags <- function(settings, spec = TRUE) {
  if (length(settings) && (is.null(names(settings)) || any(!nzchar(names(settings))))) {
    stop("found a setting without a name, expected name = value")
  }
  settings <- Filter(Negate(is.null), settings)
  as.character(unlist(lapply(names(settings), function(name) {
    value <- settings[[name]]
    text <- if (is.logical(value)) tolower(as.character(value)) else exact(value)
    if (name != "distance") text <- paste(text, collapse = ",") # several distances are a flag each
    key <- if (spec) setting_keys[gsub("[.-]", "_", name)] else NA
    if (is.na(key) && startsWith(name, "distance.")) key <- name # of one of several distances
    if (is.na(key)) sprintf("--%s=%s", gsub("[._]", "-", name), text) else sprintf("--set=%s=%s", key, text)
  })))
}

# write_table writes a matrix or data frame of numbers and text with names of the rows.
write_table <- function(x, items, file) {
  x <- as.data.frame(x, optional = TRUE)
  quote <- function(s) paste0("\"", gsub("\"", "\"\"", s), "\"")
  x[] <- lapply(x, function(column) {
    if (inherits(column, "difftime")) column <- as.double(column, units = "days") # as differences of dates
    if (inherits(column, "POSIXt")) column <- format(column, "%Y-%m-%dT%H:%M:%OS6Z", tz = "UTC")
    if (is.numeric(column)) exact(column) else ifelse(is.na(column), "NA", quote(column))
  })
  rows <- do.call(paste, c(list(quote(items)), unname(x), sep = ","))
  writeLines(enc2utf8(c(paste(c("\"\"", quote(names(x))), collapse = ","), rows)), file, useBytes = TRUE)
}

# write_allocations writes one matrix of 0 and 1 or a list of them to a file.
write_allocations <- function(allocations, file) {
  if (is.matrix(allocations)) allocations <- list(allocations)
  text <- unlist(lapply(allocations, function(z) {
    if (!is.matrix(z)) stop("found a feature allocation that is not a matrix")
    c(if (ncol(z)) apply(z, 1, paste, collapse = ",") else rep("-", nrow(z)), "")
  }))
  writeLines(text, file)
}
