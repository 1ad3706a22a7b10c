"""What a model computes, in numbers: its evidence is worth something for as long as they are the
same.

The key of the evidence is these numbers and no text of any file. A prior, a likelihood or a draw
that changes is seen, wherever the code stands that it came from; a file that moves, or a helper
told anew, voids nothing.
"""

import importlib
import inspect
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import names
from betterthan.models import sampling

SEED = 20261121
# how far the points are from where sampling starts, in each coordinate about
STEPS = (0.1, 0.25, 0.5, 1.0, 2.0)
WHOLE = 12  # numbers up to which a vector is kept as it is
# Rounding differs between machines and libraries by 1e-12 or less, a changed constant by much more
# than this
RELATIVE = 1e-8
# ... and of a sum that cancels to about 0, rounding leaves some 1e-13 of terms of order 1 to 1000
ABSOLUTE = 1e-10


def computes(name: str) -> dict[str, Any]:
    """Numbers of a model that change when, and only when, what it computes does.

    Parameters
    ----------
    name : str
        Of a model: a file of this folder.

    Returns
    -------
    dict
        ``data_sets``: of each fixed simulated data set the ``form`` of the model, what ``simulate``
        drew, and of the built model at five fixed points of the unconstrained space
        ``log_density``, ``gradient`` and the ``values`` of its variables; ``closed_form`` where it
        has one. ``sampler``: its name, and defaults of `fit`.
    """
    model = importlib.import_module(f"betterthan.models.{name}")
    of_each = []
    for k, (shape, form) in enumerate(_CASES[name]):
        data = model.simulate(**shape, rng=SEED + k)
        given, named = _as_given(name, data)
        told = {key: list(v) if isinstance(v, tuple) else v for key, v in (shape | form).items()}
        found = {
            "form": told,
            "simulate": _drawn(data),
            **_at_points(model.build(*given, **named, **form)),
        }
        of_each.append(found | {"closed_form": _closed_form(model, given, form)})
    return {"data_sets": of_each, "sampler": _sampler(model)}


def what_differs(was: dict[str, Any], now: dict[str, Any]) -> str:
    """In one line the first number that is another one, and how many more; nothing if all agree.

    Examples
    --------
    >>> what_differs({"sampler": {"tune": 1000}}, {"sampler": {"tune": 500}})
    'tune of sampler: was 1000, is 500'
    >>> what_differs({"log_density": [-12.3]}, {"log_density": [-12.3 * (1 + 1e-12)]})
    ''
    """
    before, after = dict(_told(was)), dict(_told(now))
    places = [*before, *(place for place in after if place not in before)]
    apart = [place for place in places if not _same(before.get(place), after.get(place))]
    if not apart:
        return ""
    first = apart[0]
    more = f" (and {len(apart) - 1} more)" if len(apart) > 1 else ""
    return f"{first}: was {_printed(before.get(first))}, is {_printed(after.get(first))}{more}"


# Of each model the arguments of `simulate` and those of `build`; between them, all forms that its
# evidence speaks of.
_CASES: dict[str, list[tuple[dict[str, Any], dict[str, Any]]]] = {
    "beta_binomial": [
        ({"n": 10}, {}),
        ({"n": [0, 40, 200], "pairs": 3}, {}),
        ({"n": 25, "pairs": 2, "prior": (0.5, 2.0)}, {"prior": (0.5, 2.0)}),
    ],
    "dirichlet_multinomial": [
        ({"n": 10}, {}),
        ({"n": [0, 40, 200], "pairs": 3}, {}),
        ({"n": 25, "pairs": 2, "prior": (0.5, 2.0, 3.0)}, {"prior": (0.5, 2.0, 3.0)}),
    ],
    "independent_betas": [
        ({"n": 10}, {}),
        ({"n": [0, 40, 200], "pairs": 3}, {}),
        ({"n": 25, "pairs": 2, "prior": (0.5, 2.0)}, {"prior": (0.5, 2.0)}),
    ],
    "hierarchical": [
        ({"datasets": 3, "n": 20, "pairs": 2}, {}),
        ({"datasets": (2, 3), "n": 20}, {}),  # crossed
        ({"datasets": 3, "n": [5, 10, 40], "pairs": 2}, {"concentration": 1e7}),
        ({"datasets": 2, "n": 20}, {"concentration": 3.0, "centre": (1.0, 1.0, 1.0)}),
    ],
    "clustered": [
        ({"count": 5}, {}),
        ({"count": 4, "size": 3, "pairs": 2, "prior": (0.5, 2.0, 3.0)}, {"prior": (0.5, 2.0, 3.0)}),
        ({"count": 5, "pairs": 2}, {"correlation": 0.1}),
    ],
    "davidson": [
        ({"systems": 3, "judgments": 40}, {}),
        (
            {"systems": 3, "judgments": 60, "judges": 2, "position": True},
            {"judges": True, "position": True},
        ),
        ({"systems": 3, "judgments": 40, "tie_model": "rao_kupper"}, {"tie_model": "rao_kupper"}),
        (
            {
                "systems": 3,
                "judgments": 60,
                "judges": 2,
                "position": True,
                "tie_model": "rao_kupper",
            },
            {"judges": True, "position": True, "tie_model": "rao_kupper"},
        ),
    ],
    "item_response": [
        ({"items": 12, "systems": 3}, {}),
        ({"items": 8, "systems": 3, "trials": 3}, {}),
        ({"items": 12, "systems": 4}, {"discrimination": True, "nodes": 31}),
    ],
    "graded": [
        ({"items": 12}, {}),
        ({"items": 8, "pairs": 2}, {}),
        ({"items": 6, "datasets": 3}, {"standardise": False}),
    ],
    "mallows": [
        ({"documents": 4, "items": 6}, {}),
        ({"documents": 3, "systems": 3, "items": 5}, {}),
        (
            {"documents": 4, "pooling": "complete", "prior_sd": 0.7},
            {"pooling": "complete", "prior_sd": 0.7},
        ),
    ],
    "performance_function": [
        ({"n": 14, "features": 3}, {}),
        (
            {"n": 12, "features": 1, "groups": 3, "prior_r2": (2.0, 3.0)},
            {"standardise": False, "prior_r2": (2.0, 3.0)},
        ),
        (
            {"n": 20, "features": 2, "groups": 4, "levels": 3},
            {"ordinal": True, "standardise": False},
        ),
    ],
    "subject_slopes": [
        ({"subjects": 4, "rows": 4}, {}),
        ({"subjects": 3, "rows": 6}, {}),
        ({"subjects": 4, "rows": 3}, {"standardise": False}),
    ],
}


def _as_given(name: str, data: xr.Dataset) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """A simulated data set as `build` takes it."""
    # wins and losses that are more than there are examples make no counts
    if name == "independent_betas":
        ties = (data["n"] - data["decisive"].sum(names.OUTCOME)).clip(min=0)
        whole = xr.concat(
            [data["decisive"], ties.expand_dims({names.OUTCOME: ["tie"]})],
            names.OUTCOME,
            join="outer",
        )
        return (whole.transpose(names.PAIR, names.OUTCOME),), {}
    if name == "graded":
        return (_scores(data),), {}
    if name == "performance_function":
        groups = data["group_of"].values if "group_of" in data else None
        return (data["features"], data["response"]), {"by": groups}
    if name == "subject_slopes":
        columns = {column: data[column].values for column in ("response", "predictor")}
        return (
            pd.DataFrame(columns | {"subject": data["subject_of"].values}),
            "response",
            "predictor",
        ), {}
    return (data.get("counts", data),), {}


def _scores(data: xr.Dataset) -> xr.DataArray:
    """Scores whose differences to a last system are those drawn, to one decimal: some items tie."""
    y = np.round(data["difference"].values, 1)
    of = (
        {names.DATASET: (names.ITEM, data["dataset_of"].values.astype(str))}
        if "dataset_of" in data
        else {}
    )
    systems = [f"s{k}" for k in range(y.shape[1] + 1)]
    return xr.DataArray(
        np.column_stack([y, np.zeros(len(y))]),
        dims=(names.ITEM, names.SYSTEM),
        coords={names.SYSTEM: systems} | of,
    )


def _drawn(data: xr.Dataset) -> dict[str, list[float]]:
    """What `simulate` drew; of labels, their places in the alphabet."""
    found = {}
    for name, array in data.data_vars.items():
        values = array.values
        found[str(name)] = _short(
            values if values.dtype.kind in "biuf" else np.unique(values, return_inverse=True)[1]
        )
    return found


def _at_points(model: Any) -> dict[str, Any]:
    """Log density, gradient and the values of all variables at points around where sampling
    starts.
    """
    parameters = sorted(model.value_vars, key=lambda v: v.name)
    values = sorted(model.unobserved_value_vars, key=lambda v: v.name)
    compiled = model.compile_fn(
        [model.logp(), model.dlogp(vars=[model.values_to_rvs[v] for v in parameters]), *values],
        inputs=parameters,
        mode="FAST_COMPILE",  # five evaluations: compiling would take all the time
        on_unused_input="ignore",
    )
    start, random = model.initial_point(random_seed=SEED), np.random.default_rng(SEED)
    points = [
        {v.name: start[v.name] + step * random.normal(size=start[v.name].shape) for v in parameters}
        for step in STEPS
    ]
    log_density, gradient, *rest = zip(*map(compiled, points), strict=True)
    return {
        "log_density": [float(v) for v in log_density],
        "gradient": [_short(v) for v in gradient],
        "values": {
            str(v.name): _short(np.stack(each)) for v, each in zip(values, rest, strict=True)
        },
    }


def _closed_form(
    model: Any, given: tuple[Any, ...], form: dict[str, Any]
) -> dict[str, list[float]]:
    """What the model answers without sampling; nothing where it has no such answer."""
    # none of crossed factors
    if not hasattr(model, "closed_form") or "row" in getattr(given[0], "dims", ()):
        return {}
    known = inspect.signature(model.closed_form).parameters
    choices = {k: v for k, v in form.items() if k in known}
    if "pooling" in known:
        answers = {
            pooling: model.closed_form(*given, pooling=pooling, **choices)
            for pooling in ("complete", "none")
        }
    else:
        answer = model.closed_form(*given, **choices)
        answers = (
            dict(answer.data_vars) if isinstance(answer, xr.Dataset) else {"prob_better": answer}
        )
    return {str(k): _short(v.values) for k, v in answers.items()}


def _sampler(model: Any) -> dict[str, Any]:
    from pytensor.configdefaults import config

    default = inspect.signature(model.fit).parameters["sampling"].default
    with sampling.steady_arithmetic():
        found = {"name": sampling.SAMPLER, "fastmath": bool(config.numba__fastmath)}
    return found | default.settings(getattr(model, "TARGET_ACCEPT", names.TARGET_ACCEPT))


def _short(values: Any) -> list[float]:
    """A few numbers that change when any of the values does: its length, its product with a fixed
    vector, its head.
    """
    flat = np.ravel(values).astype(float)
    if len(flat) <= WHOLE:
        return flat.tolist()
    fixed = np.random.default_rng(SEED).uniform(0.5, 1.5, size=len(flat))  # none of them near 0
    return [float(np.linalg.norm(flat)), float(fixed @ flat), *flat[:4].tolist()]


def _told(found: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    """Each number with its place in words: gradient of data set 2 at point 3, number 1."""
    if isinstance(found, dict):
        for key, value in found.items():
            yield from _told(
                value, f"{key.replace('_', ' ')} of {place}" if place else key.replace("_", " ")
            )
    elif isinstance(found, list):
        for k, value in enumerate(found):
            yield from _told(value, _numbered(place, k + 1))
    else:
        yield place, found


def _numbered(place: str, k: int) -> str:
    if place == "data sets":
        return f"data set {k}"
    if place.startswith(("log density of", "gradient of")) and " at point " not in place:
        return f"{place} at point {k}"
    return f"{place}, number {k}"


def _same(was: Any, now: Any) -> bool:
    if isinstance(was, float) or isinstance(now, float):
        numbers = all(isinstance(v, int | float) and not isinstance(v, bool) for v in (was, now))
        return numbers and bool(np.isclose(now, was, rtol=RELATIVE, atol=ABSOLUTE))
    return was == now


def _printed(value: Any) -> str:
    return (
        "not there"
        if value is None
        else f"{value:.12g}"
        if isinstance(value, float)
        else str(value)
    )
