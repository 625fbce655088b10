"""Prints the values of a file that aibd export wrote."""

import csv
import json
import sys

import numpy as np


def line(name, values):
    def text(v):
        if isinstance(v, (float, np.floating)):
            return "NA" if np.isnan(v) else "%.17g" % v
        return str(v)

    print(" ".join([name] + [text(v) for v in values]))


def from_arrays(get, chain, draws, spec):
    """Prints arrays over chains and draws; get returns one by group and name, or None."""
    planned = 10
    line(".chain", np.repeat(chain, draws))
    line(".iteration", np.tile(np.arange(1, draws + 1), len(chain)))
    line(".draw", [(c - 1) * planned + i for c in chain for i in range(1, draws + 1)])
    for name in ["mass", "temperature", "sigma_x", "sigma_a", "weight_common", "weight_near", "weight_rate", "weight_own", "n_features", "n_ones"]:
        if (values := get("posterior", name)) is not None:
            line(name, values.ravel())
    for name in ["log_lik", "log_prior"]:
        line(name, get("sample_stats", name).ravel())
    cut = 1
    while (values := get("posterior", f"cutpoint_{cut}")) is not None:
        line(f"cutpoint_{cut}", values.ravel())
        cut += 1
    if (scales := get("posterior", "noise_scale")) is not None:
        assert scales.shape == (len(chain), draws, 3)
        for j in range(3):
            line(f"noise_scale_{j + 1}", scales[:, :, j].ravel())
    if (order := get("posterior", "permutation")) is not None:
        line("permutation", order.ravel() + 1)
    n_features = get("posterior", "n_features")
    for c in range(len(chain)):
        for d in range(draws):
            z = get("posterior", "Z")[c, d]
            assert not z[:, n_features[c, d]:].any()
            line("Z", [n_features[c, d], *z[:, : n_features[c, d]].ravel()])
    if (w := get("posterior", "W")) is not None:
        assert w.dtype == np.float32 and not w[get("posterior", "Z") == 0].any()
        for c in range(len(chain)):
            for d in range(draws):
                line("W", [n_features[c, d], *w[c, d, :, : n_features[c, d]].ravel()])
    line("X", get("observed_data", "X").ravel())
    for group in ["log_likelihood", "posterior_predictive"]:
        line(group, get(group, "X").ravel())
    assert spec == {"a": {"b": [1, 2.5], "c": None, "d": True}, "e": "ü\n"}


def from_rows(rows, items):
    """Prints a table, given as dictionaries; a feature is a list of items."""
    for name in rows[0]:
        if name == "permutation":
            line(name, [v for row in rows for v in row[name]])
        elif name == "features":
            for row in rows:
                z = [[int(i in f) for f in row[name]] for i in range(1, items + 1)]
                line("Z", [len(row[name]), *[v for r in z for v in r]])
        elif name == "weights":
            for row in rows:
                of = [dict(zip(f, np.float32(w))) for f, w in zip(row["features"], row[name])]
                line("W", [len(of), *[np.float32(f.get(i, 0)) for i in range(1, items + 1) for f in of]])
        else:
            line(name, [row[name] for row in rows])


def parse(row):
    """Returns the values of a line of CSV."""
    parsed = {}
    for name, text in row.items():
        if name == "permutation":
            parsed[name] = [int(v) for v in text.split()]
        elif name == "features":
            parsed[name] = [[int(v) for v in f.split()] for f in text.split("|") if f]
        elif name == "weights":
            parsed[name] = [[float(v) for v in f.split()] for f in text.split("|") if f]
        else:
            parsed[name] = int(text) if name[0] == "." or name[:2] == "n_" else float(text)
    return parsed


file = sys.argv[1]
if file.endswith(".npz"):
    with np.load(file) as d:
        names = {(group, "X"): group for group in ["log_likelihood", "posterior_predictive"]}
        from_arrays(lambda group, name: d.get(names.get((group, name), name)), d["chain"], d["mass"].shape[1], json.loads(str(d["spec"])))
        assert json.loads(str(d["summary"])) == {"ok": [True]}
        line("items", d["items"])
        line("variables", d["variables"])
elif ".zarr" in file:
    import xarray
    import zarr

    store = zarr.ZipStore(file, mode="r") if file.endswith(".zip") else file
    groups = {g: xarray.open_zarr(store, group=g).load() for g, _ in zarr.open(store, mode="r").groups()}
    assert set(groups) == {"posterior", "sample_stats", "observed_data", "log_likelihood", "posterior_predictive"}
    stats, of = groups["sample_stats"], groups["log_likelihood"]
    assert (stats.lp == stats.log_lik + stats.log_prior).all()
    assert (of.item == groups["observed_data"].item).all() and of.X.dims == ("chain", "draw", "item", "variable")

    def get(group, name):
        return groups[group][name].values if name in groups[group] else None

    from_arrays(get, of.chain.values, len(of.draw), zarr.open(store, mode="r").attrs["aibd_spec"])
    line("items", of.item.values)
    line("variables", of.variable.values)
    assert "noise_scale" not in groups["posterior"] or (groups["posterior"].variable == of.variable).all()
else:
    with open(file, newline="") as f:
        from_rows([parse(row) for row in csv.DictReader(f)], 11)
