"""Marks of a page as inline SVG: intervals, bars and the matrix.

Places are per cent of the cell and sizes pixels: a mark stretches with the page while points stay
round. The shape of a mark shows its verdict; color repeats it.
"""

from collections.abc import Sequence

import numpy as np

from betterthan.results.interval_picture import Scale

POINTS = {
    "better": '<circle r="4.5"/>',
    "worse": '<rect x="-4" y="-4" width="8" height="8"/>',
    "equivalent": '<path d="M0-6 6 0 0 6-6 0Z"/>',
    "undecided": '<circle class="hollow" r="4"/>',
}
SIGNS = {"better": "●", "worse": "■", "equivalent": "◆", "undecided": "○"}
CLASSES = 7  # of the matrix, over the full range of a probability
_BOUNDS = (0.25, 0.45, 0.55, 0.75)  # between the inner classes; the outer two are verdicts


def percent(scale: Scale, value: float) -> str:
    """The place of a difference on its scale.

    Examples
    --------
    >>> percent(Scale(-1.0, 1.0, 0.5), 0.0), percent(Scale(-1.0, 1.0, 0.5, reverse=True), 0.5)
    ('50%', '25%')
    """
    return f"{round(100 * scale.share(value), 2):g}%"


def point(verdict: str) -> str:
    """The shape of a verdict; of a split, or of none, that of undecided."""
    return POINTS.get(verdict, POINTS["undecided"])


def interval(
    scale: Scale,
    limits: tuple[float, float, float] | None,
    verdict: str,
    *,
    rope: float = 0.0,
    reference: bool = False,
) -> str:
    """A row of the picture: zero, the ROPE behind it, the interval and its point.

    Examples
    --------
    >>> interval(Scale(0.0, 1.0, 0.5), (0.25, 0.5, 0.75), "better").count("<line")
    2
    """
    zero, parts = percent(scale, 0.0), []
    if rope:
        ends = sorted(100 * scale.share(bound) for bound in (-rope, rope))
        width = f"{ends[1] - ends[0]:.4g}%"
        parts.append(f'<rect class="rope" x="{ends[0]:.4g}%" width="{width}" height="100%"/>')
    kind = "reference" if reference else "zero"
    parts.append(f'<line class="{kind}" x1="{zero}" x2="{zero}" y1="0" y2="100%"/>')
    if limits is not None:
        low, middle, high = (percent(scale, value) for value in limits)
        parts.append(f'<line class="span" x1="{low}" x2="{high}" y1="50%" y2="50%"/>')
        parts.append(f'<svg x="{middle}" y="50%" overflow="visible">{point(verdict)}</svg>')
    return _drawn("".join(parts))


def bar(shares: Sequence[tuple[str, float]]) -> str:
    """One bar of parts from the left, each with its class and its share of the whole.

    Examples
    --------
    >>> bar([("best", 0.25)])
    '<svg aria-hidden="true"><rect class="best" x="0%" width="25%" height="100%"/></svg>'
    """
    parts, start = [], 0.0
    for kind, share in shares:
        width = max(0.0, 100 * share)
        box = f'x="{start:.4g}%" width="{width:.4g}%" height="100%"'
        parts.append(f'<rect class="{kind}" {box}/>')
        start += width
    return _drawn("".join(parts))


def classes_of(p: np.ndarray, threshold: float) -> np.ndarray:
    """The class of each probability, 0 to 6, -1 of nan; the outer two follow the threshold.

    Examples
    --------
    >>> classes_of(np.array([0.01, 0.2, 0.3, 0.5, 0.6, 0.8, 0.97, np.nan]), 0.95).tolist()
    [0, 1, 2, 3, 4, 5, 6, -1]
    """
    kinds = np.where(p >= threshold, CLASSES - 1, 1 + np.searchsorted(_BOUNDS, p))
    kinds = np.where(p <= 1 - threshold, 0, kinds)
    return np.where(np.isnan(p), -1, kinds)


def matrix(p: np.ndarray, threshold: float) -> str:
    """P(row better than column) of many systems, one path a class, in runs along the rows.

    Examples
    --------
    >>> matrix(np.array([[np.nan, 0.97], [0.03, np.nan]]), 0.95).count("<path")
    2
    """
    kinds = classes_of(p, threshold)
    n = len(kinds)
    paths = []
    for kind in range(CLASSES):
        padded = np.zeros((n, n + 2), dtype=np.int8)
        padded[:, 1:-1] = kinds == kind
        steps = np.diff(padded, axis=1)
        rows, starts = np.nonzero(steps == 1)
        ends = np.nonzero(steps == -1)[1]
        runs = zip(starts.tolist(), rows.tolist(), (ends - starts).tolist(), strict=True)
        d = "".join(f"M{x} {y}h{width}v1h-{width}z" for x, y, width in runs)
        paths += [f'<path class="h{kind}" d="{d}"/>'] if d else []
    box = f'viewBox="0 0 {n} {n}" shape-rendering="crispEdges"'
    return f'<svg class="map" {box} aria-hidden="true">{"".join(paths)}</svg>'


def _drawn(content: str) -> str:
    return f'<svg aria-hidden="true">{content}</svg>'
