"""Run the samplers of pgfa (https://github.com/Roth-Lab/pgfa) on the data of TestPeer.

Usage: pgfa.py CHECKOUT FOLDER SECONDS [SAMPLER...]

FOLDER has x-S.csv, of which empty cells are missing, and truth-S.csv for each data set S.
Writes SAMPLER-S.csv: processor seconds, features, the collapsed log joint and the root mean
squared error of the missing cells after each iteration. Priors, starts and samplers are those
of lg/pipeline in https://github.com/Roth-Lab/pgfa_experiments, run ibp_20.
"""
import csv
import glob
import os
import sys
import time

for name in ("NUMBA", "MKL", "OMP", "OPENBLAS"):
    os.environ[name + "_NUM_THREADS"] = "1"

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.special import gammaln

np.int, np.float = int, float  # pgfa was written for numpy before 1.24
checkout, folder, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
sys.path.insert(0, checkout)
import pgfa.feature_allocation_distributions as allocations
import pgfa.models.linear_gaussian as lg
import pgfa.utils

SAMPLERS = {
    "gibbs": dict(updater="g"),
    "gibbs-annealed": dict(updater="g", annealing_iters=100, annealing_steps=100),
    "pg": dict(updater="pg", kwargs=dict(annealing_power=1.0, num_particles=20, resample_scheme="multinomial", resample_threshold=0.5, test_path="zeros")),
    "dpf": dict(updater="dpf", kwargs=dict(annealing_power=1.0, num_particles=20, test_path="zeros")),
}


def score(data, truth, params):
    """Return log p(X, Z | scales, mass) without the loadings, and the error of their mean."""
    z = params.Z[:, params.Z.sum(0) > 0].astype(float)
    (n, k), r = z.shape, params.tau_v / params.tau_x
    total = errors = 0.0
    for x, true in zip(data.T, truth.T):
        seen = ~np.isnan(x)
        zo, xo = z[seen], x[seen]
        factor = cho_factor(zo.T @ zo + r * np.eye(k), lower=True)
        mean = cho_solve(factor, zo.T @ xo)
        total += 0.5 * len(xo) * np.log(params.tau_x / (2 * np.pi)) + 0.5 * k * np.log(r)
        total -= np.log(np.diag(factor[0])).sum() + 0.5 * params.tau_x * (xo @ xo - xo @ zo @ mean)
        errors += np.square(true[~seen] - z[~seen] @ mean).sum()
    m, (_, equal) = z.sum(0), np.unique(z, axis=1, return_counts=True)
    total += k * np.log(params.alpha) - params.alpha * (1 / np.arange(1, n + 1)).sum()
    total += (gammaln(m) + gammaln(n - m + 1) - gammaln(n + 1)).sum() - gammaln(equal + 1).sum()
    return k, total, np.sqrt(errors / np.isnan(data).sum())


def updater(config):
    kwargs = dict(config.get("kwargs", {}), singletons_updater=lg.CollapsedSingletonsUpdater())
    steps = {name: config.get(name, 1) for name in ("annealing_iters", "annealing_steps")}
    return lg.ModelUpdater(pgfa.utils.get_feat_alloc_updater(updater=config["updater"], updater_kwargs=kwargs, **steps))


def start(data):
    params = lg.simulate_params(alpha=1.0, tau_v=1.0, tau_x=1.0, D=data.shape[1], K=None, N=len(data))
    return lg.Model(data, allocations.get_feature_allocation_distribution(None), params=params)


def run(config, data, truth, seconds, write):
    pgfa.utils.set_seed(0)
    model, update, spent = start(data), updater(config), 0.0
    while spent < seconds:
        began = time.process_time()
        update.update(model)
        spent += time.process_time() - began
        write(["%.3f" % spent] + ["%d" % c if c == int(c) else "%.4f" % c for c in score(data, truth, model.params)])


for name in sorted(glob.glob(os.path.join(folder, "x-*.csv"))):
    number = name[:-4].rsplit("-", 1)[1]
    data = np.genfromtxt(name, delimiter=",", skip_header=1)
    truth = np.genfromtxt(os.path.join(folder, "truth-%s.csv" % number), delimiter=",", skip_header=1)
    for sampler in sys.argv[4:] or SAMPLERS:
        run(SAMPLERS[sampler], data[:20], truth[:20], 0.01, lambda row: None)  # compile
        with open(os.path.join(folder, "%s-%s.csv" % (sampler, number)), "w", buffering=1) as out:
            write = csv.writer(out).writerow
            write(["seconds", "features", "log joint", "rmse"])
            run(SAMPLERS[sampler], data, truth, seconds, write)
