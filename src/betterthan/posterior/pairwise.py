"""Answers on all pairs from posterior draws: of a core model, or of an adopted one."""

from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.counts.shapes import to_square
from betterthan.posterior import table
from betterthan.posterior.fitted import Fit
from betterthan.posterior.of_draws import by_pair
from betterthan.posterior.sampled import difference_of, rope_of
from betterthan.posterior.table import Question

MODELS = (
    "dirichlet_multinomial",
    "beta_binomial",
    "independent_betas",
    "judge",
    names.STUDENT_T,
    names.ADOPTED,
)


def of_outcomes(fit: Fit, asked: Question) -> xr.Dataset:
    """Probabilities, differences, masses and verdicts; without ties P(better) alone."""
    if asked.rope:
        difference_of(fit.posterior, "a rope")
    if "difference" in fit.posterior:
        found = table.of_differences(fit.posterior["difference"], asked, square=fit.square)
    else:
        found = table.of_signs(fit.posterior["p"] - 0.5, square=fit.square).drop_vars("ess")
    n = _number(fit)
    found = table.with_verdicts(found, asked, converged=fit.diagnosis.passed, n=n)
    if n is not None:
        found["n"] = n
    notes = (fit.diagnosis.unchecked,) if fit.diagnosis.unchecked else ()
    return found.assign_attrs(notes="\n".join(notes)) if notes else found


def compared(tree: xr.DataTree, rope: float | None = None) -> xr.Dataset:
    """The same with the usual choices, and how it was made: for figures."""
    fit = Fit.of(tree, MODELS)
    asked = Question(rope=rope_of(fit.posterior, names.ROPE if rope is None else rope))
    return of_outcomes(fit, asked).assign_attrs(fit.signed(asked, answer="pairs").to_attrs())


def of_one(tree: xr.DataTree, a: str, b: str) -> dict[str, np.ndarray]:
    """All draws of the variables of one pair, told from the side of `a`.

    Returns
    -------
    dict of str to numpy.ndarray
        ``difference`` (draw,), ``theta`` (draw, outcome), ``p`` (draw,), ``p_win`` and ``p_loss``
        (draw,): those that the posterior has, and p and the two probabilities where theta is.
    """
    posterior = Fit.of(tree, MODELS).posterior
    sides = [posterior[side].values.astype(str).tolist() for side in names.SQUARE]
    pairs = list(zip(*sides, strict=True))
    swapped = (a, b) not in pairs
    if swapped and (b, a) not in pairs:
        raise ValueError(f"data compare no {a!r} and {b!r}")
    one = posterior.isel({names.PAIR: pairs.index((b, a) if swapped else (a, b))})
    known = [k for k in ("difference", "p", "p_win", "p_loss") if by_pair(posterior, k)]
    known += ["theta"] * by_pair(posterior, "theta", names.OUTCOME)
    found: dict[str, Any] = {}
    for name in known:
        array = one[name].transpose("chain", "draw", ...)
        found[name] = array.values.reshape(-1, *array.shape[2:])
    if "theta" in found:
        theta = found["theta"][:, [1, 0, 2]] if swapped else found["theta"]
        win, loss = theta[:, 0], theta[:, 1]
        with np.errstate(invalid="ignore"):
            share = np.where(win + loss > 0, win / (win + loss), 0.5)
        return found | {
            "theta": theta,
            "difference": -found["difference"] if swapped else found["difference"],
            "p": share,
            "p_win": win,
            "p_loss": loss,
        }
    if swapped:
        turned = {"difference": np.negative, "p": lambda x: 1 - x}
        found = {k: turned.get(k, np.positive)(v) for k, v in found.items()}
        if "p_win" in found:
            found["p_win"], found["p_loss"] = found["p_loss"], found["p_win"]
    return found


def _number(fit: Fit) -> xr.DataArray | None:
    """Examples of each pair, where the fit holds the counts of all three outcomes."""
    counts = fit.constant.get("counts")
    if counts is not None and counts.dims == (names.PAIR, names.OUTCOME) and counts.shape[1] == 3:
        n = counts.sum(names.OUTCOME)
    elif fit.model == "independent_betas" and "n" in fit.constant:
        n = fit.constant["n"]
    else:
        return None
    labels = {k: (names.PAIR, fit.posterior[k].values) for k in (names.PAIR, *names.SQUARE)}
    n = xr.DataArray(n.values, dims=names.PAIR, coords=labels)
    return to_square(n, mirror="same") if fit.square else n
