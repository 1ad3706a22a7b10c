"""Plot the probability of each rank of each system."""

from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.plot import drawing, inputs
from betterthan.plot.systems import picked
from betterthan.scores.resampling import bootstrap

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def ranks(
    data: Any,
    *,
    systems: Any = None,
    limit: int = 30,
    rng: Any = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Probability of each rank of each system, from joint draws.

    Parameters
    ----------
    data : Comparison, xarray.Dataset or xarray.DataArray
        From `compare`, `scores.bootstrap` or `fits.compare`: ``prob_rank`` (system, rank), the
        ranks from the best, and ``expected_rank`` (system). Or scores, of which `scores.bootstrap`
        is taken.
    systems : list of str or mapping of str to str, optional
        Systems to draw, in this order; a mapping says what to call them. Ranks stay those among all
        systems. Default: by expected rank, the best first.
    limit : int, default 30
        Systems to draw at most.
    rng : int, numpy.random.Generator or None
        For scores.
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
        If the data hold no ranks and are no scores, a system is unknown, or the limit is not
        positive.

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
    limit = checks.whole(limit, "limit")
    ranked = _ranked(inputs.comparison_dataset(data), rng)
    best = np.argsort(ranked["expected_rank"].values, kind="stable")
    rows = picked(ranked, (names.SYSTEM,), systems, best)[{names.SYSTEM: slice(limit)}]
    probabilities = rows["prob_rank"].transpose(names.SYSTEM, "rank").values
    probabilities = probabilities[:, : _last_rank(probabilities)]
    with drawing.style():
        labels = drawing.labels(rows[names.SYSTEM].values.tolist())
        width = max(0.3 * probabilities.shape[1], 2.5) + drawing.inches(labels) + 1.4
        ax = drawing.axes(ax, min(width, 12.0), 0.21 * len(probabilities) + 1.2)
        _draw_cells(ax, probabilities, labels)
        drawing.write_at_right(ax, [drawing.percent(float(p)) for p in rows["prob_best"].values])
        return drawing.finish(ax, _title(len(probabilities), ranked.sizes[names.SYSTEM]))


def _title(n_drawn: int, total: int) -> str:
    count_text = f"{n_drawn} of {total}" if n_drawn < total else f"{total}"
    return f"Probability of each rank, {count_text} systems\nAt the right P(best), in percent"


def _ranked(data: Any, rng: Any) -> xr.Dataset:
    if isinstance(data, xr.DataArray) and names.OUTCOME not in data.dims:
        data = bootstrap(data, rng=rng)
    if isinstance(data, xr.Dataset) and {"prob_rank", "expected_rank", "prob_best"} <= set(data):
        return data
    attrs = getattr(data, "attrs", {})
    why = attrs.get("no_joint", "there is no 'prob_rank'")
    if "no_joint" not in attrs and isinstance(data, xr.Dataset) and "prob_better" in data:
        why = f"{inputs.named(attrs.get('model'))} answers each pair by itself"
    raise ValueError(
        f"data hold no ranks: {why}; give scores, what betterthan.scores.bootstrap returns, or "
        "what betterthan.fits.compare returns of davidson, item_response or mallows"
    )


def _last_rank(chances: np.ndarray) -> int:
    """All ranks where all systems are shown; else up to the last that one of them may have."""
    if len(chances) == chances.shape[1]:
        return len(chances)
    return int(np.flatnonzero(chances.max(0) >= 0.005).max()) + 1


def _draw_cells(ax: "Axes", chances: np.ndarray, labels: list[str]) -> None:
    drawing.shade(ax, chances)
    ax.set_yticks(np.arange(len(labels)), labels, fontsize=8)
    last = chances.shape[1]
    ranks = np.arange(0, last, max(last // 15, 1))
    ax.set_xticks(ranks, [str(r + 1) for r in ranks], fontsize=8)
    ax.tick_params(length=0)
    ax.set_xlabel("rank")
