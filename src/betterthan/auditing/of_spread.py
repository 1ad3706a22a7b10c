"""Check whether scores can distinguish systems: constants, items that all solve, identical systems,
drift.
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import names
from betterthan.auditing.finding import NOTE, Finding
from betterthan.auditing.of_items import item_means
from betterthan.auditing.told import are, fraction, some
from betterthan.logs.record import Frame

_HALF = 0.5  # share of the items from which a ceiling or floor is told
_TWINS, _NEARLY, _MANY = 10, 0.99, 100
_DRIFT, _LEVEL, _SHUFFLES, _LEAST = 0.3, 0.01, 1_999, 20


def constants(scores: xr.DataArray) -> Iterator[Finding]:
    """Find systems with one score throughout."""
    values, systems = scores.values.astype(float), scores[names.SYSTEM].values.astype(str)
    alike: dict[float, list[str]] = {}
    for system, column in zip(systems, values.T, strict=True):
        observed = column[~np.isnan(column)]
        if len(observed) > 1 and (observed == observed[0]).all():
            alike.setdefault(float(observed[0]), []).append(str(system))
    for value, constant_systems in alike.items():
        n = int((~np.isnan(values)).sum()) if len(constant_systems) == len(systems) else 0
        message = (
            f"all {n} scores are {value:g}"
            if n
            else f"all scores of {some(constant_systems)} are {value:g}"
        )
        yield Finding(
            "constant",
            message,
            NOTE,
            tuple(constant_systems),
            n=len(constant_systems),
            of=len(systems),
        )


def ceiling_and_floor(scores: xr.DataArray) -> Iterator[Finding]:
    """Find items on which all systems have the best or the worst possible score."""
    values = item_means(scores)
    complete = values[~np.isnan(values).any(1)]
    if len(complete) < 2:
        return
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    if low >= 0 and high <= 1:
        low, high = 0.0, 1.0
    better = scores.attrs.get("higher_is_better", True)
    extremes = {"ceiling": high if better else low, "floor": low if better else high}
    for code, extreme in extremes.items():
        n = int((complete == extreme).all(1).sum())
        if n >= _HALF * len(complete):
            message = (
                f"all systems have {extreme:g} on {fraction(n, len(complete), 'item')} that all "
                "were "
                "scored on"
            )
            yield Finding(code, message, NOTE, n=n, of=len(complete))


def dead(scores: xr.DataArray) -> Iterator[Finding]:
    """Items on which all systems have the same score."""
    values = item_means(scores)
    complete = values[~np.isnan(values).any(1)]
    n = int((complete == complete[:, :1]).all(1).sum())
    if n:
        verb = "does" if n == 1 else "do"
        message = f"{fraction(n, len(complete), 'item')} {verb} not separate any systems"
        yield Finding("dead", message, NOTE, n=n, of=len(complete))


def twins(scores: xr.DataArray) -> Iterator[Finding]:
    """Find pairs of systems whose scores are identical."""
    values, systems = scores.values.astype(float), scores[names.SYSTEM].values.astype(str).tolist()
    n, same = _agreement(values)
    varied = np.array([len(set(c[~np.isnan(c)].tolist())) > 1 for c in values.T])
    alike = ((same == n) & (n >= _TWINS)) | ((same > _NEARLY * n) & (n >= _MANY))
    for i, j in np.argwhere(np.triu(alike & varied & varied[:, None], 1)).tolist():
        a, b, k, total = systems[i], systems[j], int(same[i, j]), int(n[i, j])
        message = f"{a} and {b} are identical on {fraction(k, total, 'shared score')}"
        yield Finding("twins", message, NOTE, (a, b), n=k, of=total)


def _agreement(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Count the cells that both systems of each pair have, and those in which they agree."""
    observed = (~np.isnan(values)).astype(float)
    same = np.stack([(column[:, None] == values).sum(0) for column in values.T])
    return observed.T @ observed, same


def drift(scores: xr.DataArray) -> Iterator[Finding]:
    """Find systems whose scores rise or fall along the file."""
    chance = np.random.default_rng(0)
    for k, system in enumerate(scores[names.SYSTEM].values.astype(str)):
        observed = scores.values[:, k].astype(float)
        observed = observed[~np.isnan(observed)]
        if len(observed) < _LEAST or not (slope := _slope(observed, chance)):
            continue
        first, second = observed[: len(observed) // 2].mean(), observed[len(observed) // 2 :].mean()
        along = "falls" if slope < 0 else "rises"
        message = f"{system} {along} along the file: first half {first:.2f}, second {second:.2f}"
        message += " (errors, quota or sorted items?)"
        yield Finding("order", message, NOTE, (str(system),), n=len(observed), of=len(scores))


def _slope(values: np.ndarray, chance: np.random.Generator) -> float:
    """Correlate scores with their position; 0 if a permutation test finds no trend."""
    position = np.arange(len(values)) - (len(values) - 1) / 2
    rho = float(np.corrcoef(position, values)[0, 1]) if values.std() > 0 else 0.0
    if abs(rho) <= _DRIFT:
        return 0.0
    shuffled = np.abs(chance.permuted(np.tile(values, (_SHUFFLES, 1)), axis=1) @ position)
    p = (1 + int((shuffled >= abs(values @ position) - 1e-9).sum())) / (_SHUFFLES + 1)
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
                yield from _metric_findings(both)


def _metric_findings(means: Frame) -> Iterator[Finding]:
    """Compare how two metrics, the columns of `means`, rank the systems."""
    first, second = means.columns
    discordant, pairs, tau = _rank_agreement(*means.to_numpy().T)
    ranked = (
        f"; {fraction(discordant, pairs, 'pair')} of systems "
        f"{are(discordant, 'changes', 'change')} "
        "places"
    )
    ranked = f"{ranked}, tau {tau:.2f}" if len(means) > 2 else ""
    a, b = (_best(means[metric]) for metric in (first, second))
    if a.isdisjoint(b):
        message = f"{first} and {second} choose different winners: {some(sorted(a))} by {first}"
        message += f", {some(sorted(b))} by {second}{ranked}"
        yield Finding("metrics", message, NOTE, (*sorted(a), *sorted(b)), n=discordant, of=pairs)
    elif discordant:
        message = f"{first} and {second} rank systems otherwise{ranked}"
        yield Finding("metrics", message, NOTE, n=discordant, of=pairs)


def _rank_agreement(a: np.ndarray, b: np.ndarray) -> tuple[int, int, float]:
    """Count discordant pairs of systems under two metrics, and all pairs; compute Kendall's
    tau_b.
    """
    upper = np.triu_indices(len(a), 1)
    x, y = (np.sign(np.round(v[:, None] - v, 12))[upper] for v in (a, b))
    discordant = int((x * y < 0).sum())
    untied = np.sqrt(float((x != 0).sum()) * float((y != 0).sum()))
    tau = float((x * y).sum() / untied) if untied else np.nan
    return discordant, len(x), tau


def _best(means: Frame) -> set[str]:
    """Who has the largest mean."""
    return {str(s) for s in means.index[np.isclose(means, means.max())]}
