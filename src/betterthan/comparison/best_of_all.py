"""Many systems at once: a joint answer, and how often verdicts on pairs are wrong."""

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.counts.scoring import apply_missing
from betterthan.counts.units import EPOCH, UNIT, default_unit, in_units, several, unlabelled
from betterthan.exact.numeric import counting, weights
from betterthan.exact.numeric.sampling_error import probability_error
from betterthan.exact.wins.beta import prob_above_half
from betterthan.scores.resampling import bootstrap_draws

JOINT = ("prob_best", "prob_best_mcse", "expected_rank", "expected_rank_mcse", "in_best_set")
BOOTSTRAP = "Bayesian bootstrap"


def sign_error(result: xr.Dataset) -> xr.DataArray:
    """Probability that a verdict names the wrong system of the two; nan where none is named."""
    better = result["prob_better"]
    swapped = better.transpose(..., names.SYSTEM_B, names.SYSTEM_A)
    worse = better.copy(data=swapped.values)  # the other tail, not 1 less this one
    verdict = result["verdict"].transpose(*better.dims).values
    named = np.select(
        [verdict == "a_better", verdict == "b_better"], [worse.values, better.values], np.nan
    )
    return better.copy(data=named).drop_attrs().rename("sign_error")


def joint_answer(
    data: xr.DataArray, *, missing: str, equal: bool, ci_prob: float, seed: int
) -> xr.Dataset:
    """How probable it is that each system is the best of all, and its rank, by the Bayesian
    bootstrap.

    Parameters
    ----------
    data : xarray.DataArray
        Scores; of counts and tallies, and where draws without a prior would be too certain, there
        is no answer, and ``attrs["no_joint"]`` says why.
    missing : str
        See `betterthan.count`.
    equal : bool
        Whether each data set weighs the same, or each example.
    ci_prob : float
    seed : int
    """
    if names.ITEM not in data.dims:
        judged = data.attrs.get("unit") == "judgment"
        how = (
            "compare(..., method='advised') draws abilities"
            if judged
            else "give the scores of the items"
        )
        return _none(f"pairs alone do not say who is the best of all; {how}")
    if names.TALLY in data.dims:
        return _none(
            "wins on items say little of a ratio of sums; compare(..., method='advised') draws it "
            "jointly"
        )
    scores = apply_missing(checks.scores(data), missing)
    if bool(scores.isnull().any()):
        return _none("some scores are missing; give them all, or missing='complete'")
    parts = [scores]
    if equal:
        of = scores[names.DATASET].values
        parts = [scores.isel({names.ITEM: of == d}) for d in dict.fromkeys(of.tolist())]
    unit = default_unit(scores) or names.ITEM
    if unlabelled(scores, unit):
        return _none(f"some items have no {unit}")
    parts = [in_units(part, unit) for part in parts]
    systems = [str(s) for s in scores[names.SYSTEM].values]
    higher = scores.attrs.get("higher_is_better", True)
    few = _too_few(parts, systems, f"{unit}s", 1 if higher else -1)
    if few:
        return _none(few)
    drawn = np.mean(
        [bootstrap_draws(p, unit=UNIT, rng=seed + k).values for k, p in enumerate(parts)], axis=0
    )
    chances = weights.ranks(drawn if higher else -drawn)
    draws, places = len(drawn), np.arange(1, len(systems) + 1)
    rank = chances @ places
    found = {
        "prob_best": chances[:, 0],
        "prob_best_mcse": probability_error(chances[:, 0], draws),
        "expected_rank": rank,
        "expected_rank_mcse": np.sqrt(np.maximum(chances @ places**2 - rank**2, 0) / draws),
        "in_best_set": weights.best_set(chances[:, 0], ci_prob),
    }
    of_what = f"the {'items with their runs' if unit == names.ITEM and several(scores, EPOCH) else unit + 's'}"
    return xr.Dataset(
        {k: (names.SYSTEM, v) for k, v in found.items()},
        coords={names.SYSTEM: systems},
        attrs={
            "joint_model": BOOTSTRAP,
            "joint_draws": draws,
            "joint_seed": seed,
            "joint_units": of_what + (" of each data set, which weigh the same" if equal else ""),
        },
    )


def take_joint(table: xr.Dataset) -> xr.Dataset:
    """The joint answer of an advised model, if it has one and has converged."""
    held = [name for name in JOINT if name in table]
    if not held:
        return xr.Dataset()
    if table.attrs.get("mcmc_failures"):
        return _none("the chains have not converged")
    a = table.attrs
    return (
        table[held]
        .drop_attrs()
        .assign_attrs(joint_model=a["model"], joint_draws=a["draws"] * a.get("chains", 1))
    )


def _none(why: str) -> xr.Dataset:
    return xr.Dataset(attrs={"no_joint": why})


def _too_few(parts: list[xr.DataArray], systems: list[str], units: str, sign: int) -> str:
    """Why draws without a prior would be too certain of the best: of whom it was seen to differ too
    rarely.
    """
    means = np.mean([sign * part.values.mean(0) for part in parts], axis=0)
    top = int(means.argmax())
    wins, losses = np.zeros(len(systems)), np.zeros(len(systems))
    for part in parts:
        sums = np.zeros((int(part[UNIT].max()) + 1, len(systems)))
        np.add.at(sums, part[UNIT].values, sign * part.values)
        apart, slack = sums[:, top : top + 1] - sums, counting.slack(sums, 0.0)
        wins, losses = wins + (apart > slack).sum(0), losses + (apart < -slack).sum(0)
    few = (np.minimum(wins, losses) < names.BOOTSTRAP_WINS_MIN) & (wins + losses > 0)
    few &= np.asarray(prob_above_half(1 + wins, 1 + losses)) < names.VERDICT_PROB
    if not few.any():
        return ""
    k = int(np.where(few, means, -np.inf).argmax())
    return (
        f"{systems[top]} and {systems[k]} are apart on too few {units} ({int(wins[k])} to "
        f"{int(losses[k])}) for draws "
        "without a prior; compare(..., method='advised') may have one"
    )
