"""Compare systems by predicted responses; sets of features, and learners, by cross-validation.

The choice of a set of features, made anew without what is predicted: cross-validation nested
three deep. In every outer fold, each set chooses its features and predicts what is left, unit by
unit; the set that predicts it best predicts the fold (Varma & Simon 2006, BMC Bioinformatics 7:91,
doi:10.1186/1471-2105-7-91).

Two sets are compared by their errors on the same held-out rows. Fits that leave out one row each
share nearly all training data, so a paired t test of these errors finds too much; the variance is
corrected for what the training sets share (Nadeau & Bengio 2003, Machine Learning 52,
doi:10.1023/A:1024068626366).
"""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from scipy import special

from betterthan import checks, names
from betterthan.exact import folds, regression
from betterthan.features import tables
from betterthan.features.fitting import (
    PerformanceFunction,
    fit_table,
    refuse_unknown_confusions,
    searched_as,
    values_by_name,
)
from betterthan.features.tables import FeatureTable, feature_table
from betterthan.posterior import table
from betterthan.posterior.pairwise import Fit
from betterthan.posterior.table import Question
from betterthan.signed import provenance_attrs

OUTER = 50  # folds at most


def held_out(
    sets: Sequence[np.ndarray], y: np.ndarray, groups: np.ndarray, how: dict[str, Any]
) -> tuple[np.ndarray, np.ndarray]:
    """Errors (row,) of predictions by the best of standardised feature sets (row, feature), and
    which it was in each outer fold. The response y is centred, `groups` are numbers from 0.
    """
    count = int(groups.max()) + 1
    outer = np.arange(count) % min(count, OUTER)  # of each group
    results = [_of_set(z, y, groups, outer, how) for z in sets]
    best = np.array([inner for inner, _ in results]).argmin(0)
    predicted = np.array([predictions for _, predictions in results])
    return y - predicted[best[outer[groups]], np.arange(len(y))], best


def _of_set(
    z: np.ndarray, y: np.ndarray, groups: np.ndarray, outer: np.ndarray, how: dict[str, Any]
) -> tuple[np.ndarray, np.ndarray]:
    """Return the squared errors inside each outer fold, (fold,), and the predictions of the left-
    out rows.
    """
    group_products, items = regression.within_groups(z, y, groups), np.bincount(groups)
    design, predicted = regression.design(z), np.empty(len(y))
    inner = np.empty(int(outer.max()) + 1)
    for fold in range(len(inner)):
        training = outer != fold
        products, size = group_products[training].sum(0), items[training].sum()
        # the first fit is of all that is kept, the others leave a group of it out
        leave_one_out = np.concatenate([products[None], products - group_products[training]])
        fits = regression.search(
            leave_one_out, np.append(size, size - items[training]), **how
        ).coefficients
        fit_index = np.zeros(len(training), dtype=int)
        fit_index[training] = 1 + np.arange(training.sum())
        fitted = (design * fits[fit_index[groups]]).sum(1)
        in_training = training[groups]
        inner[fold] = ((y - fitted)[in_training] ** 2).sum()
        predicted[~in_training] = fitted[~in_training]
    return inner, predicted


_R2 = ("r2", "r2_training", "r2_training_sd")
_HELD_OUT = ("r2_held_out", "r2_held_out_se", "r2_held_out_chosen", "r2_held_out_chosen_se")
_MSE = ("mse", "mse_sd", "mse_chosen", "mse_chosen_sd")
# attrs of the fits, which are of the same rows and asked for alike
_ROWS = ("n", "n_dropped_response", "n_dropped_feature")
_ASKED = ("response", "direction", "left_out_by", "folds")
_SET_PAIR = (f"{names.FEATURE_SET}_a", f"{names.FEATURE_SET}_b")
_EQUAL = 1e-9  # of the mean squared error: smaller differences are rounding


def compare(
    features: Any,
    response: Any,
    sets: Mapping[str, Sequence[str]],
    *,
    direction: str = "both",
    leave_out: Any = None,
    ci_prob: float = names.CI_PROB,
) -> xr.Dataset:
    """Compare sets of features by the errors of their performance functions.

    Parameters
    ----------
    features, response, direction, leave_out
        See `features.performance_function`.
    sets : mapping of str to sequence of str
        Names of sets, and the features that each may choose from.
    ci_prob : float, default 0.95
        Level of the intervals of differences (Student's t).

    Returns
    -------
    xarray.Dataset
        Over feature_set: the measures of `features.performance_function`, ``n_features`` (to choose
        from), ``n_chosen``, and ``formula``. All sets are fitted to the same rows, those with all
        features of every set.

        The best ``r2_held_out_chosen`` of several is too high, because it chose its set.
        ``r2_held_out_best`` (with ``r2_held_out_best_se``) includes that choice: it is repeated
        inside every fold, by the ``r2_held_out_chosen`` of the remaining dialogues. ``picked`` is
        the proportion of folds in which a set was the best. From 51 dialogues (or groups that are
        left out together) on, there are 50 of these outer folds, each of which leaves out several.

        Over (feature_set_a, feature_set_b), from the errors on the same held-out rows, with
        features chosen again in every fold:

        - ``mse_difference``, ``mse_difference_lower``, ``mse_difference_upper``: that of a minus
          that of b
        - ``prob_better``: probability that a has the smaller mean squared error (flat prior)
        - ``p_value``: two-sided

        All use Student's t with the corrected variance of Nadeau and Bengio, which is conservative:
        for two equally good sets, p was at most 0.05 in 0 to 0.08 of simulated data.

    Raises
    ------
    ValueError
        For the reasons of `features.performance_function`, or if there are no sets.

    References
    ----------
    Dzikovska, Bell, Isard & Moore (2012), EACL 2012, Table 5.

    C. Nadeau and Y. Bengio (2003), Inference for the generalization error, Machine Learning 52,
    239-281, doi:10.1023/A:1024068626366.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"f": [0.3, 0.5, 0.6, 0.4, 0.8, 0.7], "words": [9, 4, 5, 9, 7, 2],
    ...                       "rating": [2.0, 3.1, 3.4, 2.4, 4.6, 3.9]})
    >>> result = compare(table, "rating", {"scores": ["f"], "length": ["words"]})
    >>> result["formula"].values.tolist()
    ['rating = 0.4362 + 5.086 f', 'rating = 4.343 - 0.185 words']
    >>> pair = result.sel(feature_set_a="scores", feature_set_b="length")
    >>> round(pair["mse_difference"].item(), 2), round(pair["p_value"].item(), 2)
    (-1.32, 0.17)
    """
    listed, ci_prob = _checked(sets), checks.probability(ci_prob, "ci_prob")
    union = list(dict.fromkeys(column for columns in listed.values() for column in columns))
    table = tables.grouped(feature_table(features, response, columns=union, by=leave_out))
    fitted = {name: _fitted(table, name, columns, direction) for name, columns in listed.items()}
    fits = [f.fit for f in fitted.values() if f.fit is not None]
    errors = np.array([(fit["observed"] - fit["held_out_chosen"]).values for fit in fits])
    differences = paired(errors, table.groups, ci_prob)
    best, picked = _best(table, list(listed.values()), direction)
    signed = provenance_attrs(answer="feature_sets", ci_prob=ci_prob)
    return xr.Dataset(
        {name: (names.FEATURE_SET, column) for name, column in _measures(fits).items()}
        | {"formula": (names.FEATURE_SET, [str(f) for f in fitted.values()])}
        | {"picked": (names.FEATURE_SET, picked)}
        | {name: (_SET_PAIR, square) for name, square in differences.items()}
        | best,
        coords={dim: list(map(str, fitted)) for dim in (names.FEATURE_SET, *_SET_PAIR)},
        attrs=signed | {k: fits[0].attrs[k] for k in _ASKED + _ROWS},
    )


def _best(
    table: FeatureTable, listed: list[list[str]], direction: str
) -> tuple[dict[str, float], np.ndarray]:
    """Return the held-out R2 of the set that is best in each fold, and how often each is best."""
    z, y = regression.standardise(table.x)[0], table.y - table.y.mean()
    sets = [z[:, [table.features.index(column) for column in columns]] for columns in listed]
    errors, best = held_out(sets, y, table.groups, searched_as(direction))
    r2, error = regression.held_out_r2(errors, y, table.groups)
    picked = np.bincount(best, minlength=len(sets)) / len(best)
    return {"r2_held_out_best": r2, "r2_held_out_best_se": error}, picked


def paired(errors: np.ndarray, groups: np.ndarray, ci_prob: float) -> dict[str, np.ndarray]:
    """Compare held-out errors (set, row), squared, of each two sets (set, set), group by group."""
    squares, rows = np.array([np.bincount(groups, each**2) for each in errors]), len(groups)
    difference = squares[:, None] - squares
    difference[np.abs(difference) < _EQUAL * squares.mean()] = 0
    mean = difference.sum(-1, keepdims=True) / rows
    sizes = np.bincount(groups)
    by_group = mean + (difference - sizes * mean) * (len(sizes) / rows)  # of a ratio of two sums
    law = folds.Folds.from_differences(np.moveaxis(by_group, -1, 0), 1 / len(sizes))
    reach = special.stdtrit(law.df, (1 + ci_prob) / 2) * law.scale
    better = law.masses(0.0)[..., 0]
    return {
        "mse_difference": law.centre,
        "mse_difference_lower": law.centre - reach,
        "mse_difference_upper": law.centre + reach,
        "prob_better": better,
        "p_value": 2 * np.minimum(better, better.T),
    }


def _checked(sets: Any) -> dict[Any, list[str]]:
    checks.of_type(sets, Mapping, "sets is", "mapping from names of sets to their features")
    if not sets:
        raise ValueError(
            "there are no feature sets; give at least one, such as {'scores': ['f.weighted']}"
        )
    checks.unique([str(name) for name in sets], "feature set")
    return {
        name: list(checks.labels(columns, f"set {checks.quoted(name)} of sets"))
        for name, columns in sets.items()
    }


def _measures(fits: list[xr.Dataset]) -> dict[str, list[Any]]:
    """A column of each measure, one row for each fit."""
    columns: dict[str, list[Any]] = {
        m: [float(fit[m]) for fit in fits] for m in _R2 + _HELD_OUT + _MSE
    }
    columns["n_features"] = [fit.sizes[names.FEATURE] for fit in fits]
    columns["n_chosen"] = [int(fit["chosen"].sum()) for fit in fits]
    return columns


def _fitted(
    table: FeatureTable, name: str, columns: list[str], direction: str
) -> PerformanceFunction:
    """Fit the same rows on some of the columns."""
    try:
        checks.unique(columns, "feature")
        if not columns:
            raise ValueError("there are no features; give at least one")
        column_index = [table.features.index(column) for column in columns]
        return fit_table(replace(table, x=table.x[:, column_index], features=columns), direction)
    except ValueError as error:
        raise ValueError(f"feature set {name!r}: {error}") from None


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
    r2 = np.array([regression.held_out_r2(each, centred, table.groups) for each in errors])
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
    return xr.Dataset(
        {name: (_LEARNER, values) for name, values in by_learner.items()}
        | {name: (pair, square) for name, square in paired(errors, table.groups, ci_prob).items()}
        | {"held_out": ((_LEARNER, names.DIALOGUE), held_out)}
        | {"observed": (names.DIALOGUE, table.y)},
        dict.fromkeys((_LEARNER, *pair), labels) | {names.DIALOGUE: table.rows},
        provenance_attrs(ci_prob=ci_prob)
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


_NODES = 21  # of the mean over the intercepts of groups


def predict(
    tree: xr.DataTree,
    components: Any,
    *,
    rope: float = names.ROPE,
    ci_prob: float = names.CI_PROB,
    ci_kind: str = names.CI_KIND,
    threshold: float = names.VERDICT_PROB,
    higher_is_better: bool = True,
) -> xr.Dataset:
    """Predict the mean response of components from their scores, and compare them.

    The prior shrinks the coefficients towards 0, by about a third with a few dozen dialogues, and
    with them the differences between components. True differences are larger on average, and the
    intervals contain them less often than the nominal level (a true effect of 0.6 in 0.82).

    Parameters
    ----------
    tree : xarray.DataTree
        Result of ``betterthan.models.performance_function.fit``.
    components : pandas.DataFrame or mapping
        Components: one row for each with the features as columns; or, by name, a confusion matrix
        or features.
    rope : float, default 0
        Half-width of the region of practical equivalence (ROPE), in units of the response.
    ci_prob : float, default 0.95
        Level of the credible intervals.
    ci_kind : {"hdi", "eti"}, default "hdi"
        Kind of interval: highest density or equal-tailed.
    threshold : float, default 0.95
        Posterior probability needed for a verdict, above 0.5.
    higher_is_better : bool, default True
        Whether a higher response is better.

    Returns
    -------
    xarray.Dataset
        Over system:

        - ``predicted``: posterior mean of the mean response, over new users if there were groups,
          with ``predicted_mcse``, ``lower``, ``upper``
        - ``prob_best``
        - ``outside``: features outside the range of the training data

        Over (system_a, system_b): ``prob_better`` and its error ``prob_better_mcse``,
        ``difference_mean``, ``difference_lower``, ``difference_upper``, ``mass`` (region), and
        ``verdict``, which is ``no_verdict`` if the fit has not converged.

    Raises
    ------
    ValueError
        If the tree is of another model, a feature is missing, or a component mostly makes
        confusions that the training data did not have.

    Examples
    --------
    >>> import betterthan as bt
    >>> tree = bt.datasets.example_fit("performance_function")  # of two features, x0 and x1
    >>> components = {"A": {"x0": 1.0, "x1": 0.5}, "B": {"x0": 0.0, "x1": 0.5}}
    >>> result = bt.features.predict(tree, components)
    >>> bool(result["lower"].sel(system="A") < result["predicted"].sel(system="A"))
    True
    """
    fit = Fit.from_tree(tree, ("performance_function",))
    question = Question.checked(rope, ci_prob, ci_kind, threshold, of_score=True)
    systems, x = _components(tree, components)
    draws = _expected(tree, x)  # (chain, draw, system)
    direction: Any = {"higher_is_better": checks.flag(higher_is_better, "higher_is_better")}
    comparison = table.of_joint_draws(draws, systems, question, **direction)
    comparison = table.with_verdicts(comparison, question, converged=fit.diagnosis.passed)
    ranks = table.of_systems(draws, systems, ci_prob=question.ci_prob, **direction)
    comparison = comparison.merge(ranks, join="exact").assign(
        table.by_system("predicted", draws, question)
    )
    comparison["outside"] = (names.SYSTEM, _outside(tree, x))
    signed = fit.signed(question, answer="prediction", **direction)
    fit_attrs = {key: fit.posterior.attrs[key] for key in ("response", "n")}
    return comparison.assign_attrs(signed | fit_attrs)


def _components(tree: xr.DataTree, components: Any) -> tuple[list[str], np.ndarray]:
    """Names of the components and their features, in the order of the fit."""
    features = [str(f) for f in tree["posterior"].to_dataset()[names.FEATURE].values]
    if isinstance(components, pd.DataFrame):
        checks.unique(map(str, components.index), "component")
        components = {str(name): row for name, row in components.iterrows()}
    if not isinstance(components, Mapping) or not components:
        raise ValueError(
            "give components as a pandas.DataFrame, or a mapping from their names to scores"
        )
    confusions = tuple(map(str, tree["posterior"].attrs.get("confusions", ())))
    rows = []
    for name, component in components.items():
        values = values_by_name(component)
        lacking = [f for f in features if f not in values]
        if lacking:
            raise ValueError(f"component {name!r} lacks the feature {lacking[0]!r}")
        if any(f in confusions for f in features):
            refuse_unknown_confusions(values, confusions, f"{name!r}: ")
        row = np.array([float(values[f]) for f in features])
        if not np.isfinite(row).all():
            raise ValueError(
                f"feature {features[int((~np.isfinite(row)).argmax())]!r} of {name!r} is not a "
                f"number"
            )
        rows.append(row)
    systems = [str(name) for name in components]
    checks.unique(systems, "component")
    return systems, np.array(rows)


def _expected(tree: xr.DataTree, x: np.ndarray) -> np.ndarray:
    """Draws of the mean response, (chain, draw, system)."""
    posterior = tree["posterior"].to_dataset()
    line = (
        posterior["intercept"].values[..., None]
        + posterior["coefficient"].transpose(..., names.FEATURE).values @ x.T
    )
    if not tree["posterior"].attrs["ordinal"]:
        return line
    levels = np.asarray(tree["posterior"].attrs["levels"], dtype=float)
    cuts = posterior["cutpoints"].transpose(..., "cut").values
    nodes, weight = np.polynomial.hermite_e.hermegauss(_NODES)
    sd = posterior["group_sd"].values if "group_sd" in posterior else None
    if sd is None:
        nodes, weight, sd = np.zeros(1), np.ones(1), np.zeros(line.shape[:2])
    steps = np.diff(levels)

    def above(line: np.ndarray) -> np.ndarray:
        """Mean level above the first: the sum of P(response above a cut) x step, averaged over
        groups.
        """
        eta = line[..., None] + sd[..., None] * nodes
        of_nodes = special.expit(eta[..., None] - cuts[..., None, :]) @ steps
        return of_nodes @ (weight / weight.sum())

    return np.stack([above(line[..., k]) for k in range(len(x))], -1) + levels[0]


def _outside(tree: xr.DataTree, x: np.ndarray) -> np.ndarray:
    """Features of each component below or above everything seen in training, as text."""
    attrs = tree["posterior"].attrs
    features = tree["posterior"].to_dataset()[names.FEATURE].values.astype(str).tolist()
    fitted = np.atleast_1d(attrs.get("features", features)).tolist()
    place = [fitted.index(f) for f in features] if {*features} <= {*fitted} else slice(None)
    low, high = (np.atleast_1d(attrs[f"feature_{end}"])[place] for end in ("low", "high"))
    far = (x < low) | (x > high)
    return np.array(
        [", ".join(f for f, far_off in zip(features, row, strict=True) if far_off) for row in far]
    )
