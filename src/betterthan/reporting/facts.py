"""What is known of an answer as plain numbers, texts and lists: what its sentences are made of.

Every fact is JSON; what is not known is absent, or null. The page makes them again from its tables
when a reader moves a threshold or a rope.

On any answer
    kind "two" | "many"; n_systems, n_others (one less); systems (best first); n (examples, where
    all pairs have as many); unit, units (in words); n_units; clusters (in words, with their
    number); unit_notes, joint_notes (text); threshold; rope; interval "95% HDI"; quantity,
    beside_quantity; lower_score; failures (text); baseline; n_missing (cells), missing (policy),
    missing_pairs (of how many pairs a score is missing), missing_holding (how many of their
    verdicts hold for every value of these); where scores are missing on hard or easy items and
    counting them as wrong changes a verdict, of two systems missing_wrong_first,
    missing_wrong_second, missing_wrong_p, of many missing_wrong_changed, of how many pairs.
    at_random: some values of the missing scores lead to other verdicts, or that is not known.
    ties_same, ties_changed, n_ties_changed: policies for ties under which verdicts stay, or not.
    more_items, more_beyond, more_target with open_first, open_second: what an open pair needs;
    replicates, turn_items, turn_of, drop_items with kept_first, kept_second: whether a verdict is
    found again, and what would turn it; pseudo_even, items of a prior that would, where few.
On two systems also those of `pair_facts`, and their scores (first_score, first_score_lower,
first_score_upper, first_right, first_scored; the same of second).
On many
    joint, the quantity P(best) is of; no_joint, why there is none; best, p_best (with _mcse),
    best_set, n_best_set, p_set: by P(best); by_score, whether systems are listed by score;
    best_tied, systems that share the best score, if several; among, whether pairs have a joint
    answer;
    leader: best, else the first that none beats; ranked_first, the first of systems if another;
    beats, loses_to, open_with: systems, by its pairs, with n_beats, ...; unbeaten: systems that no
    other is better than.
    n_pairs; n_decided, n_open, n_equivalent, n_split, n_no_data, n_no_verdict: by the verdict that
    counts, that among all where there is one; n_alone, n_both: decided by itself, and both ways;
    no_data_pairs, the first three of these as "A and B";
    wrong, how many of n_alone verdicts are expected to be wrong.
    base_better, base_worse, base_equivalent, base_open (and n_...): the others against the
    baseline.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import names
from betterthan.answers import rows
from betterthan.answers.comparison import Comparison
from betterthan.answers.words import at_random, difference_of, one_sided
from betterthan.io.problems import counted
from betterthan.reporting.cells import interval_of
from betterthan.reporting.escapes import on_one_line
from betterthan.reporting.outlook_facts import missing_facts, outlook_facts, ties_facts
from betterthan.signed import Signature

Facts = dict[str, Any]


def facts(comparison: Comparison | xr.Dataset) -> Facts:
    """Everything that the sentences on a comparison are made of.

    Parameters
    ----------
    comparison : Comparison
        From `compare`, or its data by engine.

    Returns
    -------
    dict
        Of numbers, texts, truths and lists of these.

    Examples
    --------
    >>> import betterthan as bt
    >>> found = facts(bt.compare(bt.datasets.contingency_case("a")))
    >>> found["first"], found["verdict"], round(found["p"], 3), found["wins"]
    ('A', 'better', 0.996, 12)
    """
    data = _leading(comparison)
    made = Signature.from_attrs(data.attrs)
    pairs = rows.pairs(data)
    systems = _named(_in_order(data, rows.systems(data, pairs)))
    found = of_any(systems, made)
    if made.failures and "no_verdict" in pairs["verdict"].tolist():
        found["failures"] = " ".join(made.failures)
    found["at_random"] = at_random(pairs, made) or None
    pairs = pairs.assign(**{k: pairs[k].map(on_one_line) for k in ("system", "other")})
    if len(pairs) == 1:
        row = pairs.to_dict("records")[0]
        found |= pair_facts(row, made) | _scores_of(row, systems)
        return plain(found | _firm(data, found))
    found |= standing(found, pairs, systems, made)
    return plain(found | _firm(data, found))


def standing(found: Facts, pairs: pd.DataFrame, systems: pd.DataFrame, made: Signature) -> Facts:
    """How several systems stand: the best, how the pairs ended, the leader, the baseline."""
    counting = final(pairs)
    told = _best(systems, made) | _ended(pairs, counting)
    told |= _leader(found | told, pairs, counting)
    return told | _baseline(found["systems"], pairs, counting, made)


def _firm(data: xr.Dataset, found: Facts) -> Facts:
    """How firm it all is."""
    if "failures" in found:
        return {}
    return outlook_facts(data, found) | missing_facts(data) | ties_facts(data)


def pair_facts(row: Mapping[str, Any], made: Signature) -> Facts:
    """Those of one pair, from a row of `pair_rows`: the system that is ahead is the first.

    first, second, verdict ("better": the first is); p (with _mcse); wins, losses, ties, n, n_units;
    difference (with _lower, _upper), difference_is; one_sided, whether the interval of a verdict
    includes 0; within_rope, beyond_rope; other_quantity and
    other_p and other_against, the probabilities of the first and of the second system by the other
    quantity; among_p, among_verdict; too_close; reason, why there is no verdict.
    """
    found = {name: row.get(column) for name, column in _OF_PAIR.items()}
    other = made.beside_quantity
    asked = {
        "difference_is": difference_of(row["system"], row["other"], made),
        "by_mean": made.quantity == "mean",
        "rope": made.rope or 0.0,
        "unit": made.unit,
        "other_quantity": other if f"{other}_prob_better" in row else None,
        "other_p": row.get(f"{other}_prob_better"),
        "one_sided": bool(
            one_sided(row["verdict"], row.get("lower", np.nan), row.get("upper", np.nan))
        )
        or None,
        "other_against": _less_than_one(row.get(f"{other}_prob_better")),
    }
    if made.ci_prob is not None:
        asked["interval"] = interval_of({"ci_prob": made.ci_prob, "ci_kind": made.ci_kind or "eti"})
    return plain(found | asked)


def _less_than_one(p: float | None) -> float | None:
    return None if p is None else 1 - p


_SAME = (
    *("verdict", "difference", "wins", "losses", "ties", "n", "n_units", "within_rope"),
    *("also_ahead", "beyond_rope", "too_close", "among_verdict", "reason"),
)
_OF_PAIR = {name: name for name in _SAME} | {
    "first": "system",
    "second": "other",
    "p": "prob_better",
    "p_mcse": "mcse",
    "difference_lower": "lower",
    "difference_upper": "upper",
    "among_p": "among_prob_better",
}


def final(pairs: pd.DataFrame) -> np.ndarray:
    """The verdict that counts in each row."""
    alone = pairs["verdict"].to_numpy(str)
    if "among_verdict" not in pairs:
        return alone
    return rows.joint_first(alone, pairs["among_verdict"].to_numpy(str))


def plain(found: Mapping[str, Any]) -> Facts:
    """As JSON has it, without what is not known."""
    told = {name: _plain(value) for name, value in found.items()}
    return {name: value for name, value in told.items() if value is not None}


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray | list | tuple):
        return [_plain(v) for v in value]
    value = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(value, float) and value != value else value


def _leading(comparison: Comparison | xr.Dataset) -> xr.Dataset:
    """By the engine that is read first."""
    data = comparison.data if isinstance(comparison, Comparison) else comparison
    return data.isel({names.ENGINE: 0}) if names.ENGINE in data.dims else rows.leading(data)


def _in_order(data: xr.Dataset, systems: pd.DataFrame) -> pd.DataFrame:
    """As the table of systems has them: by expected rank, or else by the mean P(better)."""
    if "expected_rank" in systems:
        return systems
    better = data["prob_better"].where(data["verdict"] != "no_data").mean(names.SYSTEM_B)
    mean = dict(zip(map(str, better[names.SYSTEM_A].values), better.values.tolist(), strict=True))
    means: Any = systems["system"].map(mean.get)
    order = means.sort_values(ascending=False, kind="stable").index
    return systems.loc[order].reset_index(drop=True)


def _named(systems: pd.DataFrame) -> pd.DataFrame:
    return systems.assign(system=systems["system"].map(on_one_line))


def of_any(systems: pd.DataFrame, made: Signature) -> Facts:
    """How it was made, and of what."""
    found: Facts = {
        name: getattr(made, name)
        for name in ("threshold", "quantity", "beside_quantity", "missing", "n_units", "unit")
    }
    several = made.n_items is not None and made.n_items >= 0
    return found | {
        "kind": "two" if len(systems) == 2 else "many",
        "n_systems": len(systems),
        "n_others": len(systems) - 1,
        "units": _units(made),
        "clusters": counted(made.n_units or 0, "cluster") if made.unit == "cluster" else None,
        "score_interval": f"{100 * (made.ci_prob or names.CI_PROB):g}% interval",
        "systems": systems["system"].tolist(),
        "n": made.n_items if several else None,
        "rope": made.rope or 0.0,
        "lower_score": made.higher_is_better is False,
        "baseline": None if made.baseline is None else on_one_line(made.baseline),
        "n_missing": made.n_blank or None,
        "unit_notes": on_one_line(" ".join(made.unit_notes)) if made.unit_notes else None,
        "joint_notes": on_one_line(" ".join(made.joint_notes)) if made.joint_notes else None,
    }


def _units(made: Signature) -> str:
    if made.unit == "judgment":
        return "judgments"
    return f"{made.unit}s" if made.n_units is not None else "items"


def _scores_of(row: Mapping[str, Any], systems: pd.DataFrame) -> Facts:
    """Scores of the two, with their intervals, and how many were right."""
    if "score" not in systems:
        return {}
    by_name = {system["system"]: system for system in systems.to_dict("records")}
    found: Facts = {}
    for place, of in (("first", by_name[row["system"]]), ("second", by_name[row["other"]])):
        found |= {f"{place}_{k}": of.get(column) for k, column in _OF_SCORE.items()}
    return found


_OF_SCORE = {
    "score": "score",
    "score_lower": "score_lower",
    "score_upper": "score_upper",
    "scored": "n_scored",
    "right": "n_right",
}


def _best(systems: pd.DataFrame, made: Signature) -> Facts:
    """Who is the best of all, where that was answered jointly."""
    if "prob_best" not in systems:
        return {"no_joint": made.no_joint or "pairs alone do not say who is the best of all"}
    top = systems.sort_values("prob_best", ascending=False, kind="stable").to_dict("records")
    known = {
        "joint": made.joint_quantity or "abilities",
        "by_score": made.joint_model == names.AMONG_ALL,
        "best": top[0]["system"],
        "p_best": top[0]["prob_best"],
        "p_best_mcse": top[0].get("prob_best_mcse"),
    }
    if "in_best_set" not in systems:
        return known
    score = top[0].get("score")
    tied = [one["system"] for one in systems.to_dict("records") if one.get("score") == score]
    if made.joint_model == names.AMONG_ALL and len(tied) > 1:
        known |= {"best": tied[0], "best_tied": tied}
    among = [one["system"] for one in top if one.get("in_best_set")]
    share = made.ci_prob or names.CI_PROB
    return known | {"best_set": among, "n_best_set": len(among), "p_set": share}


def _ended(pairs: pd.DataFrame, counting: np.ndarray) -> Facts:
    """How the pairs ended."""
    alone = pairs["verdict"].to_numpy(str) == "better"
    decided = np.isin(counting, ["better", "worse"])
    found = {f"n_{name}": int((counting == name).sum()) for name in _ENDS}
    wrong = np.nansum(pairs["sign_error"]) if "sign_error" in pairs else None
    return found | {
        "among": "among_verdict" in pairs,
        "n_pairs": len(pairs),
        "n_decided": int(decided.sum()),
        "n_open": int((counting == "undecided").sum()),
        "n_alone": int(alone.sum()),
        "n_both": int((alone & decided).sum()),
        "no_data_pairs": [
            f"{a} and {b}" for a, b in zip(*_met(pairs, counting == "no_data"), strict=True)
        ],
        "wrong": wrong,
        "n_missing_decides": _withheld(pairs),
    }


def _withheld(pairs: pd.DataFrame) -> int | None:
    """Pairs without a verdict, because missing scores decide."""
    if "reason" not in pairs:
        return None
    return pairs["reason"].tolist().count(names.MISSING_DECIDES)


def _met(pairs: pd.DataFrame, where: np.ndarray) -> list[list[str]]:
    """The names in some pairs, in the order in which they stand."""
    few = pairs[where].head(_NAMED)
    return [few[k].tolist() for k in ("system", "other")]


_NAMED = 3  # pairs without data that are named
_ENDS = ("equivalent", "split", "no_data", "no_verdict")


def _leader(found: Facts, pairs: pd.DataFrame, counting: np.ndarray) -> Facts:
    """The best, or the first, against the others; and who is beaten by none."""
    beaten = {*pairs["other"][counting == "better"], *pairs["system"][counting == "worse"]}
    unbeaten = [system for system in found["systems"] if system not in beaten]
    leader = found.get("best", unbeaten[0] if unbeaten else found["systems"][0])
    met = against(leader, found["systems"], pairs, counting)
    told = {"leader": leader, "unbeaten": unbeaten, "n_unbeaten": len(unbeaten)}
    told |= {"ranked_first": found["systems"][0] if found["systems"][0] != leader else None}
    ends = {"beats": "worse", "loses_to": "better", "open_with": "undecided"}
    return told | _lists({name: met.get(end, []) for name, end in ends.items()})


def _baseline(
    systems: list[str], pairs: pd.DataFrame, counting: np.ndarray, made: Signature
) -> Facts:
    """Who is better than the baseline, worse, or neither."""
    if made.baseline is None:
        return {}
    met = against(on_one_line(made.baseline), systems, pairs, counting)
    known = ("better", "worse", "equivalent")
    rest = [one for one in systems for k, v in met.items() if k not in known and one in v]
    ends = {f"base_{end}": met.get(end, []) for end in known}
    return _lists(ends | {"base_open": rest})


def against(
    one: str, systems: list[str], pairs: pd.DataFrame, counting: np.ndarray
) -> dict[str, list[str]]:
    """The other systems, by what they are against one: better, worse, or another verdict."""
    turned = {"better": "worse", "worse": "better"}
    first = pairs["system"].to_numpy() == one
    second = pairs["other"].to_numpy() == one
    ends = dict(zip(pairs["system"][second], counting[second], strict=True))
    ends |= {
        other: turned.get(end, end)
        for other, end in zip(pairs["other"][first], counting[first], strict=True)
    }
    met: dict[str, list[str]] = {}
    for system in systems:
        if system != one:
            met.setdefault(ends[system], []).append(system)
    return met


def _lists(found: dict[str, list[str]]) -> Facts:
    """Lists, and how long they are."""
    return found | {f"n_{name}": len(those) for name, those in found.items()}
