"""A fit, looked at once: which model it is of, what it holds, and whether it may be trusted."""

import warnings
from collections.abc import Collection
from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np
import xarray as xr

from betterthan import __version__, names
from betterthan.posterior.gate import Diagnosis, diagnose, posterior_of
from betterthan.posterior.table import Question
from betterthan.signed import Signature


def check_model(tree: Any, models: Collection[str]) -> str:
    """The model of a fit; raises an error if it is none of `models`."""
    held = isinstance(tree, xr.DataTree) and "posterior" in tree.children
    model = tree["posterior"].attrs.get("model") if held else None
    if held and model is None and names.ADOPTED in models:
        raise ValueError(f"tree is {names.UNKNOWN_DRAWS}")
    if model is None or model not in models:
        described = f"a fit of {model}" if model else f"a {type(tree).__name__}"
        raise ValueError(
            f"tree is {described}; give a fit of betterthan.models, of {', '.join(models)}"
        )
    return str(model)


def prior_in(attrs: Any) -> tuple[float, ...] | str | None:
    """The prior that the attrs of a posterior record: numbers, or a distribution in words."""
    prior = attrs.get("prior")
    if prior is None or isinstance(prior, str):
        return prior
    return tuple(np.atleast_1d(prior).tolist())


@dataclass(frozen=True)
class Fit:
    """A fit of a known model, and its diagnosis."""

    posterior: xr.Dataset
    constant: xr.Dataset
    diagnosis: Diagnosis

    @classmethod
    def from_tree(cls, tree: Any, models: Collection[str]) -> Self:
        """The fit, with a warning where it has not converged; for a function that users call."""
        check_model(tree, models)
        diagnosis = diagnose(tree)
        if not diagnosis.passed:
            warnings.warn(
                "no verdict: " + " ".join(diagnosis.failures), skip_file_prefixes=names.PACKAGE
            )
        held = "constant_data" in tree.children
        constant = tree["constant_data"].to_dataset() if held else xr.Dataset()
        return cls(posterior_of(tree), constant, diagnosis)

    @property
    def model(self) -> str:
        """Name of the model."""
        return self.posterior.attrs["model"]

    @property
    def square(self) -> bool:
        """Whether answers are over (system_a, system_b) rather than (pair,)."""
        return bool(self.posterior.attrs["square"])

    @property
    def systems(self) -> list[str]:
        """Names of the systems, where draws are by system."""
        return [str(s) for s in self.posterior[names.SYSTEM].values]

    def system_draws(self, name: str) -> np.ndarray:
        """Draws (chain, draw, system) of a variable."""
        return self.posterior[name].transpose("chain", "draw", names.SYSTEM).values

    @property
    def _converged(self) -> dict[str, float]:
        """Convergence diagnostics of chains, or of weights."""
        if not np.isnan(self.diagnosis.pareto_k):
            return {"pareto_k": self.diagnosis.pareto_k}
        recorded = () if self.diagnosis.unchecked else ("divergences",)
        names_reported = ("rhat_max", *recorded)
        return {k: getattr(self.diagnosis, k) for k in names_reported}

    def signed(self, question: Question, **also: Any) -> Signature:
        """Provenance of an answer from this fit."""
        a, prior = self.posterior.attrs, prior_in(self.posterior.attrs)
        return Signature(
            version=__version__,
            model=self.model,
            prior=None if isinstance(prior, str) else prior,
            prior_text=prior if isinstance(prior, str) else None,
            seed=a.get("seed"),
            draws=self.posterior.sizes["draw"],
            chains=self.posterior.sizes["chain"],
            inference_library=a.get("inference_library"),
            ess_min=self.diagnosis.ess_min,
            **self._converged,
            failures=self.diagnosis.failures,
            **asdict(question) | also,
        )
