"""One row a model: how it is validated, and on what fixed data its key is computed."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import Any

import xarray as xr

from betterthan.models import (
    beta_binomial,
    clustered,
    davidson,
    dirichlet_multinomial,
    graded,
    hierarchical,
    independent_betas,
    item_response,
    judge,
    mallows,
    performance_function,
    repeated,
    subject_slopes,
)
from validation import (
    given,
    of_clustered,
    of_davidson,
    of_graded,
    of_hierarchical,
    of_item_response,
    of_judge,
    of_mallows,
    of_pairs,
    of_performance_function,
    of_pooled_pairs,
    of_repeated,
    of_subject_slopes,
)
from validation import prior_predictive as look
from validation.calibration import Form
from validation.designs import Design
from validation.given import Given

Case = tuple[dict[str, Any], dict[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Validation:
    """How a model is validated.

    It is calibrated on its ``forms``; ``agreement`` is that of its fits with what is known exactly
    and with print. A model whose sampler is tried on twenty designs has ``fit_design``, and
    ``looks`` at what its prior expects; its refits take seconds each.
    """

    model: ModuleType
    forms: tuple[Form, ...]
    agreement: Callable[[dict[str, Any], int], dict[str, Any]]  # of the numbers in print, a seed
    # of the key: arguments of `simulate` and those of `build`; between them, all forms that the
    # evidence speaks of
    cases: tuple[Case, ...]
    given: Callable[[xr.Dataset], Given] = given.as_drawn
    fit_design: Callable[[Design, int], xr.DataTree] | None = None
    looks: look.Look | None = None
    larger: Form | None = None  # more systems, or few clusters of many: run when asked for
    beside: Callable[[], dict[str, Any]] = dict

    @property
    def name(self) -> str:
        """That of the model's file."""
        return self.model.__name__.rpartition(".")[2]

    def simulations(self, form: Form) -> int:
        """How many of a form, unless told."""
        return form.needed(0 if self.fit_design else 1000)


def validation_of(name: str) -> Validation:
    """The row of a model."""
    return next(row for row in ROSTER if row.name == name)


def _of_pairs(model: ModuleType, prior: tuple[float, ...], *also: Form, **more: Any) -> Validation:
    """Of a model of wins, losses and ties of pairs, whose prior is tried in one case."""
    return Validation(
        model=model,
        forms=(of_pairs.form(model), *also),
        agreement=partial(of_pairs.agreement, model),
        cases=(
            ({"n": 10}, {}),
            ({"n": [0, 40, 200], "pairs": 3}, {}),
            ({"n": 25, "pairs": 2, "prior": prior}, {"prior": prior}),
        ),
        **more,
    )


_JUDGED = {"systems": 3, "judgments": 60, "judges": 2, "position": True}
_BY_JUDGE = {"judges": True, "position": True}
_RAO_KUPPER = {"tie_model": "rao_kupper"}
_ONE_THETA = {"pooling": "complete", "prior_sd": 0.7}
_ELSEWHERE = {"labels": "elsewhere"}
_PRIOR = {"prior": (0.5, 2.0, 3.0)}

ROSTER = (
    _of_pairs(beta_binomial, (0.5, 2.0)),
    Validation(
        model=clustered,
        forms=(of_clustered.FORM,),
        agreement=of_clustered.agreement,
        cases=(
            ({"count": 5}, {}),
            ({"count": 4, "size": 3, "pairs": 2, **_PRIOR}, _PRIOR),
            ({"count": 5, "pairs": 2}, {"correlation": 0.1}),
        ),
        fit_design=of_clustered.fit_design,
        larger=of_clustered.LARGER,
        looks=look.of_counts,
    ),
    Validation(
        model=davidson,
        forms=of_davidson.FORMS,
        agreement=of_davidson.agreement,
        cases=(
            ({"systems": 3, "judgments": 40}, {}),
            (_JUDGED, _BY_JUDGE),
            ({"systems": 3, "judgments": 40, **_RAO_KUPPER}, _RAO_KUPPER),
            (_JUDGED | _RAO_KUPPER, _BY_JUDGE | _RAO_KUPPER),
        ),
        fit_design=of_davidson.fit_design,
        larger=of_davidson.LARGER,
        looks=look.of_judgments,
    ),
    _of_pairs(
        dirichlet_multinomial,
        (0.5, 2.0, 3.0),
        of_pooled_pairs.FORM,
        beside=of_pooled_pairs.agreement,
    ),
    Validation(
        model=graded,
        forms=(of_graded.FORM,),
        agreement=of_graded.agreement,
        cases=(
            ({"items": 12}, {}),
            ({"items": 8, "pairs": 2}, {}),
            ({"items": 6, "datasets": 3}, {"standardise": False}),
        ),
        given=given.as_scores,
        fit_design=of_graded.fit_design,
        larger=of_graded.LARGER,
        looks=look.of_differences,
    ),
    Validation(
        model=hierarchical,
        forms=of_hierarchical.FORMS,
        agreement=of_hierarchical.agreement,
        cases=(
            ({"datasets": 3, "n": 20, "pairs": 2}, {}),
            ({"datasets": (2, 3), "n": 20}, {}),  # crossed
            ({"datasets": 3, "n": [5, 10, 40], "pairs": 2}, {"concentration": 1e7}),
            ({"datasets": 2, "n": 20}, {"concentration": 3.0, "centre": (1.0, 1.0, 1.0)}),
        ),
        fit_design=of_hierarchical.fit_design,
        larger=of_hierarchical.LARGER,
        looks=look.of_counts,
    ),
    _of_pairs(
        independent_betas,
        (0.5, 2.0),
        given=given.as_counts,
        beside=of_pairs.approximation_error,
    ),
    Validation(
        model=item_response,
        forms=of_item_response.FORMS,
        agreement=of_item_response.agreement,
        cases=(
            ({"items": 12, "systems": 3}, {}),
            ({"items": 8, "systems": 3, "trials": 3}, {}),
            ({"items": 12, "systems": 4}, {"discrimination": True, "nodes": 31}),
        ),
        fit_design=of_item_response.fit_design,
        larger=of_item_response.LARGER,
        looks=look.of_successes,
    ),
    Validation(
        model=judge,
        forms=of_judge.FORMS,
        agreement=of_judge.agreement,
        cases=(
            ({"n": 40, "gold": 10}, {}),
            ({"n": 60, "gold": 20, "signals": 9, "pairs": 2, **_PRIOR}, _PRIOR),
            ({"n": 40, "gold": 15, "signals": 4, **_ELSEWHERE}, _ELSEWHERE),
        ),
    ),
    Validation(
        model=mallows,
        forms=(of_mallows.FORM,),
        agreement=of_mallows.agreement,
        cases=(
            ({"documents": 4, "items": 6}, {}),
            ({"documents": 3, "systems": 3, "items": 5}, {}),
            ({"documents": 4, **_ONE_THETA}, _ONE_THETA),
        ),
    ),
    Validation(
        model=performance_function,
        forms=of_performance_function.FORMS,
        agreement=of_performance_function.agreement,
        cases=(
            ({"n": 14, "features": 3}, {}),
            (
                {"n": 12, "features": 1, "groups": 3, "prior_r2": (2.0, 3.0)},
                {"standardise": False, "prior_r2": (2.0, 3.0)},
            ),
            (
                {"n": 20, "features": 2, "groups": 4, "levels": 3},
                {"ordinal": True, "standardise": False},
            ),
        ),
        given=given.as_features,
    ),
    Validation(
        model=repeated,
        forms=of_repeated.FORMS,
        agreement=of_repeated.agreement,
        cases=(
            ({"items": 8}, {}),
            ({"items": 6, "systems": 4, "trials": 2}, {}),
            ({"items": 10, "systems": 2, "trials": (3, 6)}, {}),
        ),
        beside=of_repeated.extrapolation,
    ),
    Validation(
        model=subject_slopes,
        forms=of_subject_slopes.FORMS,
        agreement=of_subject_slopes.agreement,
        cases=(
            ({"subjects": 4, "rows": 4}, {}),
            ({"subjects": 3, "rows": 6}, {}),
            ({"subjects": 4, "rows": 3}, {"standardise": False}),
            ({"subjects": 4, "rows": 3, "texts": True}, {}),
        ),
        given=given.as_repeated,
    ),
)
