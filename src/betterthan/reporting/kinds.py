"""What a report can be of: one row a kind of answer."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import xarray as xr

from betterthan import names
from betterthan.answers.comparison import Comparison
from betterthan.reporting.page import Page, Part


@dataclass(frozen=True)
class Kind:
    """A kind of answer: how it is told, and its page."""

    by: str  # what makes it
    told: str | Callable[[Any], bool]  # attrs["answer"], or a test of data that have none
    made_in: str  # file here, or module, and function of its page; loaded to make one

    def page(self, answer: Any) -> Page:
        """Of an answer of this kind."""
        file, function = self.made_in.rsplit(".", 1)
        module = file if "." in file else f"betterthan.reporting.{file}"
        return getattr(import_module(module), function)(answer)

    def holds(self, answer: Any) -> bool:
        """Whether an answer is of this kind."""
        if callable(self.told):
            return self.told(answer)
        return isinstance(answer, xr.Dataset) and answer.attrs.get("answer") == self.told


def _is_a(name: str, file: str) -> Callable[[Any], bool]:
    """A test of what a class has made; where its file was not loaded, there is nothing of it."""

    def test(answer: Any) -> bool:
        loaded = sys.modules.get(f"betterthan.{file}")
        return loaded is not None and isinstance(answer, getattr(loaded, name))

    return test


def _is_posterior(answer: Any) -> bool:
    if not isinstance(answer, xr.DataTree) or "posterior" not in answer:
        return False
    return answer["posterior"].attrs.get("model") == "performance_function"


def _is_unknown(answer: Any) -> bool:
    """Whether it holds draws of a model that is not known."""
    if not isinstance(answer, xr.DataTree) or "posterior" not in answer.children:
        return False
    return bool(answer["posterior"].data_vars) and "model" not in answer["posterior"].attrs


def _is_orders(answer: Any) -> bool:
    """Lists of items, or ranks, whose rows are systems; scores have items as rows."""
    if not isinstance(answer, xr.DataArray):
        return False
    ranks = answer.dims[-2:] == (names.SYSTEM, names.ITEM)
    return ranks or {names.SYSTEM, names.POSITION} <= set(answer.dims)


def _is_confusion(answer: Any) -> bool:
    wanted = {names.PREDICTED, names.ACTUAL}
    return isinstance(answer, xr.DataArray) and wanted <= set(answer.dims)


KINDS = (
    Kind("compare", "comparison", "of_comparison.page"),
    Kind("compare", "judged", "of_judged.page"),
    Kind("scores.compare", "scores", "of_scores.page"),
    Kind("orders.kendall_tau", "taus", "of_orders.page"),
    Kind("orders.compare", "orders", "of_orders.compared_page"),
    Kind("orders.agreement", "agreement", "of_agreement.page"),
    Kind("orders.consensus", "consensus", "of_agreement.consensus_page"),
    Kind("fits.compare of mallows", "dispersions", "of_agreement.dispersions_page"),
    Kind("fits.compare", "pairs", "of_fits.page"),
    Kind("scores.compare_folds", "folds", "of_fits.page"),
    Kind("orders.read", _is_orders, "of_agreement.orders_page"),
    Kind(
        "features.performance_function",
        _is_a("PerformanceFunction", "features.formulas"),
        "of_features.page",
    ),
    Kind("models.performance_function.fit", _is_posterior, "of_predictions.posterior_page"),
    Kind("features.compare", "feature_sets", "of_predictions.sets_page"),
    Kind("features.predict", "prediction", "of_predictions.page"),
    Kind("labels.posterior", "label_posterior", "of_labels.posterior_page"),
    Kind("labels.confusions", _is_confusion, "of_labels.page"),
    Kind("significance.groups", "groups", "of_groups.page"),
    Kind("audit", _is_a("Audit", "auditing.answer"), "betterthan.auditing.shown.page"),
)


def kind_of(answer: Any) -> Kind | None:
    """The kind of an answer, none where it is of no kind."""
    return next((kind for kind in KINDS if kind.holds(answer)), None)


def page_of(answer: Any) -> Page:
    """The page on one answer."""
    answer = plain(answer)
    kind = kind_of(answer)
    if kind is None and _is_unknown(answer):
        raise ValueError(f"answers hold {names.UNKNOWN_DRAWS}")
    if kind is None:
        makers = dict.fromkeys(kind.by.partition(" of ")[0] for kind in KINDS)
        raise ValueError(
            f"answers hold a {type(answer).__name__} that no report is written of; give what one "
            f"of these returned: {', '.join(makers)}"
        )
    try:
        return kind.page(answer)
    except KeyError as error:  # variables or attrs were dropped on the way
        lost = str(error.args[0]).partition(".")[0]
        raise ValueError(
            f"answers hold what {kind.by} returned, but not whole ({lost}); give all of it"
        ) from error


def parts_of(answer: Any) -> list[Part]:
    """The sections on one answer."""
    return list(page_of(answer).parts)


def plain(answer: Any) -> Any:
    """The Dataset of an answer that shows itself; of a fit of pairs, what it says of them."""
    if isinstance(answer, xr.DataTree) and "posterior" in answer.children:
        from betterthan.fits.comparing import KNOWN, compare

        if answer["posterior"].attrs.get("model") in KNOWN:
            return compare(answer).data
    if not isinstance(answer, Comparison):
        return answer
    by_engine = answer.made.answer in ("comparison", "judged")
    return answer.by_engine() if by_engine else answer.data
