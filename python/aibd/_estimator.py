"""An estimator in the style of scikit-learn."""

from __future__ import annotations

import importlib
import inspect
from typing import Any, Mapping, Optional, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._fit import Columns, Fit, _columns, _index, _matrix, _names, fit


_APART = "a new item is judged apart from the fitted ones"
_EXPECTED_FAILED_CHECKS = {"check_methods_sample_order_invariance": _APART, "check_methods_subset_invariance": _APART}


class AIBD:
    """Finds features that near items share, as scikit-learn's transformers do.

    The parameters are those of aibd.fit; settings holds further flags of ``aibd fit``.

    Attributes after fit: fit_ (the Fit with all draws), allocation_ (the estimate of Z, items
    by features), n_features_in_, and feature_names_in_ if X is a data frame.
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

    def fit(self, X: ArrayLike, y: Any = None) -> "AIBD":
        """Samples the posterior and estimates the allocation of the rows of X."""
        x = _matrix(X)
        if len(x) < 2:
            raise ValueError(f"X: found {len(x)} sample(s), expected at least 2")
        parameters = self.get_params()
        settings = parameters.pop("settings") or {}
        self.fit_: Fit = fit(X, **{**parameters, **settings})
        self.allocation_ = self.fit_.estimate()
        self.n_features_in_ = x.shape[1]
        self._x = x
        self._names = _names("variables", settings.get("variables", getattr(X, "columns", None)), x.shape[1], "x")
        if hasattr(X, "columns"):
            self.feature_names_in_ = np.array([str(name) for name in X.columns], dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        return self

    def fit_transform(self, X: ArrayLike, y: Any = None) -> NDArray[np.int8]:
        """Returns the estimated allocation of the rows of X."""
        return self.fit(X, y).allocation_

    def transform(self, X: ArrayLike, distance: Optional[ArrayLike] = None, side: Optional[Columns] = None) -> NDArray[np.int8]:
        """Returns the estimated allocation if X is that of fit. The rows of another X are new
        items, with positions distance or covariates side: each has the features of the estimate
        that are more likely than not."""
        if not hasattr(self, "fit_"):
            raise AttributeError("transform before fit: expected a fitted estimator")
        x = _matrix(_columns(X, self._names))
        if x.shape[1] != self.n_features_in_:
            raise ValueError(f"X has {x.shape[1]} features, but AIBD is expecting {self.n_features_in_} features as input")
        if np.array_equal(x, self._x, equal_nan=True):
            return self.allocation_
        fitted = x[:, [self._names.index(variable) for variable in self.fit_.variables]]
        features = self.fit_.predict(fitted, distance, items=_index(X), side=side).features
        assert features is not None  # there are new items
        return (features > 0.5).astype(np.int8)

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
