"""Data as the likelihoods of models take them: counts, rows of subjects, and simulated judgments.

Counts are of pairs, data sets and clusters. Rows of subjects are numbers, and so are the texts that
subjects share. Simulated data have labels; of judgments at random: which systems meet, before which
judge, and how it goes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import checks, names, schemas
from betterthan.counts.shapes import as_pairs, label_pairs
from betterthan.io.problems import require_columns
from betterthan.people import shared_texts

if TYPE_CHECKING:
    import pymc as pm


COUNT_MAX = 2**31 - 1  # PyMC holds data as int32
UNLIMITED = "the closed form has no such limit: betterthan.prob_better(counts)"


def to_fit(counts: xr.DataArray) -> tuple[xr.DataArray, bool]:
    """Counts by pair, and whether they came as a square; refuse what a joint fit cannot hold.

    Raises
    ------
    ValueError
        If the counts are not counts, hold more than `names.MCMC_PAIRS_MAX` pairs, or a count is too
        large.
    """
    pairs, square = as_pairs(counts)
    checks.sampled_pairs(pairs.sizes[names.PAIR], UNLIMITED)
    most = int(pairs.values.max(initial=0))
    if most > COUNT_MAX:
        raise ValueError(f"a count of {most} is more than a sampled model holds; {UNLIMITED}")
    return pairs, square


def need_ties(pairs: xr.DataArray, model: str) -> None:
    """Refuse counts by pair of wins and losses alone."""
    if pairs.sizes[names.OUTCOME] == 2:
        schemas.ties_known(pairs.assign_attrs(ties="unknown"), model)


def coords(pairs: xr.DataArray) -> dict[str, Any]:
    """Coordinates of a PyMC model over these pairs."""
    return {
        names.PAIR: pairs[names.PAIR].values.tolist(),
        names.OUTCOME: pairs[names.OUTCOME].values.tolist(),
    }


def name_systems(model: "pm.Model", pairs: xr.DataArray) -> None:
    """Add to a PyMC model, of which this is the context, which systems each pair compares, as data.

    ``is_a`` (pair, system_a) and ``is_b`` (pair, system_b) are 1 for the two systems of a pair, so
    that ``pm.sample`` keeps their names: as coordinates of the group constant_data.
    """
    from betterthan.libraries import pm

    for side, name in zip(names.SQUARE, names.IS_SYSTEM, strict=True):
        labels = [str(s) for s in pairs[side].values]
        systems = list(dict.fromkeys(labels))
        model.add_coord(side, systems)
        indicator = np.equal.outer(labels, systems).astype(np.int32)
        pm.Data(name, indicator, dims=(names.PAIR, side))


def systems_named(constant: xr.Dataset) -> tuple[list[str], list[str]] | None:
    """The two systems of each pair, where `name_systems` recorded them."""
    if not set(names.IS_SYSTEM) <= set(constant):
        return None
    systems = []
    for side, name in zip(names.SQUARE, names.IS_SYSTEM, strict=True):
        place = constant[name].transpose(names.PAIR, side).values.argmax(1)
        systems.append([str(s) for s in constant[side].values[place]])
    return systems[0], systems[1]


def simulated(count: int) -> dict[str, Any]:
    """Coordinates of `count` made-up pairs, each of two systems of its own."""
    return label_pairs(*([f"{side}{k}" for k in range(count)] for side in "AB"))


def sizes(n: int | Sequence[int], count: int, noun: str = "pairs") -> np.ndarray:
    """Number of examples of each of `count` pairs: one for all, or one each."""
    size = checks.nonnegative_integers(n, "n")
    if size.size not in (1, checks.whole(count, noun)):
        raise ValueError(f"n has {size.size} numbers; give one, or one for each of {count} {noun}")
    return np.broadcast_to(size, (count,))


CLUSTER = "cluster"


@dataclass(frozen=True)
class Groups:
    """Counts of every pair in every group."""

    values: np.ndarray  # (*dims of groups, pair, outcome)
    pairs: xr.DataArray  # (pair, outcome), over all groups
    square: bool  # whether they came as a square
    levels: dict[str, list[str]]  # of each dim of groups the labels

    @property
    def dims(self) -> tuple[str, ...]:
        """Dims of ``values``."""
        return (*self.levels, names.PAIR, names.OUTCOME)

    @property
    def coords(self) -> dict[str, Any]:
        """Names of groups, pairs and their systems, and outcomes."""
        coords = (names.PAIR, *names.SQUARE, names.OUTCOME)
        return {k: self.pairs[k] for k in coords} | self.levels


def by_cluster(counts: xr.DataArray) -> Groups:
    """Counts over clusters, of which there are two or more.

    Raises
    ------
    ValueError
        If they are no counts with ties over several clusters, or a joint fit cannot hold them.
    """
    counts = schemas.counts(counts)
    schemas.ties_known(counts, "a model of clusters")
    if CLUSTER not in counts.dims:
        raise ValueError(
            f"counts have dims ({', '.join(map(str, counts.dims))}); give a dim 'cluster': see "
            f'bt.count(data, by="cluster")'
        )
    if counts.sizes[CLUSTER] < 2:
        raise ValueError(
            "there is 1 cluster; how much clusters differ is seen from two on: pool it, or give "
            "more"
        )
    return _grouped(counts, [CLUSTER], "a model of clusters")


def by_dataset(counts: xr.DataArray) -> Groups:
    """Counts over one dim in addition to pairs and outcomes, or over two crossed ones.

    Raises
    ------
    ValueError
        If they are no counts with ties over one or two such dims, or a joint fit cannot hold them.
    """
    counts = schemas.counts(counts)
    schemas.ties_known(counts, "a model of data sets")
    if CLUSTER in counts.dims or counts.attrs.get("clusters"):
        raise ValueError(
            "items come in clusters, which a model of data sets takes as independent items; "
            "betterthan.compare(data, over='dataset') averages data sets on clusters, "
            "data.drop_vars('cluster') drops them"
        )
    factors = [str(d) for d in counts.dims if d not in (*names.SQUARE, names.PAIR, names.OUTCOME)]
    if not 1 <= len(factors) <= 2:
        raise ValueError(
            f"counts have dims ({', '.join(map(str, counts.dims))}); give one dim more than "
            f'systems and outcomes, or two crossed ones: see bt.count(data, by="dataset")'
        )
    return _grouped(counts, factors, "a model of data sets")


def _grouped(counts: xr.DataArray, dims: list[str], kind: str) -> Groups:
    levels = {d: list(map(str, counts[d].values)) for d in dims}
    for d, labels in levels.items():
        checks.unique(labels, d)
    counts = counts.transpose(*dims, ...)
    pairs, square = to_fit(counts.sum(dims, keep_attrs=True))
    flat = counts.stack(_all=dims).transpose("_all", ...)
    tables = [as_pairs(flat.isel(_all=k, drop=True))[0].values for k in range(flat.sizes["_all"])]
    values = np.stack(tables).reshape(*counts.shape[: len(dims)], *pairs.shape)
    if len(pairs[names.OUTCOME]) != 3:
        raise ValueError(f"{kind} needs win, loss and tie; keep ties as a third outcome")
    return Groups(values, pairs, square, levels)


@dataclass(frozen=True)
class Repeated:
    """Complete rows; without texts where no two subjects read the same."""

    y: np.ndarray
    x: np.ndarray
    subject: np.ndarray  # (row,) places of the subjects
    subjects: list[str]
    text: np.ndarray  # (row,) places of the texts, nowhere where there are none
    texts: list[str]
    texts_are: str  # in words
    y_scale: tuple[float, float]  # mean and standard deviation that were taken out
    x_scale: tuple[float, float]


def repeated(
    table: pd.DataFrame,
    response: str,
    predictor: str,
    subject: str,
    text: str | None,
    *,
    standardise: bool = True,
) -> Repeated:
    """The complete rows of a table."""
    columns = [response, predictor, subject]
    if not isinstance(table, pd.DataFrame):
        raise ValueError(f"table is {checks.quoted(table)}; give a pandas.DataFrame")
    require_columns(table, columns)
    used: Any = table[[*columns, *shared_texts.named(table, text)]]
    complete = used.dropna(subset=columns)
    (y, y_scale), (x, x_scale) = (
        _standardised(complete, name, standardise) for name in (response, predictor)
    )
    subject_index, subjects = pd.factorize(complete[subject].to_numpy())
    if len(subjects) < 2:
        raise ValueError(f"there is {len(subjects)} subject; slopes vary over two subjects or more")
    column = shared_texts.shared_texts(complete, predictor, subject, text)
    text_index, texts = (
        pd.factorize(complete[column].to_numpy()) if column else (np.zeros(0, int), [])
    )
    return Repeated(
        y,
        x,
        subject_index,
        [str(s) for s in subjects],
        text_index,
        [str(t) for t in texts],
        str(shared_texts.text_attrs(complete, text, column)["texts"]),
        y_scale,
        x_scale,
    )


def sums(y: np.ndarray, x: np.ndarray, subject: np.ndarray) -> dict[str, np.ndarray]:
    """Rows, means, and sums of squares and products around them, of each subject."""
    n = np.bincount(subject)
    x_mean, y_mean = np.bincount(subject, x) / n, np.bincount(subject, y) / n
    dx, dy = x - x_mean[subject], y - y_mean[subject]
    return {
        "rows": n.astype(float),
        "x_mean": x_mean,
        "y_mean": y_mean,
        "spread": np.bincount(subject, dx * dx),
        "cross": np.bincount(subject, dx * dy),
    }


def rotated(y: np.ndarray, x: np.ndarray, text: np.ndarray) -> dict[str, np.ndarray]:
    """Means of texts along axes, the first two of which span a level and a slope.

    Equal effects of texts, and effects that follow the predictor, are hard to tell from those of
    subjects; all others are not. ``text_axes`` is orthogonal: (text, axis).
    """
    n = np.bincount(text)
    ones, x_mean, y_mean = np.ones(len(n)), np.bincount(text, x) / n, np.bincount(text, y) / n
    axes = np.linalg.qr(np.stack([ones, x_mean], axis=1), mode="complete")[0]
    along = {"one": ones, "x": x_mean, "y": y_mean}
    variables = {"text_axes": axes} | {f"text_{k}": v @ axes for k, v in along.items()}
    return variables | {"text_rows": np.array(n.mean())}


def crossed(x: np.ndarray, subject: np.ndarray, text: np.ndarray) -> dict[str, np.ndarray]:
    """Over (subject, text): the share of the subject's rows, and the sum of the predictor around
    the subject's mean.
    """
    n = np.bincount(subject)
    share, cross = np.zeros((2, len(n), text.max() + 1))
    np.add.at(share, (subject, text), 1 / n[subject])
    np.add.at(cross, (subject, text), x - (np.bincount(subject, x) / n)[subject])
    return {"text_share": share, "text_cross": cross}


def _standardised(
    complete: pd.DataFrame, name: str, standardise: bool
) -> tuple[np.ndarray, tuple[float, float]]:
    """A column's numbers, and the mean and standard deviation that were taken out of them."""
    try:
        values = complete[name].to_numpy(dtype=float)
    except (TypeError, ValueError):
        raise ValueError(f"column {name!r} holds something that is no number") from None
    if len(values) < 3 or np.ptp(values) == 0:
        raise ValueError(
            f"column {name!r} is constant in the {len(values)} whole rows; nothing follows from it"
        )
    mean, sd = 0.0, 1.0
    if checks.flag(standardise, "standardise"):
        mean, sd = values.mean(), values.std(ddof=1)
    return (values - mean) / sd, (mean, sd)


def simulated_labels(dims: Sequence[str], shape: Sequence[int]) -> dict[str, list[str]]:
    """Labels along each dim: its first letter and a number.

    Examples
    --------
    >>> simulated_labels(("item",), (3,))
    {'item': ['i0', 'i1', 'i2']}
    """
    return {d: [f"{d[0]}{k}" for k in range(size)] for d, size in zip(dims, shape, strict=True)}


def random_pairs(random: np.random.Generator, k: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    """A round in which every system meets one that is connected already, then pairs at random;
    either comes first.
    """
    order = random.permutation(k)
    a = [int(order[i]) for i in range(1, k)]
    b = [int(order[random.integers(i)]) for i in range(1, k)]
    more = n - (k - 1)
    first = random.integers(k, size=more)
    second = (first + random.integers(1, k, size=more)) % k
    a, b = np.append(a, first).astype(int), np.append(b, second).astype(int)
    swapped = random.random(n) < 0.5
    return np.where(swapped, b, a), np.where(swapped, a, b)


def draw_judges(spread: np.ndarray, judges: int, random: np.random.Generator) -> np.ndarray:
    """Effects of each judge on each parameter, one per spread; none without judges."""
    effects = random.normal(size=(len(spread), max(judges, 1))) * spread[:, None]
    return effects - effects.mean(1, keepdims=True) if judges > 1 else effects


def draw_outcomes(log_chances: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """1, 0 or -1 for the first system of each row."""
    below = np.exp(log_chances).cumsum(-1)[:, :2]
    win_loss_tie = (random.random(len(below))[:, None] > below).sum(-1)
    return 1 - np.array([0, 2, 1])[win_loss_tie]


def as_judgments(
    systems: np.ndarray, a: np.ndarray, b: np.ndarray, outcome: np.ndarray, judge: Any
) -> xr.Dataset:
    """As `betterthan.io.read_judgments` returns them; `judge` is None where there is none."""
    columns = {"system_a": systems[a], "system_b": systems[b], "outcome": outcome}
    coords: dict[str, Any] = {names.SYSTEM: systems}
    if judge is not None:
        coords["judge"] = ("judgment", judge)
    data = {k: ("judgment", v) for k, v in columns.items()}
    return xr.Dataset(data, coords=coords, attrs={"unit": "judgment"})
