"""The result of functions on repeated runs: a Dataset that shows itself, and its page."""

from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import pandas as pd

from betterthan import names
from betterthan.counts.shapes import pair_indices
from betterthan.results import numbers
from betterthan.results.document import Document, Figure, Part, Table, plotted
from betterthan.results.markup import Summary
from betterthan.results.numbers import on_one_line
from betterthan.results.sentences import verdict_label
from betterthan.runs import words

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
        return words.signature(self.attrs)

    def document(self) -> Document:
        """Build the words, the tables and the provenance line."""
        return document(self)


def document(runs: Runs) -> Document:
    """Show the words, the tables and the provenance line."""
    parts = _PARTS[runs.attrs["answer"]](runs)
    return Document(
        _TITLES[runs.attrs["answer"]],
        parts=parts,
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
            text = words.estimate(of_k, i)
            if text == "–" and "bound_lower" in of_k:
                low, high = (float(of_k[f"bound_{end}"][i]) for end in ("lower", "upper"))
                text = f"{low:.2f} to {high:.2f}"
            cells.append(text)
        count = [int(n) for n in data["n"].values[:, i] if n == n]
        items = str(count[0]) if len(set(count)) == 1 else ", ".join(map(str, count))
        rows.append((on_one_line(str(data[names.SYSTEM].values[i])), *cells, items))
    interval = f"{100 * runs.attrs['ci_prob']:g}% {runs.attrs['ci_kind'].upper()}"
    caption = f"Estimate [{interval}]; bounds where there are fewer runs than k"
    heads = ("System", *(words.quantity(k, kind) for k in ks), "Items")
    figure = Figure("Estimate against k, with intervals", plotted("reliability", runs))
    part = Part("Systems", tables=[Table(heads, rows, caption)], figures=[figure])
    return [part, *([_pairs(runs)] if data.sizes[names.SYSTEM] > 1 else [])]


def _pairs(runs: Runs) -> Part:
    kind, pairs = runs.attrs["kind"], cast(Any, runs.pairs)
    pairs = pairs[pairs["verdict"] != "no_data"]
    more = ""
    if len(pairs.drop_duplicates(["system", "other"])) > _ROWS:
        best = words.leader_of(runs.data.isel(k=0))
        pairs = pairs[(pairs["system"] == best) | (pairs["other"] == best)]
        more = f"; pairs of {on_one_line(str(best))}, and .pairs has all"
    rows = [
        (
            on_one_line(row["system"]),
            on_one_line(row["other"]),
            words.quantity(row["k"], kind),
            numbers.difference(*(row[f"difference_{c}"] for c in ("mean", "lower", "upper"))),
            numbers.probability(row["prob_better"]),
            *([numbers.probability(row[_SECOND])] if _SECOND in pairs else []),
            verdict_label(row["verdict"], row["system"], row["other"]),
        )
        for row in pairs.to_dict("records")
    ]
    second = ("P(better), Dirichlet",) if _SECOND in pairs else ()
    heads = ("System", "Other", "Quantity", "Difference", "P(better)", *second, "Verdict")
    caption = f"Differences, system − other{more}"
    return Part("Pairs", tables=[Table(heads, rows, caption, left=3)])


_SECOND = "dirichlet_prob_better"


def _noise(runs: Runs) -> list[Part]:
    rows = [
        (
            on_one_line(row["system"]),
            f"{row['mean']:.3f}",
            f"{row['runs']:g}",
            words.share(runs.data, "mixed", place),
            f"{row['item_variance']:.4f}",
            f"{row['run_variance']:.4f}",
            f"{row['icc']:.2f}",
            f"{row['error']:.3f}",
            f"{row['error_of_runs']:.3f}",
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
    return [Part("Numbers", facts=facts)]


_SAME = {
    "mean_first": "Mean, first runs",
    "mean_second": "Mean, second runs",
    "flip_rate": "Items that flip",
    "error_of_runs": "Standard error of the difference, runs only",
}
_PARTS = {"reliability": _reliability, "noise": _noise, "same system": _same}
