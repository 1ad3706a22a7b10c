"""Which model answers for these data, which would mislead, and why."""

from dataclasses import dataclass

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.counts.judgments import JUDGE, count_judgments
from betterthan.counts.shapes import to_pairs
from betterthan.counts.successes import trials_of
from betterthan.counts.units import CLUSTER, EPOCH, several

_BY_CLUSTER = "betterthan.count(data, by='cluster')"
_CLUSTERED = f"betterthan.fits.compare(betterthan.models.clustered.fit({_BY_CLUSTER}))"
_FEW = 20  # examples below which little is settled


@dataclass(frozen=True)
class Advice:
    """What to ask for data, in three lines when printed.

    ``model`` is a name in ``betterthan.models``, or ``bayesian_bootstrap``; ``call`` is the code
    that answers.
    """

    model: str
    call: str
    why: str
    misleads: str

    def __str__(self) -> str:
        return f"Ask {self.model}: {self.call}\nBecause {self.why}.\nMisleading: {self.misleads}."


def advise(data: xr.DataArray | xr.Dataset) -> Advice:
    """Look at data and say which model answers who is better, which would mislead, and why.

    Parameters
    ----------
    data : xarray.DataArray or xarray.Dataset
        Scores (item, system), tallies (item, system, tally), counts (..., outcome), successes of
        trials, or judgments.

    Returns
    -------
    Advice

    Raises
    ------
    ValueError
        If the data are none of these.

    Examples
    --------
    >>> import betterthan as bt
    >>> print(bt.advise(bt.datasets.contingency_case("a")))
    Ask dirichlet_multinomial: betterthan.compare(data)
    Because two systems on one set of 1,000 examples have a closed form, without Monte Carlo error.
    Misleading: independent_betas, which takes the two accuracies as unrelated though the examples
    are the same.
    """
    if isinstance(data, xr.Dataset):
        return _of_trials(data) if "trials" in data else _of_judgments(data)
    dims = set(getattr(data, "dims", ()))
    if names.TALLY in dims:
        grouped = several(checks.tallies(data), CLUSTER)
        return Advice(
            "bayesian_bootstrap",
            f"betterthan.scores.compare(data{', unit=' + repr(CLUSTER) if grouped else ''})",
            "tallies ask for F1 of all items together, which no count of wins is",
            "counting items on which one F1 is above the other: it weighs every item alike",
        )
    if names.ITEM in dims:
        return _of_scores(checks.scores(data))
    if names.OUTCOME in dims:
        return _of_counts(checks.counts(data))
    raise ValueError(
        f"expected scores, tallies, counts, trials or judgments, got {type(data).__name__} with "
        f"dims "
        f"({', '.join(sorted(map(str, dims)))}); see betterthan.read"
    )


def _of_scores(
    scores: xr.DataArray, counts: str = "betterthan.count(data, by='dataset')"
) -> Advice:
    values = scores.values.astype(float)
    systems, n = values.shape[1], values.shape[0]
    binary = bool(np.isin(values[~np.isnan(values)], (0.0, 1.0)).all())
    runs, grouped = several(scores, EPOCH), several(scores, CLUSTER)
    datasets = (
        len(set(scores[names.DATASET].values.tolist())) if names.DATASET in scores.coords else 1
    )
    ordered = "pairing run i of one system with run i of another: runs have no common order"
    if runs and binary and systems > 2 and not grouped:
        return _repeated(systems, ordered)
    if runs or grouped:
        what = "repeated runs of an item" if runs and not grouped else "items of one cluster"
        lost = [f"pools the {datasets} data sets"] if datasets > 1 else []
        lost += [] if binary else ["counts who is ahead, not by how much"]
        given_up = f"; it {' and '.join(lost)}" if lost else ""
        return Advice(
            "clustered",
            _CLUSTERED,
            f"{what} are alike, so {n:,} rows say less than {n:,} independent examples{given_up}",
            ordered
            if runs
            else "any answer that takes the items as independent: it is too certain",
        )
    if not binary:
        also = f" and {datasets} data sets differ" if datasets > 1 else ""
        return Advice(
            "graded",
            "betterthan.fits.compare(betterthan.models.graded.fit(data))",
            f"the scores are graded, so by how much counts as well as how often{also}",
            "counting wins alone, if you care about the mean: small frequent wins outweigh large "
            "rare losses",
        )
    if datasets > 1:
        return _several(datasets, counts)
    if systems > 2:
        return Advice(
            "item_response",
            "betterthan.fits.compare(betterthan.models.item_response.fit(data))",
            f"{systems} systems share {n:,} items, so their ranks and the best of them need one "
            f"joint model",
            "davidson on the pairs of these items: they are not independent judgments, and it "
            "would be too certain",
        )
    return _two(n)


def _of_counts(counts: xr.DataArray) -> Advice:
    pair = (names.SYSTEM_A, names.SYSTEM_B, names.PAIR, names.OUTCOME)
    extra = [str(d) for d in counts.dims if d not in pair and counts.sizes[d] > 1]
    square = names.SYSTEM_A in counts.dims
    if square:
        systems = counts.sizes[names.SYSTEM_A]
    else:
        systems = len({str(s) for k in (names.SYSTEM_A, names.SYSTEM_B) for s in counts[k].values})
    if "cluster" in extra:
        others = [d for d in extra if d != "cluster"]
        pooled = f".sum({others}, keep_attrs=True)" if others else ""
        return Advice(
            "clustered",
            f"betterthan.fits.compare(betterthan.models.clustered.fit(data{pooled}))",
            f"the examples come in {counts.sizes['cluster']} clusters and are alike within them",
            "summing over clusters: it takes their examples as independent and is too certain",
        )
    if extra:
        return _several(int(np.prod([counts.sizes[d] for d in extra])), "data")
    unit = counts.attrs.get("unit", "unknown")
    if systems > 2 and unit == "judgment":
        return Advice(
            "davidson",
            "betterthan.fits.compare(betterthan.models.davidson.fit(data))",
            f"separate judgments on {systems} systems tie all of them together, also pairs that "
            f"never met",
            "each pair by itself: it wastes what other pairs say, and the best of many looks "
            "better than it is",
        )
    if systems > 2:
        asked = (
            "these counts come from shared items"
            if unit == names.ITEM
            else "it is unknown what was counted"
        )
        more = (
            ""
            if unit == names.ITEM
            else ", or davidson if they are judgments: counts.assign_attrs(unit='judgment')"
        )
        return Advice(
            "dirichlet_multinomial",
            "betterthan.compare(data)",
            f"{asked}, so pairs are answered one by one; ranks need item_response on the "
            f"scores{more}",
            "davidson on pairs of shared items: they are not independent judgments, and it would "
            "be too certain",
        )
    return _two(int((to_pairs(counts) if square else counts).sum()))


def _of_trials(data: xr.Dataset) -> Advice:
    _, trials, _, systems = trials_of(data)
    if trials.max() == 1:
        share = "data['successes'].where(data['trials'] > 0)"
        single = data["successes"].where(data["trials"] > 0).astype(float)
        return _of_scores(checks.scores(single), f"betterthan.count({share}, by='dataset')")
    ordered = "pairing run i of one system with run i of another: runs have no common order"
    if len(systems) > 2 and not several(data, CLUSTER):
        return _repeated(len(systems), ordered)
    return Advice(
        "clustered",
        _CLUSTERED,
        "repeated runs of an item are alike, so trials say less than as many independent examples",
        ordered,
    )


def _of_judgments(data: xr.Dataset) -> Advice:
    systems = count_judgments(data).sizes[names.SYSTEM_A]
    judges = several(data, JUDGE)
    choices = "position=True" + (", judges=True" if judges else "")
    if systems > 2 or judges:
        more = ", and judges differ" if judges else ""
        return Advice(
            "davidson",
            f"betterthan.fits.compare(betterthan.models.davidson.fit(data, {choices}))",
            f"separate judgments on {systems} systems tie all of them together, who was shown "
            f"first may matter{more}",
            "each pair by itself: it wastes what other pairs say, and the best of many looks "
            "better than it is",
        )
    return Advice(
        "dirichlet_multinomial",
        "betterthan.compare(betterthan.count(data))",
        "two systems in separate judgments have a closed form, without Monte Carlo error",
        "taking several judgments by one judge as independent",
    )


def _repeated(systems: int, ordered: str) -> Advice:
    return Advice(
        "item_response",
        "betterthan.fits.compare(betterthan.models.item_response.fit(data))",
        f"{systems} systems share items and ran each of them several times: successes of trials, "
        f"alike within an item",
        ordered,
    )


def _several(datasets: int, counts: str) -> Advice:
    return Advice(
        "hierarchical",
        f"betterthan.fits.compare(betterthan.models.hierarchical.fit({counts}))",
        f"{datasets} data sets may differ in who is better and by how much, and are of unequal size",
        "pooling them: the largest decides, and a new data set looks as certain as these",
    )


def _two(n: int) -> Advice:
    few = f"; {n} examples settle little" if n < _FEW else ""
    return Advice(
        "dirichlet_multinomial",
        "betterthan.compare(data)",
        f"two systems on one set of {n:,} examples have a closed form, without Monte Carlo "
        f"error{few}",
        "independent_betas, which takes the two accuracies as unrelated though the examples are "
        "the same",
    )
