"""Plot sampled probabilities against exact ones."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.counts.shapes import pair_indices
from betterthan.plot import drawing, inputs

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NEEDED = ("exact", "sampled", "mcse", "ess", "z", "agrees")
_WIDTHS = 2  # Monte Carlo errors on either side of the band
_NAMED = 10  # pairs that are named at most
_LINE_SPACING, _MAX_DISTANCE = 9.0, 0.4  # points from name to name, of pairs as near as this on x
_ENOUGH = 5  # pairs from which on their z are worth a histogram
_END = 6.0  # of the histogram; what is further off stands there


class _Rows(NamedTuple):
    """Each unordered pair once."""

    a: np.ndarray
    b: np.ndarray
    exact: np.ndarray
    sampled: np.ndarray
    mcse: np.ndarray
    ess: np.ndarray
    z: np.ndarray
    agrees: np.ndarray


def cross_check(checked: xr.Dataset, *, ax: "Axes | None" = None) -> "Axes":
    """Plot how closely sampled probabilities agree with exact ones, in Monte Carlo errors.

    Parameters
    ----------
    checked : xarray.Dataset
        Result of `fits.cross_check`.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. Default: a new figure, which is ``.figure`` of the returned axes.

    Returns
    -------
    matplotlib.axes.Axes
        One point for each unordered pair: the exact P(A better) on x, sampled minus exact on y,
        with a bar of one Monte Carlo error on either side. The band is two errors wide on either
        side of 0, for draws of the median ESS. Pairs that do not agree have a mark of their own,
        and those with the largest distance, up to 10, are named.

        With 5 pairs or more, a small histogram compares all z with the standard normal density,
        which they follow if the sampler is correct. Pairs with a common system share draws, so
        their z are not independent.

    Raises
    ------
    ValueError
        If it is not a Dataset from `fits.cross_check`.

    Examples
    --------
    >>> import betterthan as bt
    >>> counts = bt.datasets.contingency_case("b")
    >>> checked = bt.fits.cross_check(counts, bt.posterior.draws(counts, rng=1))
    >>> ax = bt.plot.cross_check(checked)
    >>> ax.get_title(loc="left").splitlines()[0]
    'Sampled and exact P(better) agree on 1 of 1 pair'
    """
    rows = _rows(checked)
    with drawing.canvas(ax, 5.6, 3.6) as ax:
        _draw(ax, rows)
        _name(ax, rows)
        if len(rows.z) >= _ENOUGH:
            _histogram(ax, rows.z)
        total, good = len(rows.z), int(rows.agrees.sum())
        farthest = f"The largest |z| is {np.abs(rows.z).max():.1f}; pairs agree up to 4"
        count_text = f"{good:,} of {total:,} pair{'s' if total != 1 else ''}"
        return drawing.finish(ax, f"Sampled and exact P(better) agree on {count_text}\n{farthest}")


def _rows(checked: Any) -> _Rows:
    if not isinstance(checked, xr.Dataset) or not set(_NEEDED) <= set(checked):
        description = f"checked is a {type(checked).__name__}"
        if isinstance(checked, xr.Dataset):
            missing = next(name for name in _NEEDED if name not in checked)
            description += f" without {missing!r}"
        raise ValueError(f"{description}; give what betterthan.fits.cross_check returned")
    by_pair = checked
    if names.PAIR not in checked.dims:
        first, second = pair_indices(checked.sizes[names.SYSTEM_A])
        places = zip(names.SQUARE, (first, second), strict=True)
        by_pair = checked.isel({side: xr.DataArray(k, dims=names.PAIR) for side, k in places})
    a, b = (np.array(side, dtype=object) for side in inputs.pair_names(by_pair))
    return _Rows(a, b, *(by_pair[name].values for name in _NEEDED))


def _draw(ax: "Axes", rows: _Rows) -> None:
    """The band, and a point with its bar for each pair; room above for legend and histogram."""
    p, ess = np.linspace(0, 1, 201), float(np.median(rows.ess))
    band = _WIDTHS * np.sqrt(p * (1 - p) / max(ess, 1.0))
    label = f"two errors, at an ESS of {ess:,.0f}"
    ax.fill_between(p, -band, band, color=drawing.TIE, linewidth=0, zorder=0, label=label)
    ax.axhline(0, color=drawing.INK, linewidth=0.8, linestyle=":", zorder=1)
    away = rows.sampled - rows.exact
    agrees = rows.agrees.astype(bool)
    looks = (
        (agrees, "o", drawing.BETTER, "white", "agrees, ± one error"),
        (~agrees, "D", drawing.INK, drawing.WORSE, "does not agree, ± one error"),
    )
    for selected, marker, edge, face, label in looks:
        if selected.any():
            look: dict[str, Any] = {"color": edge, "markerfacecolor": face, "elinewidth": 0.9}
            look |= {"markersize": 4, "linestyle": "", "zorder": 3, "label": label}
            ax.errorbar(
                rows.exact[selected], away[selected], rows.mcse[selected], marker=marker, **look
            )
    most = 1.15 * max(float(np.max(np.abs(away) + rows.mcse)), float(band.max()))
    ax.set_xlim(-0.02, 1.02)
    ax.set_ylim(-most, most * (2.6 if len(rows.z) >= _ENOUGH else 2.0))
    ax.set_xlabel("Exact P(better)")
    ax.set_ylabel("Sampled − exact")
    for axis in (ax.xaxis, ax.yaxis):
        drawing.plain_numbers(axis)
    ax.legend(loc="upper left", borderaxespad=0.2)


def _name(ax: "Axes", rows: _Rows) -> None:
    """Name the pairs that disagree next to their points, the largest difference first."""
    far = np.flatnonzero(~rows.agrees.astype(bool))
    far = far[np.argsort(-np.abs(rows.z[far]), kind="stable")][:_NAMED]
    systems_drawn = list(dict.fromkeys([*rows.a, *rows.b]))
    name = dict(zip(systems_drawn, drawing.labels(systems_drawn), strict=True))
    bottom, top = ax.get_ylim()
    height = drawing.size(ax)[1] / (top - bottom)  # points of a unit
    line: dict[str, Any] = {"arrowstyle": "-", "color": drawing.FAINT, "linewidth": 0.5}
    away = rows.sampled - rows.exact
    placed: list[tuple[float, float]] = []
    for k in far[np.argsort(-away[far], kind="stable")]:
        x, right = float(rows.exact[k]), rows.exact[k] > 0.5
        earlier = [y for other, y in placed if abs(other - x) < _MAX_DISTANCE]
        y = min([float(height * away[k]), *(y - _LINE_SPACING for y in earlier)])
        placed.append((x, y))
        look: dict[str, Any] = {"textcoords": "offset points", "va": "center"}
        look |= {"ha": "right" if right else "left", "fontsize": drawing.SMALL}
        offset = (-10 if right else 10, y - height * away[k])
        text = f"{name[rows.a[k]]}, {name[rows.b[k]]}"
        ax.annotate(text, (x, away[k]), offset, arrowprops=line, **look)


def _histogram(ax: "Axes", z: np.ndarray) -> None:
    """All z with the standard normal density, at the top right."""
    small = ax.inset_axes((0.66, 0.68, 0.33, 0.27))
    end = 4.0 if np.abs(z).max() <= 4 else _END
    bins = np.linspace(-end, end, int(4 * end) + 1 if len(z) > 200 else int(2 * end) + 1)
    inside = np.clip(z, -end, end)
    look: dict[str, Any] = {"color": drawing.RAMP[2], "edgecolor": "white", "linewidth": 0.4}
    small.hist(inside, bins=bins.tolist(), density=True, **look)
    x = np.linspace(-end, end, 201)
    small.plot(x, np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi), color=drawing.INK, linewidth=1.0)
    small.spines[["top", "right", "left"]].set_visible(False)
    small.set_yticks([])
    end_labels = ("≤ −6", "≥ 6") if end == _END else ("−4", "4")
    small.set_xticks([-end, -2, 0, 2, end], [end_labels[0], "−2", "0", "2", end_labels[1]])
    small.tick_params(labelsize=drawing.SMALL, length=2)
    small.set_title("z and the standard normal", fontsize=drawing.SMALL, pad=2)
