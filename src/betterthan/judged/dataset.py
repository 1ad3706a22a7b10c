"""Judged counts: gold over (pair, truth, signal), judged over (pair, signal)."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from betterthan import checks, names

if TYPE_CHECKING:
    from typing_extensions import TypeIs

TRUTH, SIGNAL, GOLD, JUDGED = "truth", "signal", "gold", "judged"
UNPARSED = "unparsed"
BESIDE, WITHIN = " / ", " | "  # answers of several columns, and strata, in the label of a signal
MOST_SIGNALS = 12
_TURN = {"win": 1, "loss": -1, "tie": 0}


def is_judged(data: Any) -> "TypeIs[xr.Dataset]":
    """Whether these are judged counts."""
    return isinstance(data, xr.Dataset) and {GOLD, JUDGED} <= set(data.data_vars)


def judged_counts(data: Any) -> xr.Dataset:
    """Return `data` when they are judged counts with gold items, (pair, truth, signal).

    Raises
    ------
    ValueError
        If they are not, gold items are not among the judged, there are none, there are too many
        signals, or the judge has one answer only.
    """
    dataset = _arranged(data)
    gold, judged = dataset[GOLD].values, dataset[JUDGED].values
    for name, values in ((GOLD, gold), (JUDGED, judged)):
        checks.nonnegative_integers(values, f"counts of {name} items")
    beyond = np.argwhere(gold.sum(1) > judged)
    if len(beyond):
        k, y = beyond[0]
        pair, signal = dataset[names.PAIR].values[k], dataset[SIGNAL].values[y]
        raise ValueError(
            f"{pair}, signal {str(signal)!r}: {gold[k, :, y].sum():,} gold items, but "
            f"{judged[k, y]:,} judged; judged counts hold the gold items too"
        )
    _refuse_signals(dataset, judged)
    if not gold.any():
        raise ValueError(
            "no item has a label by people, so nothing tells how the judge errs; label a random "
            "part of the items, or see betterthan.judged.tipping for how large a one-sided error "
            "would turn the judge's answer"
        )
    return dataset


def _arranged(data: Any) -> xr.Dataset:
    if not is_judged(data) or not {names.PAIR, TRUTH, SIGNAL} <= set(data.dims):
        raise ValueError(
            f"expected judged counts, got {type(data).__name__}; see betterthan.judged.count and "
            "betterthan.judged.from_table"
        )
    if tuple(map(str, data[TRUTH].values)) != names.OUTCOMES:
        raise ValueError("the truth of judged counts is win, loss, tie, in this order")
    arranged = data[[GOLD, JUDGED]].transpose(names.PAIR, TRUTH, SIGNAL)
    if not set(names.SQUARE) <= set(arranged.coords):
        raise ValueError("judged counts need coordinates system_a and system_b on the dim pair")
    return arranged


def _refuse_signals(dataset: xr.Dataset, judged: np.ndarray) -> None:
    number = dataset.sizes[SIGNAL]
    if number > MOST_SIGNALS:
        raise ValueError(
            f"the judge gives {number} signals, answers by strata; give at most {MOST_SIGNALS}: "
            "fewer strata or columns, or numbers cut into bins"
        )
    observed = dataset[SIGNAL].values[judged.sum(0) > 0]
    if len(observed) < 2:
        answers = f"only {str(observed[0])!r}" if len(observed) else "nothing"
        raise ValueError(
            f"the judge answers {answers}, which says nothing of any item; compare the labels by "
            "people alone"
        )


def dataset_of(
    gold: np.ndarray,
    judged: np.ndarray,
    pairs: Sequence[tuple[str, str]],
    signals: Sequence[str],
    attrs: Mapping[str, Any],
) -> xr.Dataset:
    """The Dataset of counts, gold (pair, truth, signal) and judged (pair, signal)."""
    labels = [f"{a} vs {b}" for a, b in pairs]
    sides = {k: (names.PAIR, [pair[i] for pair in pairs]) for i, k in enumerate(names.SQUARE)}
    data: dict[str, Any] = {GOLD: ((names.PAIR, TRUTH, SIGNAL), gold.astype(np.int64))}
    data[JUDGED] = ((names.PAIR, SIGNAL), judged.astype(np.int64))
    coords = {names.PAIR: labels, TRUTH: list(names.OUTCOMES), SIGNAL: list(signals)} | sides
    return xr.Dataset(data, coords, dict(attrs))


def said(signal: str) -> float:
    """What the judge says by a signal: 1, 0 or -1; answers that differ are a tie; nan where it says
    none.

    Examples
    --------
    >>> [said(s) for s in ("win", "win / loss", "loss / tie | long", "unparsed")]
    [1.0, 0.0, -1.0, nan]
    """
    answers = signal.partition(WITHIN)[0].split(BESIDE)
    turns = [_TURN.get(answer) for answer in answers]
    if None in turns:
        return float("nan")
    return float(np.sign(sum(turn for turn in turns if turn is not None)))


def judge_alone(data: xr.Dataset) -> np.ndarray | None:
    """(pair, outcome): what the judge says of all items, without those it says nothing of; None
    where the signals are not named win, loss and tie.
    """
    signs = np.array([said(str(s)) for s in data[SIGNAL].values])
    if np.isnan(signs).all():
        return None
    judged = data[JUDGED].transpose(names.PAIR, SIGNAL).values
    return np.stack([judged[:, signs == turn].sum(1) for turn in (1, -1, 0)], axis=1)
