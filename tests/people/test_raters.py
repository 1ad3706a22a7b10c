"""Agreement of raters: against published printouts, enumeration, and simulated truths."""

import warnings

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import betterthan as bt
from betterthan.exact import labels

# The example of a SAS printout; simple and weighted kappa are printed with four decimals.
PRINTED = [[0, 4, 1], [0, 8, 0], [0, 1, 5]]


def counts(cells):
    labels = [f"c{k}" for k in range(len(cells))]
    return bt.labels.from_table(pd.DataFrame(cells, labels, labels))


def rated(cells):
    """Ratings (rater, item) with these counts."""
    rows, columns = np.indices(np.shape(cells)).reshape(2, -1)
    times = np.ravel(cells)
    return np.array([np.repeat(rows, times), np.repeat(columns, times)])


def pair(found):
    return found.isel(rater_a=0, rater_b=1)


@pytest.mark.parametrize(("weights", "printed"), [(None, 0.4842), ("linear", 0.4701)])
def test_kappa_is_the_printed_one(weights, printed):
    for ratings in (counts(PRINTED), rated(PRINTED)):
        found = pair(bt.people.kappa(ratings, weights=weights, rng=1))
        assert found["kappa"].item() == pytest.approx(printed, abs=5e-5)
        assert found["agreement"].item() == pytest.approx(13 / 19)
        assert found["n_items"].item() == 19


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
def test_kappa_is_disagreement_over_that_of_all_pairs_of_ratings(weights):
    """Independent raters: every rating of one with every rating of the other, counted."""
    random = np.random.default_rng(3)
    a, b = random.integers(1, 6, (2, 40))
    cost = {None: lambda d: d != 0, "linear": np.abs, "quadratic": np.square}[weights]
    expected = 1 - cost(a - b).mean() / cost(a[:, None] - b).mean()
    found = pair(bt.people.kappa([a, b], weights=weights, rng=1))
    assert found["kappa"].item() == pytest.approx(expected)
    assert found["lower"] < expected < found["upper"]


def test_quadratic_kappa_is_the_concordance_of_numbers():
    """With squares it is 2 cov / (var + var + squared difference of means)."""
    a, b = np.random.default_rng(4).integers(1, 8, (2, 60))
    b = np.where(np.arange(60) % 3, a, b)
    apart = np.cov(a, b, ddof=0)
    expected = 2 * apart[0, 1] / (apart.trace() + (a.mean() - b.mean()) ** 2)
    found = pair(bt.people.kappa([a, b], weights="quadratic", rng=1))
    assert found["kappa"].item() == pytest.approx(expected)


def test_numbers_count_by_their_differences_and_labels_by_their_steps():
    numbers = np.array([[1, 1, 2, 10, 10, 2], [1, 2, 2, 10, 2, 1]])
    steps = pd.DataFrame(numbers).replace({1: "low", 2: "middle", 10: "high"})
    order = ["low", "middle", "high"]
    by_step = pair(bt.people.kappa(steps, weights="linear", categories=order, rng=1))
    same = pair(bt.people.kappa(np.where(numbers == 10, 3, numbers), weights="linear", rng=1))
    assert by_step["kappa"].item() == pytest.approx(same["kappa"].item())
    assert by_step["lower"].item() == same["lower"].item()
    assert pair(bt.people.kappa(numbers, weights="linear", rng=1))["kappa"] != by_step["kappa"]


def test_the_prior_of_many_categories_is_spread_over_some():
    """Graded ratings have a category each: the interval is near that of many raters' items."""
    random = np.random.default_rng(8)
    quality = random.normal(size=300)
    ratings = quality + random.normal(0, 0.5, (2, 300))
    found = pair(bt.people.kappa(ratings, weights="quadratic", rng=1, draws=1000))
    expected = 1 / (1 + 0.25)
    assert found["lower"] < expected < found["upper"]
    assert found["upper"] - found["lower"] < 0.12
    same = bt.people.alpha(ratings, level="interval", rng=1, draws=1000)
    assert same["alpha"].item() == pytest.approx(found["kappa"].item(), abs=0.005)
    assert same["lower"].item() == pytest.approx(found["lower"].item(), abs=0.02)


def test_two_categories_have_the_prior_of_jeffreys():
    """Bounds are quantiles of the posterior, by another sampler and within Monte Carlo error."""
    cells = np.array([[30, 5], [3, 12]])
    found = pair(bt.people.kappa(counts(cells), rng=1, draws=20_000))
    theta = np.random.default_rng(2).dirichlet(cells.ravel() + 0.5, 400_000).reshape(-1, 2, 2)
    by_chance = (theta.sum(2) * theta.sum(1)).sum(1)
    values = (theta[:, 0, 0] + theta[:, 1, 1] - by_chance) / (1 - by_chance)
    for name, level in (("lower", 0.025), ("upper", 0.975)):
        error = found[f"{name}_mcse"].item()
        assert abs(found[name].item() - np.quantile(values, level)) < 4 * error
        assert 0 < error < 0.01


def test_exchanged_raters_renamed_categories_and_missing_ratings():
    table = pd.DataFrame(
        [list("aabbccab"), [*"abbbcca", None], [None] * 7 + ["a"], list("aabbccab")],
        index=["w", "x", "y", "z"],
    )
    found = bt.people.kappa(table, rng=1)
    np.testing.assert_array_equal(found["kappa"].values, found["kappa"].values.T)
    np.testing.assert_array_equal(found["lower"].values, found["lower"].values.T)
    assert found["n_items"].sel(rater_a="w", rater_b="x") == 7
    assert found["n_items"].sel(rater_a="x", rater_b="y") == 0
    assert np.isnan(found["lower"].sel(rater_a="x", rater_b="y"))
    assert found["kappa"].sel(rater_a="w", rater_b="z") == 1
    assert found["upper"].sel(rater_a="w", rater_b="z") == 1  # the interval holds the estimate
    assert found["lower"].sel(rater_a="w", rater_b="z") < 0.9
    other = table.replace({"a": "z", "b": "y"})
    np.testing.assert_allclose(bt.people.kappa(other, rng=1)["kappa"], found["kappa"])
    array = xr.DataArray(table.to_numpy(), dims=("who", "item"), coords={"who": list("wxyz")})
    xr.testing.assert_equal(bt.people.kappa(array, rng=1), found)


def test_what_kappa_refuses_in_one_line():
    for ratings, choice, message in (
        (
            [[1, None], [None, 2]],
            {},
            "2 raters and no two of them rated the same item; kappa needs",
        ),
        ([[1, 2]], {}, "ratings have 1 rater; agreement needs two"),
        ([1, 2], {}, r"ratings have shape \(2,\); give a table, raters in rows"),
        ([[1, 1], [1, 1]], {}, "ratings are all 1; agreement beyond chance needs two categories"),
        ([[None], [None]], {}, "ratings are missing; agreement"),
        (["ab", "ba"], {}, "give a table"),
        ([[1.0, np.inf], [1.0, 2.0]], {}, "ratings hold inf; give finite numbers, or labels"),
        ([[1, 0], ["1", "0"]], {}, "ratings hold 0 and '0', which differ; give all raters numbers"),
        ([[1.5, 2.0], ["1.50", "2"]], {}, "ratings hold 1.5 and '1.50', which differ"),
        ([[True, False], ["true", "False"]], {}, "ratings hold False and 'False', which differ"),
        ([list("ab"), list("ba")], {"weights": "linear"}, "need an order of the labels"),
        ([list("ab"), list("ba")], {"weights": "cubic"}, "weights is 'cubic'; choose one of"),
        ([list("ab"), list("ba")], {"categories": "a"}, "rating 'b' is not among categories"),
        (counts(PRINTED), {"categories": "abc"}, "ratings are counts; give one table"),
    ):
        with pytest.raises(ValueError, match=message) as caught:
            bt.people.kappa(ratings, **choice)
        assert "\n" not in str(caught.value)


def test_kappa_is_undefined_where_both_always_say_the_same():
    found = pair(bt.people.kappa([[1, 1, None], [1, 1, 2]], rng=1))
    assert np.isnan(found["kappa"])
    assert found["agreement"] == 1
    assert -1 < found["lower"] < found["upper"] < 1


def test_expected_kappa_of_simulated_raters():
    """Raters that agree on a share of the items and choose by the margins on the others."""
    random, share, n = np.random.default_rng(5), 0.6, 200_000
    margin = [0.6, 0.3, 0.1]
    a, b, both = (random.choice(3, n, p=margin) for _ in range(3))
    agree = random.random(n) < share
    a, b = np.where(agree, both, a), np.where(agree, both, b)
    table = np.zeros((3, 3))
    np.add.at(table, (a, b), 1)
    for weights in (None, "linear", "quadratic"):
        value = labels.kappa(table, labels.disagreement(np.arange(3.0), weights))
        assert value == pytest.approx(share, abs=0.01)


# Krippendorff (2004), section 11.3: four raters, twelve units, printed with three decimals.
FOUR = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]


@pytest.mark.parametrize(
    ("level", "printed"),
    [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)],
)
def test_alpha_is_the_printed_one(level, printed):
    found = bt.people.alpha(FOUR, level=level, rng=1)
    assert found["alpha"].item() == pytest.approx(printed, abs=5e-4)
    assert (found["n_items"], found["n_ratings"], found["n_raters"]) == (11, 40, 4)
    assert found.attrs["n_dropped"] == 1
    assert found["lower"] < printed < found["upper"]


def pair_by_pair(ratings, level):
    """Alpha from loops over pairs of ratings: within items, and of all that are in pairs."""
    columns = [[v for v in column if v is not None] for column in zip(*ratings, strict=True)]
    columns = [column for column in columns if len(column) > 1]
    every = sorted(v for column in columns for v in column)

    def cost(a, b):
        if level == "nominal":
            return a != b
        if level == "ordinal":
            between = sum(min(a, b) <= v <= max(a, b) for v in every)
            return (between - (every.count(a) + every.count(b)) / 2) ** 2 if a != b else 0
        return (a - b) ** 2 / ((a + b) ** 2 if level == "ratio" and a + b else 1)

    within = sum(
        sum(cost(a, b) for a in column for b in column) / (len(column) - 1) for column in columns
    )
    overall = sum(cost(a, b) for a in every for b in every) / (len(every) - 1)
    return 1 - within / overall


@pytest.mark.parametrize("level", labels.LEVELS)
def test_alpha_is_counted_pair_by_pair(level):
    random = np.random.default_rng(6)
    values = np.where(random.random((3, 30)) < 0.5, random.integers(0, 9, 30), 4).astype(object)
    values[random.random(values.shape) < 0.2] = None
    found = bt.people.alpha(values, level=level, rng=1)["alpha"].item()
    assert found == pytest.approx(pair_by_pair(values.tolist(), level))


def test_alpha_of_two_raters_is_scotts_pi_with_its_correction():
    """Without missing ratings, 1 less alpha is 1 less pi times 1 less one over all ratings."""
    a, b = np.random.default_rng(7).integers(0, 3, (2, 25))
    shares = np.bincount([*a, *b], minlength=3) / 50
    by_chance = (shares**2).sum()
    pi = ((a == b).mean() - by_chance) / (1 - by_chance)
    found = bt.people.alpha([a, b], rng=1)["alpha"].item()
    assert 1 - found == pytest.approx((1 - pi) * (1 - 1 / 50))


def test_draws_of_alpha_for_two_raters_are_those_of_the_joint_table():
    """Weights of the items are the posterior of the table: its pi, from other draws."""
    cells = np.array([[30, 5], [3, 12]])
    found = bt.people.alpha(rated(cells), rng=1, draws=20_000)
    theta = np.random.default_rng(2).dirichlet(cells.ravel() + 0.5, 200_000).reshape(-1, 2, 2)
    shares = (theta.sum(2) + theta.sum(1)) / 2
    by_chance = (shares**2).sum(1)
    pi = (theta[:, 0, 0] + theta[:, 1, 1] - by_chance) / (1 - by_chance)
    values = 1 - (1 - pi) * (1 - 1 / 104)  # 50 items and two of the prior
    for name, level in (("lower", 0.025), ("upper", 0.975)):
        error = found[f"{name}_mcse"].item()
        assert abs(found[name].item() - np.quantile(values, level)) < 4 * error + 2e-3


def test_labels_in_order_and_scales_that_alpha_does_not_see():
    words = pd.DataFrame(FOUR, dtype=object).map(lambda v: v and f"{'edcba'[v - 1]}")
    order = list("edcba")
    expected = bt.people.alpha(FOUR, level="ordinal", rng=1)["alpha"].item()
    found = bt.people.alpha(words, level="ordinal", categories=order, rng=1)
    assert found["alpha"].item() == pytest.approx(expected)
    numbers = pd.DataFrame(FOUR, dtype=float)
    for level, changed in (("interval", 3 * numbers + 7), ("ratio", 5 * numbers)):
        same = bt.people.alpha(numbers, level=level, rng=1)
        other = bt.people.alpha(changed, level=level, rng=1)
        assert other["alpha"].item() == pytest.approx(same["alpha"].item())
        assert other["lower"].item() == pytest.approx(same["lower"].item())


def test_what_alpha_refuses_in_one_line():
    for ratings, choice, message in (
        ([[1, None], [None, 2]], {}, "ratings of 2 raters: no item has two of them; alpha needs"),
        ([[1, 1, None], [1, 1, 2]], {}, "all that share an item are the same; alpha needs"),
        ([list("ab"), list("ba")], {"level": "interval"}, "level='interval' needs numbers"),
        ([list("ab"), list("ba")], {"level": "ordinal"}, "level='ordinal' needs an order"),
        ([[1, -1], [1, 1]], {"level": "ratio"}, "ratings hold -1; level='ratio' needs at least 0"),
        ([[1, 2], [1, 1]], {"level": "metric"}, "level is 'metric'; choose one of nominal"),
    ):
        with pytest.raises(ValueError, match=message) as caught:
            bt.people.alpha(ratings, **choice)
        assert "\n" not in str(caught.value)


def test_categories_are_a_list():
    with pytest.raises(ValueError, match="categories are a int; give a list"):
        bt.people.kappa([[1, 2], [1, 2]], categories=5)


@pytest.mark.parametrize("measure", [bt.people.kappa, bt.people.alpha])
def test_items_in_rows_are_warned_of(measure):
    ratings = pd.DataFrame(np.random.default_rng(1).integers(0, 2, (24, 3)))
    with pytest.warns(
        UserWarning, match="24 raters, in rows, and 3 items, in columns; if rows are"
    ):
        measure(ratings, rng=1, draws=100)
    assert measure(ratings.T, rng=1, draws=100).attrs["draws"] == 100


def test_labels_that_look_alike_warn_and_so_do_numbers_in_two_spellings():
    """Kappa of labels that never agree is 0, where that of the same labels is 0.6."""
    one = ["yes", "no"] * 30
    two = ["Yes" if k % 5 else "No" for k in range(60)]
    for agreement in (bt.people.kappa, bt.people.alpha):
        with pytest.warns(UserWarning, match="'No' and 'no', which differ only by blanks, case"):
            agreement([one, two], rng=1)
        with pytest.warns(UserWarning, match=r"'1' and '1.0', which are one number in two"):
            agreement([["1", "0"] * 30, ["1.0", "0"] * 30], rng=1)
        codes = [f"1.{k}" for k in range(1, 11)] * 3  # such as sections: 1.10 is not 1.1
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            agreement([codes, codes], categories=codes[:10], rng=1)


def test_a_table_that_names_its_rows_as_items_is_not_taken_for_one_of_raters():
    rng = np.random.default_rng(0)
    truth = rng.integers(1, 6, 20)
    rated = {f"rater {k}": np.clip(truth + rng.integers(-1, 2, 20), 1, 5) for k in range(3)}
    table = pd.DataFrame(rated, index=pd.Index([f"q{k}" for k in range(20)], name="item"))
    array = xr.DataArray(table, dims=("item", "system"))
    for function in (bt.people.alpha, bt.people.kappa, bt.people.agreement):
        with pytest.raises(ValueError, match="rows called 'item'; transpose it"):
            function(table)
        more = {} if function is bt.people.agreement else {"rng": 1}
        xr.testing.assert_identical(function(array, **more), function(table.T, **more))


def test_weights_of_a_table_of_grades_are_by_the_grades_and_not_by_their_order():
    human, judge = [3, 1, 2, 5, 4, 4, 2, 1, 5, 3, 2, 4], [3, 2, 2, 4, 4, 5, 1, 1, 5, 3, 3, 4]
    tables = (bt.labels.confusion_matrix(human[::k], judge[::k]) for k in (1, -1))
    for ratings in ([human, judge], *tables):
        kappa = bt.people.kappa(ratings, weights="quadratic", rng=1)["kappa"]
        square = (np.subtract.outer(human, judge) ** 2).mean()
        mean = (np.subtract(human, judge) ** 2).mean()
        np.testing.assert_allclose(kappa.values[0, 1], 1 - mean / square, rtol=1e-12)


def test_several_labels_of_one_item_are_no_rating():
    ratings = [["a", ["a", "b"], "b"], ["a", "b", "b"]]
    for agreement in (bt.people.kappa, bt.people.alpha):
        with pytest.raises(ValueError, match="rating 2 is a list; give one label"):
            agreement(ratings)
