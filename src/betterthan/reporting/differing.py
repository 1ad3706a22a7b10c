"""Why a verdict and the tests beside it differ."""

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.exact.wins.sign import sign_mid_p
from betterthan.signed import Signature

REASONS = {
    "few": "No result with so few decisive items could reach a two-sided p of {alpha:g}, whichever "
    "way they fell.",
    "sides": "The probability looks at one side, the p-value at two: the one-sided p is at most "
    "{alpha:g}.",
    "steps": "With few decisive items p moves in steps and counts the whole of the observed one; "
    "counting half of it (mid-p, one-sided) p is at most {alpha:g}.",
    "sizes": "Randomization weighs how large the differences are; the posterior and the sign test "
    "count only which system was ahead on an item.",
    "many": "Significant alone, but not after correction for {pairs:,} pairs; a posterior "
    "probability speaks of one pair and is not corrected.",
    "rope": "The difference is real but too small to matter: the test asks whether it is 0, the "
    "verdict whether it lies within the rope.",
    "prior": "The posterior starts from a prior, and a verdict needs a probability of its own; the "
    "p-value knows neither.",
    "model": "The posterior is that of a model which knows more than wins and losses of this pair "
    "(data sets, clusters, other systems, sizes of differences); the test does not.",
    "chains": "The chains have not converged, so only the tests speak.",
}
_DECIDED = ("a_better", "b_better")
_OF_SIGNS = ("sign", "mid_p", "trinomial")


def reasons(cell: xr.Dataset, made: Signature) -> list[str]:
    """Why the verdict on a pair and its tests differ: keys of `REASONS`, none where they agree."""
    verdict = str(cell["verdict"].item())
    if verdict in ("no_data", "no_verdict"):
        return ["chains"] if verdict == "no_verdict" else []
    tests = [str(test) for test in cell[names.TEST].values]
    p = dict(zip(tests, cell["p_value"].values.tolist(), strict=True))
    decided, alpha = verdict in _DECIDED, float(made.alpha or names.ALPHA)
    adjusted = float(cell["p_adjusted"].values[-1])
    many = ["many"] if decided and p[tests[-1]] <= alpha < adjusted else []
    if made.method == "advised" and made.model:
        told = ["model"] if any(decided != (value <= alpha) for value in p.values()) else []
        return told + many
    found = _of_signs(cell, [p[test] for test in _OF_SIGNS if test in p], verdict, alpha)
    if "randomization" in p and not found:
        significant = p["randomization"] <= alpha
        found = ["sizes"] if _sizes_decide(cell, significant, verdict, made) else []
    return list(dict.fromkeys(found + many))


def _of_signs(cell: xr.Dataset, signs: list[float], verdict: str, alpha: float) -> list[str]:
    """Why tests that count wins differ from the verdict."""
    decided, found = verdict in _DECIDED, []
    if decided and any(value > alpha for value in signs):
        found.append(_why_not_significant(cell, alpha, min(signs)))
    if not decided and any(value <= alpha for value in signs):
        found.append("rope" if verdict == "equivalent" else "prior")
    wins, losses = (int(count) for count in cell["counts"].values[:2])
    if decided and (wins - losses) * _side(verdict) < 0:
        found.append("prior")
    return found


def _why_not_significant(cell: xr.Dataset, alpha: float, p: float) -> str:
    if float(cell["smallest_p"].item()) > alpha:
        return "few"
    if p / 2 <= alpha:
        return "sides"
    wins, losses = (int(count) for count in cell["counts"].values[:2])
    if float(np.asarray(sign_mid_p(wins, losses, "two-sided"))) / 2 <= alpha:
        return "steps"
    return "prior"


def _sizes_decide(cell: xr.Dataset, significant: bool, verdict: str, made: Signature) -> bool:
    """Whether randomization says something else than the verdict: another answer, or the other
    system.
    """
    if significant != (verdict in _DECIDED):
        return True
    ahead = float(cell["swapped_difference"].item()) * (1 if made.higher_is_better else -1)
    return significant and (ahead > 0) != (_side(verdict) > 0)


def _side(verdict: str) -> int:
    return 1 if verdict == "a_better" else -1
