"""The result of functions on repeated runs: a Dataset that shows itself; sentences; its page."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import names
from betterthan.counts.shapes import pair_indices
from betterthan.results import numbers, tables
from betterthan.results.document import Document, Figure, Part, Table, plotted
from betterthan.results.numbers import on_one_line
from betterthan.results.pair_tables import ONE_SIDED_MARK
from betterthan.results.result import Summary
from betterthan.results.sentences import AT_RANDOM, verdict_label
from betterthan.text import named

_ROWS = 12  # pairs that are printed; of more, those with the leading system


@dataclass(frozen=True, repr=False)
class Runs(Summary):
    """An answer on repeated runs; the result of functions in ``bt.runs``.

    Print it for the answer in words and in numbers.

    Attributes
    ----------
    data : xarray.Dataset
        All results. ``attrs`` record every choice; ``runs["x"]`` is short for ``runs.data["x"]``.
    lines : tuple of str
        Answer in plain sentences.

    Examples
    --------
    >>> import pandas as pd
    >>> import betterthan as bt
    >>> table = pd.DataFrame(
    ...     {"system": "A", "item": list("uvwxyz"), "successes": [3, 3, 2, 0, 1, 3], "trials": 3}
    ... )
    >>> result = bt.runs.reliability(bt.counts.trials_from_table(table), k=3)
    >>> result.systems[["system", "k", "pass_k"]].values.tolist()
    [['A', 3, 0.5]]
    """

    @property
    def systems(self) -> pd.DataFrame:
        """Return a row for each system, and k."""
        own = [k for k, v in self.data.data_vars.items() if names.SYSTEM in v.dims]
        rows: Any = (
            self.data[own].drop_vars(names.SQUARE, errors="ignore").to_dataframe().reset_index()
        )
        return rows[[names.SYSTEM, *[c for c in rows if c != names.SYSTEM]]]

    @property
    def pairs(self) -> pd.DataFrame:
        """Return a row for each unordered pair, and k."""
        pair = [k for k, v in self.data.data_vars.items() if names.SYSTEM_A in v.dims]
        if not pair:
            return pd.DataFrame(columns=["system", "other"])
        first, second = pair_indices(self.data.sizes[names.SYSTEM])
        labels = self.data[names.SYSTEM].values.astype(str)
        frames = []
        for k in self.data["k"].values.tolist() if "k" in self.data.dims else [None]:
            of_k = self.data[pair] if k is None else self.data[pair].sel(k=k)
            columns = {} if k is None else {"k": k}
            columns |= {"system": labels[first], "other": labels[second]}
            columns |= {str(name): of_k[name].values[first, second] for name in pair}
            frames.append(pd.DataFrame(columns))
        return pd.concat(frames, ignore_index=True)

    def signature(self) -> str:
        """Return the provenance line: every choice in one line."""
        attrs = self.attrs
        parts = [f"betterthan {attrs['version']}", attrs["answer"]]
        parts += [f"{key}={attrs[key]}" for key in ("kind", "success", "missing") if key in attrs]
        if "ci_prob" in attrs:
            kind = f" {attrs['ci_kind'].upper()}" if "ci_kind" in attrs else ""
            parts.append(f"interval={100 * attrs['ci_prob']:g}%{kind}")
        if "threshold" in attrs:
            parts += [f"rope={attrs['rope']:g}", f"verdict at {attrs['threshold']:g}"]
        return " | ".join([*parts, f"data={attrs['data_hash']}"])

    def document(self) -> Document:
        """Build the words, the tables and the provenance line."""
        return document(self)


def document(runs: Runs) -> Document:
    """Show the words, the tables and the provenance line."""
    return Document(
        _TITLES[runs.attrs["answer"]],
        parts=_PARTS[runs.attrs["answer"]](runs),
        signatures=[on_one_line(runs.signature())],
        answer=[on_one_line(line) for line in runs.lines],
    )


_TITLES = {
    "reliability": "Reliability over repeated runs",
    "noise": "Noise of repeated runs",
    "same system": "One system against itself",
}


def _reliability(runs: Runs) -> list[Part]:
    data, kind = runs.data, runs.attrs["kind"]
    ks = data["k"].values.tolist()
    order = np.argsort(-data["pass_k"].values[0], kind="stable")
    rows = []
    for i in order.tolist():
        cells = []
        for k in ks:
            of_k = data.sel(k=k)
            text = estimate(of_k, i)
            if text == "–" and "bound_lower" in of_k:
                low, high = (float(of_k[f"bound_{end}"][i]) for end in ("lower", "upper"))
                text = f"{low:.2f} to {high:.2f}"
            cells.append(text)
        count = [int(n) for n in data["n"].values[:, i] if n == n]
        items = str(count[0]) if len(set(count)) == 1 else ", ".join(map(str, count))
        rows.append((on_one_line(str(data[names.SYSTEM].values[i])), *cells, items))
    interval = f"{100 * runs.attrs['ci_prob']:g}% {runs.attrs['ci_kind'].upper()}"
    caption = f"Estimate [{interval}]; bounds where there are fewer runs than k"
    heads = ("System", *(quantity(k, kind) for k in ks), "Items")
    figure = Figure("Estimate against k, with intervals", plotted("reliability", runs))
    part = Part("Systems", tables=[Table(heads, rows, caption)], figures=[figure])
    return [part, *([_pairs(runs)] if data.sizes[names.SYSTEM] > 1 else [])]


def _pairs(runs: Runs) -> Part:
    data, kind, pairs = runs.data, runs.attrs["kind"], cast(Any, runs.pairs)
    pairs = pairs[pairs["verdict"] != "no_data"]
    more = ""
    if len(pairs.drop_duplicates(["system", "other"])) > _ROWS:
        best = leader_of(data.isel(k=0)) or str(data[names.SYSTEM].values[0])
        pairs = pairs[(pairs["system"] == best) | (pairs["other"] == best)]
        more = f"; pairs of {on_one_line(str(best))}, and .pairs has all"
    one_sided = tables.one_sided(*(pairs[k].to_numpy() for k in _VERDICT_COLUMNS))
    rows = [
        (
            on_one_line(row["system"]),
            on_one_line(row["other"]),
            quantity(row["k"], kind),
            numbers.difference(*(row[f"difference_{c}"] for c in ("mean", "lower", "upper")))
            + ONE_SIDED_MARK * bool(marked),
            numbers.probability(row["prob_better"], threshold=data.attrs["threshold"]),
            *([numbers.probability(row[_SECOND])] if _SECOND in pairs else []),
            verdict_label(row["verdict"], row["system"], row["other"]),
        )
        for row, marked in zip(pairs.to_dict("records"), one_sided, strict=True)
    ]
    second = ("P(better), Dirichlet",) if _SECOND in pairs else ()
    heads = ("System", "Other", "Quantity", "Difference", "P(better)", *second, "Verdict")
    caption = f"Differences, system − other{more}"
    if one_sided.any():
        caption += f".{ONE_SIDED_MARK}: one-sided; the interval includes 0"
    return Part("Pairs", tables=[Table(heads, rows, caption, left=3)])


_VERDICT_COLUMNS = ("verdict", "difference_lower", "difference_upper")
_SECOND = "dirichlet_prob_better"


def _noise(runs: Runs) -> list[Part]:
    rows = [
        (
            on_one_line(row["system"]),
            f"{row['mean']:.3f}",
            f"{row['runs']:g}",
            share(runs.data, "mixed", place),
            _known(row["item_variance"], 4),
            _known(row["run_variance"], 4),
            _with_limits(row, "icc"),
            _error(row["error"], row["error_of_runs"]),
            _error(row["error_of_runs"]),
        )
        for place, row in enumerate(runs.systems.to_dict("records"))
    ]
    heads = ("System", "Mean", "Runs of an item", "Items with mixed runs", "Variance of items")
    heads += ("Variance of runs", "ICC", "SE, items like these", "SE, these items only")
    figure = Figure("Where the variance of each mean comes from", plotted("noise", runs))
    return [Part("Systems", tables=[Table(heads, rows)], figures=[figure])]


def _same(runs: Runs) -> list[Part]:
    data = runs.data
    facts = [(title, f"{float(data[name]):.3f}") for name, title in _SAME.items()]
    facts.append(
        ("Standard error of the difference, runs only", _error(float(data["error_of_runs"])))
    )
    return [Part("Numbers", facts=facts)]


_SAME = {
    "mean_first": "Mean, first runs",
    "mean_second": "Mean, second runs",
    "flip_rate": "Items that flip",
}
_PARTS = {"reliability": _reliability, "noise": _noise, "same system": _same}


_FEW = 100  # items, of which an estimate has two decimals
_NAMED = 5  # systems, or items, that a sentence names
_ROUNDING = 1e-9  # of a mean probability: systems nearer than that are equal


def quantity(k: int, kind: str) -> str:
    """Such as "pass^3"."""
    return f"pass{'^' if kind == 'all' else '@'}{k}"


def estimate(data: xr.Dataset, system: int) -> str:
    """The estimate of one system for one k, with its interval."""
    value, low, high = (float(data[f"pass_k{end}"][system]) for end in ("", "_lower", "_upper"))
    if np.isnan(value):
        return "–"
    places = 3 if float(data["n"][system]) > _FEW else 2
    while 0 < value < 1 and float(f"{value:.{places}f}") in (0.0, 1.0):  # neither never nor always
        places += 1
    return f"{value:.{places}f} [{low:.{places}f}, {high:.{places}f}]"


def reliability_lines(data: xr.Dataset) -> Iterator[str]:
    """The answer of `runs.reliability`, a sentence for each k and notes on them."""
    kind, runs = data.attrs["kind"], data.attrs["runs"]
    ks = [k for k in data["k"].values.tolist() if k <= runs]
    leaders = {k: leader_of(data.sel(k=k)) for k in ks}
    for k in ks[::-1]:  # to succeed every time is the question
        yield _of_k(data.sel(k=k), k, kind, leaders[k])
    distinct = [name for name in dict.fromkeys(leaders.values()) if name]
    if len(distinct) > 1:
        each = [
            f"{name} at k = {', '.join(str(k) for k in ks if leaders[k] == name)}"
            for name in distinct
        ]
        yield f"The leading system changes with k: {'; '.join(each)}."
    for k in data["k"].values.tolist():
        if k > runs:
            yield _bounded(data.sel(k=k), k, kind, runs)
    yield from _items(data)


def _of_k(data: xr.Dataset, k: int, kind: str, leader: str) -> str:
    """What is known of one k."""
    systems = [str(s) for s in data[names.SYSTEM].values]
    every = "a run" if k == 1 else f"all {k} runs" if kind == "all" else f"one of {k} runs"
    what = (
        f"{quantity(k, kind)} ({every} of an item succeed{'' if kind == 'all' and k > 1 else 's'})"
    )
    places = range(len(systems)) if len(systems) <= 2 else [systems.index(leader)] if leader else []
    scores = ", ".join(f"{systems[i]} {estimate(data, i)}" for i in places)
    if len(systems) == 1:
        return f"{what}: {scores}."
    if len(systems) == 2:
        return f"{what}: {scores}; {_verdict(data, systems)}."
    if not leader:
        return f"{what}: none of the {len(systems)} systems leads; {_verdicts(data, leader)}."
    top, aside = int(np.nan_to_num(data["pass_k"].values, nan=-1.0).argmax()), ""
    if systems[top] != leader:
        aside = (
            f" on the items that both systems of a pair have ({systems[top]} has "
            f"{estimate(data, top)} on its own items)"
        )
    return f"{what}: {scores} leads the {len(systems)} systems{aside}; {_verdicts(data, leader)}."


def leader_of(data: xr.Dataset) -> str:
    """The system with the highest mean P(better), which compares pairs on items of both: a mean of
    its own items may be of easier ones; "" where nothing is known, and where several are the first.
    """
    systems = data[names.SYSTEM].values.astype(str)
    if len(systems) == 1:
        return str(systems[0])
    known = ~np.eye(len(systems), dtype=bool) & (data["verdict"].values != "no_data")
    better = np.where(known, np.nan_to_num(data["prob_better"].values, nan=0.5), 0.0).sum(1)
    mean = np.where(known.any(1), better / np.maximum(known.sum(1), 1), -np.inf)
    first = np.flatnonzero(mean >= mean.max() - _ROUNDING)
    return str(systems[first[0]]) if known.any() and len(first) == 1 else ""


def _verdict(data: xr.Dataset, systems: list[str]) -> str:
    """The verdict of two systems."""
    a, b = systems
    verdict, p = str(data["verdict"].values[0, 1]), float(data["prob_better"].values[0, 1])
    at_random = AT_RANDOM if "holds" in data and not data["holds"].values[0, 1] else ""
    if verdict in ("a_better", "b_better"):
        better, p = (a, p) if verdict == "a_better" else (b, 1 - p)
        return f"{better} is better (probability {numbers.probability(p)}){at_random}"
    if verdict == "equivalent":
        return f"{a} and {b} are practically equivalent{at_random}"
    if verdict == "undecided":
        equals = numbers.equal_to(p, threshold=data.attrs["threshold"])
        return f"undecided (P({a} better) {equals})"
    if verdict == "no_verdict":
        return "no verdict, because missing runs could change it"
    return "no verdict: they share fewer than two items"


_SURE = "a_better", "b_better"


def _verdicts(data: xr.Dataset, leader: str) -> str:
    """How many pairs are decided."""
    upper = np.triu_indices(data.sizes[names.SYSTEM], 1)
    verdicts = data["verdict"].values[upper]
    decided = int(np.isin(verdicts, _SURE).sum())
    if not decided:
        return f"none of the {len(verdicts):,} pairs has a verdict"
    if_random = ""
    if "holds" in data:
        fragile = np.isin(verdicts, _SURE) & (data["holds"].values[upper] == 0)
        if_random = f", {fragile.sum():,} of them{AT_RANDOM}" if fragile.any() else ""
    if not leader:
        return f"{decided:,} of {len(verdicts):,} pairs have a verdict{if_random}"
    of_leader = data["verdict"].values[data[names.SYSTEM].values.tolist().index(leader)]
    better = int((of_leader == "a_better").sum())
    others = data.sizes[names.SYSTEM] - 1
    return (
        f"better than {better} of the {others} others, and {decided:,} of {len(verdicts):,} pairs "
        f"have a verdict{if_random}"
    )


def _bounded(data: xr.Dataset, k: int, kind: str, runs: int) -> str:
    """What is known for more runs than there are."""
    systems = [str(s) for s in data[names.SYSTEM].values]
    each = [
        f"{name} {low:.2f} to {high:.2f} ({least:.2f} to {most:.2f})"
        for name, low, high, least, most in zip(
            systems, *(data[key].values for key in _BOUNDS), strict=True
        )
    ]
    more = f"; and {len(each) - _NAMED} more" if len(each) > _NAMED else ""
    return (
        f"{quantity(k, kind)} has no estimate: fewer than half of the items have {k} runs. Its "
        "bounds for any success probabilities, and in brackets with the uncertainty of "
        f"{quantity(runs, kind)}: {', '.join(each[:_NAMED])}{more}."
    )


_BOUNDS = ("bound_lower", "bound_upper", "pass_k_lower", "pass_k_upper")


def _items(data: xr.Dataset) -> Iterator[str]:
    """Items that do not count."""
    attrs, n = data.attrs, data.attrs["n_left_out"]
    if any(len(set(of_k[~np.isnan(of_k)].tolist())) > 1 for of_k in data["n"].values):
        yield (
            "Estimates are of the items of each system, which differ; verdicts are of the items "
            "that both systems of a pair have."
        )
    if attrs["each_k"]:
        yield "Each k has its own items, so the estimate may rise with k."
    elif n:
        least = max(k for k in data["k"].values.tolist() if k <= attrs["runs"])
        which = "any pair" if attrs["missing"] == "complete" else "its pairs"
        few = (
            f"{n} items with fewer than {least} runs of a system do not"
            if n > 1
            else (f"1 item with fewer than {least} runs of a system does not")
        )
        yield f"{few} count in {which}: {attrs['left_out']}."


def noise_lines(data: xr.Dataset) -> Iterator[str]:
    """The answer of `runs.noise`."""
    systems = [str(s) for s in data[names.SYSTEM].values]
    for i, name in enumerate(systems[:_NAMED]):
        yield _of_system(data, i, name)
    if len(systems) > _NAMED:
        yield f"All {len(systems)} systems are in the table."
    if len(systems) == 2:
        yield _of_pair(data)
    if alike := [
        name for name, same in zip(systems, data["identical"].values, strict=True) if same
    ]:
        yield (
            f"! All runs of an item agree, for every item of {named(alike)}: a cache, or sampling "
            "at temperature 0, makes copies. Their noise is unknown, not 0."
        )


def _of_system(data: xr.Dataset, i: int, name: str) -> str:
    total, runs, mean = (float(data[key][i]) for key in ("error", "error_of_runs", "mean"))
    differ = "one run of each item"
    if not np.isnan(data["mixed"].values[i]):
        differ = f"the runs of {share(data, 'mixed', i)} of the items differ"
    return (
        f"{name}: {differ}. Standard error of its mean {mean:.3f}: "
        f"{_error(total, runs)} for items like these, {_error(runs)} for these items only (noise "
        f"of the runs).{_CHANCE * (total < runs)}"
    )


def _known(value: float, places: int) -> str:
    """A number with so many decimals, if it is known."""
    return "–" if np.isnan(value) else f"{value:.{places}f}"


def _with_limits(row: Any, name: str) -> str:
    """A proportion with its interval, if both are known."""
    value, low, high = (float(row[f"{name}{end}"]) for end in ("", "_lower", "_upper"))
    return "–" if np.isnan([value, low, high]).any() else f"{value:.2f} [{low:.2f}, {high:.2f}]"


def _error(value: float, noise: float = 0.0) -> str:
    """A standard error; one of 0 is of scores that are all equal, which do not show it, unless
    there is noise of the runs, below which it is by chance.
    """
    if not (value > 0 or (value == 0 and noise > 0)):
        return "unknown"
    return "<0.001" if 0 < value < 0.0005 else f"{value:.3f}"


# of an error that contains the noise of the runs, where it is estimated below that noise
_CHANCE = " The first contains the second; that it is smaller here is chance."


def share(data: xr.Dataset, name: str, place: Any = (), *, counted: bool = True) -> str:
    """A proportion in per cent, with its interval; one that is not counted is never certain."""
    value, *limits = (float(data[f"{name}{end}"].values[place]) for end in ("", "_lower", "_upper"))
    if np.isnan(value):
        return "–"
    text = numbers.share(value) if counted else f"{numbers.percent(value)}%"
    if np.isnan(limits).any():
        return text
    low, high = map(numbers.percent, limits)
    return f"{text} [{low}%, {high}%]"


def _of_pair(data: xr.Dataset) -> str:
    """Of the difference of two systems, and what would reduce its error most."""
    total, runs, best, low, high = (
        float(data[k].values[0, 1])
        for k in (
            *("difference_error", "difference_error_of_runs"),
            *("best_runs", "best_runs_lower", "best_runs_upper"),
        )
    )
    items = f"{_error(total, runs)} for items like these"
    if not (total >= 0 and runs > 0):
        why = "No runs of an item differ"
        if np.isnan(total):
            why = "They share fewer than two items"
        elif np.isnan(runs):
            why = "One of them has one run of each item"
        return (
            f"Standard error of the difference: {items}. {why}, so the data do not show what more "
            "runs would change."
        )
    now = float(data["runs"].values.mean())
    few = "as many runs as possible" if np.isinf(best) else f"{best:.1f} runs of each item"
    if np.isfinite(low):
        limits = f"{low:.1f} to {'any number' if np.isinf(high) else f'{high:.1f}'}"
        few += f" ({100 * data.attrs['ci_prob']:g}% interval: {limits})"
    return (
        f"Standard error of the difference: {items}; the runs are "
        f"{share(data, 'difference_run_share', (0, 1), counted=False)} of its variance. If a new "
        f"item costs as much as a run, the least error for a budget has {few}; there are {now:g}."
    )


def same_lines(data: xr.Dataset) -> Iterator[str]:
    """The answer of `runs.same_system`."""
    value = {str(k): float(v) for k, v in data.data_vars.items()}
    p, error = value["p_value"], value["error_of_runs"]
    yield (
        f"{share(data, 'flip_rate')} of the items flip between two runs; {value['n']:g} items are "
        "in both sets."
    )
    yield (
        f"The means differ by {abs(value['difference']):.3f}. Two sets of runs of one system "
        f"differ at least this much in {numbers.percent(p)}% of cases (p = "
        f"{numbers.p_value(p, value['p_value_mcse'])}, {data.attrs['test']})."
    )
    if not error:
        yield (
            "No runs of an item differ: how much the system may differ from itself is unknown, "
            "not 0."
        )
        return
    yield (
        f"On these items only, the runs give the difference a standard error of {error:.3f}: in "
        f"95% of cases one system differs from itself by less than {1.96 * error:.3f}."
    )
