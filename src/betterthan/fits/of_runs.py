"""How often systems succeed in all of k runs of a new item, or in any: pass^k and pass@k."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.exact.wins import rasch
from betterthan.posterior import from_draws, table
from betterthan.posterior.pairwise import Fit
from betterthan.posterior.table import Question

KINDS = ("all", "any")
_MOST = 1000
_OVER = (names.SYSTEM, "k")


def reliability(
    tree: xr.DataTree,
    *,
    k: int | Sequence[int] = (1, 3, 5),
    kind: str = "all",
    rope: float = names.ROPE,
    ci_prob: float = names.CI_PROB,
    ci_kind: str = names.CI_KIND,
    threshold: float = names.VERDICT_PROB,
) -> xr.Dataset:
    """Compute pass^k or pass@k of each system on a new item, and compare systems.

    Up to the number of runs that a system had, data decide (``kind="all"`` is pass^k, ``"any"``
    pass@k). Beyond it, data leave a range, and the shape of the Beta in the model decides where in
    that range the result lies. Such results are ``extrapolated`` and have no verdict. For any
    shape, with r runs and k > r, (pass^r)^(k/r) <= pass^k <= pass^r, and pass@r <= pass@k <= 1 - (1
    - pass@r)^(k/r).

    Parameters
    ----------
    tree : xarray.DataTree
        Fit of the model ``repeated``.
    k : int or sequence of int, default (1, 3, 5)
        Numbers of runs of a new item.
    kind : {"all", "any"}, default "all"
        Whether all k runs succeed, or at least one.
    rope : float, default 0
        Half-width of the region of practical equivalence (ROPE) of a difference of probabilities.
    ci_prob : float, default 0.95
        Level of the credible intervals.
    ci_kind : {"hdi", "eti"}, default "hdi"
        Kind of interval: highest density or equal-tailed.
    threshold : float, default 0.95
        Posterior probability needed for a verdict, above 0.5.

    Returns
    -------
    xarray.Dataset
        Over (system, k), each with its Monte Carlo error ``_mcse``:

        - ``reliability``: posterior mean of the probability
        - ``lower``, ``upper``: its credible interval
        - ``bound_lower``, ``bound_upper``: the range of all shapes, from the lower bound of the
          interval of the smallest value to the upper bound of that of the largest; ``lower`` and
          ``upper`` if not extrapolated

        and without: ``extrapolated``; over system ``runs``, the median number of runs of its items,
        rounded up.

        Over (system_a, system_b, k): ``prob_better``, ``difference_mean``, ``difference_lower``,
        ``difference_upper`` and ``mass`` (region), each with its ``_mcse``; ``verdict``:
        ``no_verdict`` if the fit has not converged, or one of the two is extrapolated.

    Raises
    ------
    ValueError
        If the tree is not a fit of ``repeated``, or an argument is not valid.

    Warns
    -----
    UserWarning
        If the fit has not converged.

    References
    ----------
    Chen and others 2021, Evaluating large language models trained on code, arXiv:2107.03374
    (pass@k); Yao, Shinn, Razavi & Narasimhan 2024, tau-bench, arXiv:2406.12045 (pass^k).

    Examples
    --------
    >>> import numpy as np, xarray as xr
    >>> import betterthan as bt
    >>> data = bt.models.repeated.simulate(30, systems=2, trials=3, rng=1)
    >>> noise = xr.DataArray(
    ...     np.random.default_rng(1).normal(1, 0.1, size=(4, 500)), dims=("chain", "draw")
    ... )
    >>> draws = data[["ability", "mean", "difficulty_sd", "trial_correlation"]] * noise
    >>> draws.attrs["model"] = "repeated"  # to save time, in place of bt.models.repeated.fit(data)
    >>> tree = xr.DataTree.from_dict({"posterior": draws, "constant_data": data})
    >>> reliability(tree, k=(1, 3, 8)).sel(system="s0")["extrapolated"].values.tolist()
    [False, False, True]
    """
    question = Question.checked(rope, ci_prob, ci_kind, threshold)
    several = isinstance(k, Sequence | np.ndarray) and not isinstance(k, str)
    values: Any = k if several else [k]
    numbers = [checks.whole(value, "k", 1, _MOST) for value in values]
    if not numbers:
        raise ValueError("k is empty; give numbers of runs, such as k=(1, 3, 5)")
    if len({*numbers}) < len(numbers):
        raise ValueError(f"k is {numbers}, which repeats a number; give each once")
    checks.one_of(kind, KINDS, "kind")
    fit = Fit.from_tree(tree, ("repeated",))
    trials = fit.constant["trials"].transpose(names.ITEM, names.SYSTEM).values
    tried = np.where(trials > 0, trials, np.nan)
    runs = np.ceil(np.nanmedian(tried, axis=0)).astype(np.int64)
    value, low, high = of_draws(fit, numbers, runs, kind)
    coords: dict[str, Any] = {names.SYSTEM: fit.systems, "k": numbers}
    parts = _by_system(value, low, high, question)
    beyond = np.array(numbers) > runs[:, None]
    by_system = {name: (_OVER, v) for name, v in parts.items()}
    by_system |= {"extrapolated": (_OVER, beyond), "runs": (names.SYSTEM, runs)}
    pairs = [
        _pairs(fit, value[..., place], beyond[:, place], question) for place in range(len(numbers))
    ]
    result = xr.concat(pairs, xr.DataArray(numbers, dims="k", name="k"), join="exact")
    result = xr.Dataset(by_system, coords).merge(result.transpose(*names.SQUARE, "k", ...))
    signed = fit.signed(question, answer="reliability", unit=names.ITEM)
    return result.assign_attrs(signed | {"kind": kind})


def of_draws(fit: Fit, numbers: Sequence[int], runs: np.ndarray, kind: str) -> list[np.ndarray]:
    """Draws (chain, draw, system, k) of the probability, and of the least and the most that it is
    for any shape with the same probability of as many runs as the system had.
    """
    sign = 1 if kind == "all" else -1  # any succeeds: not all fail
    place = fit.posterior["mean"].transpose("chain", "draw").values[..., None]
    spread = fit.posterior["difficulty_sd"].transpose("chain", "draw").values
    log_odds = sign * (place + fit.system_draws("ability"))
    wanted = sorted({*numbers, *runs.tolist()})
    drawn = rasch.all_succeed(log_odds, spread, fit.system_draws("trial_correlation"), wanted)
    whole = np.moveaxis(drawn, 0, -1)
    value = whole[..., np.searchsorted(wanted, numbers)]
    own = np.searchsorted(wanted, runs)[:, None]
    known = np.take_along_axis(whole, np.broadcast_to(own, (*whole.shape[:-1], 1)), -1)
    ratio = np.array(numbers) / runs[:, None]
    low = np.where(ratio > 1, known**ratio, value)
    high = np.where(ratio > 1, known, value)
    return [value, low, high] if kind == "all" else [1 - value, 1 - high, 1 - low]


def _by_system(
    value: np.ndarray, low: np.ndarray, high: np.ndarray, question: Question
) -> dict[str, np.ndarray]:
    """Means, bounds and Monte Carlo errors, (system, k), of draws (chain, draw, system, k)."""
    shape = value.shape[2:]
    parts = {}
    ends = ("mean", "lower", "upper")
    for draws, named in (
        (value, dict(zip(ends, ("reliability", "lower", "upper"), strict=True))),
        (low, {"lower": "bound_lower"}),
        (high, {"upper": "bound_upper"}),
    ):
        flat = draws.reshape(*draws.shape[:2], -1)
        sizes = from_draws.sizes(flat, question.ci_prob, question.ci_kind)
        for end, name in named.items():
            for error in ("", "_mcse"):
                parts[f"{name}{error}"] = sizes[f"difference_{end}{error}"].reshape(shape)
    return parts


def _pairs(fit: Fit, draws: np.ndarray, beyond: np.ndarray, question: Question) -> xr.Dataset:
    """Of one number of runs; `beyond` marks systems that did not have as many."""
    result = table.of_joint_draws(draws, fit.systems, question)
    decided = table.with_verdicts(result, question, converged=fit.diagnosis.passed)
    withheld = table.with_verdicts(result, question, converged=False)
    either = xr.DataArray(beyond[:, None] | beyond, dims=names.SQUARE)
    for name in decided.keys() - result.keys():
        decided[name] = xr.where(either, withheld[name], decided[name], keep_attrs=False)
    return decided
