"""Fits, and what they found."""

from __future__ import annotations

import csv
import datetime
import importlib.util
import io
import json
import os
import re
import shutil
import sys
import tarfile
import tempfile
import weakref
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Iterable, Iterator, Mapping, Optional, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _program
from ._settings import KEYS

Columns = Union[Mapping[str, Sequence[Any]], "Any"]  # a dict of columns, a data frame, or the name of a CSV file


def fit(
    X: ArrayLike,
    distance: Union[None, str, ArrayLike] = None,
    *,
    items: Optional[Sequence[str]] = None,
    variables: Optional[Sequence[str]] = None,
    side: Optional[Columns] = None,
    features: Optional[str] = None,
    out: Union[None, str, Path] = None,
    progress: _program.Progress = True,
    **settings: Any,
) -> "Fit":
    """Samples the posterior of a latent feature model.

    X is a matrix or a data frame: items in rows, variables in columns. Its index and its
    columns name them, unless items and variables do; names are distinct, and spaces around them do not
    count. The rows of a frame or a series of distances or covariates are matched by name if its index has
    the names of the items.

    Cells of a frame may be text of numbers, also with commas between thousands; NaN, None and the marks NA,
    N/A, null, . and ? are missing, and missing="x" names others. Other text and dates are left out, with a
    warning. They can measure distances, and binary=["sex"] and ordinal=["grade=low,mid,high"] take text of
    two kinds and of kinds in order.

    distance is None (the Indian buffet process, unless prior says otherwise), a square matrix
    of distances, the positions of the items on a line, also dates, which are days then, a matrix with
    a row of coordinates for each item (Euclidean distances), or a kind such as "same:firm" (absolute,
    euclidean, great-circle, same, cyclic, gower, or matrix or tree with a file), or a list of several,
    whose columns are in side or, without side, in X. side is a data frame, a dict of columns or a CSV file.

    prior is "aibd" (attraction Indian buffet distribution, the default with distances), "ddibp" (distance
    dependent Indian buffet process) or "ibp" (Indian buffet process, which knows no distances, the default
    without them).

    By default mass ~ gamma(mass_shape, rate mass_rate), temperature times median distance ~
    gamma(temperature_shape, rate temperature_rate), all four 1, the order of the items is
    uniform, and the standard deviations are exponential with the means mean_sigma_x and
    mean_sigma_a, computed from X. If all columns are categories, SigmaX is 1 and SigmaA
    uniform up to 1 with weighted features, 3 with others. Each column of numbers has a noise
    scale, which multiplies both; noise="common" is without. mass=2, fix_mass=True fixes the
    mass, and so on. NaN cells of X are unknowns that are sampled. binary=["sick"] and
    ordinal=["stars"] name columns of two values and of whole numbers that are categories in
    order; by default columns of 0 and 1 are binary if features have weights and two columns of
    numbers remain. count=["mites"] names columns of counts 0, 1, 2 and so on, whose latent values are
    square roots. log=["area"] takes logarithms of columns; by
    default those of columns with a long tail to the right if features have weights, log="none" of none.
    Columns are centered (center=True), and scaled to sd 1 if their units differ much (scale=True or False).

    features is "binary" (an item has a feature or not), "weighted" (each feature of each item
    has a weight, w ~ N(0, 1)) or "graded" (part of the weights is common to all items). With distances,
    weights of near items are alike in both. None leaves the default of the program, weighted unless a preset
    says otherwise.

    The chains (chains=4, seed=1) are sampled in rounds until they agree or budget ("5m") is used up; draws
    fixes the length, after warmup=1000 scans, and thin keeps every nth scan. strict=True raises NotAgreed if
    the chains do not agree. holdout=0.1 hides a tenth of the observed cells, for Fit.predict. cores=2 uses two
    cores (all by default); draws do not depend on it.

    progress=True prints what the program says while it runs to standard error, and a function gets each line;
    with False notes on the data are warnings.

    settings are the flags of ``aibd fit`` (``python -m aibd fit --help`` lists them) with _ for -, such as
    center=False, budget="30s" and seed=7, and the keys of ``aibd settings`` by the argument that
    ``aibd settings KEY`` names, such as mass_shape=2 and intercept=False. One of several distances has keys
    with its name, as in ``**{"distance.year.shift": 1}``. None leaves the default.

    out is a new directory for the data and the run, which is out/run. Without it they are in
    a temporary directory that the Fit removes with itself.

    Raises UsageError, DataError, NotAgreed (with strict=True) or AIBDError with the line that the program
    prints, and Interrupted after an interrupt. Draws that were saved before stay: the
    exception has the path of their run.
    """
    if "random_state" in settings:
        raise _program.UsageError('unknown argument "random_state", did you mean "seed"?')
    if items is None:
        items = _index(X)
    known = [] if variables is None else [_name(c) for c in getattr(X, "columns", ())]
    if variables is None and hasattr(X, "columns"):
        variables = X.columns
    x = _table(X)
    items = _names("items", items, len(x[0]), "")
    variables = _names("variables", variables, len(x), "x")
    folder = Path(tempfile.mkdtemp(prefix="aibd-")) if out is None else Path(out).resolve()
    if out is not None:
        try:
            folder.mkdir()
        except OSError as no:
            raise _OutError(no.errno, f"out: {no.strerror}, expected a new directory in one that is there", str(folder)) from None
    try:
        _write(folder / "X", ["", *variables], zip(items, *x))
        given = {k: _whole(v) if _is_file(k) else v for k, v in {"features": features, **settings}.items() if v is not None}
        settings = {**_distance(folder, distance, items, side), **given}
        arguments = ["fit", "X", "--out", "run", *_flags({"header": True, **settings}, "fit")]
        _program.run(arguments, cwd=folder, progress=_warns(progress))
    except BaseException as stopped:
        if not (folder / "run").exists():
            shutil.rmtree(folder)
        elif isinstance(stopped, (_program.AIBDError, _program.Interrupted)):
            stopped.path = folder / "run"
            loaded = f"aibd.load({str(stopped.path)!r})"
            stopped.args = tuple(re.sub(r"\bfit(?=\.resume\()|(?<=print\()fit(?=\))", lambda _: loaded, str(text)) for text in stopped.args)
        else:
            print(f"aibd: the draws so far are in {folder / 'run'}", file=sys.stderr)
        raise
    found = Fit(folder / "run", cwd=folder, temporary=out is None)
    found._known = known
    return found


class _OutError(_program.AIBDError, OSError):
    """A directory that cannot be made."""


def _warns(progress: _program.Progress) -> _program.Progress:
    """Returns progress with a warning in place of a line that says which columns of X are left out, unless distances
    have them, and without progress in place of notes on the data."""

    def tell(line: str) -> None:
        if line.startswith("Left out ") and ": for the distances" not in line:
            _program.warn(f"X: left out: {line[len('Left out '):].lstrip()}")
        elif not progress and line.startswith("Note ") and "no distances are given" not in line:
            _program.warn(line[len("Note "):].lstrip())
        elif progress:
            _program.teller(progress)(line)

    return tell


def load(path: Union[str, Path]) -> "Fit":
    """Reads a run and the files that it was fitted to. A run without draws, which was interrupted or prepared, has
    only a path and resume."""
    path = Path(path).resolve()
    return Fit(path, cwd=path.parent)


class Fit:
    """The draws of a run, of all chains.

    items, variables: names.
    chains: numbers of the chains that the arrays have, from one.
    X: the observations as fitted (transformed).
    spec: the settings of the run.

    ``fit["mass"]`` has the draws of a number, chains by draws. The names are in ``fit.names``.
    ``fit["noise_scale"]`` has the noise scale of each variable, chains by draws by variables.
    ``fit["permutation"]`` has the items in the order in which they arrive, from zero, and
    ``fit["Z"]`` the features, items by features, with columns of zeros behind the
    n_features of a draw; features of different draws have no common order. If features have
    weights, ``fit["W"]`` has them in the places of the ones of Z, and 0 elsewhere.
    """

    def __init__(self, path: Path, cwd: Path, temporary: bool = False) -> None:
        self.path, self._cwd = path, cwd
        self._known: list[str] = []  # columns of the frame X of fit, if variables have other names
        if temporary:
            self._remove = weakref.finalize(self, shutil.rmtree, cwd, ignore_errors=True)
        self._read()

    def _read(self) -> None:
        try:
            self._read_draws()
        except _program.AIBDError as none:
            if not str(none).endswith("found no draws") or "_draws" in self.__dict__:
                raise

    def __getattr__(self, name: str) -> Any:
        if name in {"items", "variables", "chains", "spec", "X", "_draws", "_summary", "_estimates"} and "path" in self.__dict__:
            raise _program.AIBDError(f"{self.path}: found no draws: resume() of this Fit samples them")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _read_draws(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "draws.npz"
            self.export(file)
            with np.load(file) as arrays:
                found = dict(arrays)
        self.items: list[str] = found.pop("items").tolist()
        self.variables: list[str] = found.pop("variables").tolist()
        self.chains: list[int] = found.pop("chain").tolist()
        self.spec: dict[str, Any] = json.loads(str(found.pop("spec")))
        self._estimates: Optional[dict[str, Any]] = None  # of estimate and loadings, which take a while
        self._summary: dict[str, Any] = json.loads(str(found.pop("summary")))
        self.X: NDArray[np.float64] = found.pop("X")
        self._draws: dict[str, NDArray[Any]] = found

    def predict(
        self,
        X: Optional[ArrayLike] = None,
        distance: Optional[ArrayLike] = None,
        *,
        items: Optional[Sequence[str]] = None,
        side: Optional[Columns] = None,
        **settings: Any,
    ) -> "Prediction":
        """Predicts the unknown cells of the fit, or with X those of new items.

        X has the columns of the fit, a data frame in any order; NaN cells are unknown, possibly
        all of an item. distance has the positions or coordinates of the new items, or side, or a data
        frame X, the columns of the distances. settings are the flags of ``aibd predict``.
        """
        arguments = _flags(_files_of("predict", settings))
        with tempfile.TemporaryDirectory() as folder:
            if X is not None:
                if distance is None and side is None:
                    side = self._measured(X)
                x = _table(_columns(X, self.variables, self._known))
                if len(x) != len(self.variables):
                    raise _program.DataError(f"X: found {len(x)} columns, expected {_listed(self.variables)}")
                rows = names = _names("items", _index(X) if items is None else items, len(x[0]), "")
                new = Path(folder) / "X"
                _write(new, ["", *self.variables], zip(names, *x))
                what = "side" if distance is None else "distance"
                if distance is not None:
                    rows = _row_names("distance", distance, names)
                    side = _positions(distance, rows)
                    columns = self.spec["distance"][0]["columns"]
                    if len(side) == len(columns) and set(side) != set(columns):  # given without their names
                        side = dict(zip(columns, side.values()))
                if isinstance(side, (str, Path)):
                    arguments.append(f"--side={_whole(side)}")
                elif side is not None:
                    _write_side(Path(folder) / what, side, rows)
                    arguments.append(f"--side={folder}/{what}")
                arguments.insert(0, str(new))
            found = json.loads(self.call("predict", *arguments, json=True))
        cells, features = found.get("cells"), None
        if X is not None:
            cells = [cell for new_item in found["items"] for cell in new_item["cells"]]
            features = np.array([item.get("weights", item["probabilities"]) for item in found["items"]], dtype=float)

        def column(name: str) -> NDArray[np.float64]:
            return np.array([cell.get(name) for cell in cells], dtype=float)

        return Prediction(
            item=[cell["item"] for cell in cells], variable=[cell["variable"] for cell in cells],
            median=column("median"), mean=column("mean"), sd=column("sd"), lower=column("lower"), upper=column("upper"),
            held_out=column("held_out"), log_density=column("log_density"), features=features,
            probabilities=[{c["category"]: c["probability"] for c in cell.get("categories", [])} for cell in cells],
        )

    def _measured(self, X: Any, names: Optional[Sequence[str]] = None) -> Optional[dict[str, list[Any]]]:
        """Returns the columns of X that the distances measure, None if it lacks one, or if all are data, which X
        has anyway. names are those of the columns in their order, by default those of a data frame."""
        at = {_name(name): j for j, name in enumerate(getattr(X, "columns", ()) if names is None else names)}
        measured = {c for of in self.spec["distance"] for c in of["columns"]}
        if not measured or not measured <= at.keys() or names is None and measured <= set(self.variables):
            return None
        return {c: list(X.iloc[:, at[c]] if hasattr(X, "iloc") else np.asarray(X)[:, at[c]]) for c in measured}

    @property
    def names(self) -> list[str]:
        """The names of the arrays of draws."""
        return list(self._draws)

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self._draws:
            why = ": the features have no weights" if name == "W" else ""
            raise KeyError(f"found no {name!r} among the draws{why}, expected one of {', '.join(self.names)}")
        return self._draws[name]

    def __contains__(self, name: object) -> bool:
        return name in self._draws

    def __iter__(self) -> Iterator[str]:
        return iter(self._draws)

    def __len__(self) -> int:
        return len(self._draws)

    def __bool__(self) -> bool:
        return True  # also without draws

    def Z(self, chain: int, draw: int) -> NDArray[np.int8]:
        """Returns the features of a draw, items by features. Both numbers are from zero."""
        return self["Z"][chain, draw, :, : self["n_features"][chain, draw]]

    def W(self, chain: int, draw: int) -> NDArray[np.float32]:
        """Returns the weights of the features of a draw, items by features, if features have
        weights. Both numbers are from zero."""
        return self["W"][chain, draw, :, : self["n_features"][chain, draw]]

    def summary(self) -> dict[str, Any]:
        """Returns the verdict on the chains, and mean, sd, quantiles, R-hat and ESS of each
        quantity, as ``aibd summary --json`` does."""
        return self._summary

    def sharing(self) -> NDArray[np.float64]:
        """Returns the posterior mean number of features that each pair of items shares. The
        diagonal has the features of each item."""
        draws = self["Z"].reshape(-1, *self["Z"].shape[2:])
        shared = np.zeros((len(self.items), len(self.items)))
        for z in draws:
            features = z[:, z.any(axis=0)].astype(float)
            shared += features @ features.T
        return shared / len(draws)

    def estimate(self) -> NDArray[Any]:
        """Returns the allocation with minimal expected FARO loss, items by features; those
        that add most to the fitted values come first. If features have weights, it returns weights, and 0 where an
        item lacks a feature."""
        found = self._estimated()
        if any("weights" in feature for feature in found["features"]):
            return np.array([feature["weights"] for feature in found["features"]], dtype=float).T
        z = np.zeros((len(self.items), len(found["features"])), dtype=np.int8)
        index = {item: i for i, item in enumerate(self.items)}
        for k, feature in enumerate(found["features"]):
            z[[index[item] for item in feature["items"]], k] = 1
        return z

    def loadings(self) -> NDArray[np.float64]:
        """Returns the posterior means of the loadings of the features of the estimate, features by
        variables: what a feature adds to each variable of X as fitted."""
        found = self._estimated()["features"]
        a = np.full((len(found), len(self.variables)), np.nan)
        for k, feature in enumerate(found):
            for loading in feature.get("loadings", ()):
                a[k, self.variables.index(loading["variable"])] = loading["mean"]
        return a

    def intercept(self) -> NDArray[np.float64]:
        """Returns the posterior mean of the intercept of each variable of X as fitted, 0 without intercepts. The sum of
        it and ``fit.estimate() @ fit.loadings()`` is what the model says of X as fitted."""
        a = np.zeros(len(self.variables))
        for loading in self._estimated().get("intercept", {}).get("loadings", ()):
            a[self.variables.index(loading["variable"])] = loading["mean"]
        return a

    def _undone(self, y: NDArray[np.float64]) -> NDArray[np.float64]:
        """Returns values of X as fitted in the units of X: numbers, counts, and values of categories."""
        if "units" not in self._estimated():
            raise _program.AIBDError("found no file of X, whose units are needed")
        curves: dict[str, Callable[[Any], Any]] = {"log": np.exp, "log1p": np.expm1, "sqrt": lambda root: np.maximum(root, 0) ** 2}
        x, cutpoint = np.empty_like(y), 1
        for v, unit in enumerate(self._estimated()["units"]):
            x[:, v] = unit["center"] + unit["scale"] * y[:, v]
            if curve := unit.get("curve"):
                x[:, v] = curves[curve](x[:, v])
            if unit.get("count"):
                x[:, v] = np.floor(x[:, v])
            if labels := unit.get("categories"):
                cuts = [0.0, *(self[f"cutpoint_{k}"].mean() for k in range(cutpoint, cutpoint + len(labels) - 2))]
                cutpoint += len(labels) - 2
                x[:, v] = np.array([float(label) for label in labels])[np.searchsorted(cuts, y[:, v])]
        return x

    def _estimated(self) -> dict[str, Any]:
        if self._estimates is None:
            self._estimates = json.loads(self.call("estimate", json=True, quiet=True, top=0))
        return self._estimates

    def resume(self, progress: _program.Progress = True, **settings: Any) -> "Fit":
        """Continues the run, as ``aibd resume`` does, and reads the draws again, also after an
        interrupt."""
        try:
            self._run("resume", *_flags(settings), progress=progress)
        finally:
            self._read()
        return self

    def export(self, file: Union[str, Path], **settings: Any) -> None:
        """Writes the draws in the format of the name of the file, see ``aibd export``."""
        self.call("export", str(Path(file).resolve()), **settings)

    def to_inference_data(self, log_likelihood: Optional[bool] = None) -> Any:
        """Returns the draws as arviz.InferenceData or, without ArviZ, as a dict of its groups
        as datasets of xarray. The group log_likelihood has the log density of each cell of X
        given the others, for leave-one-out cross-validation (``arviz.loo``). By default it is
        there if it has at most 20 million numbers."""
        if any(importlib.util.find_spec(name) is None for name in ("xarray", "zarr")):
            raise ImportError("to_inference_data needs xarray and zarr: python3 -m pip install xarray zarr")
        if log_likelihood is None:
            log_likelihood = self["mass"].size * len(self.items) * len(self.variables) <= 20_000_000
        with tempfile.TemporaryDirectory() as folder:
            store = Path(folder) / "draws.zarr"
            self.export(store, log_likelihood=log_likelihood)
            try:
                import arviz  # type: ignore[import]
            except ImportError:
                import xarray

                groups = sorted(group.name for group in store.iterdir() if group.is_dir())
                return {group: xarray.open_dataset(str(store), group=group, engine="zarr").load() for group in groups}
            data = arviz.from_zarr(str(store))
            return data.load() if hasattr(data, "load") else data

    def plot(self, name: str = "trace", file: Union[None, str, Path] = None, ax: Any = None) -> "Picture":
        """Draws a picture: trace, density, sharing, features and others, which
        ``fit.call("plot")`` lists. Notebooks show it. file is a copy of it, .svg or .png, and ax are
        axes of matplotlib, which show it too."""
        if file is not None:
            self.call("plot", name, out=Path(file).resolve())
        with tempfile.TemporaryDirectory() as folder:
            if ax is not None:
                png = Path(folder) / "picture.png"
                self.call("plot", name, out=png)
                ax.imshow(importlib.import_module("matplotlib.image").imread(str(png)))
                ax.set_axis_off()
            svg = Path(folder) / "picture.svg"
            self.call("plot", name, out=svg)
            return Picture(svg.read_text(encoding="utf-8"))

    def report(self, file: Union[str, Path]) -> None:
        """Writes what was found as one HTML file."""
        self.call("report", out=Path(file).resolve())

    def call(self, verb: str, *arguments: str, **settings: Any) -> str:
        """Runs a verb of the program on the run and returns what it prints:
        ``fit.call("sharing", top=3)``. Paths are relative to the working directory."""
        if verb in ("compare", "export", "logpost", "predict"):  # others take words
            arguments = tuple(v if v.startswith("-") else str(_whole(v, verb != "export")) for v in arguments)
        return self._run(verb, *arguments, *_flags(_files_of(verb, settings), verb))

    def __str__(self) -> str:
        return _program.in_python(self.call("summary"))

    def __repr__(self) -> str:
        if "_draws" not in self.__dict__:
            return f"<aibd.Fit without draws in {self.path}>"
        chains, draws = self["mass"].shape
        return f"<aibd.Fit of {len(self.items)} items, {chains} chains of {draws} draws in {self.path}>"

    def _run(self, verb: str, *arguments: str, progress: _program.Progress = False) -> str:
        try:
            return _program.run([verb, self._run_name(), *arguments], cwd=self._cwd, progress=progress)
        except (_program.AIBDError, _program.Interrupted) as stopped:
            stopped.path = self.path
            raise

    def _run_name(self) -> str:
        """Returns the name of the run from the directory of the data: pictures and pages have it."""
        return str(self.path.relative_to(self._cwd)) if self._cwd in self.path.parents else str(self.path)

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        if state.pop("_remove", None) is not None:  # a copy has a directory of its own
            packed = io.BytesIO()
            with tarfile.open(fileobj=packed, mode="w") as tar:
                tar.add(self._cwd, "")
            state["_packed"] = packed.getvalue()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        packed = state.pop("_packed", None)
        self.__dict__.update(state)
        if packed is not None:
            self._cwd = Path(tempfile.mkdtemp(prefix="aibd-"))
            self.path = self._cwd / "run"
            self._remove = weakref.finalize(self, shutil.rmtree, self._cwd, ignore_errors=True)
            with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
                setattr(tar, "extraction_filter", getattr(tarfile, "data_filter", None))  # of newer versions of Python
                tar.extractall(self._cwd)


class Picture(str):
    """The text of an SVG."""

    def _repr_svg_(self) -> str:
        return str(self)


@dataclass(frozen=True)
class Prediction:
    """Predicted cells, in the units of X.

    item and variable name each cell. median, mean, sd, lower and upper are those of its posterior
    predictive law, with a 90% interval. mean and sd are NaN in a column of which logarithms are
    fitted: the tail of the law decides them. held_out has the values of hidden cells and
    log_density their log predictive densities, NaN for other cells. features has the
    probability that each new item has each feature of ``Fit.estimate``, or if features have
    weights the expected weight, 0 where the item lacks the feature; None without new items. probabilities has
    those of the categories of each cell of a binary or ordinal column, an empty dict for other cells.
    """

    item: list[str]
    variable: list[str]
    median: NDArray[np.float64]
    mean: NDArray[np.float64]
    sd: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    held_out: NDArray[np.float64]
    log_density: NDArray[np.float64]
    features: Optional[NDArray[np.float64]]
    probabilities: list[dict[str, float]]


def _table(X: Any) -> list[Any]:
    """Returns the columns of X: numbers, and in a data frame also text and dates, which the program reads or
    leaves out."""
    if isinstance(X, (str, Path)):
        raise TypeError(f"X: found the text {str(X)!r}, expected a matrix or a data frame, such as pandas.read_csv({str(X)!r}) returns")
    if _plain(X):
        return list(_matrix(X).T)
    return [_column(X.iloc[:, j]) for j in range(X.shape[1])]


def _plain(X: Any) -> bool:
    """Reports whether X is an array or a data frame of numbers only."""
    return not (hasattr(X, "columns") and hasattr(X, "iloc")) or all(isinstance(kind, np.dtype) and kind.kind in "biufc" for kind in X.dtypes)


def _column(column: Any) -> Any:
    """Returns the numbers of a column of a data frame, or its cells if not all are numbers."""
    if column.dtype.kind not in "mM":  # dates, which are no numbers
        try:
            return column.to_numpy(dtype=float, na_value=np.nan)
        except (TypeError, ValueError):
            pass
    return list(column)


def _matrix(X: ArrayLike) -> NDArray[np.float64]:
    if hasattr(X, "toarray"):
        raise TypeError("X: found a sparse matrix, expected a dense one: sparse data are not supported")
    x = _filled(X)
    if np.iscomplexobj(x):
        raise _program.DataError("X: found complex numbers: Complex data not supported")
    x = x.astype(float)
    if x.ndim != 2:
        raise _program.DataError(f"X: found {x.ndim} dimensions, expected 2: Reshape your data")
    if x.shape[1] == 0:
        raise _program.DataError(f"X: found 0 feature(s) (shape={x.shape}) while a minimum of 1 is required.")
    return x


def _text_of(name: Any, column: Iterable[Any]) -> _program.DataError:
    """Returns an error that names a column of a data frame that has text or dates."""
    hint = "make a column of 0 and 1 for each kind (pandas.get_dummies)"
    for value in column:
        try:
            float(value)
        except (TypeError, ValueError):
            if hasattr(value, "isoformat"):
                hint = f"measure distances with it (distance='absolute:{name}')"
            if _cell(value) != "NA":
                return _program.DataError(f"X: column {str(name)!r}: found {str(value)!r}, expected numbers: leave the column out, or {hint}")
    return _program.DataError(f"X: column {str(name)!r}: found no numbers: leave the column out")


def _filled(X: Any) -> NDArray[Any]:
    """Returns an array with NaN where it is masked."""
    masked: Any = X
    return np.asarray(masked.astype(float).filled(np.nan) if isinstance(X, np.ma.MaskedArray) else X)


def _name(name: Any) -> str:
    """Returns the name of a row or a column as the program reads it, without spaces around it."""
    return str(name).strip()


def _listed(names: Sequence[str]) -> str:
    """Returns names, at most ten."""
    return ", ".join(names[:10]) + (f" and {len(names) - 10} more" if len(names) > 10 else "")


def _columns(X: Any, variables: Sequence[str], known: Sequence[str] = ()) -> Any:
    """Returns the columns of a data frame that have the names of the variables, in their order. Other matrices
    stay as they are, and so do frames with the known names, or if the columns of them or of the fit are only
    counted."""
    names = {_name(name): name for name in getattr(X, "columns", ())}
    if not names or list(names) == list(known):
        return X
    if names.keys().isdisjoint(variables):
        counted = [list(range(len(names))), [f"x{j + 1}" for j in range(len(variables))]]
        if list(names.values()) == counted[0] or list(variables) == counted[1]:  # as arrays have none
            return X
        raise _program.DataError(f"X: found the columns {_listed(list(names))}, expected {_listed(variables)}")
    for variable in variables:
        if variable not in names:
            raise _program.DataError(f"X: found no column {variable!r}, expected {_listed(variables)}")
    return X[[names[variable] for variable in variables]]


def _row_names(what: str, given: Any, items: Sequence[str]) -> list[str]:
    """Returns names for the rows of a frame or a series, by which the program matches them with the items: those of
    its index, or those of the items in their order if the index only counts or the items have no names. Numbers in its
    names may be those of items without names. A warning says what is not evident."""

    def tell(text: str) -> None:
        _program.warn(f"{what}: {text}")

    items = list(items)
    if not hasattr(given, "iloc"):
        return items
    names = [_name(name) for name in given.index]
    from_zero, from_one = [str(i) for i in range(len(items))], [str(i + 1) for i in range(len(items))]
    unnamed = items in (from_zero, from_one)
    counted = names == [str(i) for i in range(len(names))]  # as pandas does
    if len(names) != len(items):
        return items if unnamed or counted and not set(items) <= set(names) else names
    if counted:
        if not unnamed and set(names) == set(items):
            tell("its index only counts, and its rows are taken in the order of X, whose index is in another order")
        return items
    if set(names) == set(items) or not unnamed:
        return names
    numbers = [re.sub("^[^0-9]*", "", name) for name in names]
    for count in (from_one, from_zero):
        if set(numbers) == set(count):
            tell(f"the row {names[numbers.index(count[0])]!r} is taken for the first row of X, and so on")
            return [items[count.index(number)] for number in numbers]
    tell("its index is not used, as X has no names, and its rows are taken in their order")
    return items


def _index(X: Any) -> Optional[list[str]]:
    """Returns the names of the rows of a data frame, None for other matrices."""
    return [_name(i) for i in X.index] if hasattr(X, "index") and hasattr(X, "columns") else None


def _names(what: str, given: Optional[Sequence[str]], count: int, prefix: str) -> list[str]:
    if given is None:
        return [f"{prefix}{i + 1}" for i in range(count)]
    if len(given) != count:
        raise _program.DataError(f"{what}: found {len(given)} names, expected {count}")
    names = [_name(name) for name in given]
    if len(set(names)) < count:
        again = Counter(names).most_common(1)[0][0]
        hint = " (the index of a data frame names them; X.reset_index(drop=True) numbers its rows)" if what == "items" else ""
        raise _program.DataError(f"{what}: found {again!r} more than once, expected distinct names{hint}")
    return names


def _flags(settings: Mapping[str, Any], verb: str = "") -> list[str]:
    """Returns settings as flags, or as keys of --set if they have no flag and the verb takes a spec."""
    flags = []
    keys = KEYS if verb in ("fit", "compare") else {}
    for name, value in settings.items():
        if value is None:  # the default
            continue
        if isinstance(value, (bool, np.bool_)):
            value = str(bool(value)).lower()
        elif name == "distance" and isinstance(value, list):  # several, a flag each
            flags += [f"--distance={kind}" for kind in value]
            continue
        elif isinstance(value, Iterable) and not isinstance(value, str):
            each = [_cell(v).strip() for v in value]
            value = ",".join(sorted(each) if isinstance(value, (set, frozenset)) else each)
        key = name if name.startswith("distance.") else keys.get(name)  # that of one of several distances names it
        flags.append(f"--set={key}={_cell(value)}" if key else f"--{name.replace('_', '-')}={_cell(value)}")
    return flags


def _cell(value: Any) -> str:
    """Returns a value as text that reads back the same, NaN and others that are missing as NA."""
    if isinstance(value, (float, np.floating)):
        return "NA" if np.isnan(value) else repr(float(value))
    if isinstance(value, np.datetime64):
        value = value.astype("M8[us]").item()
    if isinstance(value, np.timedelta64):
        value = value.astype("m8[us]").item()
    if value is None or type(value).__name__ in ("NAType", "NaTType"):  # of pandas
        return "NA"
    if isinstance(value, datetime.timedelta):
        return repr(value.total_seconds() / (24 * 60 * 60))
    if hasattr(value, "isoformat"):  # a date
        text: str = value.isoformat()
        return text[:-9] if text.endswith("T00:00:00") else text
    return str(value)


def _write(file: Path, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    with open(file, "w", newline="", encoding="utf-8") as f:
        writer = csv.writer(f)
        writer.writerow(header)
        writer.writerows([_cell(v) for v in row] for row in rows)


# Settings that may be files, the words that they take, and the flags of other verbs that are files to read and to
# write.
_FILES = ("distance_file", "holdout_file", "init", "permutation", "proximity", "spec")
_WORDS = ("data", "empty", "factors", "mixed", "prior", "random", "sequential", "subsample", "symmetric")
_READ = ("labels", "side", "spec", "z")
_WRITTEN = ("csv", "fit", "fitted", "loadings", "out", "plot")


def _is_file(setting: str) -> bool:
    return setting in _FILES or setting.startswith("distance.") and setting.endswith(".file")


def _whole(file: Any, there: bool = True) -> Any:
    """Returns the whole path of a file, as the program runs in another directory; if it must be there, others stay
    as they are."""
    if not isinstance(file, (str, Path)) or str(file) in ("", "-", *_WORDS) or there and not os.path.exists(file):
        return file
    return Path(file).resolve()


def _files_of(verb: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Returns settings of a verb other than fit with whole paths of files."""
    written = (*_WRITTEN, "features") if verb == "predict" else _WRITTEN
    return {name: _whole(v, name in _READ) if name in (*_READ, *written) else v for name, v in settings.items()}


def _distance(
    folder: Path, distance: Union[None, str, ArrayLike], items: Sequence[str], side: Optional[Columns]
) -> dict[str, Any]:
    """Writes the files of the distances and returns the settings that name them."""
    found: dict[str, Any] = {}
    if side is not None:
        if isinstance(side, (str, Path)):
            if not os.path.isfile(side):
                raise _program.DataError(f"side: {str(side)!r}: no such file")
            shutil.copy(side, folder / "side")
        else:
            _write_side(folder / "side", side, items)
        found["side"] = "side"
    if distance is None:
        return found
    if kinds := _kinds(distance):
        files = [re.fullmatch("((?:.*=)?(?:matrix|tree):)(.*)", str(kind)) for kind in kinds]
        found["distance"] = [of[1] + str(_whole(of[2])) if of else kind for of, kind in zip(files, kinds)]
        return found
    if side is not None:
        raise _program.DataError("distance: found numbers beside side, expected one of them")
    d = _days(distance)
    if d.ndim == 2 and d.shape[1] > 3 and abs(d.shape[0] - d.shape[1]) == 1:
        raise _program.DataError(f"distance: found {d.shape[0]} x {d.shape[1]} numbers, expected a square matrix of distances, or coordinates in fewer columns")
    rows = _row_names("distance", distance, items)
    places = _positions(distance, rows)
    if d.ndim == 2 and d.shape[0] == d.shape[1]:
        if set(places) == set(index := _index(distance) or []):  # columns in any order
            d = np.column_stack([places[name] for name in index])
        _write(folder / "distance", ["", *rows], ([name, *row] for name, row in zip(rows, d)))
        return {"distance": "matrix", "distance_file": "distance"}
    _write_side(folder / "distance", places, rows)
    return {"side": "distance", "distance": "absolute" if len(places) == 1 else "euclidean", "distance_columns": list(places)}


def _kinds(distance: Any) -> list[str]:
    """Returns the kinds of a distance in text, none if it is numbers."""
    kinds = [distance] if isinstance(distance, str) else distance
    return list(kinds) if isinstance(kinds, (list, tuple)) and all(isinstance(kind, str) for kind in kinds) else []


def _days(distance: Any) -> NDArray[np.float64]:
    """Returns distances or positions as numbers: dates as days since 1970, as the program has them, and spans of
    time in days."""
    if hasattr(distance, "toarray"):
        raise TypeError("distance: found a sparse matrix, expected a dense one")
    d = _filled(distance)
    if d.dtype.kind in "mM":
        d = d.astype("m8[us]" if d.dtype.kind == "m" else "M8[us]").astype(object)
    if d.dtype == object:
        d = np.array([_day(v) for v in d.flat]).reshape(d.shape)
    try:
        return d.astype(float)
    except (TypeError, ValueError) as no:
        raise _program.DataError(f"distance: {no}, expected numbers or dates (numpy.array(distance, dtype='datetime64') reads dates)") from None


def _day(value: Any) -> Any:
    """Returns a date or a span of time in days, and NaN for a missing value."""
    if hasattr(value, "to_timestamp"):  # a period of pandas
        value = value.to_timestamp()
    if _cell(value) == "NA":
        return np.nan
    if isinstance(value, datetime.datetime):
        value -= datetime.datetime(1970, 1, 1, tzinfo=value.tzinfo and datetime.timezone.utc)
    elif isinstance(value, datetime.date):
        value -= datetime.date(1970, 1, 1)
    return value.total_seconds() / (24 * 60 * 60) if isinstance(value, datetime.timedelta) else value


def _positions(distance: ArrayLike, rows: Sequence[str]) -> dict[str, Any]:
    """Returns positions or coordinates of rows with the given names as columns, with the names of a data frame or a
    series."""
    d = _days(distance)
    if d.ndim not in (1, 2) or len(d) != len(rows):
        raise _program.DataError(f"distance: found an array of shape {d.shape}, expected a row for each of {len(rows)} items")
    d = d.reshape(len(d), -1)
    names = getattr(distance, "columns", None)
    if names is None:
        names = [getattr(distance, "name", None) or f"position{j + 1}" for j in range(d.shape[1])]
    return {_name(name): d[:, j] for j, name in enumerate(names)}


def _write_side(file: Path, side: Columns, items: Sequence[str]) -> None:
    rows = _row_names("side", side, items)
    columns = {_name(name): list(side[name]) for name in side}
    for name, values in columns.items():
        if len(values) != len(rows):
            raise _program.DataError(f"side: found {len(values)} values of {name}, expected {len(rows)}")
    _write(file, ["", *columns], ([item, *(columns[c][i] for c in columns)] for i, item in enumerate(rows)))
