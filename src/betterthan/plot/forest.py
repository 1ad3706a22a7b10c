"""Forest of differences with their intervals."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import xarray as xr
from scipy import special

from betterthan import checks, names
from betterthan.plot import drawing, inputs

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Filled where there is a verdict, hollow where there is none.
_LOOKS: dict[str, tuple[str, bool, str]] = {
    "better": ("o", True, "one is better (P ≥ {:g})"),
    "equivalent": ("s", True, "equivalent (P ≥ {:g})"),
    "undecided": ("o", False, "undecided"),
    "no_verdict": ("D", False, "no verdict: the fit is not to be trusted"),
    "no_data": ("x", False, "no data: prior alone"),
}
_FLIPPED = {"a_better": "b_better", "b_better": "a_better"}


class _Rows(NamedTuple):
    """One row for each pair."""

    a: np.ndarray
    b: np.ndarray
    mean: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    verdict: np.ndarray

    def take(self, rows: np.ndarray) -> "_Rows":
        return _Rows(*(column[rows] for column in self))


def differences(
    comparison: xr.Dataset,
    *,
    rope: float | None = None,
    baseline: str | None = None,
    limit: int = 40,
    ax: "Axes | None" = None,
) -> "Axes":
    """Forest of the differences d = A - B with their intervals, the ROPE band and the verdicts.

    Parameters
    ----------
    comparison : xarray.Dataset, dims (system_a, system_b), optionally engine
        With variables difference_mean, difference_lower, difference_upper and verdict, as `compare`
        returns them; of several engines the first is drawn. ``attrs``: rope, ci_prob, ci_kind.
    rope : float, optional
        Half width of the band; default ``comparison.attrs["rope"]``.
    baseline : str, optional
        Draw only the pairs with this system, as the other one minus the baseline.
    limit : int, default 40
        Pairs to draw at most. Where there are more, those nearest to a decision are drawn and the
        title says so: those whose P(d > 0), or mass within the ROPE, is nearest to the probability
        that a verdict needs, by the normal approximation to mean and interval.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure, which is the ``figure`` of the axes returned.

    Returns
    -------
    matplotlib.axes.Axes
        Each unordered pair once, the largest mean at the top. Without a baseline, A is the system
        that is ahead.

    Raises
    ------
    ValueError
        If a variable is missing, a verdict is unknown, the rope or the limit is not valid, the
        baseline is unknown, or no pair has a difference.

    Examples
    --------
    >>> import betterthan as bt, xarray as xr
    >>> dims, systems = ("system_a", "system_b"), ["A", "B"]
    >>> comparison = xr.Dataset(
    ...     {
    ...         "difference_mean": (dims, [[0, -0.1], [0.1, 0]]),
    ...         "difference_lower": (dims, [[0, -0.18], [0.02, 0]]),
    ...         "difference_upper": (dims, [[0, -0.02], [0.18, 0]]),
    ...         "verdict": (dims, [["undecided", "b_better"], ["a_better", "undecided"]]),
    ...     },
    ...     coords={"system_a": systems, "system_b": systems},
    ...     attrs={"rope": 0.01, "ci_prob": 0.95, "ci_kind": "hdi"},
    ... )
    >>> ax = bt.plot.differences(comparison)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['B − A']
    """
    chosen, systems = inputs.differences(comparison)
    rope = checks.rope(chosen.attrs.get("rope", names.ROPE) if rope is None else rope)
    checks.whole(limit, "limit")
    rows = _oriented(chosen, systems, baseline)
    total = len(rows.mean)
    if not total:
        raise ValueError("no pair has a difference: nothing to draw")
    rows = rows.take(_nearest(rows, rope, limit, float(chosen.attrs.get("ci_prob", names.CI_PROB))))
    with drawing.style():
        ax = drawing.axes(
            ax, 8.0, 0.95 + (0.23 if len(rows.mean) <= 60 else 0.14) * (len(rows.mean) + 1)
        )
        drawing.name_rows(ax, _row_names(rows, baseline))
        _draw(ax, rows, rope, float(chosen.attrs.get("verdict_prob", names.VERDICT_PROB)))
        ax.set_xlabel("difference d = P(A wins) − P(B wins), per example")
        return drawing.finish(ax, _title(chosen.attrs, len(rows.mean), total, baseline))


def _oriented(chosen: xr.Dataset, systems: list[str], baseline: str | None) -> _Rows:
    """Each unordered pair once: the one ahead first, or every system against the baseline."""
    mean, lower, upper = (
        chosen[f"difference_{k}"].values.astype(float) for k in ("mean", "lower", "upper")
    )
    verdict = chosen["verdict"].values.astype(str)
    if baseline is None:
        first, second = np.triu_indices(len(systems), 1)
    else:
        column = systems.index(inputs.known(baseline, systems, "baseline"))
        first = np.delete(np.arange(len(systems)), column)
        second = np.full_like(first, column)
    there = np.isfinite(mean[first, second])
    first, second = first[there], second[there]
    flip = mean[first, second] < 0 if baseline is None else np.zeros(len(first), dtype=bool)
    told = verdict[first, second]
    label = np.array(systems, dtype=object)
    at = (first, second)
    return _Rows(
        np.where(flip, label[second], label[first]),
        np.where(flip, label[first], label[second]),
        np.where(flip, -mean[at], mean[at]),
        np.where(flip, -upper[at], lower[at]),
        np.where(flip, -lower[at], upper[at]),
        np.array(
            [_FLIPPED.get(v, v) if f else v for v, f in zip(told, flip, strict=True)], dtype=object
        ),
    )


def _nearest(rows: _Rows, rope: float, limit: int, ci_prob: float) -> np.ndarray:
    """Rows to draw, by mean: all, or those nearest to where the verdict would change."""
    sd = (rows.upper - rows.lower) / (2 * special.ndtri((1 + ci_prob) / 2))
    sd = np.maximum(sd, np.finfo(float).eps)
    needed = special.ndtri(names.VERDICT_PROB)
    near = np.abs(np.abs(rows.mean) / sd - needed)
    if rope:
        inside = special.ndtr((rope - rows.mean) / sd) - special.ndtr((-rope - rows.mean) / sd)
        near = np.minimum(near, np.abs(special.ndtri(inside) - needed))
    kept = np.argsort(near, kind="stable")[:limit]
    return kept[np.lexsort((kept, -rows.mean[kept]))]


def _row_names(rows: _Rows, baseline: str | None) -> list[str]:
    there = list(dict.fromkeys([*rows.a, *rows.b]))
    name = dict(zip(there, drawing.labels(there), strict=True))
    if baseline is not None:
        return [name[a] for a in rows.a]
    return [f"{name[a]} − {name[b]}" for a, b in zip(rows.a, rows.b, strict=True)]


def _draw(ax: "Axes", rows: _Rows, rope: float, needed: float) -> None:
    place = np.arange(len(rows.mean))
    ends = (-0.7, len(place) - 0.4)  # not behind the legend
    if rope:
        look = {"color": drawing.COLOUR_TIE, "linewidth": 0, "zorder": 0}
        ax.fill_betweenx(ends, -rope, rope, **look, label=f"ROPE: |d| ≤ {rope:g}")
    ax.vlines(0, *ends, colors=drawing.INK, linewidth=0.8, linestyle=":", zorder=1)
    ax.hlines(place, rows.lower, rows.upper, colors=drawing.COLOUR_A, linewidth=1.3, zorder=2)
    kinds = np.array(["better" if v in _FLIPPED else v for v in rows.verdict])
    for kind, (marker, filled, label) in _LOOKS.items():
        at = kinds == kind
        if not at.any():
            continue
        look: dict[str, Any] = {
            "markerfacecolor": drawing.COLOUR_A if filled else "white",
            "label": label.format(needed),
        }
        look |= {
            "markeredgecolor": drawing.COLOUR_A,
            "markersize": 5,
            "markeredgewidth": 1.1,
            "zorder": 3,
        }
        ax.plot(rows.mean[at], place[at], marker, **look)
    ax.margins(x=0.03)
    drawing.plain_numbers(ax.xaxis)
    ax.spines["left"].set_visible(False)
    ax.legend(
        loc="upper left",
        ncols=4,
        borderaxespad=0,
        borderpad=0.2,
        columnspacing=1.4,
        handletextpad=0.4,
    )


def _title(attrs: dict[Any, Any], shown: int, total: int, baseline: str | None) -> str:
    ci_kind, ci_prob = attrs.get("ci_kind"), attrs.get("ci_prob")
    interval = (
        f"{100 * float(ci_prob):g} % {str(ci_kind).upper()}" if ci_kind and ci_prob else "interval"
    )
    title = f"Difference of each pair A − B: mean and {interval}"
    if baseline is not None:
        title = f"Difference of each system A from B = {drawing.labels([baseline])[0]}: mean and {interval}"
    if shown < total:
        title += f"\n{shown} of {total:,} pairs: those nearest to a decision"
    return title
