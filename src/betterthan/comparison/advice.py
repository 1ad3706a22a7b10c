"""Which model answers for these data, which would mislead, and why."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.comparison.data import LoadedData, recognise
from betterthan.counts.judgments import JUDGE, few_judges
from betterthan.counts.shapes import systems_of, to_pairs, to_square
from betterthan.counts.tables import both_right
from betterthan.counts.units import CLUSTER, EPOCH, ids_of, several, unit_of, warn_of_unlabelled
from betterthan.io.texts import text_array
from betterthan.model_registry import Spec, spec_of
from betterthan.reading.inputs import data_of
from betterthan.reading.read import ReadOptions

_SYSTEMS_FITTED = 32  # beyond, a model of pairs is refused: names.MCMC_PAIRS_MAX
_FEW = 20  # items below which little is settled
_ORDERED = "pairing run i of one system with run i of another: runs have no common order"
_TOO_SURE = "they are not independent judgments, and it would be too certain"


@dataclass(frozen=True)
class Advice:
    """The recommended model, the call that fits it, and what would mislead; print it to read it.

    ``spec`` is the row of the model.
    """

    spec: Spec
    loaded: LoadedData
    why: str
    misleads: str
    over: str | None = None  # the data sets to average, where the call is `compare`

    @property
    def model(self) -> str:
        """A name in ``betterthan.models``, or ``bayesian_bootstrap``."""
        return self.spec.name

    @property
    def options(self) -> dict[str, Any]:
        """Arguments of the call."""
        return {k: v for k, v in self.spec.options(self.loaded).items() if v}

    @property
    def call(self) -> str:
        """Code that computes the answer."""
        call = self.spec.call(self.loaded)
        return call if self.over is None else f"{call[:-1]}, over={self.over!r})"

    def __str__(self) -> str:
        whom = _WORDS.get(self.model, self.model)
        return f"Use {whom}: {self.call}\nBecause {self.why}.\nMisleading: {self.misleads}."


# models of `compare` that are none in `betterthan.models`
_WORDS = {names.AMONG_ALL: "the joint model of all systems", names.STUDENT_T: "Student's t"}


def advise(
    data: Any,
    *,
    systems: Sequence[str] | Mapping[str, str] | None = None,
    **options: Unpack[ReadOptions],
) -> Advice:
    """Recommend a model for the data, and name the models that would mislead.

    Parameters
    ----------
    data : path, DataFrame, Logs, xarray.DataArray or xarray.Dataset, dict or numpy.ndarray
        Scores (item, system), TP/FP/FN counts (item, system, tally), counts (..., outcome),
        successes of trials, or judgments; or anything that `compare` reads as one of these.
    systems : sequence of str, or mapping of str to str, optional
        Systems to look at: a list selects and orders them, a mapping renames them. For a NumPy
        array, a list names the columns.
    **options
        Options of `read`, if the data are read; see `compare`.

    Returns
    -------
    Advice
        The recommendation with its reasons; print it to read it.

    Raises
    ------
    ValueError
        If the data are none of these, or an option of `read` is passed and nothing is read.

    Examples
    --------
    >>> import betterthan as bt
    >>> print(bt.advise(bt.datasets.contingency_case("a")))
    Use dirichlet_multinomial: betterthan.compare(data)
    Because two systems on one set of 1,000 items have a closed form, without Monte Carlo error.
    Misleading: independent_betas, which takes the two accuracies as unrelated though the items
    are the same.
    """
    data = data_of(data, systems, options, "advise")
    return advise_on(recognise(data).of_systems(systems))


def advise_on(loaded: LoadedData) -> Advice:
    """The same of data that were recognised."""
    reasons = {
        "tallies": _of_tallies,
        "scores": _of_scores,
        "counts": _of_counts,
        "trials": _of_trials,
        "judgments": _of_judgments,
        "blocks": _of_blocks,
    }
    model, why, misleads = reasons[loaded.kind](loaded)
    over = names.DATASET if _averages(loaded) else None
    return Advice(spec_of(model), loaded, why, misleads, over)


def _averages(loaded: LoadedData) -> bool:
    """Whether clusters are within data sets, which then are averaged."""
    if loaded.kind != "scores" or not several(loaded.scores, names.DATASET):
        return False
    if unit_of(loaded.data, None) != CLUSTER:
        return False
    labels = text_array(loaded.scores[names.DATASET].values).tolist()
    pairs = set(zip(labels, ids_of(loaded.data, CLUSTER).tolist(), strict=True))
    clusters = Counter(label for label, _ in pairs)
    return len({unit for _, unit in pairs}) == len(pairs) and min(clusters.values()) > 1


def _of_blocks(_: LoadedData) -> tuple[str, str, str]:
    raise ValueError(
        "scores in blocks are answered in closed form; models need them in memory: load them with "
        ".compute(), or pass method='exact'"
    )


def _of_tallies(_: LoadedData) -> tuple[str, str, str]:
    return (
        "bayesian_bootstrap",
        "counts of TP, FP and FN ask for F1 of all items together, not for wins",
        "counting items on which one F1 is above the other: it weighs every item alike",
    )


def _of_scores(loaded: LoadedData) -> tuple[str, str, str]:
    scores = loaded.scores
    n, systems = scores.shape
    by_dataset = names.DATASET in scores.coords
    datasets = len(set(scores[names.DATASET].values.tolist())) if by_dataset else 1
    unit = unit_of(loaded.data, None)
    warn_of_unlabelled(loaded.data)
    if unit == CLUSTER or several(scores, EPOCH):
        return _alike(loaded, unit, datasets)
    if loaded.graded:
        also = f"; it pools the {datasets} data sets" if datasets > 1 else ""
        return (
            _closed(systems),
            "the scores are graded, and by how much counts as well as how often: the mean decides, "
            f"and how often each wins is reported too{also}",
            "counting wins alone: small frequent wins outweigh large rare losses; or graded, a "
            "typical difference, which looks away from the rare ones",
        )
    if datasets > 1 and systems <= _SYSTEMS_FITTED:
        return _several(datasets)
    if systems > 2:
        pooled = f"; the {datasets} data sets are pooled" if datasets > 1 else ""
        return (
            "among_all",
            f"{systems} systems share {n:,} items: each pair has a closed form, and ranks and the "
            "best come from one joint posterior of all; item_response where abilities or items "
            f"are wanted{pooled}",
            f"davidson on the pairs of these items: {_TOO_SURE}",
        )
    return _two(n)


def _closed(systems: int) -> str:
    """Of more than two systems all are drawn together, too."""
    return names.AMONG_ALL if systems > 2 else names.STUDENT_T


def _alike(loaded: LoadedData, unit: str, datasets: int) -> tuple[str, str, str]:
    """Rows that say less than as many independent ones."""
    scores = loaded.scores
    n, systems = scores.shape
    of = CLUSTER if unit == CLUSTER else names.ITEM
    number = len(set(ids_of(scores, of).tolist()))
    what = "items of one cluster" if unit == CLUSTER else "repeated runs of an item"
    if number == 1:
        return (
            _closed(systems),
            f"all {n:,} rows belong to one {unit}, which is one example: no verdict follows",
            "any answer that takes them as independent: it is far too certain",
        )
    pooled = f"; it pools the {datasets} data sets" if datasets > 1 else ""
    if _averages(loaded):
        pooled = f"; each of the {datasets} data sets counts once"
    return (
        _closed(systems),
        f"{what} are correlated, so {n:,} rows say less than {n:,} independent items: the "
        f"{number:,} {unit}s are the units{pooled}",
        "any answer that takes the rows as independent: it is too certain"
        if unit == CLUSTER
        else _ORDERED,
    )


def _of_counts(loaded: LoadedData) -> tuple[str, str, str]:
    counts: xr.DataArray = loaded.scores
    known = (*names.SQUARE, names.PAIR, names.OUTCOME)
    extra = [str(d) for d in counts.dims if d not in known and counts.sizes[d] > 1]
    systems = len(systems_of(counts))
    if CLUSTER in extra:
        return (
            names.STUDENT_T,
            f"the items come in {counts.sizes[CLUSTER]} clusters and are correlated; the "
            "clusters are the units",
            "summing over clusters: it takes their items as independent and is too certain",
        )
    if extra and systems <= _SYSTEMS_FITTED:
        return _several(int(np.prod([counts.sizes[d] for d in extra])))
    if systems == 2:
        return _two(int((to_pairs(counts) if names.SYSTEM_A in counts.dims else counts).sum()))
    unit = counts.attrs.get("unit", "unknown")
    if unit == "judgment":
        return _judged(systems, "")
    reason = "these counts come from shared items"
    if unit == names.ITEM and _tell_all(counts):
        return (
            "dirichlet_multinomial",
            f"{reason}, right or wrong, so all pairs and ranks are answered by one joint model",
            f"davidson on pairs of shared items: {_TOO_SURE}",
        )
    more = ""
    if unit != names.ITEM:
        reason = "it is unknown what was counted"
        more = ", or davidson if they are judgments: counts.assign_attrs(unit='judgment')"
    return (
        "dirichlet_multinomial",
        f"{reason}, so pairs are answered one by one; ranks need item_response on the scores{more}",
        f"davidson on pairs of shared items: {_TOO_SURE}",
    )


def _tell_all(counts: xr.DataArray) -> bool:
    """Whether wins, losses and ties tell how errors of the systems go together."""
    square = to_square(counts) if names.PAIR in counts.dims else counts
    with_ties = square.sizes[names.OUTCOME] == len(names.OUTCOMES)
    return with_ties and square.ndim == 3 and not isinstance(both_right(square), str)


def _of_trials(loaded: LoadedData) -> tuple[str, str, str]:
    if int(loaded.data["trials"].max()) == 1:
        return _of_scores(loaded)
    systems, items = len(systems_of(loaded.scores)), loaded.data.sizes[names.ITEM]
    clusters = unit_of(loaded.data, None) == CLUSTER
    units = len(set(ids_of(loaded.data, CLUSTER).tolist())) if clusters else items
    what = "clusters" if clusters else "items with all their runs"
    return (
        _closed(systems),
        "repeated runs of an item are correlated, so trials say less than as many independent "
        f"items: the {units:,} {what} are the units",
        _ORDERED,
    )


def _of_judgments(loaded: LoadedData) -> tuple[str, str, str]:
    systems, judges = len(systems_of(loaded.scores)), several(loaded.data, JUDGE)
    if several(loaded.data, CLUSTER):
        number = len(set(loaded.data[CLUSTER].values.tolist()))
        return (
            "davidson_by_cluster",
            f"judgments of one cluster are correlated: the {number:,} clusters, and not the "
            "judgments, say how sure an answer is; all systems are tied together, also pairs that "
            "never met",
            "davidson on all judgments as independent: its intervals are far too short",
        )
    if judges and (number := few_judges(loaded.data)[0]):
        return (
            "davidson_by_cluster",
            f"{number:,} judges gave several judgments each, or some did, and judges may differ in "
            "what they prefer: the judges, and not the judgments, say how sure an answer is",
            "davidson on all judgments as independent: too certain about other judges",
        )
    if systems > 2 or judges:
        return _judged(systems, ", and judges differ" if judges else "")
    return (
        "dirichlet_multinomial",
        "two systems in separate judgments have a closed form, without Monte Carlo error",
        "taking several judgments by one judge as independent",
    )


def _judged(systems: int, more: str) -> tuple[str, str, str]:
    also = more or ", also pairs that never met"
    return (
        "davidson",
        f"separate judgments on {systems} systems tie all of them together{also}",
        "each pair by itself: it wastes what other pairs say, and the best of many looks better "
        "than it is",
    )


def _several(datasets: int) -> tuple[str, str, str]:
    return (
        "hierarchical",
        f"{datasets} data sets may differ in who is better and by how much",
        "pooling them: larger ones weigh more, and a new data set looks as certain as these",
    )


def _two(n: int) -> tuple[str, str, str]:
    few = f"; {n} items settle little" if n < _FEW else ""
    return (
        "dirichlet_multinomial",
        f"two systems on one set of {n:,} items have a closed form, without Monte Carlo error{few}",
        "independent_betas, which takes the two accuracies as unrelated though the items are the "
        "same",
    )
