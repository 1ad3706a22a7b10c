"""Many systems at once: who is the best of all, and how sure is that."""

from collections.abc import Collection

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.comparison.asked import Asked
from betterthan.comparison.engines import Engine
from betterthan.comparison.given import Given
from betterthan.counts.units import EPOCH, UNIT, default_unit, in_units, several, unlabelled
from betterthan.exact.numeric import counting
from betterthan.exact.wins.beta import prob_above_half
from betterthan.models.roster import BOOTSTRAP
from betterthan.posterior import table
from betterthan.scores.resampling import drawn_scores
from betterthan.signed import Signature


def best_of_all(given: Given, asked: Asked, main: Engine, taken: Collection[str]) -> xr.Dataset:
    """How probable it is that each system is the best of all, and its rank.

    By the advised model where it ranks systems, else by the Bayesian bootstrap. Of counts and
    tallies, and where draws without a prior would be too certain, there is no answer, and
    ``attrs["no_joint"]`` says why. Of two systems the pair says it.

    Parameters
    ----------
    given : Given
    asked : Asked
    main : Engine
        What is read first.
    taken : collection of str
        What the model takes into account: where it weighs data sets alike, so does the bootstrap.
    """
    if given.counts.sizes[names.SYSTEM_A] == 2:
        return xr.Dataset()
    if "prob_best" in main.beside:
        return _of_model(main)
    why = _no_draws(given)
    if why:
        return _none(why)
    scores = given.found.plain
    equal = names.DATASET in taken and several(scores, names.DATASET)
    parts = _by_dataset(scores) if equal else [scores]
    unit = default_unit(scores) or names.ITEM
    if unlabelled(scores, unit):
        return _none(f"some items have no {unit}")
    parts = [in_units(part, unit) for part in parts]
    few = _too_few(parts, f"{unit}s", asked.question.threshold)
    return _none(few) if few else _bootstrapped(parts, unit, equal, asked)


def _of_model(main: Engine) -> xr.Dataset:
    if not main.converged:
        return _none("the chains have not converged")
    draws = main.signed["draws"] * main.signed.get("chains", 1)
    return xr.Dataset(attrs={"joint_model": main.name, "joint_draws": draws})


def _no_draws(given: Given) -> str:
    """Why items do not say who is the best."""
    found = given.found
    if not found.by_item:
        judged = given.raw.attrs.get("unit") == "judgment"
        how = "compare(..., method='advised') draws abilities"
        how = how if judged else "give the scores of the items"
        return f"pairs alone do not say who is the best of all; {how}"
    if names.TALLY in found.plain.dims:
        how = "compare(..., method='advised') draws it jointly"
        return f"wins on items say little of a ratio of sums; {how}"
    if bool(found.plain.isnull().any()):
        return "some scores are missing; give them all, or missing='complete'"
    return ""


def _by_dataset(scores: xr.DataArray) -> list[xr.DataArray]:
    of = scores[names.DATASET].values
    return [scores.isel({names.ITEM: of == d}) for d in dict.fromkeys(of.tolist())]


def _bootstrapped(parts: list[xr.DataArray], unit: str, equal: bool, asked: Asked) -> xr.Dataset:
    scores = parts[0]
    drawn = np.mean([drawn_scores(p, UNIT, asked.seed + k) for k, p in enumerate(parts)], axis=0)
    found = table.of_systems(
        drawn[None],
        scores[names.SYSTEM].values.astype(str).tolist(),
        ci_prob=asked.question.ci_prob,
        higher_is_better=_higher(scores),
        independent=True,
    )
    runs = unit == names.ITEM and several(scores, EPOCH)
    of_what = "the items with their runs" if runs else f"the {unit}s"
    made = Signature(
        joint_model=BOOTSTRAP,
        joint_draws=len(drawn),
        joint_seed=asked.seed,
        joint_units=of_what + (" of each data set, which weigh the same" if equal else ""),
    )
    return found[list(_TOLD)].assign_attrs(made.to_attrs())


_TOLD = (
    *("prob_best", "prob_best_mcse", "expected_rank", "expected_rank_mcse", "in_best_set"),
    "prob_rank",
)


def _none(why: str) -> xr.Dataset:
    return xr.Dataset(attrs={"no_joint": why})


def _higher(scores: xr.DataArray) -> bool:
    return bool(scores.attrs.get("higher_is_better", True))


def _too_few(parts: list[xr.DataArray], units: str, threshold: float) -> str:
    """Why draws without a prior would be too certain of the best: of whom it was seen to differ too
    rarely.
    """
    sign = 1 if _higher(parts[0]) else -1
    systems = [str(s) for s in parts[0][names.SYSTEM].values]
    means = np.mean([sign * part.values.mean(0) for part in parts], axis=0)
    top = int(means.argmax())
    wins, losses = np.zeros(len(systems)), np.zeros(len(systems))
    for part in parts:
        sums = np.zeros((int(part[UNIT].max()) + 1, len(systems)))
        np.add.at(sums, part[UNIT].values, sign * part.values)
        apart, slack = sums[:, top : top + 1] - sums, counting.slack(sums, 0.0)
        wins, losses = wins + (apart > slack).sum(0), losses + (apart < -slack).sum(0)
    few = (np.minimum(wins, losses) < names.BOOTSTRAP_WINS_MIN) & (wins + losses > 0)
    few &= np.asarray(prob_above_half(1 + wins, 1 + losses)) < threshold
    if not few.any():
        return ""
    k = int(np.where(few, means, -np.inf).argmax())
    return (
        f"{systems[top]} and {systems[k]} are apart on too few {units} ({int(wins[k])} to "
        f"{int(losses[k])}) for draws without a prior; compare(..., method='advised') may have one"
    )
