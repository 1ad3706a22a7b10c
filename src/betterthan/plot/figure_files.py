"""The figures of a comparison as files, for a paper."""

from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import betterthan.plot as plot
from betterthan import names
from betterthan.files import write_all
from betterthan.progress import with_bar
from betterthan.results.comparison import Comparison

SUFFIXES = ("pdf", "svg", "png")
_DPI = 300
# no date and no random ids: the same answer gives the same file
_METADATA: dict[str, dict[str, Any]] = {
    "pdf": {"CreationDate": None, "Producer": None, "Creator": None},
    "svg": {"Date": None, "Creator": None},
    "png": {"Software": None},
}
_SUBJECTS = {"pdf": "Subject", "svg": "Description", "png": "Description"}


@dataclass(frozen=True)
class Drawn:
    """A figure, and up to how many systems it can be read."""

    name: str
    draw: Callable[..., Any]
    most: int = 1_000


# a figure more is a row more
FIGURES = (
    Drawn("leaderboard", lambda c: plot.leaderboard(c)),
    Drawn("matrix", lambda c: plot.matrix(c)),
    Drawn("differences", lambda c: plot.differences(c)),
    Drawn("rope_curve", lambda c: plot.rope_curve(c)),
    Drawn("ranks", lambda c: plot.ranks(c)),
    Drawn("outcomes", lambda c: plot.outcomes(c), 8),
    Drawn("densities", lambda c: plot.densities(c), 2),
    Drawn("simplex", lambda c: plot.simplex(c), 2),
    Drawn("cliques", lambda c: plot.cliques(c)),
)


def write_figures(comparison: Comparison, folder: str | Path) -> tuple[list[Path], list[str]]:
    """Write every figure that suits a comparison into a folder, each as PDF, SVG and PNG.

    Parameters
    ----------
    comparison : Comparison
        From `compare`.
    folder : str or pathlib.Path
        Made where it is missing.

    Returns
    -------
    list of pathlib.Path
        What was written.
    list of str
        Which figures were left out, and why.

    Raises
    ------
    ValueError
        If the folder is a file, or cannot be written.
    """
    folder = Path(folder)
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"--figures {str(folder)!r} is a file; give a folder")
    written: dict[Path, str | bytes] = {}
    left_out = []
    for figure in with_bar(FIGURES, len(FIGURES), "figures"):
        why, files = _files(figure, comparison)
        written |= {folder / f"{figure.name}.{suffix}": data for suffix, data in files.items()}
        left_out += [f"{figure.name}: {why}"] if why else []
    folder.mkdir(parents=True, exist_ok=True)
    write_all(written)
    return list(written), left_out


def _files(figure: Drawn, comparison: Comparison) -> tuple[str, dict[str, bytes]]:
    """Why it is left out, or its files by suffix."""
    systems = comparison.data.sizes[names.SYSTEM_A]
    if systems > figure.most:
        return f"{systems} systems are too many to read", {}
    try:
        drawn = figure.draw(comparison).figure
    except ValueError as error:  # it needs what this comparison does not have
        return str(error), {}
    data = f"data={comparison.data.attrs.get('data_hash')}"
    return "", {suffix: _saved(drawn, suffix, data) for suffix in SUFFIXES}


def _saved(figure: Any, suffix: str, data: str) -> bytes:
    """The figure as a file, whose metadata say which data it shows."""
    from matplotlib import rc_context

    buffer, metadata = BytesIO(), _METADATA[suffix] | {_SUBJECTS[suffix]: data}
    with rc_context({"svg.fonttype": "path", "svg.hashsalt": "betterthan", "pdf.fonttype": 42}):
        figure.savefig(buffer, format=suffix, dpi=_DPI, metadata=metadata)
    return buffer.getvalue()
