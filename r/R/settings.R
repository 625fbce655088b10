# Settings of a fit as arguments of the program: flags, and keys of --set KEY=VALUE.

# setting_keys are the keys of the arguments that have no flag, by argument.
setting_keys <- local({
  of <- function(table, names) {
    names <- strsplit(names, " ")[[1]]
    structure(paste0(table, ".", names), names = names)
  }
  keys <- c(
    of("data", "file header preset holdout_file intercept noise min_noise sample"),
    of("prior", "proximity decay_shift temperature_unit"),
    of("sampler", "skip until anneal other_updates shuffle_size insertions step_temperature step_sigma_x step_sigma_a step_correlation tune init"),
    order_by = "prior.permutation.column")
  distance <- c("columns", "period", "standardize", "shift", "file")
  keys[paste0("distance_", distance)] <- paste0("distance.", distance)
  of_parameter <- function(name, key) structure(paste0(key, c(".value", ".fixed", ".shape", ".rate")), names = paste0(c("", "fix_", "", ""), name, c("", "", "_shape", "_rate")))
  for (name in c("mass", "temperature", "sigma_x", "sigma_a")) keys <- c(keys, of_parameter(name, paste0("prior.", name)))
  keys <- c(keys, of_parameter("distance_temperature", "distance.temperature"))
  for (name in c("sigma_x", "sigma_a")) keys[paste0(c("max_", "mean_"), name)] <- paste0("prior.", name, c(".max", ".mean"))
  keys
})

# argument_of returns the argument that has a key, or the key.
argument_of <- function(key) if (key %in% setting_keys) names(setting_keys)[match(key, setting_keys)] else key
