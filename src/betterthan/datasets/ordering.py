"""An article on Kendall's tau: its example, ratings of texts, and what it prints of two studies."""

import pandas as pd
import xarray as xr

from betterthan.orders.ranked import from_ranks

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
