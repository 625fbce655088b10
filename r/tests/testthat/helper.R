# The tests run the program that AIBD names or that is on the PATH.
needs_program <- function() skip_if(!nzchar(aibd_program(FALSE)), "no program aibd")

expect_near <- function(a, b) expect_equal(a, b, tolerance = 1e-12)

# Three items at distances far above 1, and an allocation of them.
d <- matrix(c(0, 1.00001, 11.00001, 1.00001, 0, 10.00001, 11.00001, 10.00001, 0), 3)
z <- rbind(c(1, 1, 0, 1), c(1, 1, 1, 1), 0)

short <- function(x, ...) {
  settings <- modifyList(list(x = x, warmup = 50, draws = 60, chains = 2, seed = 3), list(...))
  unwarned(do.call(aibd_fit, settings))
}

# unwarned evaluates an expression without the warnings about chains that are too short to agree.
unwarned <- function(expr) {
  withCallingHandlers(expr, aibd_warning = function(w) invokeRestart("muffleWarning"))
}

# with_program evaluates an expression with a shell script as the program.
with_program <- function(lines, expr) {
  program <- tempfile()
  writeLines(c("#!/bin/sh", lines), program)
  Sys.chmod(program, "755")
  old <- aibd_program()
  on.exit(Sys.setenv(AIBD = old))
  Sys.setenv(AIBD = normalizePath(program))
  expr
}
