"""The stepwise search against R, against refitting, and against every subset; what is left out
against refits.
"""

import itertools
import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from betterthan.exact import regression

REFERENCE = Path(__file__).parents[2] / "reference"
MOVES = {
    "forward": (True, False, False),
    "backward": (False, True, True),
    "both": (True, True, False),
}


def search(x, y, direction, groups=None):
    add, drop, everything = MOVES[direction]
    z, _, _ = regression.standardise(x)
    return regression.search(
        *regression.cross_products(z, y - y.mean(), groups),
        add=add,
        drop=drop,
        everything=everything,
    )


def aic(x, y):
    design = np.column_stack([np.ones(len(y)), x])
    rss = np.linalg.lstsq(design, y)[1] if x.shape[1] else [((y - y.mean()) ** 2).sum()]
    return len(y) * np.log(rss[0] / len(y)) + 2 * design.shape[1]


def data(seed, n=35, p=8):
    random = np.random.default_rng(seed)
    x = random.normal(size=(n, p)) * random.uniform(0.1, 20, p) + 3
    return x, x[:, 0] / x[:, 0].std() - 0.5 * x[:, 1] / x[:, 1].std() + random.normal(size=n)


@pytest.fixture(scope="module")
def cars():
    table = pd.read_csv(REFERENCE / "mtcars.csv")
    return table.drop(columns="mpg"), table["mpg"].to_numpy()


@pytest.fixture(scope="module")
def printed():
    return tomllib.loads((REFERENCE / "step_mtcars.toml").read_text("utf-8"))


@pytest.mark.parametrize(
    ("case", "direction"), [("backward_end", "backward"), ("forward", "forward"), ("both", "both")]
)
def test_path_is_that_of_r(cars, printed, case, direction):
    x, y = cars
    expected = printed[case]
    found = search(x.to_numpy(), y, direction)
    moved = [str(x.columns[k[0]]) for k, _ in found.steps[1:]]
    assert moved == [m[2:] for m in expected["moves"]]
    rounded = [round(float(a[0]), expected["decimals"]) for _, a in found.steps]
    assert rounded == expected["aic"]
    assert set(x.columns[found.inside[0]]) == set(expected["chosen"])


def test_every_candidate_is_that_of_r(cars, printed):
    x, y = cars
    z, _, _ = regression.standardise(x.to_numpy())
    products, size = regression.cross_products(z, y - y.mean())
    for name, gone in (("first", []), ("second", [0]), ("third", [0, 6]), ("fourth", [0, 6, 9])):
        inside = np.ones(10, dtype=bool)
        inside[gone] = False
        costs = regression.candidates(products[0], size[0], inside)
        for feature, value in printed["backward"][name].items():
            assert round(float(costs[x.columns.get_loc(feature)]), 3) == value
    for case, name, inside in (("forward", "first", []), ("both", "last", ["wt", "cyl", "hp"])):
        costs = regression.candidates(products[0], size[0], x.columns.isin(inside))
        for feature, value in printed[case][name].items():
            assert round(float(costs[x.columns.get_loc(feature)]), 1) == value


@pytest.mark.parametrize("direction", list(MOVES))
@pytest.mark.parametrize("seed", range(5))
def test_ends_where_no_refit_is_better(direction, seed):
    x, y = data(seed)
    found = search(x, y, direction)
    inside = np.flatnonzero(found.inside[0])
    here = aic(x[:, inside], y)
    assert found.steps[-1][1][0] == pytest.approx(here, abs=1e-9)
    add, drop, _ = MOVES[direction]
    moves = [np.setxor1d(inside, [k]) for k in range(x.shape[1]) if (drop if k in inside else add)]
    assert min(aic(x[:, m], y) for m in moves) >= here - 1e-9


@pytest.mark.parametrize("seed", range(3))
def test_finds_the_best_of_all_subsets_where_the_features_are_orthogonal(seed):
    x = np.linalg.qr(
        np.column_stack([np.ones(40), np.random.default_rng(seed).normal(size=(40, 7))])
    )[0][:, 1:]
    y = x @ np.array([3.0, -2, 1.5, 0.8, 0, 0, 0]) + 0.3 * np.random.default_rng(seed + 50).normal(
        size=40
    )
    subsets = [s for k in range(8) for s in itertools.combinations(range(7), k)]
    best = min(subsets, key=lambda s: aic(x[:, s], y))
    for direction in MOVES:
        assert tuple(np.flatnonzero(search(x, y, direction).inside[0])) == best


@pytest.mark.parametrize("direction", list(MOVES))
def test_every_fold_is_a_search_of_its_own(direction):
    x, y = data(3, p=12)
    groups = np.repeat(np.arange(12), 3)[:35]
    found = search(x, y, direction, groups)
    z, _, _ = regression.standardise(x)
    for fold in range(12):
        rest = groups != fold
        alone = search(x[rest], y[rest], direction)
        np.testing.assert_array_equal(found.inside[fold], alone.inside[0])
        design = regression.design(z[rest][:, found.inside[fold]])
        weights = np.linalg.lstsq(design, y[rest] - y.mean())[0]
        np.testing.assert_allclose(
            found.coefficients[fold][np.r_[True, found.inside[fold]]], weights, atol=1e-10
        )


def test_of_equal_moves_the_first_is_made():
    column = np.array([1.0, 2, 4, 3, 6, 5, 7, 9])
    other = column.copy()
    y = column + np.array([0.1, -0.2, 0.3, 0, -0.1, 0.2, 0, -0.3])
    found = search(np.column_stack([other, column]), y, "both")
    assert found.inside[0].tolist() == [True, False]  # a copy adds nothing and does not enter


def test_collinear_features_do_not_enter_together():
    x, y = data(1, p=4)
    x = np.column_stack([x, x[:, 0] + x[:, 1]])
    found = search(x, y, "backward")
    assert np.isfinite(found.coefficients).all()
    assert found.inside[0].sum() <= 4


@pytest.mark.parametrize(
    "groups", [np.arange(20), np.repeat(np.arange(5), 4), np.array([0] * 9 + [1] * 9 + [2, 3])]
)
def test_left_out_residuals_are_those_of_refits(groups):
    x, y = data(8, n=20, p=3)
    found, rest = regression.left_out(x, y, groups)
    for group in range(groups.max() + 1):
        keep = groups != group
        design = regression.design(x)
        weights, rss = np.linalg.lstsq(design[keep], y[keep])[:2]
        np.testing.assert_allclose(found[~keep], y[~keep] - design[~keep] @ weights, rtol=1e-8)
        assert rest[group] == pytest.approx(rss[0], rel=1e-8)


@pytest.mark.parametrize("groups", [np.arange(12), np.arange(12) // 2])
def test_a_row_that_alone_determines_a_coefficient_has_no_prediction(groups):
    x, y = data(8, n=12, p=2)
    x[:, 1] = 0
    x[4, 1] = 1
    found, rest = regression.left_out(x, y, groups)
    assert np.isinf(found[groups == groups[4]]).all()
    assert np.isnan(rest[groups[4]])
    assert np.isfinite(found[groups != groups[4]]).all()


def test_dependent_columns_are_named():
    x, _ = data(2, p=4)
    assert regression.dependent(x) is None
    with_sum = np.column_stack([x, x[:, 1] - 2 * x[:, 3] + 7])
    scaled = regression.standardise(with_sum)[0]
    column, others, left = regression.dependent(scaled)
    assert (column, others) == (4, [1, 3])
    assert left < 1e-14
