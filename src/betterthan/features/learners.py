"""Compare learners by nested cross-validation: whatever has `fit` and `predict`, and the package's
own regression.
"""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

import numpy as np
import xarray as xr

import betterthan
from betterthan import checks, names
from betterthan.exact.regression import least_squares
from betterthan.features import tables
from betterthan.features.fitting import fit_table
from betterthan.features.sets import paired
from betterthan.features.tables import FeatureTable, feature_table
from betterthan.signed import Signature

_LEARNER = "learner"
_LEARNERS = f"give an object with fit and predict, or one of {', '.join(names.DIRECTIONS)}"


def compare_learners(
    features: Any,
    response: Any,
    learners: Mapping[str, Any],
    *,
    columns: Sequence[str] | None = None,
    leave_out: Any = None,
    ci_prob: float = names.CI_PROB,
) -> xr.Dataset:
    """Compare several learners by their held-out errors in predicting a response.

    Parameters
    ----------
    features, response, columns, leave_out
        See `features.performance_function`.
    learners : mapping
        Learners by name. A learner is an object with the methods ``fit(x, y)`` and ``predict(x)``
        on arrays (dialogue, feature) and (dialogue,), such as an estimator of scikit-learn (the
        extra ``betterthan[learners]`` installs it); or a `direction` of
        `features.performance_function`, such as "both" for its choice by AIC. Each fold fits a
        copy, so that anything an object learns or chooses inside ``fit`` (a pipeline, a search over
        settings) does not see the held-out rows. Set the seed of a learner that draws random
        numbers.
    ci_prob : float, default 0.95
        Level of the intervals of differences (Student's t).

    Returns
    -------
    xarray.Dataset
        Over learner:

        - ``r2_training``, ``r2_training_sd``: mean and SD over the folds of the R2 on training rows
        - ``r2_held_out``, ``r2_held_out_se``: nested R2 of held-out rows, which
          `features.performance_function` calls ``r2_held_out_chosen``, and its standard error
        - ``mse``, ``mse_sd``

        Over (learner_a, learner_b), as in `features.compare`: ``mse_difference``,
        ``mse_difference_lower``, ``mse_difference_upper``, ``prob_better``, and ``p_value``. Over
        (learner, dialogue): ``held_out``; over dialogue: ``observed``.

    Raises
    ------
    ValueError
        For the reasons of `features.performance_function`; or if there are no learners, or one has
        no ``fit`` and ``predict`` or does not predict one finite number for each row.

    References
    ----------
    S. Möller, K.-P. Engelbrecht and R. Schleicher (2008), Predicting the quality and usability of
    spoken dialogue services, Speech Communication 50, 730-744, compare learners; Dzikovska, Bell,
    Isard & Moore (2012), EACL 2012, section 6.

    Examples
    --------
    >>> import pandas as pd
    >>> class Nearest:
    ...     def fit(self, x, y):
    ...         self.x, self.y = x, y
    ...     def predict(self, x):
    ...         return self.y[abs(x[:, None] - self.x).sum(2).argmin(1)]
    >>> table = pd.DataFrame({"f": [0.3, 0.5, 0.6, 0.4, 0.8, 0.7], "words": [9, 4, 5, 9, 7, 2],
    ...                       "rating": [2.0, 3.1, 3.4, 2.4, 4.6, 3.9]})
    >>> result = compare_learners(table, "rating", {"AIC": "both", "nearest": Nearest()})
    >>> result["r2_held_out"].round(2).values.tolist()
    [0.9, 0.44]
    """
    checks.of_type(learners, Mapping, "learners are", "mapping from names to learners")
    if not learners:
        raise ValueError("there are no learners; give at least one, such as {'AIC': 'both'}")
    ci_prob = checks.probability(ci_prob, "ci_prob")
    checks.unique([str(name) for name in learners], _LEARNER)
    table = tables.grouped(feature_table(features, response, columns=columns, by=leave_out))
    predicted = [_folds(table, str(name), learner) for name, learner in learners.items()]
    held_out, training = (np.array(values) for values in zip(*predicted, strict=True))
    errors, centred = table.y - held_out, table.y - table.y.mean()
    r2 = np.array([least_squares.held_out_r2(each, centred, table.groups) for each in errors])
    by_learner = {
        "r2_training": training[:, 0],
        "r2_training_sd": training[:, 1],
        "r2_held_out": r2[:, 0],
        "r2_held_out_se": r2[:, 1],
        "mse": (errors**2).mean(1),
        "mse_sd": (errors**2).std(1, ddof=1),
    }
    pair = (f"{_LEARNER}_a", f"{_LEARNER}_b")
    labels = list(map(str, learners))
    provenance = Signature(version=betterthan.__version__, ci_prob=ci_prob).to_attrs()
    return xr.Dataset(
        {name: (_LEARNER, values) for name, values in by_learner.items()}
        | {name: (pair, square) for name, square in paired(errors, table.groups, ci_prob).items()}
        | {"held_out": ((_LEARNER, names.DIALOGUE), held_out)}
        | {"observed": (names.DIALOGUE, table.y)},
        dict.fromkeys((_LEARNER, *pair), labels) | {names.DIALOGUE: table.rows},
        provenance
        | {"response": table.response, "n": len(table.y), "n_dropped": table.dropped}
        | {"left_out_by": table.grouped_by or names.ROW, "folds": len(table.group_names)},
    )


def _folds(table: FeatureTable, name: str, learner: Any) -> tuple[np.ndarray, tuple[float, float]]:
    """Predictions of the rows that each fold left out (row,), and the mean and the standard
    deviation of the R2 of the folds on the other rows.
    """
    if isinstance(learner, str) and learner in names.DIRECTIONS:
        fit: Any = fit_table(table, learner).fit
        both = float(fit["r2_training"]), float(fit["r2_training_sd"])
        return fit["held_out_chosen"].values, both
    able = hasattr(learner, "fit") and hasattr(learner, "predict")
    if isinstance(learner, type) or not able:
        raise ValueError(f"learner {name!r} of learners is {checks.quoted(learner)}; {_LEARNERS}")
    held_out, training = np.empty(len(table.y)), []
    for group in range(len(table.group_names)):
        out = table.groups == group
        fitted: Any = deepcopy(learner)
        y = table.y[~out]
        fitted.fit(table.x[~out], y)
        held_out[out] = _predicted(fitted, table.x[out], name)
        left, total = y - _predicted(fitted, table.x[~out], name), ((y - y.mean()) ** 2).sum()
        training.append(1 - (left**2).sum() / total if total else np.nan)
    return held_out, (float(np.mean(training)), float(np.std(training, ddof=1)))


def _predicted(fitted: Any, x: np.ndarray, name: str) -> np.ndarray:
    values = np.asarray(fitted.predict(x))
    numeric = values.dtype.kind in "biuf"
    if values.size != len(x) or not numeric or not np.isfinite(values).all():
        raise ValueError(
            f"learner {name!r} predicts {values.size} values for {len(x)} rows, or some that are "
            "not finite; it must predict one number for each row"
        )
    return values.reshape(-1).astype(float)
