"""Answers of five models to 999 instructions, compared in ten pairs by three people and two judges:
figures alone.
"""

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.judged.dataset import from_table

PANDALM_CITATION = (
    "Wang et al. 2024, PandaLM: An automatic evaluation benchmark for LLM instruction tuning "
    "optimization, ICLR 2024; test set of github.com/WeOpenML/PandaLM, commit 3871806 (Apache-2.0)"
)
_JUDGES = ("gpt-3.5", "pandalm-7b")
_SIGNALS = ("win", "loss", "tie", "unparsed")
# Of each pair, rows the majority of three people (win, loss, tie of the first; three ways: a tie),
# columns what gpt-3.5 says; then what PandaLM-7B says, which always says something.
_COUNTS = {
    ("bloom-7b", "llama-7b"): (
        [[20, 7, 0, 1], [8, 57, 6, 1], [4, 5, 0, 2]],
        [[21, 4, 3], [12, 50, 10], [4, 3, 4]],
    ),
    ("bloom-7b", "opt-7b"): (
        [[35, 6, 2, 0], [6, 27, 2, 0], [5, 5, 0, 1]],
        [[31, 9, 3], [11, 24, 0], [4, 3, 4]],
    ),
    ("bloom-7b", "cerebras-gpt-6.7B"): (
        [[51, 7, 1, 0], [9, 19, 2, 0], [7, 3, 0, 1]],
        [[45, 10, 4], [8, 19, 3], [4, 2, 5]],
    ),
    ("bloom-7b", "pythia-6.9b"): (
        [[39, 8, 0, 0], [8, 36, 3, 2], [5, 4, 0, 2]],
        [[34, 6, 7], [13, 33, 3], [4, 2, 5]],
    ),
    ("llama-7b", "opt-7b"): (
        [[61, 8, 2, 0], [6, 17, 1, 0], [3, 4, 2, 2]],
        [[51, 12, 8], [4, 16, 4], [5, 5, 1]],
    ),
    ("llama-7b", "cerebras-gpt-6.7B"): (
        [[65, 13, 1, 1], [11, 10, 0, 3], [4, 1, 0, 1]],
        [[66, 11, 3], [6, 14, 4], [3, 1, 2]],
    ),
    ("llama-7b", "pythia-6.9b"): (
        [[49, 5, 3, 1], [8, 17, 1, 1], [3, 6, 0, 0]],
        [[39, 15, 4], [6, 19, 2], [1, 7, 1]],
    ),
    ("opt-7b", "cerebras-gpt-6.7B"): (
        [[36, 10, 2, 1], [7, 25, 1, 0], [2, 3, 3, 1]],
        [[34, 12, 3], [10, 21, 2], [1, 4, 4]],
    ),
    ("opt-7b", "pythia-6.9b"): (
        [[28, 2, 2, 0], [9, 43, 1, 0], [6, 8, 0, 1]],
        [[23, 5, 4], [12, 36, 5], [5, 7, 3]],
    ),
    ("cerebras-gpt-6.7B", "pythia-6.9b"): (
        [[14, 10, 2, 1], [9, 43, 1, 0], [5, 4, 0, 2]],
        [[19, 7, 1], [11, 40, 2], [3, 5, 3]],
    ),
}
# llama-7b against pythia-6.9b, the first 30 items in the order of the file labelled; what could not
# be read is counted as a tie
_WORKED = ([[16, 1, 0], [3, 6, 1], [1, 2, 0]], (60, 28, 6))


def pandalm(judge: str = "gpt-3.5", *, labels: str = "all") -> xr.Dataset:
    """Return human labels and judge outputs of PandaLM's test set, as judged counts.

    Parameters
    ----------
    judge : {"gpt-3.5", "pandalm-7b"}, default "gpt-3.5"
        Judge model.
    labels : {"all", "30"}, default "all"
        Human labels. "all": every item has one, the majority of three people (a tie if all three
        differ). "30": one pair, judged by gpt-3.5, with labels for the first 30 of 94 items.

    Returns
    -------
    xarray.Dataset
        Judged counts: ``gold`` (pair, truth, signal), ``judged`` (pair, signal).

    Raises
    ------
    ValueError
        If the judge or the labels are none of these, or "30" is combined with another judge.

    References
    ----------
    Wang et al. 2024, PandaLM, ICLR 2024, arXiv:2306.05087.

    Examples
    --------
    >>> counts = pandalm()
    >>> counts["gold"].sum(("pair", "signal")).values.tolist()
    [494, 400, 105]
    """
    checks.one_of(judge, _JUDGES, "judge")
    checks.one_of(labels, ("all", "30"), "labels")
    attrs = {"citation": PANDALM_CITATION, "judge": judge}
    by = "the majority of three people"
    if labels == "30":
        if judge != "gpt-3.5":
            raise ValueError("labels='30' is of the judge gpt-3.5; leave judge out")
        return from_table({("llama-7b", "pythia-6.9b"): _WORKED}, labels_by=by).assign_attrs(attrs)
    place = _JUDGES.index(judge)
    gold = {pair: np.array(both[place]) for pair, both in _COUNTS.items()}
    signals = _SIGNALS if judge == "gpt-3.5" else names.OUTCOMES
    table = {pair: (cells, cells.sum(0)) for pair, cells in gold.items()}
    return from_table(table, signals=signals, labels_by=by).assign_attrs(attrs)
