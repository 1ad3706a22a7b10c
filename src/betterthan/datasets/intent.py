"""Pairwise wins of intent detection systems, and the two cases of equal accuracy."""

from typing import Any

import xarray as xr

from betterthan import checks
from betterthan.counts.tables import from_contingency, from_table

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


def contingency_case(case: str) -> xr.DataArray:
    """Counts of one of the two constructed cases of Table A1: equal accuracies, unequal evidence.

    Parameters
    ----------
    case : {"a", "b"}
        In both, A is right on 710 and B on 700 of 1000 examples. In case a they differ on 14
        examples (12 to 2), in case b on 410 (210 to 200).

    Returns
    -------
    xarray.DataArray, dims (system_a, system_b, outcome)
        ``attrs["citation"]`` says where it was printed.

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
    """Wins of eight intent detection systems against each other, Table A2.

    Three data sets in five languages are pooled. The table prints no ties and no number of
    examples, so ties are unknown.

    Returns
    -------
    xarray.DataArray, dims (system_a, system_b, outcome)
        Outcomes win and loss. ``attrs["citation"]`` says where it was printed.

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


def _source(table: str) -> dict[str, Any]:
    return {"source": table, "citation": CITATION}
