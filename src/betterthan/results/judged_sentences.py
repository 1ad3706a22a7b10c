"""The answer on systems whose outcomes a judge gave and labels of people correct, in sentences."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import xarray as xr

from betterthan import names
from betterthan.results import numbers, rows
from betterthan.results.escapes import on_one_line
from betterthan.results.facts import Answer, answer_of, final_verdicts
from betterthan.results.sentences import sentences_of
from betterthan.signed import Signature

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
    n_judge_differs: int = 0  # pairs on which the judge alone has another verdict


def judged_of(found: xr.Dataset) -> Judged:
    """Of `compare` of judged outcomes."""
    data = found.isel({names.ENGINE: 0}) if names.ENGINE in found.dims else found
    made = Signature.from_attrs(found.attrs)
    pairs = rows.pairs(data)
    known: Any = pairs[pairs["n"] > 0]
    n = int(known["n"].sum())
    several = _of_many(known) if len(pairs) > 1 else _of_two(pairs.to_dict("records")[0])
    return Judged(
        answer=answer_of(data),
        labels_by=on_one_line(str(made.labels_by or "people")),
        n_labels=int(known["n_gold"].sum()),
        n_judged=n,
        uncovered=float((known["unlabelled"] * known["n"]).sum() / n) if n else 0.0,
        **several,
    )


def _of_two(row: dict[str, Any]) -> dict[str, Any]:
    if not row["n"]:
        return {}
    return {
        "r2": (row["r2"], row["r2"]),
        "worth": (row["effective_gold_lower"], row["effective_gold_upper"]),
        "worth_about": row["effective_gold"],
        "labels_p": row["gold_prob_better"],
        "judge_p": row.get("judge_prob_better"),
    }


def _of_many(known: Any) -> dict[str, Any]:
    if not len(known):
        return {}
    judge = known["judge_verdict"].to_numpy(str) if "judge_verdict" in known else None
    differs = 0 if judge is None else int((judge != final_verdicts(known)).sum())
    ends = {
        name: (float(known[column].min()), float(known[column].max()))
        for name, column in (("r2", "r2"), ("worth", "effective_gold"))
    }
    return ends | {"n_judge_differs": differs}


def judged_sentences(judged: Judged) -> list[str]:
    """The answer, then what labels and judge contribute."""
    return [*sentences_of(judged.answer), *_additions(judged)]


def _additions(judged: Judged) -> Iterator[str]:
    pair, ends = judged.answer.pair, judged.answer.ends
    if judged.n_labels and judged.r2 and judged.worth:
        in_all = "" if pair else " in all"
        yield (
            f"The truth is {judged.n_labels:,} labels{in_all} ({judged.labels_by}) among "
            f"{judged.n_judged:,} items that a judge answered."
        )
        yield _worth(judged, judged.r2, judged.worth)
    if pair and judged.labels_p is not None:
        alone = f"By the labels alone, P({pair.first} better) is "
        alone += numbers.probability(judged.labels_p)
        if judged.judge_p is not None:
            favors = f", which favors {pair.second}" if judged.judge_p < 0.5 else ""
            judge = numbers.probability(judged.judge_p)
            alone += f"; by the judge alone, not corrected, {judge}{favors}"
        yield f"{alone}."
    if judged.n_judge_differs and ends:
        yield (
            "The judge alone, not corrected, would give another verdict on "
            f"{judged.n_judge_differs:,} of {ends.n_pairs:,} pairs."
        )
    if judged.uncovered > _UNCOVERED:
        yield (
            f"! Labels: {100 * judged.uncovered:.0f}% of the judged items have an answer of the "
            "judge that no labeled item has; these rest on the prior."
        )


def _worth(judged: Judged, r2: tuple[float, float], worth: tuple[float, float]) -> str:
    """How many labels alone would say as much."""
    if judged.worth_about is None:
        return (
            f"Pair by pair, labels and judge together are worth {worth[0]:,.0f} to "
            f"{worth[1]:,.0f} labels (R2 {100 * r2[0]:.0f}% to {100 * r2[1]:.0f}%)."
        )
    return (
        f"The judge explains {100 * r2[0]:.0f}% of it (R2), so labels and judge together are worth "
        f"about {judged.worth_about:,.0f} labels ({worth[0]:,.0f} to {worth[1]:,.0f} with 95%)."
    )
