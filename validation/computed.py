"""What a model computes, in numbers: its evidence is worth something for as long as they are the
same.

The key of the evidence is these numbers and no text of any file. A prior, a likelihood or a draw
that changes is seen, wherever the code stands that it came from; a file that moves, or a helper
told anew, voids nothing.
"""

import inspect
from typing import Any

import numpy as np
import xarray as xr

from betterthan.models import sampling
from validation.given import Given
from validation.in_step import SEED, short
from validation.roster import validation_of

# how far the points are from where sampling starts, in each coordinate about
STEPS = (0.1, 0.25, 0.5, 1.0, 2.0)


def computes(name: str) -> dict[str, Any]:
    """Numbers of a model that change when, and only when, what it computes does.

    Parameters
    ----------
    name : str
        Of a model: a row of the roster.

    Returns
    -------
    dict
        ``data_sets``: of each fixed simulated data set the ``form`` of the model, what ``simulate``
        drew, and of the built model at five fixed points of the unconstrained space
        ``log_density``, ``gradient`` and the ``values`` of its variables; ``closed_form`` where it
        has one. ``sampler``: its name, and defaults of `fit`.
    """
    row = validation_of(name)
    of_each = []
    for k, (shape, form) in enumerate(row.cases):
        data = row.model.simulate(**shape, rng=SEED + k)
        given = row.given(data)
        told = {key: list(v) if isinstance(v, tuple) else v for key, v in (shape | form).items()}
        built = row.model.build(*given.data, **given.named, **form)
        found = {"form": told, "simulate": _drawn(data), **_at_points(built)}
        of_each.append(found | {"closed_form": _closed_form(row.model, given, form)})
    return {"data_sets": of_each, "sampler": _sampler(row.model)}


def _drawn(data: xr.Dataset) -> dict[str, list[float]]:
    """What `simulate` drew; of labels, their places in the alphabet."""
    found = {}
    for name, array in data.data_vars.items():
        values = array.values
        found[str(name)] = short(
            values if values.dtype.kind in "biuf" else np.unique(values, return_inverse=True)[1]
        )
    return found


def _at_points(model: Any) -> dict[str, Any]:
    """Log density, gradient and the values of all variables at points around where sampling
    starts.
    """
    import pytensor.tensor as pt
    from pymc.pytensorf import rewrite_pregrad
    from pytensor.compile.mode import Mode

    parameters = sorted(model.value_vars, key=lambda v: v.name)
    values = sorted(model.unobserved_value_vars, key=lambda v: v.name)
    log_density = model.logp()
    # of all at once: one by one, what they share is derived again for each
    by_parameter = pt.grad(rewrite_pregrad(log_density), parameters)
    gradients = pt.concatenate([pt.flatten(part) for part in by_parameter])
    with sampling.without_compiler():  # five evaluations: rewriting would take most of the time
        compiled = model.compile_fn(
            [log_density, gradients, *values],
            inputs=parameters,
            mode=Mode(linker="py", optimizer=None),  # type: ignore[arg-type]
            on_unused_input="ignore",
        )
    start, random = model.initial_point(random_seed=SEED), np.random.default_rng(SEED)
    points = [
        {v.name: start[v.name] + step * random.normal(size=start[v.name].shape) for v in parameters}
        for step in STEPS
    ]
    log_densities, gradients, *rest = zip(*map(compiled, points), strict=True)
    return {
        "log_density": [float(v) for v in log_densities],
        "gradient": [short(v) for v in gradients],
        "values": {
            str(v.name): short(np.stack(each)) for v, each in zip(values, rest, strict=True)
        },
    }


def _closed_form(model: Any, given: Given, form: dict[str, Any]) -> dict[str, list[float]]:
    """What the model answers without sampling; nothing where it has no such answer."""
    # none of crossed factors
    if not hasattr(model, "closed_form") or "row" in getattr(given.data[0], "dims", ()):
        return {}
    known = inspect.signature(model.closed_form).parameters
    choices = {k: v for k, v in form.items() if k in known}
    if "pooling" in known:
        answers = {
            pooling: model.closed_form(*given.data, pooling=pooling, **choices)
            for pooling in ("complete", "none")
        }
    else:
        answer = model.closed_form(*given.data, **choices)
        answers = (
            dict(answer.data_vars) if isinstance(answer, xr.Dataset) else {"prob_better": answer}
        )
    return {str(k): short(v.values) for k, v in answers.items()}


def _sampler(model: Any) -> dict[str, Any]:
    from pytensor.configdefaults import config

    default = inspect.signature(model.fit).parameters["sampling"].default
    with sampling.steady_arithmetic():
        found = {"name": sampling.SAMPLER, "fastmath": bool(config.numba__fastmath)}
    return found | default.settings(sampling.default_target_accept(model))
