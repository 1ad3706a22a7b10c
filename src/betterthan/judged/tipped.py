"""How one-sided a judge's error would have to be to turn its answer, where no item has a label."""

from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names, schemas
from betterthan.counts.shapes import to_pairs
from betterthan.exact.wins import dirichlet, intervals
from betterthan.judged.dataset import SIGNAL, is_judged, judge_alone


def tipping(
    counts: xr.DataArray | xr.Dataset, *, prior: Any = None, threshold: float = names.VERDICT_PROB
) -> xr.Dataset:
    """Compute how one-sided the judge's errors must be to overturn its verdict.

    An error that is the same for both systems shrinks the difference d = P(win) - P(loss) that the
    judge sees by an unknown factor, but cannot change its sign. "A better" then still holds
    (without a ROPE; a ROPE for the judge's d is not one for d). Only an error that favors one side
    can overturn it: a preference for its own family, for longer answers, or for the one shown
    first.

    Parameters
    ----------
    counts : xarray.DataArray or xarray.Dataset
        Judge output: counts over (system_a, system_b, outcome) or (pair, outcome), with ties; or
        judged counts, whose human labels are ignored.
    prior : str or sequence of three float, optional
        Dirichlet parameters of win, loss, and tie. Default: all ones.
    threshold : float in (0.5, 1), default 0.95
        Posterior probability needed for a verdict.

    Returns
    -------
    xarray.Dataset, dims (pair,)
        - ``judge_prob_better``, ``judge_difference``, ``judge_verdict``: of the judge output, as if
          it were the truth
        - ``tipping``: bias towards the better system, in P(win) - P(loss), from which the verdict
          no longer holds; 0 if there is no verdict

    Raises
    ------
    ValueError
        If the counts are not valid, ties are unknown, or the signals do not contain the judge's
        answer.

    Examples
    --------
    >>> import betterthan as bt
    >>> result = bt.judged.tipping(bt.counts.from_table({("A", "B"): (210, 120, 170)}))
    >>> result["judge_verdict"].item(), round(result["tipping"].item(), 3)
    ('a_better', 0.121)
    """
    pairs = _judge_counts(counts)
    level = checks.threshold(threshold)
    a, b, t = (pairs.values + np.array(checks.prior(prior))).T
    better = dirichlet.prob_above(a, b, t, 0.0)
    low = intervals.quantile(a, b, t, 1 - level)
    high = intervals.quantile(b, a, t, 1 - level)  # of -d
    verdict = np.select([low > 0, high > 0], ["a_better", "b_better"], "undecided")
    estimates = {
        "judge_prob_better": better,
        "judge_difference": dirichlet.mean_difference(a, b, t),
        "judge_verdict": verdict,
        "tipping": np.maximum(np.maximum(low, high), 0.0),
    }
    coords = {k: pairs[k] for k in (names.PAIR, *names.SQUARE)}
    data = {name: (names.PAIR, values) for name, values in estimates.items()}
    return xr.Dataset(data, coords, {"threshold": level, "prior": list(checks.prior(prior))})


def _judge_counts(counts: Any) -> xr.DataArray:
    """Return the judge's counts (pair, outcome)."""
    if is_judged(counts):
        judge_counts = judge_alone(counts)
        if judge_counts is None:
            raise ValueError(
                "the signals do not say what the judge answers; name them win, loss and tie "
                f"(found {', '.join(map(str, counts[SIGNAL].values))})"
            )
        coords = {k: counts[k] for k in (names.PAIR, *names.SQUARE)}
        outcome = {names.OUTCOME: list(names.OUTCOMES)}
        return xr.DataArray(judge_counts, coords | outcome, (names.PAIR, names.OUTCOME))
    counts_checked = schemas.counts(counts)
    if counts_checked.sizes[names.OUTCOME] != 3:
        raise ValueError("ties are unknown; the judge's d = P(win) - P(loss) needs them")
    if names.SYSTEM_A in counts_checked.dims:
        counts_checked = to_pairs(counts_checked)
    return counts_checked.transpose(names.PAIR, names.OUTCOME)
