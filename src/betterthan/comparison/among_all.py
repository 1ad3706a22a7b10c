"""Three or more systems at once: pairs among all of them, who is the best, and how sure is that."""

from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.comparison.asked import Asked
from betterthan.comparison.engines import Engine
from betterthan.comparison.given import Given
from betterthan.comparison.joint_notes import joint_notes
from betterthan.comparison.measured import Measured
from betterthan.counts.units import CLUSTER, unlabelled
from betterthan.exact.joint import abilities, units
from betterthan.exact.joint.abilities import Abilities, Evidence
from betterthan.exact.joint.student import DF_MIN
from betterthan.exact.joint.units import Means
from betterthan.posterior import among
from betterthan.signed import Signature

if TYPE_CHECKING:
    from betterthan.comparison.of_blocks import Summed, SummedMeans


def among_all(given: Given, asked: Asked, main: Engine, taken: Collection[str]) -> xr.Dataset:
    """Every pair and every rank from one joint posterior that draws alike systems together.

    By the advised model where it ranks systems, else by quadrature. Where neither can be told there
    is no answer, and ``attrs["no_joint"]`` says why. Of two systems the pair says it all.

    Parameters
    ----------
    given : Given
    asked : Asked
    main : Engine
        What is read first.
    taken : collection of str
        What is taken into account; where that is data sets, these weigh the same.
    """
    if given.counts.sizes[names.SYSTEM_A] == 2:
        return xr.Dataset()
    if "prob_best" in main.beside:
        return _of_model(main)
    why = _not_told(given, asked)
    if why:
        return _none(why)
    scores = given.scores
    assert scores is not None  # else there was a reason
    equal = names.DATASET in taken and len(set(scores.dataset.tolist())) > 1
    means = None
    if scores.graded or not scores.single or equal:
        means = _equally_weighed(scores) if equal else scores.means()
        if means.df <= DF_MIN:
            worth = (
                f"the {scores.units} {given.unit}s are of unequal size, worth {means.df + 1:.1f}"
            )
            return _none(f"{worth} of equal size: too few to tell how the systems vary together")
        of = _of_means(scores, means, equal)
    else:
        win, loss, *tie = checks.prior(asked.prior, given.counts.sizes[names.OUTCOME])
        both, items = scores.both_right()
        of = abilities.evidence_from_right(both, items, (win, loss, tie[0] if tie else 1.0))
    if not of.variance:
        return _none(
            f"differences are the same on every {given.unit}, so nothing tells their error"
        )
    found = Abilities.fit(of)
    parts = means if isinstance(means, Means) else None
    notes, families = joint_notes(found, scores.systems, scores.units, given.unit, parts)
    ranks = among.ranks_of(found, scores.systems, asked.question, asked.rank_seed)
    up = scores.higher_is_better or not scores.graded
    which: Any = {"higher_is_better": up, "alone": families}
    pairs = among.of_pairs(found, scores.systems, asked.question, **which)
    made = replace(
        _made(given, scores, equal, asked),
        joint_notes=notes,
        joint_kept=round(found.groups.mean_k, _DIGITS),
        joint_spread=round(found.groups.spread, _DIGITS),
        joint_groups=tuple(found.groups.prob_groups.round(_DIGITS).tolist()),
    )
    return ranks[list(_TOLD)].merge(pairs).assign_attrs(made.to_attrs())


_DIGITS = 6
_TOLD = (
    *("prob_best", "prob_best_mcse", "expected_rank", "expected_rank_mcse"),
    *("rank_lower", "rank_upper", "in_best_set", "prob_rank"),
)


def _of_means(scores: "Measured | Summed", means: "Means | SummedMeans", equal: bool) -> Evidence:
    low, high = scores.limits
    if equal and isinstance(means, Means):
        pairs = units.pairs_from_means(means, high - low)
    else:
        pairs = scores.pairs()
    return abilities.evidence_from_means(means.mean, means.covariance, means.df, pairs, scores.sd())


def _equally_weighed(scores: Any) -> Means:
    """Means over data sets that weigh the same, and what each unit adds to an error."""
    parts = []
    for k in range(int(scores.dataset.max()) + 1):
        here = scores.dataset == k
        place = np.unique(scores.unit[here], return_inverse=True)[1]
        sums = (units.summed(x[here], place) for x in (scores.totals, scores.sizes))
        parts.append(units.means(*sums))
    added = [part.parts / len(parts) for part in parts]
    scored = np.sum([part.scored for part in parts], axis=0)
    mean, df = np.mean([part.mean for part in parts], axis=0), min(part.df for part in parts)
    return replace(parts[0], mean=mean, parts=np.concatenate(added), scored=scored, df=df)


def _not_told(given: Given, asked: Asked) -> str:
    """Why there is no joint answer."""
    if not given.found.by_item:
        judged = given.raw.attrs.get("unit") == "judgment"
        how = "compare(..., method='advised') draws abilities"
        how = how if judged else "give the scores of the items"
        return f"pairs alone do not say who is the best of all; {how}"
    scores = given.scores
    if scores is None:
        how = "compare(..., method='advised') draws it jointly"
        return f"wins on items say little of a ratio of sums; {how}"
    if unlabelled(given.found.data, CLUSTER):
        return "some items have no cluster"
    if asked.margin:
        return f"wins by more than a margin of {asked.margin:g} are told pair by pair"
    if asked.ties not in ("third", "drop", "all"):
        return f"ties={asked.ties!r} is told pair by pair; a mean has no ties"
    if asked.prior_sd:
        return "the skeptical prior is of a pair; the joint model has a prior of its own"
    prior = checks.prior(asked.prior, given.counts.sizes[names.OUTCOME])
    if prior[0] != prior[1]:
        return "a prior that favours one side of a pair is told pair by pair"
    if given.quantity.lead == "wins" and (scores.graded or not scores.single):
        return "wins are answered pair by pair; quantity='mean' has a joint answer"
    if scores.units < abilities.FEWEST:
        few = f"{scores.units} {given.unit}{'s are' if scores.units > 1 else ' is'} too few"
        return f"{few} to tell how the systems vary together"
    if scores.gaps:
        how = "missing='complete' compares all on the items that all have"
        return f"scores are missing, and pairs are then on different items; {how}"
    return ""


def _of_model(main: Engine) -> xr.Dataset:
    if not main.converged:
        return _none("the chains have not converged")
    draws = main.signed["draws"] * main.signed.get("chains", 1)
    return xr.Dataset(attrs={"joint_model": main.name, "joint_draws": draws})


def _made(given: Given, scores: "Measured | Summed", equal: bool, asked: Asked) -> Signature:
    of_what = "items with their runs" if scores.runs and given.unit == "item" else f"{given.unit}s"
    return Signature(
        joint_model=names.AMONG_ALL,
        joint_draws=among.DRAWS,
        joint_seed=asked.rank_seed,
        joint_units=f"{scores.units:,} {of_what}"
        + (" of data sets, which weigh the same" if equal else ""),
        joint_quantity="mean" if scores.graded else "accuracy",
    )


def _none(why: str) -> xr.Dataset:
    return xr.Dataset(attrs={"no_joint": why})
