"""Tables name the winner: no letter of a column can be read as the name of the other system."""

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
    """First system, second system and who is said to be better, of rows below System, Other."""
    found, headed = [], False
    for line in text.splitlines():
        words, verdict = line.split(), re.search(r" (\w) better", line)
        if words[:2] == ["System", "Other"]:
            headed = True
        elif not words:
            headed = False
        elif headed and verdict and {*words[:2]} <= {*systems}:
            found.append((*words[:2], verdict[1]))
    return found


SETS = ["AB", "BA", "ABC", "CBA", "ACB", "XB", "BX", "XA", "AX", "XY", "XYZ"]


@pytest.mark.parametrize("systems", SETS)
@pytest.mark.parametrize("of", [bt.compare, lambda s: bt.scores.compare(s, rng=1, draws=500)])
def test_the_system_ahead_stands_first_and_is_the_one_that_is_named(systems, of):
    best, worst = systems[-1], systems[0]  # by construction
    found = rows(bt.report(of(scores_of(systems))), systems)
    assert found
    for first, second, better in found:
        assert better == first
        assert better == best or worst in (first, second)


def test_p_values_speak_for_names_there():
    lines = bt.report(bt.compare(scores_of("ACB"))).splitlines()
    assert any(line.split()[:2] == ["C", "A"] and "(C)" in line for line in lines)
    assert any(line.split()[:2] == ["B", "A"] and "(B)" in line for line in lines)
