"""Rows of subjects, and of texts that they share, as numbers that a model takes."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from betterthan import checks
from betterthan.people import shared_texts


@dataclass(frozen=True)
class Repeated:
    """Whole rows; without texts where no two subjects read the same."""

    y: np.ndarray
    x: np.ndarray
    of: np.ndarray  # (row,) places of the subjects
    subjects: list[str]
    text_of: np.ndarray  # (row,) places of the texts, nowhere where there are none
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
    """The whole rows of a table."""
    columns = [response, predictor, subject]
    whole = _whole(table, columns, text)
    (y, y_scale), (x, x_scale) = (
        _column(whole, name, standardise) for name in (response, predictor)
    )
    of, subjects = pd.factorize(whole[subject].to_numpy())
    if len(subjects) < 2:
        raise ValueError(f"there is {len(subjects)} subject; slopes vary over two subjects or more")
    found = shared_texts.shared_texts(whole, predictor, subject, text)
    text_of, texts = pd.factorize(whole[found].to_numpy()) if found else (np.zeros(0, int), [])
    return Repeated(
        y,
        x,
        of,
        [str(s) for s in subjects],
        text_of,
        [str(t) for t in texts],
        str(shared_texts.told(whole, text, found)["texts"]),
        y_scale,
        x_scale,
    )


def sums(y: np.ndarray, x: np.ndarray, of: np.ndarray) -> dict[str, np.ndarray]:
    """Of each subject: rows, means, and sums of squares and products around them."""
    n = np.bincount(of)
    x_mean, y_mean = np.bincount(of, x) / n, np.bincount(of, y) / n
    dx, dy = x - x_mean[of], y - y_mean[of]
    return {
        "rows": n.astype(float),
        "x_mean": x_mean,
        "y_mean": y_mean,
        "spread": np.bincount(of, dx * dx),
        "cross": np.bincount(of, dx * dy),
    }


def turned(y: np.ndarray, x: np.ndarray, text_of: np.ndarray) -> dict[str, np.ndarray]:
    """Means of texts along axes, of which the first two hold all that a level and a slope can say.

    Equal effects of texts, and effects that follow the predictor, are hard to tell from those of
    subjects; all others are not. ``text_axes`` is orthogonal: (text, axis).
    """
    n = np.bincount(text_of)
    one, x_mean, y_mean = np.ones(len(n)), np.bincount(text_of, x) / n, np.bincount(text_of, y) / n
    axes = np.linalg.qr(np.stack([one, x_mean], axis=1), mode="complete")[0]
    along = {"one": one, "x": x_mean, "y": y_mean}
    found = {"text_axes": axes} | {f"text_{k}": v @ axes for k, v in along.items()}
    return found | {"text_rows": np.array(n.mean())}


def crossed(x: np.ndarray, of: np.ndarray, text_of: np.ndarray) -> dict[str, np.ndarray]:
    """Over (subject, text): the share of the subject's rows, and the sum of the predictor around
    the subject's mean.
    """
    n = np.bincount(of)
    share, cross = np.zeros((2, len(n), text_of.max() + 1))
    np.add.at(share, (of, text_of), 1 / n[of])
    np.add.at(cross, (of, text_of), x - (np.bincount(of, x) / n)[of])
    return {"text_share": share, "text_cross": cross}


def _whole(table: pd.DataFrame, columns: list[str], text: str | None) -> pd.DataFrame:
    """Rows without gaps in what is asked for, with the column of texts if it is there."""
    if not isinstance(table, pd.DataFrame):
        raise ValueError(f"table is {checks.shown(table)}; give a pandas.DataFrame")
    for name in columns:
        if name not in table.columns:
            raise ValueError(
                f"there is no column {name!r} among {', '.join(map(repr, table.columns))}"
            )
    asked: Any = table[[*columns, *shared_texts.named(table, text)]]
    return asked.dropna(subset=columns)


def _column(
    whole: pd.DataFrame, name: str, standardise: bool
) -> tuple[np.ndarray, tuple[float, float]]:
    """A column's numbers, and the mean and standard deviation that were taken out of them."""
    try:
        values = whole[name].to_numpy(dtype=float)
    except (TypeError, ValueError):
        raise ValueError(f"column {name!r} holds something that is no number") from None
    if len(values) < 3 or np.ptp(values) == 0:
        raise ValueError(
            f"column {name!r} is constant in the {len(values)} whole rows; nothing follows from it"
        )
    mean, sd = (values.mean(), values.std(ddof=1)) if standardise else (0.0, 1.0)
    return (values - mean) / sd, (mean, sd)
