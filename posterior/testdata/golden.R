# Writes golden.json: draws, and what the R package posterior says of them.
# Run: Rscript golden.R > golden.json
# Results are strings, for JSON knows neither NaN (here for NA) nor Inf.
suppressMessages(library(posterior))
set.seed(1)

ar <- function(n, chains, phi) replicate(chains, arima.sim(list(ar = phi), n))
iid <- function(n, chains) matrix(rnorm(n * chains), n)

cases <- list(  # a column a chain
  iid = iid(100, 4),
  ar_positive = ar(100, 4, 0.9),
  ar_antithetic = ar(100, 4, -0.5),
  ar_strongly_antithetic = ar(50, 2, -0.95),
  alternating = outer(1:20, 1:2, function(t, c) (-1)^t * c + t / 1000),
  shifted = sweep(iid(50, 4), 2, c(0, 0, 0, 2), "+"),
  scaled = sweep(iid(50, 4), 2, c(1, 1, 1, 5), "*"),
  trend = iid(50, 4) + 1:50 / 10,
  cauchy = matrix(rcauchy(200), 50),
  counts = matrix(rpois(200, 3), 50),
  binary = matrix(rbinom(100, 1, 0.3), 50),      # 95% quantile is the maximum
  two_values = matrix(rep(c(0, 1, 1, 0), 10), 20),  # constant when folded
  odd = iid(51, 3),
  one_chain = ar(100, 1, 0.5),
  two_chains = ar(60, 2, 0.5),
  short = iid(10, 4),
  six = iid(6, 2),
  five = iid(5, 2),
  four = iid(4, 2),
  one_draw = iid(1, 4),
  constant = matrix(3.7, 20, 2),
  stuck_apart = matrix(rep(c(1.1, 2.3, 2.6), each = 20), 20),
  two_stuck_apart = matrix(rep(c(1.1, 2.3), each = 20), 20),  # constant when folded
  one_stuck = cbind(iid(40, 2), 0.1),
  offset = 1e6 + ar(50, 2, 0.5),                 # large mean, small spread
  tiny = 1e-18 * (1:20) %o% c(1, -1)             # below the tolerance
)

text <- function(x) ifelse(is.na(x), "NaN", sprintf("%.17g", x))
one <- function(name) {
  x <- cases[[name]]
  x[] <- as.numeric(sprintf("%.9g", x))          # short in the file, and exact
  q <- quantile(x, c(0.05, 0.5, 0.95), names = FALSE)
  r <- c(mean = mean(x), sd = sd(x), mcse_mean = mcse_mean(x),
         q5 = q[1], q50 = q[2], q95 = q[3], rhat = rhat(x),
         ess_bulk = ess_bulk(x), ess_tail = ess_tail(x), ess_mean = ess_mean(x))
  chains <- apply(x, 2, function(d) paste0("[", paste(sprintf("%.9g", d), collapse = ","), "]"))
  sprintf('{"name": "%s",\n "results": {%s},\n "chains": [\n  %s]}', name,
          paste0('"', names(r), '": "', text(r), '"', collapse = ", "),
          paste(chains, collapse = ",\n  "))
}
cat(sprintf('{"source": "golden.R with %s, posterior %s",\n"cases": [\n%s\n]}\n',
            R.version.string, packageVersion("posterior"),
            paste(suppressWarnings(sapply(names(cases), one)), collapse = ",\n")))
