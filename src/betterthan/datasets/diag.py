"""Measures of two versions of a tutoring system."""

import pandas as pd

DIAG_CITATION = (
    "Di Eugenio, Glass & Scott 2002, The binomial cumulative distribution function, or, is my "
    "system better than yours?, LREC 2002, Tables 1-4"
)

# Tables 1 to 3: DIAG-orig, DIAG-NLP, whether higher is better, and whether the measure stands on
# its own.
_DIAG = {
    "total time (min)": (29.8, 28.0, 0, 1),
    "feedback time (min)": (6.9, 5.4, 0, 0),
    "indicator consultations": (11.4, 5.9, 0, 1),
    "RU consultations": (19.2, 18.1, 0, 1),
    "parts replaced": (3.85, 3.33, 0, 1),
    "essay score": (81, 83, 1, 1),
    "RU recollection": (0.72, 0.63, 1, 1),
    "usefulness": (4.35, 4.47, 1, 1),
    "helped stay on right track": (4.35, 4.35, 1, 1),
    "not misleading": (4.00, 4.12, 1, 1),
    "conciseness": (3.47, 3.76, 1, 1),
}


def diag_measures() -> pd.DataFrame:
    """Eleven measures of two versions of a tutoring system, in different units and directions.

    Returns
    -------
    pandas.DataFrame
        Index ``measure``; columns ``DIAG-orig``, ``DIAG-NLP``, ``higher_is_better`` and
        ``independent`` (0 or 1); ``attrs["citation"]`` says where they were printed.

    Examples
    --------
    >>> import betterthan as bt
    >>> bt.datasets.diag_measures().loc["essay score"].tolist()
    [81.0, 83.0, 1.0, 1.0]
    """
    columns = ["DIAG-orig", "DIAG-NLP", "higher_is_better", "independent"]
    frame = pd.DataFrame.from_dict(_DIAG, orient="index", columns=columns).rename_axis("measure")
    frame.attrs["citation"] = DIAG_CITATION
    return frame
