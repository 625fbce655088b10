"""Settings of a fit as arguments of the program: flags, and keys of ``--set KEY=VALUE``."""

from __future__ import annotations

# Settings without a flag, by table of a spec file.
_OF_TABLES = {
    "data": "file header preset holdout_file intercept noise min_noise sample",
    "prior": "proximity decay_shift temperature_unit",
    "sampler": "skip until anneal other_updates shuffle_size insertions step_temperature step_sigma_x step_sigma_a"
    " step_correlation tune init",
}


def _keys() -> dict[str, str]:
    keys = {name: f"{table}.{name}" for table, names in _OF_TABLES.items() for name in names.split()}
    distance = "columns period standardize shift file".split()
    keys.update({f"distance_{name}": f"distance.{name}" for name in distance})
    keys["order_by"] = "prior.permutation.column"
    parameters = {name: f"prior.{name}" for name in ("mass", "temperature", "sigma_x", "sigma_a")}
    for name, key in {**parameters, "distance_temperature": "distance.temperature"}.items():
        keys.update({name: f"{key}.value", f"fix_{name}": f"{key}.fixed"})
        keys.update({f"{name}_{of}": f"{key}.{of}" for of in ("shape", "rate")})
    for name in ("sigma_x", "sigma_a"):
        keys.update({f"{of}_{name}": f"prior.{name}.{of}" for of in ("max", "mean")})
    return keys


# The keys of the arguments that have no flag, and the arguments by key.
KEYS = _keys()
ARGUMENTS = {key: name for name, key in KEYS.items()}
