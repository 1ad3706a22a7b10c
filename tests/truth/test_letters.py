"""Tables have columns A and B: their letters must not be read as names of the other system."""

import re

import numpy as np
import pytest
import xarray as xr

import betterthan as bt


def scores_of(systems):
    rng = np.random.default_rng(2)
    values = (rng.random((60, len(systems))) < np.linspace(0.3, 0.8, len(systems))).astype(float)
    return xr.DataArray(values, dims=("item", "system"), coords={"system": list(systems)})


def rows(text, systems):
    """First system, second system and who is said to be better, of rows below the heads A, B."""
    found, lettered = [], False
    for line in text.splitlines():
        words, verdict = line.split(), re.search(r" (\w) better", line)
        if words[:2] == ["A", "B"] and not re.search(r"\d[^%]*$", line):
            lettered = True
        elif not words:
            lettered = False
        elif lettered and verdict and {*words[:2]} <= {*systems}:
            found.append((*words[:2], verdict[1]))
    return found


SETS = ["AB", "BA", "ABC", "CBA", "ACB", "XB", "BX", "XA", "AX"]


@pytest.mark.parametrize("systems", SETS)
@pytest.mark.parametrize("of", [bt.compare, lambda s: bt.scores.compare(s, rng=1, draws=500)])
def test_a_system_called_a_or_b_stands_in_its_column_and_rows_of_it_have_names(systems, of):
    best, worst = systems[-1], systems[0]  # by construction
    found = rows(bt.report(of(scores_of(systems))), systems)
    assert found
    for first, second, better in found:
        assert first != "B"
        assert second != "A"
        assert better == best or worst in (first, second)
        assert better in (first, second)


def test_p_values_speak_for_names_there():
    lines = bt.report(bt.compare(scores_of("ACB"))).splitlines()
    assert any(line.split()[:2] == ["A", "C"] and "(C)" in line for line in lines)
    assert any(line.split()[:2] == ["A", "B"] and "(B)" in line for line in lines)


def test_of_other_names_the_system_ahead_stands_first():
    found = rows(bt.report(bt.compare(scores_of("XY"))), "XY")
    assert set(found) == {("Y", "X", "A")}
    text = bt.report(bt.compare(scores_of("XYZ")))
    assert "the system ahead first\n" in text
    assert "in the column of its letter" in bt.report(bt.compare(scores_of("XYA")))
