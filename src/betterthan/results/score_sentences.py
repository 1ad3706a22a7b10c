"""Sentences on systems compared by scores, rankings, predictions or judged outcomes."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import isnan
from typing import Any

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.results import numbers, tables
from betterthan.results.facts import Answer, answer_facts
from betterthan.results.numbers import on_one_line
from betterthan.results.robustness import more_labels
from betterthan.results.sentences import answer_sentences
from betterthan.results.tables import names_in, p_value_in, pair_cell, probability_in
from betterthan.signed import Signature
from betterthan.text import named


def statistic_label(comparison: xr.Dataset) -> str:
    """The statistic, in words."""
    statistic = str(comparison.attrs["statistic"])
    return names.STATISTIC_LABELS.get(statistic, statistic)


def units_label(comparison: xr.Dataset) -> str:
    """What was weighed."""
    unit = str(comparison.attrs.get("unit", names.ITEM))
    unit = names.DOCUMENT if comparison.attrs.get("statistic") == "tau" else unit
    return f"{unit}s"


def favours(cell: xr.Dataset) -> int:
    """The system whose score is better on the data, for which the test of that score speaks."""
    better = 1 if cell.attrs.get("higher_is_better", True) else -1
    a, b = (cell["score"].sel({names.SYSTEM: name}).item() for name in names_in(cell))
    return better * int(np.sign(a - b))


def withheld(cell: xr.Dataset) -> str:
    """Why no verdict is given."""
    if str(cell["verdict"].item()) == "no_data" or "rare_labels" not in cell.attrs:
        return "with a single unit, the variance cannot be estimated"
    return on_one_line(cell.attrs["no_joint"])


def wins_reason(cell: xr.Dataset, verdict: str) -> str:
    """Why a high probability of the score is no verdict: the number of wins does not agree."""
    better = cell["prob_better"].item()
    below = max(better, 1 - better) < cell.attrs.get("threshold", names.VERDICT_PROB)
    if verdict != "undecided" or "prob_more_wins" not in cell or below:
        return ""
    if cell.get("too_close", False):
        return "the threshold is within two Monte Carlo errors; more draws may decide"
    units, p = units_label(cell), probability_in(cell, "prob_more_wins")
    return (
        "a verdict also needs more wins with the same probability, and "
        f"{names_in(cell)[0]} wins more {units} with probability {p}"
    )


def why(verdict: str, p: float, favours: int, alpha: float) -> str:
    """One clause where posterior and test do not say the same: first for whom, then how surely."""
    decided, small = verdict in ("a_better", "b_better"), p <= alpha
    if decided and small and favours != (1 if verdict == "a_better" else -1):
        return (
            "the test is significant in favor of the other system, because the posterior mean and "
            "the observed score favor different systems"
        )
    if decided and not small and p / 2 <= alpha:
        return "the posterior probability is one-sided, the p-value two-sided"
    if decided and not small:
        return "with few items the posterior is approximate; the test is exact"
    if verdict == "equivalent" and small:
        return "the difference is significant but within the ROPE"
    if not decided and small:
        return "the test is significant, but the posterior probability is below the threshold"
    return ""


_WITHHELD = ("no_verdict", "no_data")


@dataclass(frozen=True, kw_only=True)
class Scored:
    """The answer, the test of the same difference, and what orders do by chance."""

    answer: Answer
    test_p: str | None = None  # of two systems, as written
    test_favors: str | None = None
    test_differs: str | None = None  # why test and posterior do not agree
    held_back: str | None = None  # why a high probability is no verdict
    n_left_out: int = 0  # documents that a system did not order
    chance_p: str | None = None  # largest p against random orders, as written
    by_chance: tuple[str, ...] = ()  # systems not distinguishable from random orders
    alpha: float = names.ALPHA
    extrapolated: tuple[str, ...] = ()  # predictions outside the range of the fit


def score_facts(comparison: xr.Dataset) -> Scored:
    """Of `scores.compare` and `orders.compare`."""
    answer = answer_facts(comparison, by=statistic_label(comparison), units=units_label(comparison))
    verdicts = comparison["verdict"].values[~np.eye(answer.n_systems, dtype=bool)]
    if np.isin(verdicts, _WITHHELD).all():
        answer = replace(answer, failures=f"{withheld(pair_cell(comparison, 0, 1))}.")
    tested = _tested(comparison) if answer.n_systems == 2 else {}
    return Scored(answer=answer, **tested, **_by_chance(comparison))


def prediction_facts(prediction: xr.Dataset, response: str) -> Scored:
    """Of `features.predict`."""
    answer = answer_facts(prediction, by=f"predicted {response}")
    failures = [text for text in np.atleast_1d(prediction.attrs["failures"]).tolist() if text]
    answer = replace(answer, failures=" ".join(failures) or None)
    outside = [str(s) for s in prediction[names.SYSTEM].values[prediction["outside"].values != ""]]
    return Scored(answer=answer, extrapolated=tuple(outside))


def score_sentences(scored: Scored) -> list[str]:
    """The answer, then the test and what the numbers rest on."""
    return [*answer_sentences(scored.answer), *_additions(scored)]


def _additions(scored: Scored) -> Iterator[str]:
    answer = scored.answer
    if not answer.failures:
        if scored.held_back:
            yield f"No verdict yet: {scored.held_back}."
        if answer.verdict_counts and answer.n:
            lower = "; lower is better" if answer.lower_is_better else ""
            yield f"All systems are scored on the same {answer.n:,} {answer.units}{lower}."
    if scored.test_p and scored.test_differs:
        favors = f", in favor of {scored.test_favors}" if scored.test_favors else ""
        yield (
            "The randomization test of the same difference disagrees (two-sided p = "
            f"{scored.test_p}{favors}): {scored.test_differs}."
        )
    if answer.n is not None and answer.n < names.UNITS_MIN and not answer.failures:
        units = answer.units if answer.n != 1 else answer.units.removesuffix("s")
        rough = "probabilities and intervals are only rough"
        yield f"! Few {answer.units}: with {answer.n:,} {units}, {rough}."
    if scored.n_left_out:
        units = answer.units if scored.n_left_out > 1 else answer.units.removesuffix("s")
        are = "are" if scored.n_left_out > 1 else "is"
        yield f"{scored.n_left_out:,} {units} without a tau of every system {are} left out."
    if scored.chance_p and not scored.by_chance:
        yield (
            "The rankings of every system agree with the reference ranking more than random "
            f"rankings do (largest one-sided p = {scored.chance_p})."
        )
    elif scored.chance_p:
        yield (
            "! Chance level: not significantly better than random rankings at the "
            f"{100 * scored.alpha:g}% level: {named(scored.by_chance)} "
            f"(largest one-sided p = {scored.chance_p})."
        )
    if scored.extrapolated:
        systems = named(scored.extrapolated)
        yield f"! Extrapolation: features outside the range of the fitted data: {systems}."


def _tested(comparison: xr.Dataset) -> dict[str, Any]:
    """The result of the randomization test, and why it may differ from the posterior."""
    cell = pair_cell(comparison, 0, 1)
    if cell["prob_better"].item() < 0.5:
        cell = pair_cell(comparison, 1, 0)
    verdict, side = str(cell["verdict"].item()), favours(cell)
    systems = {1: cell[names.SYSTEM_A], -1: cell[names.SYSTEM_B]}
    test = {"test_p": p_value_in(cell), "test_favors": str(systems[side].item()) if side else None}
    if verdict in _WITHHELD:
        return test
    differs = why(verdict, cell["p_value"].item(), side, cell.attrs["alpha"])
    return test | {"held_back": wins_reason(cell, verdict) or None, "test_differs": differs or None}


def _by_chance(comparison: xr.Dataset) -> dict[str, Any]:
    """Of rankings, whether they agree with the reference more than random rankings."""
    if "p_chance" not in comparison:
        return {}
    alpha, p = float(comparison.attrs.get("alpha", names.ALPHA)), comparison["p_chance"].values
    return {
        "alpha": alpha,
        "n_left_out": int(comparison.attrs["n_dropped"]),
        "chance_p": numbers.p_value(float(np.max(p))),
        "by_chance": tuple(str(s) for s in comparison[names.SYSTEM].values[p > alpha]),
    }


_UNCOVERED = 0.1  # share of judged items without a label of their signal, above which it is stated


@dataclass(frozen=True, kw_only=True)
class Judged:
    """The answer, and what labels and judge contribute."""

    answer: Answer
    labels_by: str
    n_labels: int  # of several pairs: in all
    n_judged: int
    uncovered: float = 0.0  # share of judged items with an answer that no label has
    r2: tuple[float, float] | None = None  # of two systems the same twice; else least and most
    worth: tuple[float, float] | None = None  # in labels; of two systems its bounds
    worth_about: float | None = None  # of two systems
    labels_p: float | None = None  # P(better) of the system ahead by the labels alone
    judge_p: float | None = None  # and by the judge alone
    too_few: bool = False  # labels to say how many more an undecided pair needs
    n_judge_differs: int = 0  # pairs on which the judge alone has another verdict


def judged_facts(comparison: xr.Dataset) -> Judged:
    """Of `compare` of judged outcomes."""
    data = comparison.isel({names.ENGINE: 0}) if names.ENGINE in comparison.dims else comparison
    provenance = Signature.from_attrs(comparison.attrs)
    pairs = tables.pairs(data)
    judged: Any = pairs[pairs["n"] > 0]
    n = int(judged["n"].sum())
    several = _judged_pairs(judged) if len(pairs) > 1 else _judged_pair(pairs.to_dict("records")[0])
    answer = replace(answer_facts(data), no_data_as="no human label")
    pair = answer.pair or answer.leader
    for row in judged[judged["verdict"] == "undecided"].to_dict("records"):
        if pair and {row["system"], row["other"]} == {pair.first, pair.second}:
            more = more_labels(row, provenance)
            answer = replace(answer, more=more, units="human labels", n=int(row["n_gold"]))
            several["too_few"] = more is None
    return Judged(
        answer=answer,
        labels_by=on_one_line(str(provenance.labels_by or "people")),
        n_labels=int(judged["n_gold"].sum()),
        n_judged=n,
        uncovered=float((judged["unlabelled"] * judged["n"]).sum() / n) if n else 0.0,
        **several,
    )


def _judged_pair(row: dict[Any, Any]) -> dict[str, Any]:
    if not row["n"]:
        return {}
    return {
        "r2": (row["r2"], row["r2"]),
        "worth": (row["effective_gold_lower"], row["effective_gold_upper"]),
        "worth_about": row["effective_gold"],
        "labels_p": None if isnan(row["gold_prob_better"]) else row["gold_prob_better"],
        "judge_p": row.get("judge_prob_better"),
    }


def _judged_pairs(judged: Any) -> dict[str, Any]:
    if not len(judged):
        return {}
    judge = judged["judge_verdict"].to_numpy(str) if "judge_verdict" in judged else None
    differs = 0 if judge is None else int((judge != judged["verdict"].to_numpy(str)).sum())
    ranges = {
        name: (float(judged[column].min()), float(judged[column].max()))
        for name, column in (("r2", "r2"), ("worth", "effective_gold"))
    }
    return ranges | {"n_judge_differs": differs}


def judged_sentences(judged: Judged) -> list[str]:
    """The answer, then what labels and judge contribute."""
    return [*answer_sentences(judged.answer), *_labels_and_judge(judged)]


def _labels_and_judge(judged: Judged) -> Iterator[str]:
    pair, counts = judged.answer.pair, judged.answer.verdict_counts
    if judged.too_few:
        yield "No number of further labels can be named: so few labels predict nothing."
    if judged.n_labels and judged.r2 and judged.worth:
        items = "items" if pair else "items, summed over pairs"
        yield (
            f"Human labels ({judged.labels_by}): {judged.n_labels:,} of {judged.n_judged:,} judged "
            f"{items}. {_worth(judged, judged.worth)}"
        )
    if pair:
        p_better, text = f"P({pair.first} better) ", ""
        if judged.labels_p is not None:
            text = f"With human labels only, {p_better}{numbers.equal_to(judged.labels_p)}"
        if judged.judge_p is not None:
            equal_to = numbers.equal_to(judged.judge_p)
            judge = equal_to.removeprefix("= ")
            equal = judge == "0.500"
            favors = f", which favors {pair.second}" if judged.judge_p < 0.5 and not equal else ""
            only = "ith the judge only (uncorrected for its errors), "
            text = f"{text}; w{only}{judge}" if text else f"W{only}{p_better}{equal_to}"
            text += favors
        yield from [f"{text}."] * bool(text)
    if judged.n_judge_differs and counts:
        yield (
            "The judge only (uncorrected) would give another verdict for "
            f"{judged.n_judge_differs:,} of {counts.n_pairs - counts.n_no_data:,} pairs."
        )
    if judged.uncovered > _UNCOVERED:
        yield (
            f"! Human labels: {numbers.share(judged.uncovered)} of the judged items have a judge "
            "output that no labeled item has, so their outcome rests on the prior. Label some of "
            "them."
        )


def _worth(judged: Judged, worth: tuple[float, float]) -> str:
    """How many human labels would be as informative without a judge."""
    if judged.n_labels == judged.n_judged:
        return "All judged items have one, so the judge's outputs add no information."
    if judged.worth_about is None:
        return (
            "The judge's outputs raise the effective number of labels of a pair to between "
            f"{worth[0]:,.0f} and {worth[1]:,.0f}."
        )
    raised = f"raise their effective number to about {judged.worth_about:,.0f}"
    if round(judged.worth_about) == judged.n_labels:
        raised = "hardly raise their effective number"
    return f"The judge's outputs {raised} (95% interval: {worth[0]:,.0f} to {worth[1]:,.0f})."
