needs_program()

test_that("an interrupt keeps the draws, and the run can be resumed", {
  script <- tempfile(fileext = ".R")
  folder <- tempfile()
  ended <- tempfile()
  writeLines(c("library(aibd)", sprintf("set.seed(1); x <- matrix(rnorm(40), 10); r <- tryCatch(aibd_fit(x, out = \"%s\", warmup = 10, draws = 4000, checkpoint = 0), error = identity)", folder),
    "cat(class(r)[1], \"\\n\")", sprintf("invisible(file.create(\"%s\"))", ended)), script)
  con <- pipe(sprintf("echo $$; exec %s --no-echo -f %s 2>&1", shQuote(file.path(R.home("bin"), "R")), shQuote(script)), "r")
  on.exit(close(con))
  pid <- as.integer(readLines(con, 1))
  run <- file.path(folder, "run")
  for (i in 1:36000) { # half an hour, which only a very slow machine needs
    if (file.exists(ended) || length(Sys.glob(file.path(run, "chain-4", "draws-*.parquet")))) break
    Sys.sleep(0.05)
  }
  tools::pskill(pid, tools::SIGINT)
  out <- readLines(con)
  expect_match(out, "aibd_interrupted", all = FALSE)
  stopped <- aibd_load(run)
  n <- sum(stopped$draws$.chain == 1)
  expect_true(n > 0 && n < 4000)
  resumed <- unwarned(aibd_resume(stopped))
  expect_identical(nrow(resumed$draws), 16000L)
  expect_identical(resumed$draws$mass[1:n], stopped$draws$mass[1:n])
})

test_that("a run that was begun is kept and named, whatever ends the fit", {
  x <- matrix(rnorm(10), 5)
  fails <- function(ends, message) {
    e <- with_program(c("mkdir run; echo {} > run/run.json", ends), tryCatch(suppressWarnings(aibd_fit(x)), error = identity))
    expect_match(conditionMessage(e), message)
    expect_true(file.exists(file.path(e$path, "run.json")))
    e
  }
  fails("echo 'aibd: disk full' >&2; exit 1", "^disk full; aibd_load")
  fails("exit 0", "; aibd_load") # there are no draws to read
  # The program prints nothing and ends when it is stopped.
  silent <- c("trap 'exit 130' TERM", sprintf("kill -INT %d", Sys.getpid()), "for i in $(seq 600); do sleep 0.1; done")
  expect_s3_class(fails(silent, "^aibd ended with status 130; aibd_load"), "aibd_interrupted")
  # The program interrupts R, and once more while it saves.
  interrupt <- sprintf("sleep 0.5; kill -INT %d; sleep 0.5", Sys.getpid())
  e <- fails(c(sprintf("trap '%s; exit 130' TERM", interrupt), interrupt, "sleep 5"), "^interrupted; aibd_load")
  expect_s3_class(e, "aibd_interrupted")
})

test_that("a fit that begins no run leaves no directory", {
  before <- dir(tempdir(), "^aibd-fit-")
  expect_error(aibd_fit(matrix(rnorm(10), 5), draws = 0), "draws")
  expect_identical(setdiff(dir(tempdir(), "^aibd-fit-"), before), character()) # others may go with their fits
})
