"""Systems compared by the response that is predicted from their scores."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

import betterthan
from betterthan import checks, names
from betterthan.exact.numeric import weights
from betterthan.features.formulas import refuse_unknown_confusions, values_by_name
from betterthan.posterior.joint_draws import effective, judged, mean_error, pairs_of_draws

_NODES = 21  # of the mean over the intercepts of groups


def predict(
    tree: xr.DataTree,
    components: Any,
    *,
    rope: float = names.ROPE,
    ci_prob: float = names.CI_PROB,
    ci_kind: str = names.CI_KIND,
    higher_is_better: bool = True,
) -> xr.Dataset:
    """Predict the mea response of components from their scores, with intervals, and compare them by
    it.

    Parameters
    ----------
    tree : xarray.DataTree
        From ``betterthan.models.performance_function.fit``.
    components : pandas.DataFrame or mapping
        One row for each component with the features as columns; or, by name, a confusion matrix or
        features each.
    rope : float, default 0
        Half width of the region of practical equivalence, in units of the response.
    ci_prob : float, default 0.95
        Mass of the intervals.
    ci_kind : {"hdi", "eti"}, default "hdi"
    higher_is_better : bool, default True
        Whether a higher response is better.

    Returns
    -------
    xarray.Dataset
        Over system: ``predicted`` (posterior mean of the mea response, over new users where there
        were groups), ``predicted_mcse``, ``lower``, ``upper``, ``prob_best``, and ``outside``: the
        features that lie outside the range of the training data. Over (system_a, system_b):
        ``prob_better`` and its error ``prob_better_mcse``, ``difference_mean``,
        ``difference_lower``, ``difference_upper``, ``mass`` (region) and ``verdict``, which is
        ``no_verdict`` where the fit has not converged.

    Raises
    ------
    ValueError
        If the tree is of another model, a feature is missing, or a component mostly makes
        confusions that the training data did not have.

    Examples
    --------
    >>> import betterthan as bt
    >>> data = bt.models.performance_function.simulate(35, features=2, rng=3)
    >>> tree = bt.models.performance_function.fit(data["features"], data["response"], rng=1, predictive=False)
    >>> found = bt.features.predict(tree, {"A": {"x0": 1.0, "x1": 0.5}, "B": {"x0": 0.0, "x1": 0.5}})
    >>> bool(found["lower"].sel(system="A") < found["predicted"].sel(system="A"))
    True
    """
    if tree["posterior"].attrs.get("model") != "performance_function":
        raise ValueError("expected a fit of betterthan.models.performance_function")
    checks.one_of(ci_kind, names.CI_KINDS, "ci_kind")
    ci_prob, rope = checks.probability(ci_prob, "ci_prob"), checks.margin(rope, "rope")
    systems, x = _components(tree, components)
    draws = _expected(tree, x)  # (chain, draw, system)
    flat = draws.reshape(-1, len(systems))
    oriented = flat if higher_is_better else -flat
    table = pairs_of_draws(
        flat, oriented, rope, ci_prob, ci_kind, lambda d: effective(d, draws.shape[:2])
    )
    table["verdict"], diagnosis = judged(tree, table, rope)
    low, high = weights.interval(flat, ci_prob, ci_kind)
    of_system = {
        "predicted": flat.mean(0),
        "predicted_mcse": mean_error(draws),
        "lower": low,
        "upper": high,
        "prob_best": weights.ranks(oriented)[:, 0],
        "outside": _outside(tree, x),
    }
    result = xr.Dataset(
        {
            name: ((*names.SQUARE, names.REGION) if v.ndim == 3 else names.SQUARE, v)
            for name, v in table.items()
        }
        | {name: (names.SYSTEM, v) for name, v in of_system.items()},
        coords=dict.fromkeys((*names.SQUARE, names.SYSTEM), systems)
        | {names.REGION: list(names.REGIONS)},
    )
    attrs = tree["posterior"].attrs
    result.attrs = {
        "answer": "prediction",
        "version": betterthan.__version__,
        "response": attrs["response"],
        "n": attrs["n"],
        "seed": attrs["seed"],
        "draws": len(flat),
        "rope": rope,
        "ci_prob": ci_prob,
        "ci_kind": ci_kind,
        "higher_is_better": int(higher_is_better),
        "failures": list(diagnosis.failures),
    }
    return result


def _components(tree: xr.DataTree, components: Any) -> tuple[list[str], np.ndarray]:
    """Names of the components and their features, in the order of the fit."""
    features = [str(f) for f in tree["posterior"].to_dataset()[names.FEATURE].values]
    if isinstance(components, pd.DataFrame):
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
    """Draws of the mea response, (chain, draw, system)."""
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
    return (
        np.stack(
            [_mean_level(line[..., k], cuts, steps, sd, nodes, weight) for k in range(len(x))], -1
        )
        + levels[0]
    )


def _mean_level(
    line: np.ndarray,
    cuts: np.ndarray,
    steps: np.ndarray,
    sd: np.ndarray,
    nodes: np.ndarray,
    weight: np.ndarray,
) -> np.ndarray:
    """Mean level above the first: the sum of P(response above a cut) x step, averaged over
    groups.
    """
    from scipy.special import expit

    eta = line[..., None] + sd[..., None] * nodes
    above = expit(eta[..., None] - cuts[..., None, :]) @ steps
    return above @ (weight / weight.sum())


def _outside(tree: xr.DataTree, x: np.ndarray) -> np.ndarray:
    """Features of each component below or above everything seen in training, as text."""
    attrs = tree["posterior"].attrs
    features = tree["posterior"].to_dataset()[names.FEATURE].values
    far = (x < np.asarray(attrs["feature_low"])) | (x > np.asarray(attrs["feature_high"]))
    return np.array([", ".join(str(f) for f in features[row]) for row in far])
