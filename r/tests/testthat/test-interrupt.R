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
  resumed <- aibd_resume(stopped)
  expect_identical(nrow(resumed$draws), 16000L)
  expect_identical(resumed$draws$mass[1:n], stopped$draws$mass[1:n])
})
