"""An estimator in the style of scikit-learn."""

from __future__ import annotations

import inspect
from typing import Any, Mapping, Optional, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._fit import Fit, fit


class AIBD:
    """Finds features that near items share, as scikit-learn's transformers do.

    The parameters are those of aibd.fit; settings holds further flags of ``aibd fit``.

    Attributes after fit: fit_ (the Fit with all draws), allocation_ (the estimate of Z, items
    by features), n_features_in_.
    """

    def __init__(
        self,
        distance: Union[None, str, ArrayLike] = None,
        side: Any = None,
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
        parameters = self.get_params()
        settings = parameters.pop("settings") or {}
        self.fit_: Fit = fit(X, **{**parameters, **settings})
        self.allocation_ = self.fit_.estimate()
        self.n_features_in_ = len(self.fit_.variables)
        self._x = np.array(X, dtype=float)
        return self

    def fit_transform(self, X: ArrayLike, y: Any = None) -> NDArray[np.int8]:
        """Returns the estimated allocation of the rows of X."""
        return self.fit(X, y).allocation_

    def transform(self, X: ArrayLike) -> NDArray[np.int8]:
        """Returns the estimated allocation of the rows of X, which are those of fit: items
        that were not fitted have no place in the prior."""
        if not hasattr(self, "fit_"):
            raise AttributeError("transform before fit: expected a fitted estimator")
        if not np.array_equal(np.asarray(X, dtype=float), self._x, equal_nan=True):
            raise ValueError("X: found other rows than those of fit, expected the same")
        return self.allocation_

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
