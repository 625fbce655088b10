needs_program()
set.seed(2)
n <- 24
table <- data.frame(a = rnorm(n), b = rnorm(n), row.names = paste0("i", 1:n))
brief <- function(...) aibd_fit(..., warmup = 5, draws = 20, chains = 2, seed = 1, features = "binary")
# told returns the messages of an expression.
told <- function(expr) {
  all <- character()
  withCallingHandlers(unwarned(expr), message = function(m) {
    all <<- c(all, sub("\n$", "", conditionMessage(m)))
    invokeRestart("muffleMessage")
  })
  all
}
said <- function(expr) tryCatch(expr, error = conditionMessage)

test_that("notes are messages with the arguments of R, also without progress", {
  places <- data.frame(table, lon = 1:n + 0.5, lat = cos(1:n), firm = rep(1:8, each = 3), "-9" = 1, check.names = FALSE)
  notes <- told(brief(places, progress = FALSE))
  expect_match(notes, "^aibd: columns \"lon\" and \"lat\" are in X: distance = \"great-circle\" measures distances with them, columns = \"!lon,!lat\" leaves them out$", all = FALSE)
  expect_match(notes, "^aibd: whole numbers .* may be codes: firm .*columns = \"!firm\" leaves them out", all = FALSE)
  expect_match(notes, "^aibd: left out: -9: ", all = FALSE)
  expect_false(any(grepl("--|\\.csv|/", notes)))
})

test_that("what the program says is in words of R", {
  say <- aibd:::in_r
  expect_identical(say("--distance euclidean:x,y measures distances with them, --columns '!x,!y' leaves them out"),
    "distance = \"euclidean:x,y\" measures distances with them, columns = \"!x,!y\" leaves them out")
  expect_identical(say("not scaled (--scale=false keeps the units; --missing -9; --binary and --ordinal)"),
    "not scaled (scale = FALSE keeps the units; missing = -9; binary = ... and ordinal = ...)")
  expect_identical(say("  aibd resume a/run --budget 30m   # why"), "  aibd_resume(fit, budget = \"30m\")   # why")
  expect_identical(say("  aibd fit run/run.json --features weighted --out run-2   # why"), "  aibd_fit(x, ..., features = \"weighted\")   # why")
  expect_identical(say("a scale (--set data.noise=common); (--set data.intercept=true)"), "a scale (noise = \"common\"); (intercept = TRUE)")
  expect_identical(say("... and 7 more (--json lists all)"), "... and 7 more (json = TRUE lists all)")
  expect_identical(say("  aibd fit run/run.json --set sampler.skip=0 --thin 1 --out run-2"), "  aibd_fit(x, ..., skip = 0, thin = 1)")
  expect_identical(say("prior.mass.shape: found -1"), "mass_shape: found -1")
  expect_identical(say("--columns: x: line 4, column \"a\": bad"), "columns: x: row 3, column \"a\": bad")
  expect_identical(say("a -- b, x--y"), "a -- b, x--y")
  expect_identical(say("aibd report run (a page), aibd compare run --baseline (why)"), "aibd_report(fit, file) (a page), aibd_call(fit, \"compare\", baseline = TRUE) (why)")
  expect_identical(say("aibd compare run --features binary,graded (why)"), "aibd_call(fit, \"compare\", features = \"binary,graded\") (why)")
  expect_false(any(grepl("--", told(brief(table, prior = "ibp", progress = TRUE)))))
})

test_that("dates measure distances and are not data", {
  dated <- data.frame(table, when = as.Date("2020-01-01") + (1:n)^2)
  notes <- told(fit <- brief(dated, distance = "absolute", distance_columns = "when"))
  expect_identical(fit$variables, c("a", "b"))
  same <- unwarned(brief(table, distance = data.frame(when = (1:n)^2)))
  expect_identical(fit$draws$temperature, same$draws$temperature)
  expect_identical(told(fit <- brief(dated))[1:2], c("aibd: left out: when: dates (they can measure distances: distance = \"absolute:when\")", "aibd: no distances are given (distance = ...): the law is ibp"))
})

test_that("a verdict that warns is a warning", {
  expect_warning(fit <- brief(table, prior = "ibp"), "not agree.*: R-hat.*print\\(fit\\) says what to try$", class = "aibd_warning")
  expect_warning(aibd_resume(fit, more = 5), "not agree.*: ", class = "aibd_warning")
})

test_that("a fit to a matrix of distances says before sampling what predict needs", {
  ran <- NA
  note <- "^aibd: distance: predict needs positions or coordinates of new items"
  with_program(c("touch \"$0.ran\"", "exit 1"), expect_error(withCallingHandlers(brief(table, distance = dist(table)), message = function(m) {
    if (grepl(note, conditionMessage(m))) ran <<- file.exists(paste0(aibd_program(), ".ran"))
    invokeRestart("muffleMessage")
  })))
  expect_false(ran)
  notes <- told(fit <- brief(table, distance = dist(table)))
  expect_match(notes, note, all = FALSE)
  expect_error(predict(fit, table[1, ]), "^newdata: found a fit to a matrix of distances")
  expect_false(any(grepl("predict needs", told(brief(table, distance = 1:n)))))
})

test_that("logical columns are 0 and 1, and so are factors and text of two kinds", {
  mixed <- data.frame(table, big = table$a > 0, sex = factor(rep(c("m", "f", NA), n / 3)), part = rep(c("u", "v"), n / 2),
    site = factor(rep(c("p", "q", "r"), n / 3)), code = factor(rep(1:3, n / 3)), stringsAsFactors = FALSE)
  notes <- told(fit <- brief(mixed, prior = "ibp", center = FALSE, scale = FALSE))
  expect_identical(fit$variables, c("a", "b", "big", "sex", "part"))
  expect_equal(unname(fit$X[, "big"]), as.double(mixed$big))
  expect_equal(unname(fit$X[, "part"]), rep(c(0, 1), n / 2))
  expect_identical(is.na(unname(fit$X[, "sex"])), is.na(mixed$sex))
  expect_identical(grep("sex|part", notes, value = TRUE)[1:2], c("aibd: x: column sex: f is 0 and m is 1", "aibd: x: column part: u is 0 and v is 1"))
  expect_match(notes, "^aibd: left out: site: text of a few kinds .*distance = \"same:COLUMN\"", all = FALSE)
  expect_match(notes, "^aibd: x: left out.*: code \\(1, 2, 3\\)\\. .*model.matrix", all = FALSE)

  # New items have the numbers of the fit, also if it is read again.
  new <- mixed[1, ]
  new$a <- NA
  new$sex <- "f"
  same <- new
  same$sex <- 0
  same$part <- 0
  again <- aibd_load(fit$path)
  expect_identical(predict(again, new, seed = 1), predict(fit, same, seed = 1))
  new$part <- "w"
  expect_error(predict(again, new), "^newdata: column part: found \"w\", expected \"u\" or \"v\"$")
})

test_that("text of numbers with commas and marks of missing cells is numbers", {
  sales <- table$a * 1e4
  written <- data.frame(sales = format(sales, big.mark = ",", trim = TRUE, digits = 12), level = as.character(table$b), name = row.names(table), stringsAsFactors = FALSE)
  written$sales[3] <- "n/a"
  written$level[5] <- "?"
  notes <- told(fit <- brief(written, prior = "ibp", center = FALSE, scale = FALSE))
  expect_identical(fit$variables, c("sales", "level"))
  expect_equal(unname(fit$X[, "sales"]), replace(sales, 3, NA), tolerance = 1e-9)
  expect_equal(unname(fit$X[, "level"]), replace(table$b, 5, NA), tolerance = 1e-9)
  expect_match(notes, "^aibd: x: commas between thousands in sales$", all = FALSE)
  expect_match(notes, "^aibd: left out: name: not numbers", all = FALSE)
  # Two texts may be numbers, and a mark is no third kind.
  two <- data.frame(table, size = c("1,200.5", "3,400"), sex = c("f", "m", "NaN"), stringsAsFactors = FALSE)
  X <- unwarned(brief(two, prior = "ibp", center = FALSE, scale = FALSE))$X
  expect_identical(unname(X[1:3, c("size", "sex")]), cbind(c(1200.5, 3400, 1200.5), c(0, 1, NA)))
})

test_that("errors of tables without numbers say so", {
  expect_match(said(brief(data.frame(a = letters[1:6], b = c("u", "v", "w"), stringsAsFactors = FALSE))), "^x: found no column of numbers, expected at least one")
  expect_match(said(brief(data.frame(a = c("1.5", "none", "2", "3"), stringsAsFactors = FALSE))), "^x: row 2, column \"a\": found \"none\", expected a finite number .*missing = ")
  expect_match(said(brief("lab.csv")), "^x: found the text \"lab.csv\", expected .*read.csv\\(\"lab.csv\"\\)")
  expect_match(said(brief(data.frame(a = 1:4, a = 4:1, check.names = FALSE))), "^x: column 2: found the name \"a\" again")
})

test_that("loadings, fitted values and residuals are matrices", {
  fit <- unwarned(short(table, features = "binary"))
  expect_identical(dimnames(fitted(fit)), list(row.names(table), c("a", "b")))
  expect_equal(fitted(fit) + residuals(fit), as.matrix(table), tolerance = 1e-9)
  # With an intercept and flat prior the means equal the means of the data.
  expect_equal(colMeans(fitted(fit)), colMeans(table), tolerance = 1e-6)
  expect_identical(rownames(coef(fit)), c("(intercept)", as.character(seq_len(ncol(aibd_estimate(fit))))))
  expect_identical(colnames(coef(fit)), c("a", "b"))
  expect_error(aibd_fit(as.list(1:3)), "x: found a list, expected a matrix or a data frame", fixed = TRUE)
  bare <- unwarned(brief(table, intercept = FALSE, mass = 1e-9, fix_mass = TRUE))
  expect_identical(dim(coef(bare)), c(0L, 2L))
})

test_that("files are found from the directory of R, and times are days", {
  old <- setwd(tempdir())
  on.exit(setwd(old))
  hours <- as.POSIXct("2020-01-01", tz = "UTC") + 3600 * 1:n
  d <- as.matrix(dist(1:n / 24))
  write(d, "apart.csv", n, sep = ",")
  expected <- unwarned(brief(table, distance = unname(d)))$draws$mass
  expect_equal(unwarned(brief(table, distance = "matrix:apart.csv"))$draws$mass, expected, tolerance = 1e-3)
  expect_equal(unwarned(brief(table, distance = "matrix", distance_file = "apart.csv"))$draws$mass, expected, tolerance = 1e-3)
  expect_match(said(brief(table, distance = "matrix")), "^distance: found no matrix, expected distance = the matrix itself")
  by_time <- unwarned(brief(table, distance = ~ when, side = data.frame(when = hours)))
  expect_equal(by_time$draws$mass, unwarned(brief(table, distance = 1:n / 24))$draws$mass, tolerance = 1e-3)
})

test_that("a summary prints rounded numbers", {
  text <- capture.output(print(summary(unwarned(brief(table, prior = "ibp")))))
  expect_match(text, "^mass ", all = FALSE)
  expect_false(any(grepl("[0-9]\\.[0-9]{6}", text)))
})

test_that("errors name the arguments of R and rows of data frames", {
  expect_match(said(brief(table, columns = "aa")), "^columns: x: unknown column \"aa\"")
  expect_match(said(brief(replace(table, 1, c(1:2, Inf, 4:n)))), "^x: row 3, column \"a\": found \"Inf\"")
  expect_match(said(brief(table, distance = "absolute", distance_columns = "age")), "^distance_columns: x: unknown column \"age\"")
  expect_match(said(brief(table, distance = "absolute", side = data.frame(age = rep("old", n)), distance_columns = "age")), "^distance_columns: side: row 1, column \"age\": found \"old\"")
  d <- as.matrix(dist(table))
  d[5, 2] <- -1
  expect_match(said(suppressMessages(brief(table, distance = d))), "^distance: row 5, column 2: found \"-1\"")
  expect_match(said(brief(table, distance = d[, -1])), "^distance: found 24 x 23 numbers, expected a square matrix")
  fit <- unwarned(brief(table, prior = "ibp"))
  expect_match(said(predict(fit, data.frame(a = "one", b = 2))), "^newdata: row 1, column \"a\": found \"one\"")
  expect_match(said(predict(fit, table["a"])), "^newdata: found no column \"b\"")
  expect_match(said(brief(table, chains = 0)), "^chains: found 0")
})

test_that("pictures and pages do not show a temporary folder", {
  fit <- unwarned(brief(table, distance = 1:n))
  page <- tempfile(fileext = ".html")
  aibd_report(fit, page)
  picture <- tempfile(fileext = ".svg")
  plot(fit, "trace", picture)
  text <- c(readLines(page), readLines(picture), capture.output(print(fit)))
  expect_false(any(grepl(basename(tempdir()), text, fixed = TRUE)))
  expect_match(capture.output(print(fit)), "^ *aibd_resume\\(fit, more = [0-9]+\\)", all = FALSE)
})

test_that("several distances have a temperature each, and new items take them", {
  side <- data.frame(firm = rep(c("a", "b"), n / 2), year = 1:n, row.names = rownames(table))
  fit <- unwarned(brief(table, distance = c("same:firm", "absolute:year", "both=gower:firm,year"), side = side, progress = FALSE))
  expect_true(all(fit$draws$temperature_2 > 0) && any(fit$draws$temperature != fit$draws$temperature_2))
  expect_true(all(fit$draws$temperature_3 > 0))
  new <- unwarned(predict(fit, data.frame(a = NA_real_, b = 1, row.names = "z"), side = data.frame(firm = "new", year = 3.5, row.names = "z")))
  expect_identical(nrow(new), 1L)
  fit <- unwarned(brief(table, distance = c("same:firm", "absolute:year"), side = side, progress = FALSE, distance.year.shift = 1,
    distance.firm.temperature.value = 0.5, distance.firm.temperature.fixed = TRUE))
  expect_equal(fit$spec$distance[[2]]$shift, 1)
  expect_true(all(fit$draws$temperature == 0.5) && any(fit$draws$temperature_2 != 0.5))
})
