# Writes loo.json: log likelihoods, and what the R package loo says of them.
# Run: Rscript loo.R > loo.json
# Numbers are strings, for JSON knows neither NaN nor Inf.
suppressMessages(library(loo))
set.seed(1)

ar <- function(n, phi) as.numeric(arima.sim(list(ar = phi), n))
two <- function(a, b) cbind(a, b)

cases <- list(  # a column a point, all chains below each other; chains
  normal = list(matrix(rnorm(300, -1, 0.3), 100), 2),
  correlated = list(two(ar(200, 0.9), ar(200, -0.5)) / 4, 4),
  heavy = list(-matrix(rexp(240) * 1.5, 80), 4),
  very_heavy = list(-two(exp(rnorm(100)), rcauchy(100)^2), 2),
  ties = list(two(-rep(1:5, 12), -round(rexp(60), 1)), 2),
  tied_tail = list(two(-rep(1:2, 30), -c(rep(0, 57), 1, 2, 3)), 2),
  constant = list(two(rep(-1, 50), rnorm(50)), 1),
  far = list(two(rnorm(60) - 1e5, rnorm(60) + 700), 2),
  few = list(matrix(rnorm(40), 20), 2),
  enough = list(matrix(rnorm(42), 21), 1),
  one_chain = list(matrix(rnorm(90), 30), 1)
)

num <- function(x) paste0('"', formatC(x, digits = 17, width = 1, format = "g"), '"')
list_of <- function(x) paste0("[", paste(num(x), collapse = ", "), "]")
entries <- function(x) paste0("[", paste(formatC(x, digits = 6, width = 1, format = "g"), collapse = ", "), "]")
sep <- "["
cat('{"source": "loo.R with ', R.version.string, ", loo ", as.character(packageVersion("loo")), '",\n"cases": ', sep = "")
for (name in names(cases)) {
  ll <- signif(cases[[name]][[1]], 6)
  chains <- cases[[name]][[2]]
  id <- rep(seq_len(chains), each = nrow(ll) / chains)
  suppressMessages(suppressWarnings({
    eff <- relative_eff(exp(ll - rep(apply(ll, 2, max), each = nrow(ll))), chain_id = id)
    eff[is.na(eff)] <- 1
    fit <- loo(ll, r_eff = eff)
    weights <- psis(-ll, r_eff = eff)$log_weights
  }))
  p <- fit$pointwise
  cat(sep, '{"name": "', name, '", "chains": ', chains, ",\n", sep = "")
  cat(' "estimates": ', list_of(t(fit$estimates)), ",\n", sep = "")
  cat(' "r_eff": ', list_of(eff), ', "elpd": ', list_of(p[, "elpd_loo"]), ', "p": ', list_of(p[, "p_loo"]),
    ', "k": ', list_of(fit$diagnostics$pareto_k), ",\n", sep = "")
  cat(' "log_weights": ', list_of(weights[, 1]), ",\n", sep = "")
  cat(' "log_lik": [', paste(apply(ll, 2, entries), collapse = ",\n  "), "]}", sep = "")
  sep <- ",\n"
}
cat("]}\n")
