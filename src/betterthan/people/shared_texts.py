"""Texts that several subjects read: what other people would do is one question, what other texts
would do is another.
"""

from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import checks, names
from betterthan.io.problems import require_columns

TEXT = "text"
SHARED, APART, NOT_NAMED = "shared by subjects", "none read by two subjects", "not named"


def shared_texts(table: Any, predictor: str, subject: str, text: str | None) -> str | None:
    """The column of texts that several subjects read; nothing where no two read the same.

    Parameters
    ----------
    table : pandas.DataFrame
        Whole rows.
    predictor, subject : str
        Columns.
    text : str or None
        A column. The usual one may be lacking: then a warning is given where subjects share values
        of the predictor, as they do where all read the same texts.

    Raises
    ------
    ValueError
        If another column than the usual one is not there, or a row lacks its text.
    """
    if text is None:
        return None
    if not named(table, text):
        _warn_of_shared_values(table, predictor, subject)
        return None
    if table[text].isna().any():
        row = table.index[table[text].isna()][0]
        raise ValueError(f"row {row}, column {text!r}: missing; every row needs its {text}")
    return text if _shared(table, text, subject).any() else None


def named(table: Any, text: str | None) -> list[str]:
    """The column of texts, if there is one of that name; one that was asked for must be there."""
    columns = getattr(table, "columns", ())
    if text is None or checks.label(text, "text") in columns:
        return [] if text is None else [text]
    if text != TEXT and len(columns):
        require_columns(table, [text])
    return []


def text_attrs(whole: Any, text: str | None, shared: str | None) -> dict[str, str | int]:
    """Whether subjects share texts and how many there are, in the attrs of a result."""
    if shared is not None:
        return {"texts": SHARED, "n_texts": int(whole[shared].nunique())}
    return {"texts": APART if named(whole, text) else NOT_NAMED, "n_texts": 0}


def _shared(table: pd.DataFrame, column: str, subject: str) -> np.ndarray:
    """Of each row, whether another subject has the same value in this column."""
    readers: Any = table.groupby(column)[subject].transform("nunique")
    return (readers > 1).to_numpy()


def _warn_of_shared_values(table: pd.DataFrame, predictor: str, subject: str) -> None:
    if not len(table) or _shared(table, predictor, subject).mean() <= 0.5:
        return
    checks.warn(
        f"the result may hold for these texts only (F1 without F2): subjects share values of "
        f"{predictor!r}, and no column names the texts; pass text='the column of texts', or "
        f"text=None if rows are no texts"
    )


_ITEMS = (names.ITEM, "items", "document", "documents", "text", "texts", "question", "questions")


def people_in_rows(ratings: Any, who: str) -> Any:
    """A labelled table with `who` in rows: of a DataArray whose first dim is the item, the rows are
    its columns.

    Raises
    ------
    ValueError
        If the rows of a frame are called items.
    """
    if isinstance(ratings, xr.DataArray) and ratings.ndim == 2:
        return (ratings.T if str(ratings.dims[0]).casefold() in _ITEMS else ratings).to_pandas()
    name = ratings.index.name if isinstance(ratings, pd.DataFrame) else None
    if str(name).casefold() in _ITEMS:
        raise ValueError(f"ratings has rows called {name!r}; transpose it: {who} go in rows")
    return ratings
