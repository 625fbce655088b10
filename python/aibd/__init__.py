"""Feature allocation models with pairwise information, by the program aibd.

>>> import aibd
>>> fit = aibd.fit(X, distance=ages, seed=1)
>>> print(fit)                       # do the chains agree; what was found
>>> fit["mass"]                      # draws by chain
>>> fit.Z(chain=0, draw=10)          # items by features

All computation is in the program: AIBD in the environment names it, or the package
contains it, or it is on the PATH.
"""

from typing import NoReturn

from ._program import AIBDError, DataError, Interrupted, NotAgreed, UsageError, program

try:
    from ._estimator import AIBD
    from ._fit import Fit, Picture, Prediction, fit, load
except ModuleNotFoundError as missing:
    if missing.name != "numpy":
        raise

    def __getattr__(name: str) -> NoReturn:  # python -m aibd needs no NumPy
        raise (ImportError("aibd needs NumPy: python3 -m pip install numpy") if name in __all__ else AttributeError(name))


__all__ = ["AIBD", "AIBDError", "DataError", "Fit", "Interrupted", "NotAgreed", "Picture", "Prediction", "UsageError", "fit", "load", "program"]
