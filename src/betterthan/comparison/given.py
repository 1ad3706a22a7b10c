"""What was given to compare: recognised, checked and counted once."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names, schemas
from betterthan.blocks.lazy import blocks_of, in_blocks
from betterthan.comparison.asked import Asked
from betterthan.comparison.dependence import dependence
from betterthan.comparison.measured import Measured, measured
from betterthan.comparison.missing_beside import missing_beside
from betterthan.comparison.quantity import Quantity, quantity_of
from betterthan.counts.fingerprint import fingerprint
from betterthan.counts.judgments import JUDGMENT, count_judgments
from betterthan.counts.picking import picked, systems_of
from betterthan.counts.runs import mean_of_runs
from betterthan.counts.scoring import apply_missing, counts_and_used
from betterthan.counts.shapes import labels, to_square
from betterthan.counts.successes import trials_of
from betterthan.counts.tallies import tally_scores
from betterthan.counts.ties import policy_applied
from betterthan.counts.units import CLUSTER, EPOCH, several, unit_of, unlabelled
from betterthan.exact.wins import shares
from betterthan.io.text_arrays import text_array
from betterthan.posterior.open_scores import score_limits


@dataclass(frozen=True)
class Found:
    """Data of one kind, checked: what a model and `advise` look at."""

    kind: str  # scores, blocks (of scores), tallies, counts, judgments or trials
    data: Any
    plain: xr.DataArray  # what wins are counted on: scores by item, tallies, or counts
    before: xr.DataArray  # plain, before the policy for missing scores
    margin: float = 0.0

    @property
    def graded(self) -> bool:
        """Whether these are scores other than 0 and 1."""
        values = self.plain.values if self.kind == "scores" else np.empty(0)
        return not np.isin(values[~np.isnan(values.astype(float))], (0, 1)).all()

    @property
    def by_item(self) -> bool:
        """Whether items are known, and not only how many were won."""
        return names.ITEM in self.plain.dims


@dataclass(frozen=True)
class Given:
    """What was found, counted."""

    found: Found
    plain: xr.DataArray  # what wins were counted on: of runs a model takes together, their mean
    raw: xr.DataArray  # (system_a, system_b, outcome), ties as they came
    counts: xr.DataArray  # the same under the policy for ties
    facts: xr.Dataset  # of systems and pairs: score, n_scored, n_dropped
    scores: Any  # Measured or Summed: sums on units; None where there are no scores by item
    quantity: Quantity
    unit: str  # item, or cluster
    notes: tuple[str, ...]
    warned: tuple[str, ...]  # of the notes, those to be warned of
    signed: dict[str, Any] = field(default_factory=dict)  # attrs that tell of the data

    @property
    def ties_known(self) -> bool:
        """Whether the size of a difference can be told."""
        return (
            self.counts.sizes[names.OUTCOME] == 3
            or self.counts.attrs.get("ties", "unknown") != "unknown"
        )


def recognise(data: Any) -> Found:
    """Data in memory, checked, and of which kind they are.

    Raises
    ------
    ValueError
        If they are none of these, or not valid.
    """
    if isinstance(data, xr.Dataset) and "trials" in data:
        trials_of(data)
        return _found("trials", data, _shares(data))
    if isinstance(data, xr.Dataset) and JUDGMENT in data.dims:
        return _found("judgments", data, count_judgments(data))
    dims = data.dims if isinstance(data, xr.DataArray) else ()
    if names.ITEM in dims and in_blocks(data):
        return _found("blocks", data := blocks_of(data).scores, data)
    for dim, kind in _ARRAYS.items():
        if dim in dims:
            return _found(kind, data := getattr(schemas, kind)(data), data)
    if isinstance(data, xr.DataTree):
        raise ValueError(
            "data is a DataTree; give draws to betterthan.fits.compare, your own by "
            "betterthan.fits.adopt"
        )
    what = (
        f"{type(data).__name__} with dims ({', '.join(map(str, dims))})"
        if dims
        else type(data).__name__
    )
    raise ValueError(
        f"data is {what}; give scores, tallies, counts, trials or judgments (see betterthan.read), "
        "a path, a DataFrame, logs, a dict of scores by system, or an array (item, system)"
    )


# the kind, and its check in `schemas`, by the dim that tells it: the first that is there
_ARRAYS = {names.TALLY: "tallies", names.ITEM: "scores", names.OUTCOME: "counts"}


def _found(kind: str, data: Any, plain: xr.DataArray) -> Found:
    return Found(kind, data, plain, plain)


def with_systems(found: Found, systems: Any) -> Found:
    """Data of some systems, or under other names; see `picked`."""
    plain = picked(found.plain, systems)
    return replace(found, data=picked(found.data, systems), plain=plain, before=plain)


def of_systems(found: Found, asked: Asked) -> Found:
    """The systems that were asked for, and scores under the policy for missing ones."""
    found = with_systems(found, asked.systems)
    if found.kind != "scores":
        if asked.missing != "pairwise" and found.kind == "trials":
            raise ValueError(
                f"missing={asked.missing!r} is for scores; a trial that was not made is no failure"
            )
        if found.kind in ("counts", "judgments"):
            checks.for_scores_only(missing=asked.missing, margin=asked.margin)
        return replace(found, margin=asked.margin)
    filled = apply_missing(found.data, asked.missing)
    return replace(found, data=filled, plain=filled, margin=asked.margin)


def count_given(
    found: Found, asked: Asked, taken: Sequence[str], advised: str | None = None
) -> Given:
    """Wins, losses and ties of what was found, and the quantity and unit of the answer.

    Parameters
    ----------
    found : Found
        Of the systems that were asked for.
    asked : Asked
    taken : sequence of str
        Of dataset, cluster and epoch, what is taken into account.
    advised : str, optional
        The quantity that was advised.
    """
    taken = _known(found, taken)
    unit, scores, quantity = _evidence(found, asked, taken, advised)
    runs = _runs(found, taken)
    plain = mean_of_runs(found.plain) if runs else found.plain
    raw, facts, notes = _of_items(plain, asked) if found.by_item else _of_counts(plain)
    pooled, warned = dependence(plain if runs else found.before, taken)
    beside, absent = missing_beside(found, raw, asked)
    facts = facts.merge(beside, join="exact").assign(scored(scores, facts, asked))
    notes += pooled + (warned := warned + absent) + [_RUNS] * runs
    checks.at_least_two(raw[names.SYSTEM_A].values.tolist())
    counts = policy_applied(raw, "third" if asked.ties == "all" else asked.ties)
    notes += notes_of_counting(raw, counts, asked, quantity)
    if asked.baseline is not None:
        checks.one_of(asked.baseline, systems_of(counts), "baseline")
    said = tuple(notes), tuple(warned), _signed(found, raw)
    return Given(found, plain, raw, counts, facts, scores, quantity, unit, *said)


def _known(found: Found, taken: Sequence[str]) -> Sequence[str]:
    """Without clusters, where some items have none."""
    return [k for k in taken if k != CLUSTER] if unlabelled(found.data, CLUSTER) else taken


def scored(scores: Any, facts: xr.Dataset, asked: Asked) -> dict[str, Any]:
    """Means with their intervals: by Student's t of graded scores and of units; of right and wrong
    a share, with a uniform prior.
    """
    if scores is None:
        return {}
    if not scores.single or scores.graded:
        return scores.told(asked.question)
    scored, question = facts["n_scored"], asked.question
    ones = (facts["score"] * scored).fillna(0).round().astype(int)
    ends = shares.interval(ones.values, scored.values, question.ci_prob, question.ci_kind)
    found = {f"score_{end}": (names.SYSTEM, e) for end, e in zip(_ENDS, ends, strict=True)}
    return found | ({"n_right": ones} if scores.higher_is_better else {})


_ENDS = ("lower", "upper")


def scale_of(given: Given) -> float:
    """The width of the scale of scores: 1 of scores within 0 and 1, else their range."""
    if given.scores is None or not given.found.by_item or given.found.kind == "blocks":
        return 1.0
    if given.quantity.lead != "mean":
        return 1.0
    low, high, _ = score_limits(given.found.before, None)
    return high - low or 1.0


def _runs(found: Found, taken: Sequence[str]) -> bool:
    """Whether an item stands once, with the mean of its runs."""
    scored = found.by_item and names.TALLY not in found.plain.dims
    return EPOCH in taken and scored and several(found.plain, EPOCH)


def _evidence(
    found: Found, asked: Asked, taken: Sequence[str], advised: str | None
) -> tuple[str, Measured | None, Quantity]:
    """The unit, the scores on units, and the quantity of the answer."""
    unit = unit_of(found.data, None if CLUSTER in taken else names.ITEM)
    together = EPOCH in taken
    scores = measured(found, unit, together=together)
    if asked.weight == "unit":
        of_units = unit == CLUSTER or (scores is not None and scores.runs)
        if not of_units:
            raise ValueError(
                "weight='unit' counts each cluster or repeatedly run item once; here each item is "
                "a unit of its own"
            )
        scores = scores and replace(scores, weight="unit")
    return unit, scores, quantity_of(found.kind, scores, asked, advised, together=together)


def notes_of_counting(
    raw: xr.DataArray, counts: xr.DataArray, asked: Asked, quantity: Quantity
) -> list[str]:
    """Notes on ties and the rope; a rope needs ties to be known."""
    unknown = raw.sizes[names.OUTCOME] == 2 and raw.attrs.get("ties", "unknown") == "unknown"
    notes = ["Ties are unknown: who is better is answered, by how much is not."] if unknown else []
    if asked.question.rope and quantity.lead != "mean":
        checks.rope(asked.question.rope)
        schemas.ties_known(counts, "a rope")
        notes += [_LARGE] if asked.question.rope > names.ROPE_LARGE else []
    return notes


_OF_DATA = ("source", "reading", "citation", "layout", "tool", "metric", "errors", "unscored")
_RUNS = (
    "Beside the model, wins, losses and tests compare the mean of an item's runs, for runs have no "
    "common order."
)
_LARGE = f"The rope is above {names.ROPE_LARGE:g} of a probability: what lies within it may matter."
_BY_F1 = (
    "The posterior counts items on which one system's F1 is above the other's; a system can be "
    "ahead "
    "on most items and behind in F1 over all of them, which is what the randomization test "
    "compares."
)


def _of_items(plain: xr.DataArray, asked: Asked) -> tuple[xr.DataArray, xr.Dataset, list[str]]:
    """Counts of scores by item, and what is known of the systems beside them."""
    tallies = names.TALLY in plain.dims
    scored = tally_scores(plain) if tallies else plain
    raw, used = counts_and_used(scored, asked.margin)
    raw.attrs["missing"] = asked.missing
    values = scored.transpose(names.ITEM, names.SYSTEM).values.astype(float)
    there = ~np.isnan(values)
    n = there.sum(0)
    with np.errstate(invalid="ignore"):
        mean = np.where(there, values, 0.0).sum(0) / n
    table: dict[str, Any] = {"score": (names.SYSTEM, mean), "n_scored": (names.SYSTEM, n)}
    table["n_dropped"] = (names.SQUARE, raw.attrs["n_items"] - used)
    systems = labels(tuple(map(str, scored[names.SYSTEM].values)), names.SYSTEM)
    return raw, xr.Dataset(table, systems), [_BY_F1] if tallies else []


def _of_counts(plain: xr.DataArray) -> tuple[xr.DataArray, xr.Dataset, list[str]]:
    """Counts pooled over what stands beside pairs, as a square."""
    known = (*names.SQUARE, names.PAIR, names.OUTCOME)
    raw = plain.sum([d for d in plain.dims if d not in known], keep_attrs=True)
    raw = to_square(raw) if names.PAIR in raw.dims else raw
    raw = raw.drop_vars(["n_used", "n_dropped"], errors="ignore")
    return raw.transpose(*names.SQUARE, names.OUTCOME), xr.Dataset(), []


def of_data(found: Found, raw: xr.DataArray) -> dict[str, Any]:
    """What the answer says of its data, without looking at single scores."""
    attrs = found.before.attrs
    kept = {k: attrs[k] for k in _OF_DATA if k in attrs}
    kept |= {
        "unit": raw.attrs.get("unit", "unknown"),
        "missing": raw.attrs.get("missing", "none"),
        "n_items": int(raw.attrs.get("n_items", -1)),
    }
    kept |= {"margin": float(raw.attrs.get("margin", 0.0))}
    kept["higher_is_better"] = bool(attrs.get("higher_is_better", True))
    if found.by_item and several(found.before, names.DATASET):
        known, number = np.unique(
            text_array(found.before[names.DATASET].values), return_counts=True
        )
        sizes = zip(known.tolist(), number.tolist(), strict=True)
        kept["datasets"] = ", ".join(f"{label} {size:,}" for label, size in sizes)
    return kept


def _signed(found: Found, raw: xr.DataArray) -> dict[str, Any]:
    """The same with what is said of single scores: which they are, and how many are missing."""
    kept = of_data(found, raw) | {"data_hash": fingerprint(found.before)}
    if found.by_item and names.TALLY not in found.before.dims:
        kept["n_blank"] = int(np.isnan(found.before.values.astype(float)).sum())
    return kept


def _shares(trials: xr.Dataset) -> xr.DataArray:
    """The share of successes of each item: what counting wins needs."""
    with np.errstate(invalid="ignore"):
        share = trials["successes"] / trials["trials"].where(trials["trials"] > 0)
    return share.transpose(names.ITEM, names.SYSTEM).assign_attrs(trials.attrs)
