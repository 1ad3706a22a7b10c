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


def split_with_one():
    """B scores better on 61 of 80 items, A has the better mean, C is far behind both."""
    random = np.random.default_rng(0)
    b = random.normal(0.5, 0.1, 80)
    a = b + random.normal(0, 0.01, 80) - 0.01
    a[random.random(80) < 0.1] += 0.35
    values = np.column_stack([a, b, b - 0.2 + random.normal(0, 0.05, 80)])
    return xr.DataArray(values, dims=("item", "system"), coords={"system": list("ABC")})


def test_the_best_is_named_with_the_systems_that_it_is_split_with():
    answer = bt.compare(split_with_one(), rng=1)
    first, second = answer.statement()[:2]
    assert answer.data["verdict"].sel(system_a="A", system_b="B") == "split"
    assert first.startswith("A is the best of 3 systems by mean score (probability 0.97")
    assert first.endswith("), but split with B (wins and means favor different systems).")
    assert "A 0.536, B 0.512" in second
    assert ", but split with B (" in bt.report(answer, format="sentence")
    assert "Decide which counts" in bt.report(answer, format="html", figures=False)


def test_a_system_that_is_practically_equivalent_to_another_is_not_simply_the_best():
    values = np.zeros((3000, 3))
    values[:2400] = 1
    values[:120, 1], values[2400:2488, 1], values[1000:1400, 2] = 0, 1, 0
    scores = xr.DataArray(values, dims=("item", "system"), coords={"system": list("ABC")})
    assert "practically equivalent to B" in bt.compare(scores, rope=0.03, rng=1).statement()[0]


def test_a_threshold_below_the_level_of_intervals_names_the_best():
    random = np.random.default_rng(4)
    values = (random.random((150, 4)) < [0.78, 0.70, 0.6, 0.5]) * 1.0
    scores = xr.DataArray(values, dims=("item", "system"), coords={"system": list("ABCD")})
    answer = bt.compare(scores, threshold=0.9, rng=1)
    best = answer.systems.sort_values("prob_best").iloc[-1]
    ahead = answer.data["verdict"].sel(system_a=best["system"]) == "a_better"
    assert 0.91 < best["prob_best"] < 0.95
    assert int(ahead.sum()) == 3
    assert f"{best['system']} is the best of 4 systems" in answer.statement()[0]
