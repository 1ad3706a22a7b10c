"""Why posterior and tests differ, case by case."""

import numpy as np
import pytest
import xarray as xr

import betterthan as bt
from betterthan.results import significance_tables
from betterthan.results.context import report_context
from betterthan.results.significance_tables import reasons
from betterthan.signed import Signature


def cell_of(counts, **choices):
    found = bt.compare(bt.counts.from_table({("A", "B"): counts}), **choices)
    return found.data.isel(system_a=0, system_b=1), Signature.from_attrs(found.attrs)


@pytest.mark.parametrize(
    ("counts", "choices", "expected"),
    [
        ((20, 3, 5), {}, []),  # decided and significant
        ((6, 5, 40), {}, []),  # undecided and not significant
        ((4, 0, 10), {}, ["few"]),  # P = .969, but 4 of 4 cannot be below .125
        ((16, 6, 0), {}, ["sides"]),  # P = .983, p = .0525, one-sided .026
        ((13, 6, 0), {"prior": (1, 1, 1)}, []),  # P = .942
        ((17, 8, 0), {}, ["sides"]),  # P = .962, one-sided p .054, mid .032; two-sided mid-p .065
        ((300, 200, 500), {"rope": 0.2}, ["rope"]),  # real, and within the rope
        ((9, 1, 5), {"prior": (1, 50, 1)}, ["opposed", "prior"]),  # for A, the prior for B
    ],
)
def test_reasons(counts, choices, expected):
    assert reasons(*cell_of(counts, **choices)) == expected


@pytest.mark.parametrize(
    ("differences", "decided", "expected"),
    [
        ([1.0] * 8 + [-0.1] * 6, False, ["sizes"]),  # 8 to 6, but the wins are large
        # 15 to 6, but the losses are large: the mean is behind, p = 2 / 64
        ([0.05] * 15 + [-1.0] * 6, True, ["opposed", "sizes"]),
    ],
)
def test_sizes_of_differences_can_decide(differences, decided, expected):
    d = np.array(differences)
    scores = np.stack([np.maximum(d, 0), np.maximum(-d, 0)], axis=1)
    data = xr.DataArray(scores, dims=("item", "system"), coords={"system": ["A", "B"]})
    found = bt.compare(data, quantity="wins", tests=["randomization"])
    cell = found.data.isel(system_a=0, system_b=1)
    assert (str(cell["verdict"].item()) == "a_better") == decided
    assert cell["p_value"].item() <= 0.05
    assert reasons(cell, Signature.from_attrs(found.attrs)) == expected


@pytest.mark.parametrize(
    ("differences", "test", "expected"),
    [
        ([0.3] * 20 + [-0.05] * 14, "sign", ["sizes"]),  # 20 to 14 wins, p = .39
        ([0.3] * 23 + [-0.3] * 11, "sign", ["sides"]),  # p = .058, mid-p .02 on one side
        ([0.3] * 24 + [-0.3] * 12, "randomization", ["sides"]),
    ],
)
def test_a_mean_has_no_prior_that_could_explain_a_test(differences, test, expected):
    d = np.array(differences)
    scores = np.stack([np.maximum(d, 0), np.maximum(-d, 0)], axis=1)
    data = xr.DataArray(scores, dims=("item", "system"), coords={"system": ["A", "B"]})
    found = bt.compare(data, quantity="mean", tests=[test])
    cell = found.data.isel(system_a=0, system_b=1)
    assert (str(cell["verdict"].item()), cell["p_value"].item() > 0.05) == ("a_better", True)
    assert reasons(cell, Signature.from_attrs(found.attrs)) == expected


def test_many_pairs():
    rng = np.random.default_rng(3)
    values = (rng.random((60, 8)) < np.linspace(0.45, 0.75, 8)).astype(float)
    data = xr.DataArray(
        values, dims=("item", "system"), coords={"system": [f"s{k}" for k in range(8)]}
    )
    found = bt.compare(data).data
    p, adjusted = found["p_value"].values[0], found["p_adjusted"].values[0]
    lost = [(i, j) for i in range(8) for j in range(i + 1, 8) if p[i, j] <= 0.05 < adjusted[i, j]]
    assert lost
    for i, j in lost:
        assert reasons(found.isel(system_a=i, system_b=j), Signature.from_attrs(found.attrs)) == [
            "many"
        ]


def test_rows_point_to_the_notes():
    part = significance_tables.tests_part(
        report_context(bt.compare(bt.datasets.intent_detection()).by_engine())
    )
    (table,) = part.tables
    assert table.heads[-3:] == ("sign p", "Holm sign p", "Differ, why")
    pointed = {int(k) for row in table.rows for k in row[-1].split(", ") if k}
    assert pointed
    numbered = [note.split(".")[0] for note in part.notes if note[0].isdigit()]
    assert numbered == [str(k) for k in sorted(pointed)]
    assert any("28 pairs posterior and tests agree" in note for note in part.notes)


def test_unconverged_chains_leave_the_tests():
    cell, made = cell_of((20, 3, 5))
    cell["verdict"] = xr.DataArray("no_verdict")
    assert reasons(cell, made) == ["chains"]


@pytest.mark.parametrize("format", ["text", "markdown", "html", "latex"])
def test_every_format_has_tests_and_groups(format):
    written = bt.report(bt.compare(bt.datasets.intent_detection()), format=format, figures=False)
    assert "Posterior and tests" in written
    assert "at most 0.05" in written
    assert "These verdicts are pairwise." in " ".join(written.split())
    assert ("checkmark" if format == "latex" else "✓") in written


def test_two_systems_have_no_groups_and_no_correction():
    written = bt.report(bt.compare(bt.datasets.contingency_case("a")))
    assert "Holm sign p" not in written
    assert "✓" not in written
    assert "sign p" in written
