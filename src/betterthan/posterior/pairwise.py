"""A fit and its checks, and answers on all pairs from its draws."""

from collections.abc import Collection
from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.counts.shapes import to_square
from betterthan.posterior import table
from betterthan.posterior.from_draws import Diagnosis, diagnose, posterior_of
from betterthan.posterior.sampled import by_pair, checked_rope, difference_draws
from betterthan.posterior.table import Question
from betterthan.signed import provenance_attrs


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


_OF_FEATURES = "performance_function"  # which predicts by its draws alone


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
            checks.warn("no verdict: " + " ".join(diagnosis.failures))
        held = "constant_data" in tree.children
        posterior = posterior_of(tree)
        if not held and posterior.attrs["model"] not in (*MODELS, _OF_FEATURES):
            raise ValueError(
                "tree has no group constant_data, the data of its fit; keep it with the posterior"
            )
        constant = tree["constant_data"].to_dataset().compute() if held else xr.Dataset()
        return cls(posterior, constant, diagnosis)

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
    def _converged(self) -> dict[str, Any]:
        """Convergence diagnostics of chains, or of weights."""
        if not np.isnan(self.diagnosis.pareto_k):
            return {"pareto_k": self.diagnosis.pareto_k}
        recorded = ("rhat_max",) if self.diagnosis.unchecked else ("rhat_max", "divergences")
        return {k: getattr(self.diagnosis, k) for k in recorded}

    def signed(self, question: Question, **also: Any) -> dict[str, Any]:
        """Provenance of an answer from this fit."""
        a, prior = self.posterior.attrs, prior_in(self.posterior.attrs)
        options: dict[str, Any] = asdict(question)
        return provenance_attrs(
            model=self.model,
            prior=None if isinstance(prior, str) else prior,
            prior_text=prior if isinstance(prior, str) else a.get("built_with"),
            seed=a.get("seed"),
            draws=self.posterior.sizes["draw"],
            chains=self.posterior.sizes["chain"],
            inference_library=a.get("inference_library"),
            ess_min=self.diagnosis.ess_min,
            **self._converged,
            failures=self.diagnosis.failures,
            **options | also,
        )


MODELS = (
    "dirichlet_multinomial",
    "beta_binomial",
    "independent_betas",
    "judge",
    names.STUDENT_T,
    names.ADOPTED,
)


def pair_answers(fit: Fit, question: Question) -> xr.Dataset:
    """Probabilities, differences, masses and verdicts; without ties P(better) alone."""
    if question.rope:
        difference_draws(fit.posterior, "a rope")
    result = table.of_posterior(fit.posterior, question)
    n = _number(fit)
    result = table.with_verdicts(result, question, converged=fit.diagnosis.passed, n=n)
    if n is not None:
        result["n"] = n
    notes = (fit.diagnosis.unchecked,) if fit.diagnosis.unchecked else ()
    return result.assign_attrs(notes="\n".join(notes)) if notes else result


def compared(tree: xr.DataTree, rope: float | None = None) -> xr.Dataset:
    """`pair_answers` with default choices and provenance: for figures."""
    fit = Fit.from_tree(tree, MODELS)
    question = Question(rope=checked_rope(fit.posterior, names.ROPE if rope is None else rope))
    return pair_answers(fit, question).assign_attrs(fit.signed(question, answer="pairs"))


def pair_draws(tree: xr.DataTree, a: str, b: str) -> dict[str, np.ndarray]:
    """All draws of the variables of one pair, from the side of `a`.

    Returns
    -------
    dict of str to numpy.ndarray
        ``difference`` (draw,), ``theta`` (draw, outcome), ``p`` (draw,), ``p_win`` and ``p_loss``
        (draw,): those that the posterior has, and p and the two probabilities where theta is.
    """
    posterior = Fit.from_tree(tree, MODELS).posterior
    sides = [posterior[side].values.astype(str).tolist() for side in names.SQUARE]
    pairs = list(zip(*sides, strict=True))
    swapped = (a, b) not in pairs
    if swapped and (b, a) not in pairs:
        raise ValueError(f"data compare no {a!r} and {b!r}")
    pair = posterior.isel({names.PAIR: pairs.index((b, a) if swapped else (a, b))})
    variables = [k for k in ("difference", "p", "p_win", "p_loss") if by_pair(posterior, k)]
    variables += ["theta"] * by_pair(posterior, "theta", names.OUTCOME)
    draws: dict[str, Any] = {}
    for name in variables:
        array = pair[name].transpose("chain", "draw", ...)
        draws[name] = array.values.reshape(-1, *array.shape[2:])
    if "theta" in draws:
        theta = draws["theta"][:, [1, 0, 2]] if swapped else draws["theta"]
        win, loss = theta[:, 0], theta[:, 1]
        with np.errstate(invalid="ignore"):
            share = np.where(win + loss > 0, win / (win + loss), 0.5)
        return draws | {
            "theta": theta,
            "difference": -draws["difference"] if swapped else draws["difference"],
            "p": share,
            "p_win": win,
            "p_loss": loss,
        }
    if swapped:
        reversed_ = {"difference": np.negative, "p": lambda x: 1 - x}
        draws = {k: reversed_.get(k, np.positive)(v) for k, v in draws.items()}
        if "p_win" in draws:
            draws["p_win"], draws["p_loss"] = draws["p_loss"], draws["p_win"]
    return draws


def _number(fit: Fit) -> xr.DataArray | None:
    """Examples of each pair, where the fit holds the counts of all three outcomes."""
    counts = fit.constant.get("counts")
    if counts is not None and counts.dims == (names.PAIR, names.OUTCOME) and counts.shape[1] == 3:
        n = counts.sum(names.OUTCOME)
    elif fit.model == "independent_betas" and "n" in fit.constant:
        n = fit.constant["n"]
    else:
        return None
    if names.PAIR in n.indexes:
        n = n.sel({names.PAIR: fit.posterior[names.PAIR].values})
    labels = {k: (names.PAIR, fit.posterior[k].values) for k in (names.PAIR, *names.SQUARE)}
    n = xr.DataArray(n.values, dims=names.PAIR, coords=labels)
    return to_square(n, mirror="same") if fit.square else n
