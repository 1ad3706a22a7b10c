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
    """First system, second system and the letter of the verdict, of rows below the heads A, B."""
    found, lettered = [], False
    for line in text.splitlines():
        words, verdict = line.split(), re.search(r" ([AB]) better", line)
        if words[:2] == ["A", "B"] and not re.search(r"\d[^%]*$", line):
            lettered = True
        elif not words:
            lettered = False
        elif lettered and verdict and {*words[:2]} <= {*systems}:
            found.append((*words[:2], verdict[1]))
    return found


@pytest.mark.parametrize("systems", ["AB", "BA", "ABC", "CBA", "ACB", "XB", "BX", "XA", "AX"])
@pytest.mark.parametrize("of", [bt.compare, lambda s: bt.scores.compare(s, rng=1, draws=500)])
def test_a_system_called_a_or_b_stands_in_its_column(systems, of, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    best = systems[-1]  # by construction
    found = rows(bt.report(of(scores_of(systems))), systems)
    assert found
    for first, second, named in found:
        assert first != "B"
        assert second != "A"
        better = first if named == "A" else second
        if best in (first, second):
            assert better == best


def test_of_other_names_the_system_ahead_stands_first():
    found = rows(bt.report(bt.compare(scores_of("XY"))), "XY")
    assert set(found) == {("Y", "X", "A")}
    text = bt.report(bt.compare(scores_of("XYZ")))
    assert "the system ahead first\n" in text
    assert "in the column of its letter" in bt.report(bt.compare(scores_of("XYA")))
