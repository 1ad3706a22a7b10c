"""Checks of what scores can tell at all: constants, items that all solve, twins, drift."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import names
from betterthan.auditing.finding import NOTE, Finding
from betterthan.auditing.of_items import item_means
from betterthan.auditing.told import are, of, some
from betterthan.logs.record import Frame

_HALF = 0.5  # share of the items from which a ceiling or floor is told
_TWINS, _NEARLY, _MANY = 10, 0.99, 100
_DRIFT, _LEVEL, _SHUFFLES, _LEAST = 0.3, 0.01, 1_999, 20


def constants(scores: xr.DataArray) -> Iterator[Finding]:
    """Systems of which all scores are one number."""
    values, systems = scores.values.astype(float), scores[names.SYSTEM].values.astype(str)
    alike: dict[float, list[str]] = {}
    for system, column in zip(systems, values.T, strict=True):
        own = column[~np.isnan(column)]
        if len(own) > 1 and (own == own[0]).all():
            alike.setdefault(float(own[0]), []).append(str(system))
    for value, which in alike.items():
        n = int((~np.isnan(values)).sum()) if len(which) == len(systems) else 0
        said = (
            f"all {n} scores are {value:g}" if n else f"all scores of {some(which)} are {value:g}"
        )
        yield Finding("constant", said, NOTE, tuple(which), n=len(which), of=len(systems))


def ceiling_and_floor(scores: xr.DataArray) -> Iterator[Finding]:
    """Items on which all systems have the best score there is, or the worst."""
    values = item_means(scores)
    whole = values[~np.isnan(values).any(1)]
    if len(whole) < 2:
        return
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    if low >= 0 and high <= 1:
        low, high = 0.0, 1.0
    better = scores.attrs.get("higher_is_better", True)
    ends = {"ceiling": high if better else low, "floor": low if better else high}
    for code, end in ends.items():
        n = int((whole == end).all(1).sum())
        if n >= _HALF * len(whole):
            said = (
                f"all systems have {end:g} on {of(n, len(whole), 'item')} that all were scored on"
            )
            yield Finding(code, said, NOTE, n=n, of=len(whole))


def dead(scores: xr.DataArray) -> Iterator[Finding]:
    """Items on which all systems have the same score."""
    values = item_means(scores)
    whole = values[~np.isnan(values).any(1)]
    n = int((whole == whole[:, :1]).all(1).sum())
    if n:
        verb = "does" if n == 1 else "do"
        said = f"{of(n, len(whole), 'item')} {verb} not separate any systems"
        yield Finding("dead", said, NOTE, n=n, of=len(whole))


def twins(scores: xr.DataArray) -> Iterator[Finding]:
    """Pairs of systems whose scores are the same, cell by cell."""
    values, systems = scores.values.astype(float), scores[names.SYSTEM].values.astype(str).tolist()
    n, same = _agreement(values)
    varied = np.array([len(set(c[~np.isnan(c)].tolist())) > 1 for c in values.T])
    alike = ((same == n) & (n >= _TWINS)) | ((same > _NEARLY * n) & (n >= _MANY))
    for i, j in np.argwhere(np.triu(alike & varied & varied[:, None], 1)).tolist():
        a, b, k, whole = systems[i], systems[j], int(same[i, j]), int(n[i, j])
        said = f"{a} and {b} are identical on {of(k, whole, 'shared score')}"
        yield Finding("twins", said, NOTE, (a, b), n=k, of=whole)


def _agreement(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Cells that both systems of each pair have, and of which both are the same."""
    seen = (~np.isnan(values)).astype(float)
    same = np.stack([(column[:, None] == values).sum(0) for column in values.T])
    return seen.T @ seen, same


def drift(scores: xr.DataArray) -> Iterator[Finding]:
    """Systems whose scores go up or down along the file."""
    chance = np.random.default_rng(0)
    for k, system in enumerate(scores[names.SYSTEM].values.astype(str)):
        own = scores.values[:, k].astype(float)
        own = own[~np.isnan(own)]
        if len(own) < _LEAST or not (slope := _slope(own, chance)):
            continue
        first, second = own[: len(own) // 2].mean(), own[len(own) // 2 :].mean()
        along = "falls" if slope < 0 else "rises"
        said = f"{system} {along} along the file: first half {first:.2f}, second {second:.2f}"
        said += " (errors, quota or sorted items?)"
        yield Finding("order", said, NOTE, (str(system),), n=len(own), of=len(scores))


def _slope(own: np.ndarray, chance: np.random.Generator) -> float:
    """The correlation of scores with their place; 0 where chance does the same."""
    at = np.arange(len(own)) - (len(own) - 1) / 2
    rho = float(np.corrcoef(at, own)[0, 1]) if own.std() > 0 else 0.0
    if abs(rho) <= _DRIFT:
        return 0.0
    shuffled = np.abs(chance.permuted(np.tile(own, (_SHUFFLES, 1)), axis=1) @ at)
    p = (1 + int((shuffled >= abs(own @ at) - 1e-9).sum())) / (_SHUFFLES + 1)
    return rho if p < _LEVEL else 0.0


def other_winner(by_metric: dict[str, xr.DataArray]) -> Iterator[Finding]:
    """Pairs of metrics that choose different winners, or turn other pairs of systems round."""
    means: dict[str, Frame] = {}
    for metric, scores in by_metric.items():
        signed = scores if scores.attrs.get("higher_is_better", True) else -scores
        means[metric] = signed.mean(names.ITEM).to_series()
    metrics = list(means)
    for k, first in enumerate(metrics):
        for second in metrics[k + 1 :]:
            both: Frame = pd.concat([means[first], means[second]], axis=1, join="inner").dropna()
            if len(both) > 1:
                both.columns = [first, second]
                yield from _of_metrics(both)


def _of_metrics(means: Frame) -> Iterator[Finding]:
    """Whether two metrics, the columns of the means of systems, tell another story."""
    first, second = means.columns
    turned, pairs, tau = _agreement_of(*means.to_numpy().T)
    ranked = f"; {of(turned, pairs, 'pair')} of systems {are(turned, 'changes', 'change')} places"
    ranked = f"{ranked}, tau {tau:.2f}" if len(means) > 2 else ""
    a, b = (_best(means[metric]) for metric in (first, second))
    if a.isdisjoint(b):
        said = f"{first} and {second} choose different winners: {some(sorted(a))} by {first}"
        said += f", {some(sorted(b))} by {second}{ranked}"
        yield Finding("metrics", said, NOTE, (*sorted(a), *sorted(b)), n=turned, of=pairs)
    elif turned:
        said = f"{first} and {second} rank systems otherwise{ranked}"
        yield Finding("metrics", said, NOTE, n=turned, of=pairs)


def _agreement_of(a: np.ndarray, b: np.ndarray) -> tuple[int, int, float]:
    """How many pairs of systems two metrics put the other way round, of how many; Kendall's
    tau_b.
    """
    upper = np.triu_indices(len(a), 1)
    x, y = (np.sign(np.round(v[:, None] - v, 12))[upper] for v in (a, b))
    turned = int((x * y < 0).sum())
    untied = np.sqrt(float((x != 0).sum()) * float((y != 0).sum()))
    tau = float((x * y).sum() / untied) if untied else np.nan
    return turned, len(x), tau


def _best(means: Frame) -> set[str]:
    """Who has the largest mean."""
    return {str(s) for s in means.index[np.isclose(means, means.max())]}
