"""Where each system may rank."""

from typing import TYPE_CHECKING

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.plot import drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def ranks(ranked: xr.Dataset, *, limit: int = 30, ax: "Axes | None" = None) -> "Axes":
    """Probability of each rank of each system, from joint draws.

    Parameters
    ----------
    ranked : xarray.Dataset
        From `scores.bootstrap` or `fits.compare`: ``prob_rank`` (system, rank) and
        ``expected_rank`` (system).
    limit : int, default 30
        Systems to draw at most: those with the best expected ranks.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure, which is the ``figure`` of the axes returned.

    Returns
    -------
    matplotlib.axes.Axes
        Rows are systems, the best expected rank at the top, with P(best) at the right; columns are
        ranks.

    Raises
    ------
    ValueError
        If the Dataset holds no ranks, or the limit is not positive.

    Examples
    --------
    >>> import betterthan as bt, numpy as np, xarray as xr
    >>> scores = xr.DataArray(
    ...     np.random.default_rng(1).random((40, 3)) + [0, 0.1, 0.3],
    ...     dims=("item", "system"),
    ...     coords={"system": ["A", "B", "C"]},
    ... )
    >>> ax = bt.plot.ranks(bt.scores.bootstrap(scores, rng=1, draws=500))
    >>> [label.get_text() for label in ax.get_yticklabels()][0]
    'C'
    """
    if "prob_rank" not in getattr(ranked, "data_vars", ()):
        raise ValueError("expected ranks, from betterthan.scores.bootstrap or compare_abilities")
    order = np.argsort(ranked["expected_rank"].values, kind="stable")[
        : checks.whole(limit, "limit")
    ]
    chosen = ranked.isel({names.SYSTEM: order})
    chances = chosen["prob_rank"].transpose(names.SYSTEM, "rank").values
    total = ranked.sizes[names.SYSTEM]
    last = total if len(order) == total else int(np.flatnonzero(chances.max(0) >= 0.005).max()) + 1
    with drawing.style():
        systems = drawing.labels([str(s) for s in chosen[names.SYSTEM].values])
        wide = 0.075 * max(map(len, systems))
        ax = drawing.axes(ax, min(max(0.3 * last, 2.5) + wide + 1.4, 12.0), 0.21 * len(order) + 1.2)
        ax.imshow(
            chances[:, :last],
            cmap=drawing.ramp(),
            vmin=0,
            vmax=1,
            aspect="auto",
            interpolation="nearest",
        )
        ax.spines[:].set_visible(False)
        ax.set_yticks(np.arange(len(order)), systems, fontsize=8)
        every = max(last // 15, 1)
        ranks = np.arange(0, last, every)
        ax.set_xticks(ranks, [str(r + 1) for r in ranks], fontsize=8)
        ax.tick_params(length=0)
        ax.set_xlabel("rank")
        for row, p in enumerate(chosen["prob_best"].values):
            place = (1, row)
            kept = {
                "xycoords": ax.get_yaxis_transform(),
                "textcoords": "offset points",
                "annotation_clip": False,
            }
            ax.annotate(
                drawing.percent(float(p)), place, xytext=(6, 0), va="center", fontsize=8, **kept
            )
        shown = f"{len(order)} of {total} systems" if len(order) < total else f"{total} systems"
        return drawing.finish(
            ax, f"Probability of each rank, {shown}\nAt the right P(best), in percent"
        )
