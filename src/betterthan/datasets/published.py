"""Small tables from publications, and small fits that ship with the package.

Among them are the answers of five models to 999 instructions, compared in ten pairs by three people
and two judges: figures alone; and of an article on Kendall's tau, its example, ratings of texts,
and what it prints of two studies. Sampling a fit takes a while, reading takes none.
"""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import checks, names
from betterthan.counts.tables import from_contingency, from_table
from betterthan.judged import dataset

DIAG_CITATION = (
    "Di Eugenio, Glass & Scott 2002, The binomial cumulative distribution function, or, is my "
    "system better than yours?, LREC 2002, Tables 1-4"
)

# Tables 1 to 3: DIAG-orig, DIAG-NLP, whether higher is better, and whether the measure stands on
# its own.
_DIAG = {
    "total time (min)": (29.8, 28.0, 0, 1),
    "feedback time (min)": (6.9, 5.4, 0, 0),
    "indicator consultations": (11.4, 5.9, 0, 1),
    "RU consultations": (19.2, 18.1, 0, 1),
    "parts replaced": (3.85, 3.33, 0, 1),
    "essay score": (81, 83, 1, 1),
    "RU recollection": (0.72, 0.63, 1, 1),
    "usefulness": (4.35, 4.47, 1, 1),
    "helped stay on right track": (4.35, 4.35, 1, 1),
    "not misleading": (4.00, 4.12, 1, 1),
    "conciseness": (3.47, 3.76, 1, 1),
}


def diag_measures() -> pd.DataFrame:
    """Return eleven measures of two versions of a tutoring system.

    The measures have different units and directions.

    Returns
    -------
    pandas.DataFrame
        Index ``measure``; columns ``DIAG-orig``, ``DIAG-NLP``, ``higher_is_better``, and
        ``independent`` (0 or 1); ``attrs["citation"]`` is the source.

    Examples
    --------
    >>> import betterthan as bt
    >>> bt.datasets.diag_measures().loc["essay score"].tolist()
    [81.0, 83.0, 1.0, 1.0]
    """
    columns = ["DIAG-orig", "DIAG-NLP", "higher_is_better", "independent"]
    frame = pd.DataFrame.from_dict(_DIAG, orient="index", columns=columns).rename_axis("measure")
    frame.attrs["citation"] = DIAG_CITATION
    return frame


CITATION = (
    "Balodis & Deksne 2019, FastText-Based Intent Detection for Inflected Languages, Information "
    "10(5), 161, Appendix A, doi:10.3390/info10050161"
)

# Table A1: both right, only A right, only B right, both wrong.
_CASES = {"a": (698, 12, 2, 288), "b": (500, 210, 200, 90)}

# Table A2, upper triangle: wins of the row against the column, then of the column against the row.
_SYSTEMS = ("NN[n] W", "NN[n] T", "NN W", "NN T", "CNN W", "CNN T", "Wit", "LUIS")
_WINS = (
    ((28, 28), (26, 21), (28, 44), (37, 34), (16, 52), (29, 48), (76, 55)),
    ((39, 34), (8, 24), (44, 41), (13, 49), (33, 52), (73, 52)),
    ((27, 48), (28, 30), (17, 58), (28, 52), (78, 62)),
    ((52, 33), (17, 37), (39, 42), (77, 40)),
    ((12, 51), (33, 55), (76, 58)),
    ((43, 26), (84, 27)),
    ((81, 41),),
)

# Table A3, upper triangle: percent.
_PROBABILITIES = (
    (50.00, 76.46, 3.02, 63.80, 0.00, 1.54, 96.64),
    (71.93, 0.23, 62.67, 0.00, 1.99, 96.95),
    (0.77, 39.74, 0.00, 0.36, 91.12),
    (98.01, 0.32, 37.03, 99.97),
    (0.00, 0.96, 93.95),
    (97.93, 100.00),
    (99.99,),
)


def contingency_case(case: str) -> xr.DataArray:
    """Return the counts of one of two constructed cases: equal accuracies, unequal evidence.

    They are those of Table A1 in the source.

    Parameters
    ----------
    case : {"a", "b"}
        Name of the case. In both, A is correct on 710 and B on 700 of 1000 items. In case a they
        differ on 14 items (12 to 2), in case b on 410 (210 to 200).

    Returns
    -------
    xarray.DataArray, dims (system_a, system_b, outcome)
        Counts; ``attrs["citation"]`` is the source.

    Raises
    ------
    ValueError
        If the case is neither "a" nor "b".

    Examples
    --------
    >>> import betterthan as bt
    >>> bt.datasets.contingency_case("a").sel(system_a="A", system_b="B").values.tolist()
    [12, 2, 986]
    """
    cells = _CASES[checks.one_of(case, tuple(_CASES), "case")]
    return from_contingency(*cells).assign_attrs(_source(f"Table A1, case ({case})"))


def intent_detection() -> xr.DataArray:
    """Return the wins of eight intent detection systems against each other (Table A2).

    Three data sets in five languages are pooled. The table prints no ties and no number of items,
    so ties are unknown.

    Returns
    -------
    xarray.DataArray, dims (system_a, system_b, outcome)
        Counts with the outcomes win and loss. ``attrs["citation"]`` is the source.

    Examples
    --------
    >>> import betterthan as bt
    >>> bt.datasets.intent_detection().sel(system_a="NN W", system_b="LUIS").values.tolist()
    [78, 62]
    """
    table = {
        (a, b): wins
        for row, a in zip(_WINS, _SYSTEMS, strict=False)
        for b, wins in zip(_SYSTEMS[_SYSTEMS.index(a) + 1 :], row, strict=True)
    }
    return from_table(table, unit="item").assign_attrs(_source("Table A2"))


def intent_detection_probabilities() -> xr.DataArray:
    """Return published probabilities that one of eight systems is better (Table A3).

    Returns
    -------
    xarray.DataArray, dims (system_a, system_b)
        Probabilities that ``system_a`` is better than ``system_b``, in percent with two decimals,
        and 50 on the diagonal, as printed. ``attrs["citation"]`` is the source.

    Examples
    --------
    >>> import betterthan as bt
    >>> printed = bt.datasets.intent_detection_probabilities()
    >>> printed.sel(system_a="NN W", system_b="LUIS").item()
    91.12
    >>> wins = bt.datasets.intent_detection().sel(system_a="NN W", system_b="LUIS")
    >>> bool(abs(bt.prob_better(wins) * 100 - 91.12) < 0.005)
    True
    """
    upper = np.triu_indices(len(_SYSTEMS), 1)
    percent = np.full((len(_SYSTEMS),) * 2, 50.0)
    percent[upper] = np.concatenate(_PROBABILITIES)
    percent.T[upper] = np.round(100 - percent[upper], 2)
    coords = {dim: list(_SYSTEMS) for dim in names.SQUARE}
    return xr.DataArray(percent, coords, names.SQUARE, attrs=_source("Table A3"))


def _source(table: str) -> dict[str, Any]:
    return {"source": table, "citation": CITATION}


MUC6_CITATION = (
    "Chinchor 1995, Statistical Significance of MUC-6 Results, Sixth Message Understanding "
    "Conference"
)

# Rank by rank: F, and the ranks it is not told from.
_MUC6 = {
    "named_entity": (
        "96.42 1-3; 95.66 1-4,6; 94.92 1-9,11; 94.00 2-11; 93.65 3-12; 93.33 2-12; 92.88 3-12; "
        "92.74 3-12; 92.61 3-13; 91.20 4-13; 90.84 3-16; 89.06 5-16; 88.19 9-16; 85.82 11-16; "
        "85.73 11-16; 84.95 11-16; 67.62 17-18; 59.38 17-18; 35.46 19; 2.38 20"
    ),
    "template_element": (
        "79.99 1-2; 79.85 1-2,4-5; 77.31 3-6; 77.24 2-6; 76.29 2-8; 74.96 3-8; 74.32 5-8; "
        "71.97 5-10; 71.16 7-10; 69.80 8-10; 61.17 11; 53.80 12"
    ),
    "scenario_template": (
        "56.40 1-6,8; 54.39 1-8; 53.27 1-8; 51.63 1-9; 50.98 1-9; 50.96 1-9; 48.96 2-9; "
        "48.14 1-10; 43.24 4-10; 40.35 8-11; 33.44 10-11"
    ),
}
_MUC6_ERRATA = {
    "named_entity": (
        "Rows 17 to 20 are as the text has them (17 and 18 a group, 19 and 20 alone); the printed "
        "columns are shifted by one."
    ),
    "template_element": (
        "Printed asymmetrically in one pair: row 9 marks rank 7, row 7 does not mark rank 9."
    ),
}


def muc6_similarity(task: str) -> xr.DataArray:
    """Return which systems of a MUC-6 task were not significantly different.

    They are printed check marks, at significance level 0.01 with confidence 0.99.

    Parameters
    ----------
    task : {"named_entity", "template_element", "scenario_template"}
        Name of the task.

    Returns
    -------
    xarray.DataArray, dims (system_a, system_b), bool
        Marks. Systems are named by their rank, as printed; ``score`` on system_a is the F-score, in
        percent. ``attrs`` hold the citation and, if the print has an error, an ``erratum``.

    Raises
    ------
    ValueError
        If the task is none of these.

    Examples
    --------
    >>> import betterthan as bt
    >>> marks = bt.datasets.muc6_similarity("named_entity")
    >>> marks.sel(system_a="17").values.sum()
    np.int64(2)
    """
    rows = [row.split() for row in _MUC6[checks.one_of(task, tuple(_MUC6), "task")].split("; ")]
    ranks = [str(k + 1) for k in range(len(rows))]
    marks = np.zeros((len(rows), len(rows)), dtype=bool)
    for row, (_, similar) in enumerate(rows):
        for run in similar.split(","):
            first, _, last = run.partition("-")
            marks[row, int(first) - 1 : int(last or first)] = True
    coords: dict[Any, Any] = dict.fromkeys(names.SQUARE, ranks)
    coords["score"] = (names.SYSTEM_A, [float(score) for score, _ in rows])
    attrs = {"citation": MUC6_CITATION, "cutoff": names.CUTOFF, "confidence": names.CONFIDENCE}
    attrs |= {"erratum": _MUC6_ERRATA[task]} if task in _MUC6_ERRATA else {}
    return xr.DataArray(marks, dims=names.SQUARE, coords=coords, attrs=attrs, name="similar")


PANDALM_CITATION = (
    "Wang et al. 2024, PandaLM: An automatic evaluation benchmark for LLM instruction tuning "
    "optimization, ICLR 2024; test set of github.com/WeOpenML/PandaLM, commit 3871806 (Apache-2.0)"
)
_JUDGES = ("gpt-3.5", "pandalm-7b")
_SIGNALS = ("win", "loss", "tie", "unparsed")
# Two tables for each pair. Rows: what most of three people say of the first (win, loss or tie;
# three different votes are a tie). Columns: what gpt-3.5 says, and PandaLM-7B, without blanks.
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
        return dataset.from_table(
            {("llama-7b", "pythia-6.9b"): _WORKED}, labels_by=by
        ).assign_attrs(attrs)
    place = _JUDGES.index(judge)
    gold = {pair: np.array(both[place]) for pair, both in _COUNTS.items()}
    signals = _SIGNALS if judge == "gpt-3.5" else names.OUTCOMES
    table = {pair: (cells, cells.sum(0)) for pair, cells in gold.items()}
    return dataset.from_table(table, signals=signals, labels_by=by).assign_attrs(attrs)


LAPATA_CITATION = (
    "Lapata 2006, Automatic evaluation of information ordering: Kendall's tau, Computational "
    "Linguistics 32(4), 471-484"
)

# Table 1: ranks of the items A to J.
_RANKS = {
    "reference": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10),
    "system 1": (2, 1, 5, 3, 4, 6, 7, 9, 8, 10),
    "system 2": (10, 2, 3, 4, 5, 6, 7, 8, 9, 1),
}

# Table 3, bins 1 (highest tau) to 8: mean, lowest, highest and standard deviation of the ratings.
_RATINGS = (
    (5.348, 3.0, 7.0, 1.236),
    (4.916, 1.0, 7.0, 1.612),
    (4.927, 2.0, 7.0, 1.580),
    (4.470, 1.0, 7.0, 1.489),
    (4.382, 1.0, 7.0, 1.559),
    (4.208, 1.0, 7.0, 1.600),
    (4.028, 1.0, 7.0, 1.702),
    (3.966, 1.0, 7.0, 1.558),
)

# Section, value; of F both degrees of freedom, of a correlation N; what p is printed to be below.
_STATISTICS = {
    "tau, reference and system 1": ("2", 0.82),
    "tau, reference and system 2": ("2", 0.24),
    "tau, systems 1 and 2": ("2", 0.15),
    "values of tau": ("3.1.1", 29),
    "orders at tau 0.07": ("3.1.1", 3736),
    "orders at tau -0.07": ("3.1.1", 3736),
    "texts": ("3.1.1", 8),
    "sentences": ("3.1.1", 8),
    "bins": ("3.1.1", 8),
    "rated texts": ("3.1.1", 64),
    "texts with an order for each tau": ("3.1.1", 232),
    "volunteers": ("3.1.3", 189),
    "left out, no native speakers": ("3.1.3", 4),
    "left out, anomalous ratings": ("3.1.3", 6),
    "subjects": ("3.1.3", 179),
    "subjects per text": ("3.1.3", 22),
    "female subjects": ("3.1.3", 49),
    "male subjects": ("3.1.3", 42),
    "lowest age": ("3.1.3", 18),
    "highest age": ("3.1.3", 60),
    "mean age": ("3.1.3", 28.5),
    "F of ratings, by subjects": ("3.2", 42.60, 7, 1239, None, 0.01),
    "F of ratings, by items": ("3.2", 2.77, 7, 56, None, 0.01),
    "r, tau and ratings": ("3.2", 0.45, None, None, 64, 0.01),
    "correlations of one subject with the others": ("3.2", 178),
    "their mean": ("3.2", 0.56),
    "their minimum": ("3.2", 0.001),
    "their maximum": ("3.2", 0.94),
    "their SD": ("3.2", 0.25),
    "read texts": ("4.1.1", 24),
    "readers": ("4.1.3", 32),
    "wrong answers (%)": ("4.2", 12.3),
    "adjusted beyond (SD)": ("4.2", 2.5),
    "adjusted reading times (%)": ("4.2", 9.7),
    "F of reading times, by subjects": ("4.2", 6.39, 2, 62, None, 0.01),
    "F of reading times, by items": ("4.2", 4.23, 2, 14, None, 0.05),
    "r, tau and reading times": ("4.2", -0.48, None, None, None, 0.01),
    "r, ratings and reading times": ("4.2", -0.47, None, None, None, 0.01),
}


def ordering_ranks() -> xr.DataArray:
    """Return the ranks of ten items in a reference and in two systems (Table 1).

    Returns
    -------
    xarray.DataArray, dims (system, item)
        Ranks; ``attrs["citation"]`` is the source.

    Examples
    --------
    >>> import betterthan as bt
    >>> ranks = bt.datasets.ordering_ranks()
    >>> bt.orders.kendall_tau(ranks, "reference")["tau"].round(2).values.tolist()
    [0.82, 0.24]
    """
    from betterthan.orders.ranked import from_ranks  # loads scipy.stats

    ranks = from_ranks(pd.DataFrame.from_dict(_RANKS, orient="index", columns=list("ABCDEFGHIJ")))
    return ranks.assign_attrs(citation=LAPATA_CITATION, source="Table 1")


def ordering_ratings() -> pd.DataFrame:
    """Return human ratings of shuffled texts by bins of tau (Table 3).

    Each of 179 subjects rated one text of each bin, from 1 (incomprehensible) to 7. The ratings
    themselves and the bounds of the bins are not published.

    Returns
    -------
    pandas.DataFrame
        Index ``bin``, 1 for the highest tau; columns ``mean``, ``min``, ``max``, and ``sd``;
        ``attrs["citation"]`` is the source.

    Examples
    --------
    >>> import betterthan as bt
    >>> bt.datasets.ordering_ratings().loc[1].tolist()
    [5.348, 3.0, 7.0, 1.236]
    """
    bins = pd.RangeIndex(1, 9, name="bin")
    frame = pd.DataFrame(_RATINGS, bins, ["mean", "min", "max", "sd"])
    frame.attrs = {"citation": LAPATA_CITATION, "source": "Table 3"}
    return frame


def ordering_statistics() -> pd.DataFrame:
    """Return the published numbers outside the tables: taus, counts, F, and correlations.

    Returns
    -------
    pandas.DataFrame
        Index ``statistic``; columns ``section``, ``value``, ``df1`` and ``df2`` (of F), ``n`` (of a
        correlation), and ``p_below`` (the printed bound of p). A number that is not printed is NaN;
        ``attrs["citation"]`` is the source.

    Notes
    -----
    Some disagree with each other or with the data that they are computed from; the page on
    published numbers in the documentation lists them.

    Examples
    --------
    >>> import betterthan as bt
    >>> printed = bt.datasets.ordering_statistics()
    >>> printed.loc["F of ratings, by items", ["value", "df1", "df2", "p_below"]].tolist()
    [2.77, 7.0, 56.0, 0.01]
    """
    columns = ["section", "value", "df1", "df2", "n", "p_below"]
    rows = [(*row, *[None] * (len(columns) - len(row))) for row in _STATISTICS.values()]
    frame = pd.DataFrame(rows, pd.Index(_STATISTICS, name="statistic"), columns)
    frame = frame.astype(dict.fromkeys(columns[1:], float))
    frame.attrs = {"citation": LAPATA_CITATION}
    return frame


_FOLDER = Path(__file__).parent / "fits"
FITS = (
    *("clustered", "davidson", "graded", "hierarchical"),
    *("mallows", "performance_function", "rao_kupper"),
)


def example_fit(name: str) -> xr.DataTree:
    """Load a small fit that ships with the package, to try the functions for fits.

    Parameters
    ----------
    name : {"clustered", "davidson", "graded", "hierarchical", "mallows", "performance_function",
    "rao_kupper"}
        Model in `betterthan.models`; ``rao_kupper`` is the other form of ``davidson``, fitted to
        the same judgments.

    Returns
    -------
    xarray.DataTree
        Result of the model's ``fit``, with fewer draws and fewer groups: posterior, sample_stats,
        the data, and for the two models of judgments posterior_predictive and log_likelihood. The
        data are simulated: ``attrs["data"]`` is the call that draws them, ``attrs["fit"]`` the one
        that was fitted.

    Raises
    ------
    ValueError
        If there is no such fit.

    Examples
    --------
    >>> import betterthan as bt
    >>> tree = bt.datasets.example_fit("davidson")
    >>> tree["posterior"]["ability"].sizes
    Frozen({'chain': 4, 'draw': 400, 'system': 3})
    >>> tree.attrs["data"]
    'bt.models.davidson.simulate(3, judgments=200, rng=2)'
    """
    return _loaded(checks.one_of(name, FITS, "name")).copy(deep=True)


@cache
def _loaded(name: str) -> xr.DataTree:
    return xr.load_datatree(_FOLDER / f"{name}.nc", engine="h5netcdf")
