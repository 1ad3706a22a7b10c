"""Forest plot of differences with their intervals."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import xarray as xr
from scipy import special

from betterthan import checks, names
from betterthan.plot import drawing, inputs
from betterthan.plot.systems import called, check_system
from betterthan.results.rows import difference_label
from betterthan.signed import Signature

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Filled where there is a verdict, hollow where there is none.
_LOOKS: dict[str, tuple[str, bool, str]] = {
    "better": ("o", True, "one is better (P ≥ {:g})"),
    "equivalent": ("s", True, "equivalent (P ≥ {:g})"),
    "split": ("^", False, "split: wins and mean favour different systems"),
    "undecided": ("o", False, "undecided"),
    "no_verdict": ("D", False, "no verdict: not converged, or missing scores decide"),
    "no_data": ("x", False, "no data: prior alone"),
}
_COLUMN, _PLOT, _WIDEST = 3.3, 2.1, 7.0  # inches: of a paper's column, of what is drawn, of all
_LINE = 0.18  # inches of a line of the legend
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
    data: Any,
    *,
    systems: Any = None,
    rope: float | None = None,
    baseline: str | None = None,
    limit: int = 40,
    ax: "Axes | None" = None,
) -> "Axes":
    """Forest of the differences d = A - B with their intervals, the ROPE band and the verdicts.

    Parameters
    ----------
    data : Comparison, xarray.Dataset, xarray.DataArray or xarray.DataTree
        From `compare`, of whose engines the first is drawn, each pair by itself: difference_mean,
        difference_lower, difference_upper and verdict over (system_a, system_b), and ``attrs``
        rope, threshold, ci_prob and ci_kind. Or scores or counts, of which the posterior is taken
        in closed form. Or draws from `posterior.draws`, from the ``fit`` of a core model or from
        `fits.adopt`; of other fits give `fits.compare`.
    systems : list of str or mapping of str to str, optional
        Draw only these; a mapping says what to call them.
    rope : float, optional
        Half width of the band; default that of the comparison. For scores, counts and draws it is
        the rope of the verdicts, too.
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
        If the data are none of these, draws are of another model, data lack a variable or the
        number of ties, a verdict is unknown, the rope or the limit is not valid, a system is
        unknown, or no pair has a difference.

    Examples
    --------
    >>> import betterthan as bt
    >>> counts = bt.counts.from_table({("A", "B"): (12, 30, 60)})
    >>> ax = bt.plot.differences(bt.compare(counts, rope=0.01))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['B − A']
    """
    limit = checks.whole(limit, "limit")
    chosen = inputs.differences(data, systems, rope)
    provenance, rope = Signature.from_attrs(chosen.attrs), inputs.effective_rope(chosen, rope)
    baseline = None if baseline is None else called(baseline, systems)
    all_rows = _oriented(chosen, baseline)
    if not len(all_rows.mean):
        raise ValueError("no pair has a difference: nothing to draw")
    rows = all_rows.take(_nearest(all_rows, rope, limit, provenance))
    height = _height(len(rows.mean)) * len(rows.mean) + _LINE * _legend(rows, rope)
    with drawing.style():
        labels = _row_names(rows, baseline)
        width = min(max(drawing.inches(labels) + _PLOT, _COLUMN), _WIDEST)
        ax = drawing.axes(ax, width, 1.2 + height)
        drawing.name_rows(ax, labels)
        _draw(ax, rows, rope, provenance.threshold or names.VERDICT_PROB)
        ax.set_xlabel(
            difference_label("first", "second", provenance).rstrip(",").replace(" - ", " − ")
        )
        title = _title(provenance, len(rows.mean), len(all_rows.mean), baseline)
        pairwise_note = "\nEach pair by itself"
        return drawing.finish(ax, title + pairwise_note * bool(chosen.attrs.get("alone")))


def _oriented(pairs: xr.Dataset, baseline: str | None) -> _Rows:
    """Orient pairs with a difference: the better system first, or all against the baseline."""
    a, b = (np.array(side, dtype=object) for side in inputs.pair_names(pairs))
    mean, lower, upper = (pairs[k].values.astype(float) for k in ("mean", "lower", "upper"))
    verdict = pairs["verdict"].values.astype(str)
    drawn, flip = np.isfinite(mean), mean < 0
    if baseline is not None:
        check_system(baseline, [*a, *b], "baseline")
        drawn, flip = drawn & ((a == baseline) | (b == baseline)), a == baseline
    return _Rows(
        np.where(flip, b, a),
        np.where(flip, a, b),
        np.where(flip, -mean, mean),
        np.where(flip, -upper, lower),
        np.where(flip, -lower, upper),
        np.where(flip, np.array([_FLIPPED.get(v, v) for v in verdict.tolist()]), verdict),
    ).take(np.flatnonzero(drawn))


def _nearest(rows: _Rows, rope: float, limit: int, provenance: Signature) -> np.ndarray:
    """Select the rows to draw, by mean: all, or those closest to a change of verdict."""
    reach = special.ndtri((1 + (provenance.ci_prob or names.CI_PROB)) / 2)
    sd = (rows.upper - rows.lower) / (2 * reach)
    sd = np.maximum(sd, np.finfo(float).eps)
    needed = special.ndtri(provenance.threshold or names.VERDICT_PROB)
    distance = np.abs(np.abs(rows.mean) / sd - needed)
    if rope:
        inside = special.ndtr((rope - rows.mean) / sd) - special.ndtr((-rope - rows.mean) / sd)
        distance = np.minimum(distance, np.abs(special.ndtri(inside) - needed))
    selected = np.argsort(distance, kind="stable")[:limit]
    return selected[np.lexsort((selected, -rows.mean[selected]))]


def _row_names(rows: _Rows, baseline: str | None) -> list[str]:
    systems_drawn = list(dict.fromkeys([*rows.a, *rows.b]))
    name = dict(zip(systems_drawn, drawing.labels(systems_drawn), strict=True))
    if baseline is not None:
        return [name[a] for a in rows.a]
    return [f"{name[a]} − {name[b]}" for a, b in zip(rows.a, rows.b, strict=True)]


def _height(rows: int) -> float:
    """Inches of a row."""
    return 0.23 if rows <= 60 else 0.14


def _legend(rows: _Rows, rope: float) -> int:
    """Lines of the legend, which stands above the rows."""
    return len({"better" if v in _FLIPPED else v for v in rows.verdict.tolist()}) + bool(rope)


def _draw(ax: "Axes", rows: _Rows, rope: float, needed: float) -> None:
    place = np.arange(len(rows.mean))
    limits = (-0.7, len(place) - 0.4)  # not behind the legend
    if rope:
        look: dict[str, Any] = {"color": drawing.COLOUR_TIE, "linewidth": 0, "zorder": 0}
        ax.fill_betweenx(limits, -rope, rope, **look, label=f"ROPE: |d| ≤ {rope:g}")
    ax.vlines(0, *limits, colors=drawing.INK, linewidth=0.8, linestyle=":", zorder=1)
    ax.hlines(place, rows.lower, rows.upper, colors=drawing.COLOUR_A, linewidth=1.3, zorder=2)
    _mark(ax, rows, place, needed)
    ax.margins(x=0.03)
    drawing.plain_numbers(ax.xaxis)
    ax.spines["left"].set_visible(False)
    tight = {"borderaxespad": 0, "borderpad": 0.2, "columnspacing": 1.4, "handletextpad": 0.4}
    ax.legend(loc="upper left", ncols=1, **tight)
    ax.set_ylim(len(place) - 0.4, -0.6 - _legend(rows, rope) * _LINE / _height(len(place)))


def _mark(ax: "Axes", rows: _Rows, place: np.ndarray, needed: float) -> None:
    """Draw a marker at every mean; its shape shows the verdict."""
    kinds = np.array(["better" if v in _FLIPPED else v for v in rows.verdict])
    edge = {"markeredgecolor": drawing.COLOUR_A, "markersize": 5, "markeredgewidth": 1.1}
    for kind, (marker, filled, label) in _LOOKS.items():
        selected = kinds == kind
        if not selected.any():
            continue
        face = drawing.COLOUR_A if filled else "white"
        look: dict[str, Any] = edge | {"markerfacecolor": face, "zorder": 3}
        ax.plot(rows.mean[selected], place[selected], marker, label=label.format(needed), **look)


def _title(provenance: Signature, n_drawn: int, total: int, baseline: str | None) -> str:
    interval = "interval"
    if provenance.ci_kind and provenance.ci_prob:
        interval = f"{100 * provenance.ci_prob:g} % {provenance.ci_kind.upper()}"
    subject = "each pair"
    if baseline is not None:
        subject = f"each system from {drawing.labels([baseline])[0]}"
    title = f"Difference of {subject}: mean and {interval}"
    if provenance.draws:
        title += f", from {inputs.sampled(provenance)}"
    if n_drawn < total:
        title += f"\n{n_drawn} of {total:,} pairs: those nearest to a decision"
    return title
