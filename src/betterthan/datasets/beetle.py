"""The interpreter of a tutoring system: confusions, scores, and what they say about learning
gain.
"""

import pandas as pd
import xarray as xr

from betterthan import names
from betterthan.features.fitting import PerformanceFunction
from betterthan.labels.matrices import from_table

BEETLE_CITATION = (
    "Dzikovska, Bell, Isard & Moore 2012, Evaluating language understanding accuracy with respect "
    "to objective outcomes in a dialogue system, EACL 2012"
)

# Table 1: answers of each class. Table 3: rows predicted, columns actual.
_BEETLE_COUNTS = {
    "contradictory": 808,
    "correct": 1438,
    "irrelevant": 105,
    "non_content": 232,
    "pc_incomplete": 796,
}
_BEETLE = (
    (175, 86, 3, 0, 43),
    (25, 752, 1, 4, 26),
    (31, 12, 16, 4, 29),
    (1, 3, 2, 95, 3),
    (200, 317, 40, 28, 419),
)

# Tables 2 and 6, as printed. The rows that the text calls micro weigh the labels by their size.
_SCORES = {
    "beetle_ii": {
        "correct": (0.93, 0.52, 0.67),
        "pc_incomplete": (0.42, 0.53, 0.47),
        "contradictory": (0.57, 0.22, 0.31),
        "irrelevant": (0.17, 0.15, 0.16),
        "non_content": (0.91, 0.41, 0.57),
        "macro": (0.60, 0.37, 0.44),
        "weighted": (0.70, 0.43, 0.51),
    },
    "majority": {
        "correct": (0.43, 1.00, 0.60),
        "pc_incomplete": (0.00, 0.00, 0.00),
        "contradictory": (0.00, 0.00, 0.00),
        "irrelevant": (0.00, 0.00, 0.00),
        "non_content": (0.00, 0.00, 0.00),
        "macro": (0.09, 0.20, 0.12),
        "weighted": (0.18, 0.43, 0.25),
    },
    "decision_tree": {
        "correct": (0.66, 0.76, 0.71),
        "pc_incomplete": (0.38, 0.34, 0.36),
        "contradictory": (0.40, 0.35, 0.37),
        "irrelevant": (0.07, 0.04, 0.05),
        "non_content": (0.62, 0.76, 0.68),
        "macro": (0.43, 0.45, 0.43),
        "weighted": (0.51, 0.53, 0.52),
    },
}

# Table 4: the confusions that every student had at least twice.
_CONFUSIONS = tuple(
    f"freq.predicted.{p}.actual.{a}"
    for p, a in (
        ("contradictory", "correct"),
        ("pc_incomplete", "correct"),
        ("pc_incomplete", "contradictory"),
    )
)

# Table 5: R2 and its spread, MSE and its spread, formula.
_WORST = "freq.predicted.pc_incomplete.actual.contradictory"
_FUNCTIONS = {
    "scores.f": ((0.12, 0.02, 0.0232, 0.0302), 0.32, {"f.weighted": 0.56}),
    "scores.precision": ((0.00, 0.00, 0.0242, 0.0370), 0.61, {}),
    "scores.recall": ((0.12, 0.02, 0.0232, 0.0310), 0.37, {"recall.weighted": 0.56}),
    "conf": ((0.25, 0.03, 0.0197, 0.0262), 0.74, {_WORST: -0.56}),
    "scores.all": (
        (0.33, 0.03, 0.0218, 0.0264),
        0.63,
        {
            "f.weighted": 4.20,
            "precision.weighted": -1.30,
            "recall.weighted": -2.79,
            "recall.non_content": -0.07,
        },
    ),
    "conf+scores.f": (
        (0.36, 0.03, 0.0179, 0.0281),
        0.52,
        {_WORST: -0.66, "f.correct": 0.42, "f.non_content": -0.07},
    ),
    "full": (
        (0.49, 0.02, 0.0189, 0.0248),
        0.88,
        {
            _WORST: -0.68,
            "precision.non_content": -0.06,
            "recall.correct": 0.28,
            "precision.weighted": -0.79,
            "f.weighted": 0.65,
        },
    ),
}


def beetle_confusion() -> xr.DataArray:
    """Return the confusion matrix of the interpreter of BEETLE II, a tutoring system.

    It is of 3,379 labeled student answers. The text of the article counts 3,426 answers, and does
    not explain the other 47.

    Returns
    -------
    xarray.DataArray, dims (predicted, actual)
        Counts. ``n_actual`` counts unclassified answers, too; ``attrs["citation"]`` is the source.

    Examples
    --------
    >>> import betterthan as bt
    >>> matrix = bt.datasets.beetle_confusion()
    >>> int(matrix["n_actual"].sum() - matrix.sum())
    1064
    """
    labels = list(_BEETLE_COUNTS)
    table = pd.DataFrame(_BEETLE, index=labels, columns=labels)
    return from_table(table, actual_counts=_BEETLE_COUNTS).assign_attrs(
        citation=BEETLE_CITATION, source="Tables 1 and 3"
    )


def beetle_scores() -> xr.DataArray:
    """Return precision, recall, and F-score of three interpreters of the same answers.

    They are as printed, with two decimals: the system itself, a baseline that always predicts the
    most frequent class, and a decision tree (whose confusion matrix was not published). The
    micro-average of the tables is named ``weighted`` here: it weights labels by their size. The
    weighted recall of the tree, 0.53, contradicts the recalls of its classes, which imply at least
    0.536.

    Returns
    -------
    xarray.DataArray, dims (system, label, measure)
        Labels are the five classes, macro and weighted.

    Examples
    --------
    >>> import betterthan as bt
    >>> bt.datasets.beetle_scores().sel(system="decision_tree", label="weighted").values.tolist()
    [0.51, 0.53, 0.52]
    """
    labels = list(_SCORES["beetle_ii"])
    values = [[_SCORES[system][label] for label in labels] for system in _SCORES]
    coords = {names.SYSTEM: list(_SCORES), names.LABEL: labels, "measure": list(names.MEASURES)}
    attrs = {"citation": BEETLE_CITATION, "source": "Tables 2 and 6"}
    return xr.DataArray(values, coords, tuple(coords), name="score", attrs=attrs)


def beetle_feature_sets() -> dict[str, list[str]]:
    """Return the seven feature sets of the published functions of learning gain (Table 4).

    Returns
    -------
    dict of str to list of str
        Features by set, with the names of Table 5 and of `beetle_functions`. Features have the
        names of `features.from_confusion`, for `features.compare`. The micro-average of the table
        is ``weighted``.

    Examples
    --------
    >>> import betterthan as bt
    >>> sets = bt.datasets.beetle_feature_sets()
    >>> sets["scores.f"][:3]
    ['f.weighted', 'f.macro', 'f.correct']
    >>> {name: len(features) for name, features in sets.items()}["full"]
    24
    """
    labels = ("weighted", "macro", "correct", "contradictory", "pc_incomplete", "non_content")
    f, precision, recall = (
        [f"{measure}.{label}" for label in (*labels, "irrelevant")]
        for measure in ("f", "precision", "recall")
    )
    every, conf = [*f, *precision, *recall], list(_CONFUSIONS)
    return {
        "scores.f": f,
        "scores.precision": precision,
        "scores.recall": recall,
        "conf": conf,
        "scores.all": every,
        "conf+scores.f": [*conf, *f],
        "full": [*conf, *every],
    }


def beetle_functions() -> dict[str, PerformanceFunction]:
    """Return the seven published functions from the interpreter's scores to learning gain.

    Returns
    -------
    dict of str to PerformanceFunction
        Functions by feature set. Coefficients are as printed; the printed ``precision.non_domain``
        is read as ``precision.non_content``, as there is no such class.

    Examples
    --------
    >>> import betterthan as bt
    >>> gain = bt.datasets.beetle_functions()["scores.all"]
    >>> round(gain.predict(bt.datasets.beetle_confusion()), 3)
    0.647
    """
    return {
        name: PerformanceFunction.from_coefficients(
            intercept,
            weights,
            response="learning gain",
            confusions=_CONFUSIONS if "conf" in name or name == "full" else (),
        )
        for name, (_, intercept, weights) in _FUNCTIONS.items()
    }


def beetle_function_fits() -> pd.DataFrame:
    """Return the published fit statistics of the seven functions for 35 dialogues.

    They cannot be reproduced, because the scores of the single dialogues are not published. R2 is
    called cross-validated, but an intercept-only function has 0.00 there, where a held-out R2 is
    negative; so it is evidently the mean over training folds. The MSEs imply the held-out R2: from
    -0.06 to 0.22.

    Returns
    -------
    pandas.DataFrame
        Index ``feature_set``; columns ``r2_training``, ``r2_training_sd``, ``mse``, ``mse_sd``,
        ``formula``; ``attrs["citation"]`` is the source.

    Examples
    --------
    >>> import betterthan as bt
    >>> bt.datasets.beetle_function_fits().loc["full", ["r2_training", "mse"]].tolist()
    [0.49, 0.0189]
    """
    columns = ["r2_training", "r2_training_sd", "mse", "mse_sd"]
    rows = {name: printed for name, (printed, _, _) in _FUNCTIONS.items()}
    frame = pd.DataFrame.from_dict(rows, orient="index", columns=columns).rename_axis("feature_set")
    frame["formula"] = [str(function) for function in beetle_functions().values()]
    frame.attrs = {"citation": BEETLE_CITATION, "source": "Table 5"}
    return frame
