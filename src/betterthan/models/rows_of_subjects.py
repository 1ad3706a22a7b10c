"""Rows of subjects, and of texts that they share, as numbers that a model takes."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from betterthan import checks
from betterthan.io.problems import require_columns
from betterthan.people import shared_texts


@dataclass(frozen=True)
class Repeated:
    """Complete rows; without texts where no two subjects read the same."""

    y: np.ndarray
    x: np.ndarray
    subject: np.ndarray  # (row,) places of the subjects
    subjects: list[str]
    text: np.ndarray  # (row,) places of the texts, nowhere where there are none
    texts: list[str]
    texts_are: str  # in words
    y_scale: tuple[float, float]  # mean and standard deviation that were taken out
    x_scale: tuple[float, float]


def repeated(
    table: pd.DataFrame,
    response: str,
    predictor: str,
    subject: str,
    text: str | None,
    *,
    standardise: bool = True,
) -> Repeated:
    """The complete rows of a table."""
    columns = [response, predictor, subject]
    if not isinstance(table, pd.DataFrame):
        raise ValueError(f"table is {checks.quoted(table)}; give a pandas.DataFrame")
    require_columns(table, columns)
    used: Any = table[[*columns, *shared_texts.named(table, text)]]
    complete = used.dropna(subset=columns)
    (y, y_scale), (x, x_scale) = (
        _column(complete, name, standardise) for name in (response, predictor)
    )
    subject_index, subjects = pd.factorize(complete[subject].to_numpy())
    if len(subjects) < 2:
        raise ValueError(f"there is {len(subjects)} subject; slopes vary over two subjects or more")
    column = shared_texts.shared_texts(complete, predictor, subject, text)
    text_index, texts = (
        pd.factorize(complete[column].to_numpy()) if column else (np.zeros(0, int), [])
    )
    return Repeated(
        y,
        x,
        subject_index,
        [str(s) for s in subjects],
        text_index,
        [str(t) for t in texts],
        str(shared_texts.text_attrs(complete, text, column)["texts"]),
        y_scale,
        x_scale,
    )


def sums(y: np.ndarray, x: np.ndarray, subject: np.ndarray) -> dict[str, np.ndarray]:
    """Rows, means, and sums of squares and products around them, of each subject."""
    n = np.bincount(subject)
    x_mean, y_mean = np.bincount(subject, x) / n, np.bincount(subject, y) / n
    dx, dy = x - x_mean[subject], y - y_mean[subject]
    return {
        "rows": n.astype(float),
        "x_mean": x_mean,
        "y_mean": y_mean,
        "spread": np.bincount(subject, dx * dx),
        "cross": np.bincount(subject, dx * dy),
    }


def rotated(y: np.ndarray, x: np.ndarray, text: np.ndarray) -> dict[str, np.ndarray]:
    """Means of texts along axes, the first two of which span a level and a slope.

    Equal effects of texts, and effects that follow the predictor, are hard to tell from those of
    subjects; all others are not. ``text_axes`` is orthogonal: (text, axis).
    """
    n = np.bincount(text)
    ones, x_mean, y_mean = np.ones(len(n)), np.bincount(text, x) / n, np.bincount(text, y) / n
    axes = np.linalg.qr(np.stack([ones, x_mean], axis=1), mode="complete")[0]
    along = {"one": ones, "x": x_mean, "y": y_mean}
    variables = {"text_axes": axes} | {f"text_{k}": v @ axes for k, v in along.items()}
    return variables | {"text_rows": np.array(n.mean())}


def crossed(x: np.ndarray, subject: np.ndarray, text: np.ndarray) -> dict[str, np.ndarray]:
    """Over (subject, text): the share of the subject's rows, and the sum of the predictor around
    the subject's mean.
    """
    n = np.bincount(subject)
    share, cross = np.zeros((2, len(n), text.max() + 1))
    np.add.at(share, (subject, text), 1 / n[subject])
    np.add.at(cross, (subject, text), x - (np.bincount(subject, x) / n)[subject])
    return {"text_share": share, "text_cross": cross}


def _column(
    complete: pd.DataFrame, name: str, standardise: bool
) -> tuple[np.ndarray, tuple[float, float]]:
    """A column's numbers, and the mean and standard deviation that were taken out of them."""
    try:
        values = complete[name].to_numpy(dtype=float)
    except (TypeError, ValueError):
        raise ValueError(f"column {name!r} holds something that is no number") from None
    if len(values) < 3 or np.ptp(values) == 0:
        raise ValueError(
            f"column {name!r} is constant in the {len(values)} whole rows; nothing follows from it"
        )
    mean, sd = (
        (values.mean(), values.std(ddof=1))
        if checks.flag(standardise, "standardise")
        else (0.0, 1.0)
    )
    return (values - mean) / sd, (mean, sd)
