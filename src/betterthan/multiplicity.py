"""Many systems at once: a joint answer, and how often verdicts on pairs are wrong."""

from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.bayes.bootstrap import bootstrap_scores
from betterthan.bayes.pairwise import share_error
from betterthan.exact import weights
from betterthan.outcomes.judgments import count_judgments

JOINT = ("prob_best", "prob_best_mcse", "expected_rank", "expected_rank_mcse", "in_best_set")
BOOTSTRAP = "Bayesian bootstrap"


def plain_data(data: Any) -> Any:
    """Judgments as counts, and trials as the share of successes: what counting wins needs."""
    if isinstance(data, xr.Dataset) and "trials" in data:
        with np.errstate(invalid="ignore"):
            share = data["successes"] / data["trials"].where(data["trials"] > 0)
        return share.transpose(names.ITEM, names.SYSTEM).assign_attrs(data.attrs)
    return count_judgments(data) if isinstance(data, xr.Dataset) else data


def sign_error(result: xr.Dataset) -> xr.DataArray:
    """Probability that a verdict names the wrong system of the two; nan where none is named."""
    better = result["prob_better"]
    swapped = better.transpose(..., names.SYSTEM_B, names.SYSTEM_A)
    worse = better.copy(data=swapped.values)  # the other tail, not 1 less this one
    verdict = result["verdict"].transpose(*better.dims).values
    named = np.select([verdict == "a_better", verdict == "b_better"], [worse.values, better.values], np.nan)
    return better.copy(data=named).drop_attrs().rename("sign_error")


def joint_answer(data: xr.DataArray, prob: float, seed: int) -> xr.Dataset:
    """How probable it is that each system is the best of all, and its rank, by the Bayesian bootstrap.

    Nothing where the data are counts, tallies, or scores with gaps.
    """
    scores = names.ITEM in data.dims and names.TALLY not in data.dims
    if not scores or bool(data.isnull().any()):
        return xr.Dataset()
    unit = "cluster" if "cluster" in data.coords else names.ITEM
    if unit == names.ITEM and "epoch" in data.coords:  # an item with its runs is one unit
        unit, data = "run_of", data.assign_coords(run_of=(names.ITEM, data[names.ITEM].values.astype(str)))
    drawn = bootstrap_scores(data, unit=unit, rng=seed)
    oriented = drawn.values if data.attrs.get("higher_is_better", True) else -drawn.values
    chances = weights.ranks(oriented)
    draws, places = len(oriented), np.arange(1, oriented.shape[1] + 1)
    rank = chances @ places
    found = {
        "prob_best": chances[:, 0], "prob_best_mcse": share_error(chances[:, 0], draws), "expected_rank": rank,
        "expected_rank_mcse": np.sqrt(np.maximum(chances @ places**2 - rank**2, 0) / draws),
        "in_best_set": weights.best_set(chances[:, 0], prob),
    }  # fmt: skip
    return xr.Dataset(
        {k: (names.SYSTEM, v) for k, v in found.items()},
        coords={names.SYSTEM: [str(s) for s in drawn[names.SYSTEM].values]},
        attrs={"joint_model": BOOTSTRAP, "joint_draws": draws, "joint_seed": seed},
    )


def take_joint(table: xr.Dataset) -> xr.Dataset:
    """The joint answer of an advised model, if it has one."""
    held = [name for name in JOINT if name in table]
    attrs = {"joint_model": table.attrs["model"], "joint_draws": table.attrs["draws"] * table.attrs["chains"]}
    return table[held].assign_attrs(attrs) if held else xr.Dataset()
