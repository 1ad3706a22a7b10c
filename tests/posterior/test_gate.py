import arviz as az
import numpy as np
import pytest

import betterthan as bt
from betterthan import names
from betterthan.posterior.from_draws import _formatted


def build(draws, **stats):
    groups = {"posterior": {"p": draws}}
    if stats:
        groups["sample_stats"] = stats
    return az.from_dict(groups, dims={"p": ["pair"]}, coords={"pair": ["A vs B", "A vs C"]})


@pytest.fixture
def good():
    return np.random.default_rng(0).uniform(0.2, 0.8, size=(4, 500, 2))


@pytest.fixture
def energy():
    return np.random.default_rng(1).normal(size=(4, 500))


def test_good_draws_pass(good, energy):
    found = bt.fits.diagnose(build(good, diverging=np.zeros((4, 500), bool), energy=energy))
    assert found.passed
    assert found.failures == ()
    assert found.rhat_max < names.RHAT_MAX
    assert found.ess_min > names.ESS_MIN
    assert found.bfmi_min > names.BFMI_MIN


def test_exact_draws_need_no_sampler():
    found = bt.fits.diagnose(
        bt.posterior.draws(bt.counts.from_table({("A", "B"): (50, 0, 0)}), rng=1)
    )
    assert found.passed
    assert np.isnan(found.bfmi_min)
    assert found.divergences == 0


def test_shifted_chains_fail_and_are_named(good):
    good[0, :, 1] += 0.2
    found = bt.fits.diagnose(build(good))
    assert not found.passed
    assert found.rhat_max > 1.01
    assert any("R-hat of p[A vs C] is" in f and "draw more" in f for f in found.failures)


def test_sticky_chains_fail_by_effective_draws():
    steps = np.random.default_rng(0).normal(size=(4, 500, 2)).cumsum(1)
    found = bt.fits.diagnose(build(steps))
    assert found.ess_min < names.ESS_MIN
    assert any("Bulk ESS" in f for f in found.failures)
    assert any("Tail ESS" in f for f in found.failures)


def test_divergences_fail(good, energy):
    diverging = np.zeros((4, 500), bool)
    diverging[2, 7] = True
    found = bt.fits.diagnose(build(good, diverging=diverging, energy=energy))
    assert found.divergences == 1
    assert len(found.failures) == 1
    assert "1 of 2000 transitions diverged" in found.failures[0]
    assert "target_accept" in found.failures[0]


def test_bad_energy_fails(good, energy):
    found = bt.fits.diagnose(
        build(good, diverging=np.zeros((4, 500), bool), energy=energy.cumsum(1))
    )
    assert found.bfmi_min < names.BFMI_MIN
    assert any("BFMI" in f for f in found.failures)


def test_one_chain_fails(good):
    found = bt.fits.diagnose(build(good[:1]))
    assert found.chains == 1
    assert any("Only 1 chain" in f for f in found.failures)


@pytest.mark.parametrize(
    ("value", "limit", "digits", "shown"),
    [
        (1.0102, 1.01, 3, "1.0102"),
        (1.01000004, 1.01, 3, "1.01000004"),
        (1.23456, 1.01, 3, "1.235"),
        (399.7, 400, 0, "399.7"),
        (0.2999, 0.3, 2, "0.2999"),
        (float("nan"), 400, 0, "nan"),
    ],
)
def test_digits_show_on_which_side_of_the_limit_it_is(value, limit, digits, shown):
    assert _formatted(value, limit, digits) == shown


def test_nan_is_named_with_its_place(good):
    good[1, 3, 0] = np.nan
    assert bt.fits.diagnose(build(good)).failures == (
        "R-hat of p[A vs B] is not known: p holds NaN at chain 1, draw 3, pair A vs B; give finite "
        "draws.",
    )


def test_nan_fails(good):
    good[..., 0] = np.nan
    found = bt.fits.diagnose(build(good))
    assert not found.passed
    assert any("p[A vs B]" in f for f in found.failures)


def test_a_constant_difference_is_not_looked_at(good):
    tree = build(good)
    tree["posterior"]["difference"] = tree["posterior"]["p"] * 0
    assert bt.fits.diagnose(tree).passed


def test_tree_depth_is_told_but_no_failure(good, energy):
    reached = np.zeros((4, 500), bool)
    reached[0, :3] = True
    stats = {"diverging": np.zeros((4, 500), bool), "energy": energy, "maxdepth_reached": reached}
    found = bt.fits.diagnose(build(good, **stats))
    assert found.treedepth_reached == 3
    assert found.passed


def test_every_failure_is_one_sentence(good):
    good[0] += 5
    for failure in bt.fits.diagnose(build(good[:, :20])).failures:
        assert failure.endswith(".")
        assert "\n" not in failure


def test_only_the_free_mean_of_abilities_is_passed_over(good):
    """Nothing depends on the mean of ability_raw; of all else that is drawn, coordinates too,
    chains have to agree.
    """
    apart = good + 0.2 * (np.arange(4) == 0)[:, None, None]
    for name, passed in (
        ("ability_raw", True),
        ("ability", False),
        ("judge_tie_raw", False),
        ("dataset_raw", False),
    ):
        found = bt.fits.diagnose(az.from_dict({"posterior": {"p": good, name: apart}}))
        assert found.passed == passed, name


def test_the_free_mean_of_abilities_is_passed_over_in_an_adopted_model_of_this_package_too(good):
    apart = good + 0.2 * (np.arange(4) == 0)[:, None, None]
    labels = {"dims": {"difference": ["pair"]}, "coords": {"pair": ["A vs B"]}}
    drawn = {"difference": good[:, :, :1], "ability_raw": apart}
    with pytest.warns(UserWarning, match="ability_raw"):  # of a model of somebody's own it counts
        assert not bt.fits.diagnose(
            bt.fits.adopt(az.from_dict({"posterior": drawn}, **labels))
        ).passed
    both = az.from_dict({"posterior": drawn | {"ability": good}}, **labels)
    assert bt.fits.diagnose(bt.fits.adopt(both)).passed
