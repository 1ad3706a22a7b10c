"""The libraries that sample, imported on first use: an installation may lack them."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import arviz as az
    import nutpie
    import pymc as pm

__all__ = ["az", "nutpie", "pm"]
_LIBRARIES = {"az": "arviz", "nutpie": "nutpie", "pm": "pymc"}


def __getattr__(name: str) -> Any:
    """The library; without it, an error that names what to install and what needs no sampling.

    Raises
    ------
    ModuleNotFoundError
        If the library is not installed.
    """
    if name not in _LIBRARIES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return import_module(_LIBRARIES[name])
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"PyMC models and their draws need {error.name}, which is not installed; run "
            "`python -m pip install .` in the clone, or use the closed forms, which sample nothing "
            '(method="exact" in compare, bt.prob_better(counts))',
            name=error.name,
        ) from None
