"""Plot how the answer depends on the width of the ROPE."""

from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr
from scipy import special

from betterthan import checks, names
from betterthan.exact.wins import dirichlet
from betterthan.plot import drawing, inputs
from betterthan.signed import Signature

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_POINTS = ((1, 81), (2000, 21))  # up to so many pairs; above them 11
_UNSURE = (0.5, 0.99999)  # what the normal approximation says where the exact mass is computed


def rope_curve(
    data: Any, *, systems: Any = None, widest: float = 0.2, ax: "Axes | None" = None
) -> "Axes":
    """Masses below, within and above the rope against its half width; of many pairs how their
    verdicts change with it.

    Parameters
    ----------
    data : Comparison, xarray.Dataset or xarray.DataArray
        From `compare`, answered by counts in closed form; or scores or counts, with the number of
        ties.
    systems : list of str or mapping of str to str, optional
        Draw only these, of two the masses; a mapping says what to call them.
    widest : float, default 0.2
        The half width up to which is drawn, a difference of probabilities.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure, which is the ``figure`` of the axes returned.

    Returns
    -------
    matplotlib.axes.Axes
        Of two systems three curves and the threshold of a verdict. Of more, pairs by verdict,
        stacked: better, and by more than the rope; better; equivalent; undecided.

    Raises
    ------
    ValueError
        If the answers are not of counts, the ties are unknown, a system is unknown, or the widest
        rope is not between 0 and 1.

    Examples
    --------
    >>> import betterthan as bt
    >>> counts = bt.counts.from_contingency(698, 12, 2, 288)
    >>> ax = bt.plot.rope_curve(bt.compare(counts), widest=0.05)
    >>> within = ax.lines[1].get_ydata()
    >>> float(within[0]), float(within[-1].round(3))
    (0.0, 1.0)
    """
    if not checks.rope(widest) > 0:
        raise ValueError("widest is 0; give the half width up to which to draw, below 1")
    counts = inputs.pairs(_check_counts(data), systems)
    posterior_parameters: Any = _parameters(counts)
    provenance = Signature.from_attrs(counts.attrs)
    threshold = provenance.threshold or names.VERDICT_PROB
    width = np.linspace(0, widest, _points(len(counts)))
    with drawing.style():
        ax = drawing.axes(ax, 3.7, 2.7)
        if len(counts) == 1:
            title = _draw_masses(
                ax, width, _masses(width, *posterior_parameters), counts, threshold
            )
        else:
            title = _draw_verdicts(ax, width, posterior_parameters, threshold)
        ax.set_xlim(0, widest)
        ax.set_xlabel("half width of the rope")
        drawing.plain_numbers(ax.xaxis)
        return drawing.finish(ax, title)


def _points(pairs: int) -> int:
    """Fewer widths where there are many pairs, of which each costs."""
    return next((points for most, points in _POINTS if pairs <= most), 11)


def _check_counts(data: Any) -> Any:
    """Refuse answers that do not come from counts: on units, or drawn."""
    dataset = inputs.comparison_dataset(data)
    if isinstance(dataset, xr.Dataset) and "n_units" in dataset:
        raise ValueError(
            "these answers are of means on units, which no counts stand for; say unit='item', or "
            "give counts"
        )
    return data


def _parameters(counts: xr.DataArray) -> Any:
    if counts.sizes[names.OUTCOME] == 2 and counts.attrs.get("ties", "unknown") == "unknown":
        raise ValueError("a rope needs the number of ties, which these data do not have")
    prior = checks.prior(Signature.from_attrs(counts.attrs).prior, counts.sizes[names.OUTCOME])
    values = counts.transpose(names.PAIR, names.OUTCOME).values + np.asarray(prior)
    return (*values.T, *([np.zeros(len(values))] if values.shape[1] == 2 else []))


def _masses(width: np.ndarray, a: Any, b: Any, t: Any) -> np.ndarray:
    """Below, within and above, (region, width), of one pair."""
    within = np.where(width > 0, dirichlet.prob_within(a, b, t, width), 0.0)
    above = dirichlet.prob_above(a, b, t, width)
    return np.stack([dirichlet.prob_below(a, b, t, -width), within, above])


def _draw_masses(
    ax: "Axes", width: np.ndarray, masses: np.ndarray, counts: Any, threshold: float
) -> str:
    """The three curves of one pair."""
    first, second = drawing.labels([side[0] for side in inputs.pair_names(counts)])
    below, within, above = masses
    looks = (
        (above, f"{first} better by more", drawing.COLOUR_A, "-"),
        (within, "within the rope", drawing.INK, "--"),
        (below, f"{second} better by more", drawing.COLOUR_B, ":"),
    )
    for mass, label, colour, line in looks:
        ax.plot(width, mass, color=colour, linestyle=line, linewidth=1.6, label=label)
    ax.axhline(threshold, color=drawing.FAINT, linewidth=0.8)
    ax.set_ylim(-0.02, 1.02)
    ax.set_ylabel("probability")
    ax.legend(loc="center right", fontsize=drawing.SMALL)
    reached = np.flatnonzero(within >= threshold)
    if not reached.size:
        return f"No rope up to {width[-1]:g} holds {100 * threshold:g} %"
    return f"A rope of about {width[reached[0]]:.2g} holds {100 * threshold:g} % of the difference"


def _draw_verdicts(
    ax: "Axes", width: np.ndarray, posterior_parameters: Any, threshold: float
) -> str:
    """Stack the shares of the pairs by verdict."""
    parts = _verdicts(width, *posterior_parameters, threshold=threshold)
    labels = ("better, by more than the rope", "better", "equivalent", "undecided")
    colours = (drawing.COLOUR_A, drawing.RAMP[2], drawing.COLOUR_B, "white")
    look: dict[str, Any] = {"edgecolor": drawing.INK, "linewidth": 0.5}
    shares = [part.mean(0) for part in parts]
    ax.stackplot(width, *shares, labels=labels, colors=colours, **look)
    ax.set_ylim(0, 1)
    ax.set_ylabel("share of the pairs")
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.22), ncols=2, fontsize=drawing.SMALL)
    return (
        f"Verdicts on {len(posterior_parameters[0]):,} pairs, each by itself, at "
        f"{100 * threshold:g} %"
    )


def _verdicts(
    width: np.ndarray, win: np.ndarray, loss: np.ndarray, t: np.ndarray, *, threshold: float
) -> list[np.ndarray]:
    """Where, (pair, width), a pair is better by more than the rope, better, equivalent, open."""
    a, b = np.maximum(win, loss)[:, None], np.minimum(win, loss)[:, None]
    sure = dirichlet.prob_above(a, b, 1.0, 0.0) >= threshold
    four = np.broadcast_arrays(a, b, t[:, None], width)
    mean, sd = dirichlet.mean_difference(*four[:3]), dirichlet.sd_difference(*four[:3])
    above = special.ndtr((mean - width) / sd)
    within = special.ndtr((width - mean) / sd) - special.ndtr((-width - mean) / sd)
    beyond = _reaches(above, dirichlet.prob_above, four, threshold) & sure
    equal = _reaches(within, dirichlet.prob_within, four, threshold) & (width > 0)
    return [beyond & ~equal, sure & ~beyond & ~equal, equal, ~sure & ~equal]


def _reaches(approximate: np.ndarray, exact: Any, four: Any, threshold: float) -> np.ndarray:
    """Return whether a probability reaches the threshold: exact unless the normal approximation is
    far from it.
    """
    least, most = _UNSURE
    unsure = (approximate > min(least, threshold / 2)) & (approximate < most)
    reached = approximate >= threshold
    reached[unsure] = exact(*(v[unsure] for v in four)) >= threshold
    return reached
