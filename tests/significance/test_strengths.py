import math

import numpy as np
import pytest
import xarray as xr
from scipy import optimize, stats

from betterthan.significance.corrections import strength

PAPER = {"B": (0.06, 0.10, 0.20, 0.30, 0.33, 0.35, 0.40, 0.40), "A": (0.02, 0.17)}


def rows_of(result, system):
    rows = result.isel(subset=result["favours"].values == system)
    return list(
        zip(
            rows["m"].values.tolist(),
            rows["p_value"].values.tolist(),
            rows["tail"].values.tolist(),
            strict=True,
        )
    )


def test_table_5():
    found = rows_of(strength(PAPER, simulations=10, rng=1), "B")
    printed = [
        (1, 0.06, 0.4614),
        (2, 0.10, 0.2639),
        (3, 0.20, 0.3222),
        (4, 0.30, 0.3504),
        (5, 0.33, 0.2064),
        (6, 0.35, 0.0949),
        (8, 0.40, 0.0123),
    ]
    assert [(m, p, round(tail, 4)) for m, p, tail in found] == printed


def test_the_other_system_and_the_erratum():
    result = strength(PAPER, simulations=10, rng=1)
    # printed 0.0861 for 1 - bcdf(0, 10, 0.02), which is 1 - .98 ** 10 = 0.1829
    assert [(m, p, round(tail, 4)) for m, p, tail in rows_of(result, "A")] == [
        (1, 0.02, 0.1829),
        (2, 0.17, 0.527),
    ]
    assert result["strongest"].sel(system="A").item() == pytest.approx(1 - 0.98**10, rel=1e-12)
    assert result["strongest_m"].values.tolist() == [8, 1]
    assert result["strongest_overall"].item() == result["strongest"].sel(system="B").item()
    assert (
        result["strongest"].attrs["label"]
        == result["strongest_overall"].attrs["label"]
        == "unadjusted for choosing"
    )


def boundary(strongest, measures):
    """The k-th smallest p-value at which the tail is `strongest`, and never above 1/2; by a root,
    not an inverse.
    """

    def gap(v, k):
        return stats.binom.sf(k - 1, measures, v) - strongest

    return [
        min(0.5, optimize.brentq(gap, 0, 1, args=(k,), xtol=1e-14)) for k in range(1, measures + 1)
    ]


def never_below(line, points):
    """P(the k-th smallest of so many uniform points on (0, 1/2) is above line[k], all k), by a walk
    over the line.
    """
    state, last = np.zeros(points + 1), 0.0
    state[0] = 1
    for k, edge in enumerate(line[:points]):
        # of what is left to the right of the last one
        share = (edge - last) / (0.5 - last) if edge < 0.5 else 1.0
        moved = np.zeros_like(state)
        for j in range(k + 1):  # at most k points below line[k], counted from 0
            more = np.arange(points - j + 1)
            moved[j:] += state[j] * stats.binom.pmf(more, points - j, share)
        moved[k + 1 :] = 0
        state, last = moved, edge
        if edge >= 0.5:
            return state[points] if points <= k else 0.0
    return state.sum()


def exact_levels(strongest, measures):
    """Level of each system and of either: how many measures favour the first is binomial, and given
    it all is free.
    """
    lines = [boundary(s, measures) for s in (*strongest, min(strongest))]
    weight = stats.binom.pmf(np.arange(measures + 1), measures, 0.5)
    own = [1 - sum(w * never_below(line, j) for j, w in enumerate(weight)) for line in lines[:2]]
    either = 1 - sum(
        w * never_below(lines[2], j) * never_below(lines[2], measures - j)
        for j, w in enumerate(weight)
    )
    return (*own, either)


@pytest.mark.parametrize(
    "p_values",
    [
        PAPER,
        {"A": (0.3,), "B": ()},
        {"A": (0.01, 0.4), "B": (0.2,)},
        {"A": (0.05,) * 3, "B": (0.5, 0.45)},
        {"A": (0.2, 0.2, 0.21, 0.3, 0.04), "B": (0.001, 0.49)},
    ],
)
def test_levels_against_an_exact_walk(p_values):
    result = strength(p_values, simulations=100_000, rng=2)
    strongest, measures = result["strongest"].values.tolist(), result.attrs["measures"]
    *own, either = exact_levels([min(s, 1 - 1e-12) for s in strongest], measures)
    own = [1.0 if s == 1 else level for s, level in zip(strongest, own, strict=True)]
    found = [*result["level"].values, result["level_overall"].item()]
    errors = [*result["level_mcse"].values, result["level_overall_mcse"].item()]
    for exact, level, mcse in zip([*own, either], found, errors, strict=True):
        assert level == pytest.approx(exact, abs=4 * mcse)


def test_one_measure_in_closed_form():
    result = strength({"A": (0.1,), "B": ()}, rng=3)
    assert result["strongest"].values.tolist() == [pytest.approx(0.1), 1]
    assert result["level"].sel(system="B").item() == 1
    assert result["strongest_m"].sel(system="B").item() == 0
    assert result["level"].sel(system="A").item() == pytest.approx(
        0.1, abs=4 * math.sqrt(0.09 / 100_000)
    )
    assert result["level_overall"].item() == pytest.approx(0.2, abs=4 * math.sqrt(0.16 / 100_000))


def test_choosing_makes_it_weaker_than_it_looks():
    result = strength(PAPER, rng=4)
    assert (result["level"] > result["strongest"]).all()
    assert result["level_overall"] > result["level"].min()


def test_exchanging_the_systems_is_a_relabelling():
    here = strength(PAPER, rng=5)
    there = strength({"A": PAPER["A"], "B": PAPER["B"]}, rng=6).sel(system=["B", "A"])
    np.testing.assert_array_equal(here["strongest"], there["strongest"])
    allowed = 5 * np.hypot(here["level_mcse"], there["level_mcse"])
    assert (abs(here["level"] - there["level"]) < allowed).all()


def test_two_sided_p_values_are_halved_and_it_is_said():
    doubled = {k: tuple(2 * p for p in v) for k, v in PAPER.items()}
    one, two = strength(PAPER, rng=7), strength(doubled, alternative="two-sided", rng=7)
    xr.testing.assert_equal(one, two)
    assert two.attrs["note"] == "the p-values were two-sided and are halved"


def test_more_measures_than_p_values():
    result = strength({"A": (0.1, 0.2), "B": ()}, measures=4, simulations=10, rng=1)
    np.testing.assert_allclose(result["tail"], [1 - 0.9**4, stats.binom.sf(1, 4, 0.2)], rtol=1e-12)
    assert result.attrs["measures"] == 4


def test_seed_is_recorded_and_repeats(tmp_path):
    first = strength(PAPER, rng=np.random.default_rng(8))
    xr.testing.assert_identical(first, strength(PAPER, rng=first.attrs["seed"]))
    first.to_netcdf(tmp_path / "strength.nc")
    xr.testing.assert_equal(first, xr.load_dataset(tmp_path / "strength.nc"))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: strength({"A": (0.1,)}), "p_values name 1 systems .'A'.; give two"),
        (
            lambda: strength({"A": (0.1,), "B": (), "C": ()}),
            "p_values name 3 systems .'A', 'B', 'C'.",
        ),
        (lambda: strength([0.1, 0.2]), "p_values is list; give a mapping of two systems"),
        (
            lambda: strength({"A": (1.2,), "B": ()}),
            "p-value in favour of 'A' 1.2 is outside 0 and 1",
        ),
        (
            lambda: strength({"A": (-0.1,), "B": ()}),
            "p-value in favour of 'A' -0.1 is outside 0 and 1",
        ),
        (
            lambda: strength({"A": (math.nan,), "B": ()}),
            "p-value in favour of 'A' nan is outside 0 and 1",
        ),
        (
            lambda: strength({"A": (0.7,), "B": ()}),
            "0.7 in favour of 'A' is above 1/2, so the other system",
        ),
        (
            lambda: strength({"A": (), "B": ()}),
            "p_values hold no p-value; give those of the measures",
        ),
        (
            lambda: strength(PAPER, measures=9),
            "there are 10 p-values but measures=9; give the number of all",
        ),
        (lambda: strength(PAPER, measures=2.5), "measures is 2.5; give a whole number"),
        (
            lambda: strength(PAPER, alternative="both"),
            "alternative is 'both'; choose one of greater, two-sided",
        ),
        (
            lambda: strength(PAPER, simulations=0),
            "simulations is 0; give a whole number of at least 1",
        ),
    ],
)
def test_bad_input_is_one_line(call, message):
    with pytest.raises(ValueError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)
