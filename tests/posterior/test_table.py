"""One table of answers, by every road: draws by pair, joint draws, closed forms."""

import numpy as np
import pytest
import xarray as xr

import betterthan as bt
from betterthan import names
from betterthan.exact.numeric.monte_carlo import probability_error, quantile_error
from betterthan.posterior import table
from betterthan.posterior.table import Question

SYSTEMS = list("ABCD")


@pytest.fixture(scope="module")
def joint():
    """Joint draws of four systems, of chains that go slowly; all draws put D first."""
    steps = np.random.default_rng(1).normal(size=(4, 1000, 4))
    for k in range(1, 1000):
        steps[:, k] = 0.6 * steps[:, k - 1] + 0.8 * steps[:, k]
    return steps + np.array([0.0, 0.1, 0.5, 12.0])


def by_pair(joint):
    a, b = np.triu_indices(4, 1)
    first, second = np.array(SYSTEMS)[a], np.array(SYSTEMS)[b]
    return xr.DataArray(
        joint[..., a] - joint[..., b],
        dims=("chain", "draw", "pair"),
        coords={
            "pair": [f"{x} vs {y}" for x, y in zip(first, second, strict=True)],
            "system_a": ("pair", first),
            "system_b": ("pair", second),
        },
    )


@pytest.mark.parametrize("kind", names.CI_KINDS)
def test_both_roads_give_the_same_numbers_on_the_same_draws(joint, kind):
    asked = Question(rope=0.1, ci_prob=0.8, ci_kind=kind)
    one = table.of_joint_draws(joint, SYSTEMS, asked)
    other = table.of_differences(by_pair(joint), asked, square=True)
    xr.testing.assert_allclose(one, other, rtol=1e-12)
    for name in ("prob_better_mcse", "mass_mcse"):
        np.testing.assert_array_equal(one[name], other[name])


def test_the_best_of_two_is_the_better_one_with_the_same_error(joint):
    two = joint[..., :2]
    pair = table.of_joint_draws(two, SYSTEMS[:2], Question())
    ranks = table.of_systems(two, SYSTEMS[:2])
    for end in ("", "_mcse"):
        np.testing.assert_allclose(
            ranks[f"prob_best{end}"][0], pair[f"prob_better{end}"][0, 1], rtol=1e-12
        )


def test_a_square_mirrors_what_is_said_of_a_pair(joint):
    found = table.of_joint_draws(joint, SYSTEMS, Question(rope=0.1))
    np.testing.assert_array_equal(np.diag(found["prob_better"]), 0.5)
    np.testing.assert_allclose(found["prob_better"] + found["prob_better"].values.T, 1)
    for name, mirrored in (("mean", "mean"), ("lower", "upper"), ("upper", "lower")):
        np.testing.assert_array_equal(
            found[f"difference_{name}"], -found[f"difference_{mirrored}"].values.T
        )
        np.testing.assert_array_equal(
            found[f"difference_{name}_mcse"], found[f"difference_{mirrored}_mcse"].values.T
        )
    np.testing.assert_array_equal(found["mass"], found["mass"].values.swapaxes(0, 1)[..., ::-1])
    assert found["mass"].values[0, 0].tolist() == [0, 1, 0]
    assert not np.diag(found["prob_better_mcse"]).any()


def test_lower_is_better_turns_the_masses_but_not_the_difference(joint):
    higher, lower = (
        table.of_joint_draws(joint, SYSTEMS, Question(rope=0.1), higher_is_better=higher)
        for higher in (True, False)
    )
    np.testing.assert_allclose(lower["prob_better"], higher["prob_better"].values.T, rtol=1e-12)
    np.testing.assert_array_equal(lower["difference_mean"], higher["difference_mean"])


def test_the_error_where_all_draws_agree_is_the_exact_bound(joint):
    exact = table.of_joint_draws(joint, SYSTEMS, Question(), independent=True)
    error = exact["prob_better_mcse"].sel(system_a="D", system_b="A").item()
    # draws that all agree are as likely as one standard normal deviate on that side
    assert (1 - error) ** 4000 == pytest.approx(0.1586552539, rel=1e-9)
    slow = table.of_joint_draws(joint, SYSTEMS, Question())
    assert slow["prob_better_mcse"].sel(system_a="D", system_b="A").item() > 2 * error


@pytest.mark.parametrize("k", [5, 20, 2000])
def test_the_error_of_a_probability_is_that_of_a_share(k):
    p = k / 4000
    expected = np.sqrt(p * (1 - p) / 4000)
    assert probability_error(p, 4000) == pytest.approx(expected, rel=1e-12)
    assert probability_error(1 - p, 4000) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("k", [0, 1, 4])
def test_few_draws_on_one_side_have_the_clopper_pearson_bound(k):
    from scipy import stats

    bound = probability_error(k / 50, 50) + k / 50
    assert stats.binom.cdf(k, 50, bound) == pytest.approx(stats.norm.sf(1), rel=1e-9)


def test_the_error_of_a_quantile_is_that_of_arviz(joint):
    import arviz as az

    draws = joint[..., 0]
    for level in (0.025, 0.5, 0.9):
        number = az.ess(draws, method="quantile", prob=level)
        found = quantile_error(
            np.sort(draws, axis=None)[:, None], np.array([level]), np.array([number])
        )
        expected = az.mcse(draws, method="quantile", prob=level)
        assert found[0] == pytest.approx(float(expected), rel=1e-3)


def answers(p, mass=None):
    """A square of two systems; `mass` of (A, B) as b_better, rope, a_better."""
    parts = {"prob_better": np.array([p])}
    if mass is not None:
        parts["mass"] = np.array([mass])
    return table.square_of(parts, ["A", "B"], np.array([0]), np.array([1]))


def test_verdicts_follow_the_rule_and_the_threshold():
    found = table.with_verdicts(answers(0.96), Question())
    assert found["verdict"].values.tolist() == [
        ["undecided", "a_better"],
        ["b_better", "undecided"],
    ]
    found = table.with_verdicts(answers(0.96), Question(threshold=0.97))
    assert (found["verdict"] == "undecided").all()
    asked = Question(rope=0.01)
    found = table.with_verdicts(answers(0.96, (0.0, 0.97, 0.03)), asked)
    assert (found["verdict"] == "equivalent").all()
    assert found["also_ahead"].values.tolist() == [[False, True], [True, False]]


def test_no_data_comes_before_no_verdict_and_neither_is_of_a_system_itself():
    n = xr.DataArray([[0, 0], [0, 0]], dims=names.SQUARE)
    sampled = answers(0.96)
    withheld = table.with_verdicts(sampled, Question(), converged=False)
    assert withheld["verdict"].values.tolist() == [
        ["undecided", "no_verdict"],
        ["no_verdict", "undecided"],
    ]
    assert not withheld["also_ahead"].any()
    empty = table.with_verdicts(sampled, Question(), converged=False, n=n)
    assert empty["verdict"].values.tolist() == [["undecided", "no_data"], ["no_data", "undecided"]]


def test_closed_forms_have_no_error():
    counts = bt.counts.from_table({("A", "B"): (12, 2, 986)})
    found = table.exact(xr.Dataset({"prob_better": bt.prob_better(counts)}))
    assert not found["prob_better_mcse"].any()
    assert not found["prob_better"].attrs


@pytest.mark.parametrize("threshold", [0.5, 1, 0.2])
def test_a_threshold_that_both_could_reach_is_refused(threshold):
    with pytest.raises(ValueError, match=f"threshold is {threshold}; give a number"):
        Question.checked(0.0, 0.95, "hdi", threshold)


def test_one_system_alone_is_the_best_and_in_no_pair():
    draws = np.random.default_rng(3).normal(size=(4, 100, 1))
    found = table.of_joint_draws(draws, ["A"], table.Question())
    assert found["prob_better"].values.tolist() == [[0.5]]
    ranks = table.of_systems(draws, ["A"])
    assert (ranks["prob_best"].item(), ranks["expected_rank"].item()) == (1, 1)
    assert ranks["in_best_set"].item()


def test_what_is_done_to_labels_of_one_table_is_not_done_to_the_next():
    parts = {"prob_better": np.array([0.3])}
    places = np.array([0]), np.array([1])
    first = table.square_of(parts, ["A", "B"], *places)
    first["system_a"].attrs["unit"] = "system"
    first.coords["system_b"].values[0] = "Z"
    first.coords["rank"] = 1
    next_ = table.square_of(parts, ["A", "B"], *places)
    assert next_["system_a"].attrs == {}
    assert "rank" not in next_.coords
    assert next_["system_b"].values.tolist() == ["A", "B"]
