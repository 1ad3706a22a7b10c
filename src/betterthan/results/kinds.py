"""What a report can be of: one row a kind of answer."""

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import xarray as xr

from betterthan import names
from betterthan.posterior.pairwise import MODELS
from betterthan.results.document import Document, function_at


@dataclass(frozen=True)
class Kind:
    """A kind of answer: how it is printed, and its page."""

    by: str  # what makes it
    recognized_by: str | Callable[[Any], bool]  # attrs["answer"], or a test of data that have none
    page_function: str  # file here, or module, and function of its page; loaded to make one

    def page(self, answer: Any) -> Document:
        """Of an answer of this kind."""
        return function_at(self.page_function)(answer)

    def holds(self, answer: Any) -> bool:
        """Whether an answer is of this kind."""
        if callable(self.recognized_by):
            return self.recognized_by(answer)
        return isinstance(answer, xr.Dataset) and answer.attrs.get("answer") == self.recognized_by


def _is_a(name: str, file: str) -> Callable[[Any], bool]:
    """A test of what a class has made; where its file was not loaded, there is nothing of it."""

    def test(answer: Any) -> bool:
        loaded = sys.modules.get(f"betterthan.{file}")
        return loaded is not None and isinstance(answer, getattr(loaded, name))

    return test


def _model_of(answer: Any) -> str | None:
    """The model of posterior draws, empty where that is not known; None of other answers."""
    if not isinstance(answer, xr.DataTree) or "posterior" not in answer.children:
        return None
    return answer["posterior"].attrs.get("model", "")


def _is_orders(answer: Any) -> bool:
    """Lists of items, or ranks, whose rows are systems; scores have items as rows."""
    if not isinstance(answer, xr.DataArray):
        return False
    ranks = answer.dims[-2:] == (names.SYSTEM, names.ITEM)
    return ranks or {names.SYSTEM, names.POSITION} <= set(answer.dims)


def _is_sign_test(answer: Any) -> bool:
    """A sign test, and not what was made of one, such as groups."""
    sign = isinstance(answer, xr.Dataset) and answer.attrs.get("test") == "sign test"
    return sign and "answer" not in answer.attrs


def _is_confusion(answer: Any) -> bool:
    wanted = {names.PREDICTED, names.ACTUAL}
    return isinstance(answer, xr.DataArray) and wanted <= set(answer.dims)


KINDS = (
    Kind("compare", "comparison", "results.comparison_page.page"),
    Kind("compare", "judged", "results.scores_page.judged_page"),
    Kind("scores.compare", "scores", "results.scores_page.page"),
    Kind("orders.kendall_tau", "taus", "results.orders_page.taus_page"),
    Kind("orders.compare", "orders", "results.orders_page.compared_page"),
    Kind("orders.agreement", "agreement", "results.orders_page.agreement_page"),
    Kind("orders.consensus", "consensus", "results.orders_page.consensus_page"),
    Kind("fits.compare of mallows", "dispersions", "results.orders_page.dispersions_page"),
    Kind("fits.compare", "pairs", "results.comparison_page.fits_page"),
    Kind("scores.compare_folds", "folds", "results.comparison_page.fits_page"),
    Kind("orders.read", _is_orders, "results.orders_page.orders_page"),
    Kind(
        "features.performance_function",
        _is_a("PerformanceFunction", "features.fitting"),
        "results.features_page.function_page",
    ),
    Kind(
        "models.performance_function.fit",
        lambda answer: _model_of(answer) == "performance_function",
        "results.features_page.posterior_page",
    ),
    Kind("features.compare", "feature_sets", "results.features_page.sets_page"),
    Kind("features.predict", "prediction", "results.features_page.prediction_page"),
    Kind("labels.posterior", "label_posterior", "results.labels_page.posterior_page"),
    Kind("labels.confusions", _is_confusion, "results.labels_page.page"),
    Kind("people.mann_whitney", "mann_whitney", "results.tests_page.mann_whitney_page"),
    Kind("sign_test", _is_sign_test, "results.tests_page.sign_test_page"),
    Kind("significance.groups", "groups", "results.significance_tables.groups_page"),
    Kind("significance.strength", "strength", "results.tests_page.strength_page"),
    Kind("gate", _is_a("Gate", "gating.answer"), "gating.page.page"),
    Kind("plan", _is_a("Plan", "plan.answer"), "plan.page.page"),
    Kind("runs", _is_a("Runs", "runs.answer"), "runs.answer.document"),
    Kind("audit", _is_a("Audit", "auditing.answer"), "auditing.answer.page"),
)


def find_kind(answer: Any) -> Kind | None:
    """The kind of an answer, none where it is of no kind."""
    return next((kind for kind in KINDS if kind.holds(answer)), None)


def build_page(answer: Any) -> Document:
    """The page on one answer."""
    answer = plain(answer)
    kind = find_kind(answer)
    if kind is None and _model_of(answer) == "" and answer["posterior"].data_vars:
        raise ValueError(f"answers hold {names.UNKNOWN_DRAWS}")
    if kind is None:
        raise ValueError(
            f"answers hold a {type(answer).__name__} that no report is written of; give what one "
            f"of these returned: {_makers()}"
        )
    try:
        page = kind.page(answer)
        return page if page.screen else replace(page, screen=function_at(_SCREEN)(answer, page))
    except KeyError as error:  # variables or attrs were dropped on the way
        lost = str(error.args[0]).partition(".")[0]
        raise ValueError(
            f"answers hold what {kind.by} returned, but not whole ({lost}); give all of it"
        ) from error
    except IndexError as error:  # some labels of a dimension were selected, and not of its pairs
        raise ValueError(
            f"answers hold a part of what {kind.by} returned; give all of it"
        ) from error


def _makers() -> str:
    """What makes answers, the functions of a module together."""
    modules: dict[str, dict[str, None]] = {}
    for kind in KINDS:
        module, dot, function = kind.by.partition(" of ")[0].rpartition(".")
        modules.setdefault(module + dot, {})[function] = None
    top = modules.pop("")
    others = [f"{module}{'/'.join(functions)}" for module, functions in modules.items()]
    return ", ".join([*top, *others])


def plain(answer: Any) -> Any:
    """The Dataset of an answer that shows itself; of a fit of pairs, what it says of them."""
    if _model_of(answer) in PAIR_MODELS:
        return function_at(_COMPARE_FIT)(answer).data
    if not hasattr(answer, "by_engine"):
        return answer
    by_engine = answer.provenance.answer in ("comparison", "judged")
    return answer.by_engine() if by_engine else answer.data


# models whose fits compare pairs of systems
PAIR_MODELS = (
    *MODELS,
    *("clustered", "davidson", "graded", "hierarchical", "item_response", "mallows", "repeated"),
)
_SCREEN = "results.first_screen.answer_screen"
_COMPARE_FIT = "fits.comparing.compare"
