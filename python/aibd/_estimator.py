"""An estimator in the style of scikit-learn."""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from pathlib import Path
from typing import Any, Mapping, Optional, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _program
from ._fit import Columns, Fit, _cell, _column, _columns, _index, _kinds, _matrix, _name, _names, _plain, _positions, _row_names, _text_of, fit


_APART = "a new item is judged apart from the fitted ones"
_EXPECTED_FAILED_CHECKS = {"check_methods_sample_order_invariance": _APART, "check_methods_subset_invariance": _APART}


def _measuring(distance: Any, settings: Mapping[str, Any]) -> set[str]:
    """Returns the columns that kinds of distances name."""
    of = settings.get("distance_columns") or ()
    named = set(of.split(",") if isinstance(of, str) else map(str, of))
    for kind in _kinds(distance):
        if found := re.fullmatch("(?:.*=)?(?!matrix|tree)[a-z-]+:(.*)", kind):
            named |= set(found[1].split(","))
    return {_name(column) for column in named}


def _rows(X: Any, *places: Any) -> Optional[list[str]]:
    """Returns the names of the rows of a data frame. They are numbered if names repeat, unless places have names to
    match."""
    names = _index(X)
    if names and len(set(names)) < len(names) and not any(hasattr(of, "iloc") for of in places):
        return _names("items", None, len(names), "")
    return names


def _order(what: str, rows: list[str], items: Sequence[str]) -> list[int]:
    """Returns the rows with the given names in the order of the items."""
    at = {name: i for i, name in enumerate(rows)}
    for item in items:
        if rows.count(item) != 1:
            raise _program.DataError(f"{what}: found {rows.count(item)} rows for {item!r}, expected one for each item of X")
    return [at[item] for item in items]


def _seed(state: Any) -> int:
    """Returns a seed from what scikit-learn takes as random_state."""
    if hasattr(state, "randint"):  # numpy.random.RandomState
        return int(state.randint(2**31 - 1))
    return int(state.integers(2**31 - 1) if hasattr(state, "integers") else state)


def _numbers(X: Any, apart: set[str]) -> NDArray[np.float64]:
    """Returns X as numbers. The columns apart of a data frame, which measure distances, are NaN unless they have
    numbers."""
    if _plain(X):
        return _matrix(X)
    x = np.full(X.shape, np.nan)
    for j, name in enumerate(X.columns):
        column = _column(X.iloc[:, j])
        if isinstance(column, np.ndarray):
            x[:, j] = column
        elif _name(name) not in apart:
            raise _text_of(name, column)
    return _matrix(x)


class AIBD:
    """Finds features that near items share, as scikit-learn's transformers do.

    X has numbers: text and dates are an error, as in other estimators, except in columns that distance names.

    Parameters, of which most are those of aibd.fit:

    distance: positions or coordinates of the rows, a matrix of distances, or kinds such as "absolute:age", whose
    columns are in side or, without side, in X. Only columns of X go through cross-validation.
    side: covariates of the rows, a data frame or a dict of columns.
    features: "binary", "weighted" or "graded"; None is weighted.
    prior: "aibd", "ddibp" or "ibp"; None is aibd with distances and ibp without.
    seed: the seed of the random numbers.
    chains: the number of chains; None is 4.
    budget: the time for rounds of sampling, such as "30s"; None is five minutes.
    center: subtract the mean of each column; None is True.
    scale: divide each column by its sd; None does so if the units of the columns differ much.
    settings: a dict of further settings of aibd.fit, such as dict(draws=500, log="none").
    progress: True prints what the program says, and a function gets each line.
    most: the number of draws that transform of new items and score use, spread over the fit. They sample the
    features of each row again for each of these draws: their cost grows with rows times most, and score has two
    rows for each row of X. More lessens the Monte Carlo error: 1000, as in Fit.predict, takes five times as long.
    random_state: a number or a generator that sets the seed, as in scikit-learn.

    Attributes after fit: fit_ (the Fit with all draws), allocation_ (the estimate of Z, items by features, or of
    the weights if features have weights), components_ (the loadings of its features, features by columns of X, as
    fitted; 0 for columns that are not fitted), intercept_ (of the columns of X, as fitted), n_features_in_, and
    feature_names_in_ if X is a data frame.
    """

    def __init__(
        self,
        distance: Union[None, str, ArrayLike] = None,
        side: Any = None,
        features: Optional[str] = None,
        prior: Optional[str] = None,
        seed: int = 1,
        chains: Optional[int] = None,
        budget: Optional[str] = None,
        center: Optional[bool] = None,
        scale: Optional[bool] = None,
        settings: Optional[Mapping[str, Any]] = None,
        progress: bool = False,
        most: int = 200,
        random_state: Any = None,
    ) -> None:
        self.distance = distance
        self.side = side
        self.features = features
        self.prior = prior
        self.seed = seed
        self.chains = chains
        self.budget = budget
        self.center = center
        self.scale = scale
        self.settings = settings
        self.progress = progress
        self.most = most
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: Any = None) -> "AIBD":
        """Samples the posterior and estimates the allocation of the rows of X. It warns if the chains do not
        agree, with scikit-learn's ConvergenceWarning if scikit-learn is there."""
        parameters = self.get_params()
        settings = parameters.pop("settings") or {}
        del parameters["most"]
        if (state := parameters.pop("random_state")) is not None:
            parameters["seed"] = _seed(state)
        self._apart = _measuring(self.distance, settings) if self.side is None else set()
        x = _numbers(X, self._apart)
        if len(x) < 2:
            raise _program.DataError(f"X: found {len(x)} sample(s), expected at least 2")
        if "items" not in settings:
            parameters["items"] = _rows(X, self.distance, self.side)
        self.fit_: Fit = fit(X, **{**parameters, **settings})
        verdict = self.fit_.summary()["verdict"]
        if not verdict["agreed"]:
            category = importlib.import_module("sklearn.exceptions").ConvergenceWarning if "sklearn" in sys.modules else UserWarning
            found = "agree on what is large only" if verdict["agreed_on_large"] else "do not agree"
            _program.warn(f"the chains {found}. {verdict['looks']} print(model.fit_) says what may help", category)
        self.allocation_ = self.fit_.estimate()
        self.n_features_in_ = x.shape[1]
        self._x = x
        self._names = _names("variables", settings.get("variables", getattr(X, "columns", None)), x.shape[1], "x")
        if hasattr(X, "columns"):
            self.feature_names_in_ = np.array([str(name) for name in X.columns], dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self._places = self._measured(X)
        self.components_ = np.zeros((self.allocation_.shape[1], x.shape[1]))
        self.components_[:, self._fitted_columns()] = self.fit_.loadings()
        self.intercept_ = np.zeros(x.shape[1])
        self.intercept_[self._fitted_columns()] = self.fit_.intercept()
        return self

    def fit_transform(self, X: ArrayLike, y: Any = None) -> Any:
        """Returns the estimated allocation of the rows of X."""
        return self._shown(self.fit(X, y).allocation_, X)

    def set_output(self, *, transform: Optional[str] = None) -> "AIBD":
        """Chooses what transform and fit_transform return: "default", an array, or "pandas", a frame with
        the index of X."""
        if transform not in (None, "default", "pandas"):
            raise ValueError(f"transform: found {transform!r}, expected 'default' or 'pandas'")
        if transform:
            self._sklearn_output_config = {"transform": transform}  # which sklearn.base.clone keeps
        return self

    def _shown(self, features: NDArray[Any], X: Any) -> Any:
        default = importlib.import_module("sklearn").get_config().get("transform_output") if "sklearn" in sys.modules else None
        if getattr(self, "_sklearn_output_config", {}).get("transform", default) != "pandas":
            return features
        pandas = importlib.import_module("pandas")
        return pandas.DataFrame(features, index=getattr(X, "index", None), columns=self.get_feature_names_out())

    def transform(self, X: ArrayLike, distance: Optional[ArrayLike] = None, side: Optional[Columns] = None) -> Any:
        """Returns the estimated allocation if X is the X of fit. The rows of another X are new
        items, with positions distance or covariates side, by default the columns of X that the distance
        measures: each has the expected weights of the
        features of the estimate, or those that are more likely than not if features are binary."""
        x = self._matrix(X)
        if self._same(X, x):
            return self._shown(self.allocation_, X)
        if distance is None and side is None:
            side = self._measured(X)
        features = self.fit_.predict(x[:, self._fitted_columns()], distance, items=_rows(X, distance, side), side=side, most=self.most).features
        assert features is not None  # there are new items
        return self._shown(features if "W" in self.fit_.names else (features > 0.5).astype(np.int8), X)

    def inverse_transform(self, Z: ArrayLike) -> NDArray[np.float64]:
        """Returns X for features Z, which transform returns: Z @ components_ + intercept_ in the units of X,
        without noise. Counts are whole and categories are likely ones. Columns that are not fitted are NaN."""
        self._check_fitted()
        z = np.asarray(Z, dtype=float)
        if z.ndim != 2 or z.shape[1] != len(self.components_):
            raise _program.DataError(f"Z: found an array of shape {z.shape}, expected {len(self.components_)} columns")
        x, columns = np.full((len(z), self.n_features_in_), np.nan), self._fitted_columns()
        x[:, columns] = self.fit_._undone((z @ self.components_ + self.intercept_)[:, columns])
        return x

    def score(self, X: ArrayLike, y: Any = None, distance: Optional[ArrayLike] = None, side: Optional[Columns] = None) -> float:
        """Returns the mean log predictive density of the cells of X; larger is better. The rows are new
        items, with positions distance or covariates side, by default those of fit if X is the X of fit, and else
        the columns of X that the distance measures.
        Every other cell of a row is predicted from those between, and then these from the former. The
        law of a cell is normal, in the units of X, with the predicted mean and sd, and if these are NaN with
        the median and the sd whose 90% interval is as wide as the predicted one; a category counts with its
        probability."""
        x = self._matrix(X)
        if distance is None and side is None and self._same(X, x):
            distance, side = None if _kinds(self.distance) else self.distance, self.side
        if distance is None and side is None:
            side = self._measured(X)
        x, variables = x[:, self._fitted_columns()], self.fit_.variables
        n = len(x)
        names = _names("items", _rows(X, distance, side), n, "")
        if distance is not None:
            rows = _row_names("distance", distance, names)
            distance = np.tile(np.column_stack(list(_positions(distance, rows).values()))[_order("distance", rows, names)], (2, 1))
        elif isinstance(side, (str, Path)):
            raise TypeError(f"side: found the file {str(side)!r}, expected columns")
        elif side is not None:
            order = _order("side", _row_names("side", side, names), names)
            side = {_name(name): [list(side[name])[i] for i in order] * 2 for name in side}
        hidden = np.arange(x.shape[1]) % 2 == 0
        halves = np.vstack([np.where(hidden, np.nan, x), np.where(hidden, x, np.nan)])
        p = self.fit_.predict(halves, distance, items=[str(i) for i in range(2 * n)], side=side, most=self.most)
        cells = x[[int(i) % n for i in p.item], [variables.index(v) for v in p.variable]]
        logs = np.isnan(p.mean)
        mean, sd = np.where(logs, p.median, p.mean), np.where(logs, (p.upper - p.lower) / 3.2897, p.sd)
        density = -(((cells - mean) / sd) ** 2) / 2 - np.log(sd * np.sqrt(2 * np.pi))
        for i, of in enumerate(p.probabilities):
            if of and not np.isnan(cells[i]):
                density[i] = np.log(sum(q for label, q in of.items() if float(label) == cells[i]))
        return float(np.nanmean(density))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Returns names of the columns of transform: aibd0, aibd1 and so on."""
        self._check_fitted()
        return np.array([f"aibd{k}" for k in range(self.allocation_.shape[1])], dtype=object)

    def _check_fitted(self) -> None:
        if hasattr(self, "fit_"):
            return
        error: type[Exception] = AttributeError
        if "sklearn" in sys.modules:
            error = importlib.import_module("sklearn.exceptions").NotFittedError
        raise error("found an estimator that is not fitted, expected a call of fit before")

    def _matrix(self, X: ArrayLike) -> NDArray[np.float64]:
        """Returns the rows of X with the columns of fit."""
        self._check_fitted()
        x = _numbers(self._columns(X), self._apart)
        if x.shape[1] != self.n_features_in_:
            raise _program.DataError(f"X has {x.shape[1]} features, but AIBD is expecting {self.n_features_in_} features as input")
        return x

    def _measured(self, X: Any) -> Optional[dict[str, list[Any]]]:
        """Returns the columns of X that the distances measure, if it has them."""
        return self.fit_._measured(self._columns(X), self._names)

    def _columns(self, X: Any) -> Any:
        """Returns X with the columns of fit in their order."""
        return _columns(X, self._names, [_name(c) for c in getattr(self, "feature_names_in_", ())])

    def _same(self, X: Any, x: NDArray[np.float64]) -> bool:
        """Reports whether X, with numbers x, is the X of fit."""
        if not np.array_equal(x, self._x, equal_nan=True):
            return False
        now, then = ({c: [_cell(v) for v in of[c]] for c in of} for of in (self._measured(X) or {}, self._places or {}))
        return now == then

    def _fitted_columns(self) -> list[int]:
        """Returns the columns of X that are variables of the fit."""
        return [self._names.index(variable) for variable in self.fit_.variables]

    def _more_tags(self) -> dict[str, Any]:
        """Tells scikit-learn before 1.6 which of its checks apply."""
        return {"allow_nan": True, "preserves_dtype": [], "_xfail_checks": _EXPECTED_FAILED_CHECKS}

    def __sklearn_tags__(self) -> Any:
        """Tells scikit-learn from 1.6 on what kind of estimator this is."""
        utils = importlib.import_module("sklearn.utils")
        return utils.Tags(
            estimator_type=None,
            target_tags=utils.TargetTags(required=False),
            transformer_tags=utils.TransformerTags(preserves_dtype=[]),
            input_tags=utils.InputTags(allow_nan=True),
        )

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Returns the parameters of the constructor."""
        return {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}

    def set_params(self, **params: Any) -> "AIBD":
        """Sets parameters of the constructor."""
        known = self.get_params()
        for name, value in params.items():
            if name not in known:
                raise ValueError(f"found the parameter {name!r}, expected one of {', '.join(known)}")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        changed = [f"{p.name}={getattr(self, p.name)!r}" for p in inspect.signature(type(self)).parameters.values() if getattr(self, p.name) is not p.default]
        return f"AIBD({', '.join(changed)})"
