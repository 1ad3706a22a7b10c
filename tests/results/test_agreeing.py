"""Right and wrong on the same examples: cells and coefficients, by counting and by formula."""

import numpy as np
import pytest
import xarray as xr

import betterthan as bt
from betterthan.results.context import CELLS, agreement_cells


def table(values):
    names = [f"s{k}" for k in range(values.shape[1])]
    return xr.DataArray(values.astype(float), dims=("item", "system"), coords={"system": names})


def pair_of(scores, first, second):
    whole = bt.compare(scores).by_engine().isel(engine=0)
    place = {str(s): k for k, s in enumerate(whole["system_a"].values)}
    found = agreement_cells(whole, [place[first]], [place[second]])
    return None if found is None else {name: values[0] for name, values in found.items()}


def kappa_by_hand(a, b):
    """1 - observed over expected disagreement (Cohen 1960)."""
    chance = a.mean() * b.mean() + (1 - a.mean()) * (1 - b.mean())
    return ((a == b).mean() - chance) / (1 - chance)


@pytest.mark.parametrize("seed", range(4))
def test_cells_and_coefficients_are_those_of_the_scores(seed):
    rng = np.random.default_rng(seed)
    values = rng.random((60, 3)) < [0.8, 0.7, 0.4]
    found, (a, b) = pair_of(table(values), "s0", "s2"), values.T[[0, 2]]
    counted = [(a & b).sum(), (a & ~b).sum(), (~a & b).sum(), (~a & ~b).sum()]
    assert [found[name] for name in CELLS] == counted
    assert found["phi"] == pytest.approx(np.corrcoef(a, b)[0, 1])
    assert found["kappa"] == pytest.approx(kappa_by_hand(a, b))


def test_of_cohens_own_kind_of_table():
    """40, 10, 20, 30 of 100: observed .7, by chance .5, kappa .4."""
    a = np.repeat([1, 1, 0, 0], [40, 10, 20, 30])
    b = np.repeat([1, 0, 1, 0], [40, 10, 20, 30])
    found = pair_of(table(np.stack([a, b], axis=1)), "s0", "s1")
    assert found["kappa"] == pytest.approx(0.4)
    assert found["phi"] == pytest.approx(1000 / np.sqrt(50 * 50 * 60 * 40))


def test_who_is_always_right_has_no_coefficient():
    found = pair_of(table(np.array([[1, 1], [1, 0], [1, 1]])), "s0", "s1")
    assert [found[name] for name in CELLS] == [2, 1, 0, 0]
    assert np.isnan([found["phi"], found["kappa"]]).all()


def test_nothing_is_told_where_it_is_not_known():
    rng = np.random.default_rng(1)
    graded = table(rng.random((20, 2)))
    assert pair_of(graded, "s0", "s1") is None
    values = (rng.random((20, 2)) < 0.6).astype(float)
    values[3, 1] = np.nan
    found = pair_of(table(values), "s0", "s1")
    assert found["both_right"] == -1
    assert np.isnan(found["phi"])
    assert "Only A" not in bt.report(bt.compare(bt.datasets.intent_detection()))


def test_the_report_has_them():
    values = np.random.default_rng(2).random((40, 2)) < [0.8, 0.5]
    written = bt.report(bt.compare(table(values)), format="markdown")
    assert "## Agreement" in written
    row = next(line for line in written.splitlines() if line.count("|") == 9 and "| s" in line)
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert sum(int(cell) for cell in cells[2:6]) == 40
