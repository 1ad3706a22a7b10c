"""Draws of pass^k and pass@k: closed forms, order in k, bounds of any shape, exchanged systems."""

import numpy as np
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, special, stats

import betterthan as bt
from betterthan.exact.wins import rasch
from betterthan.fits import of_runs
from betterthan.posterior.pairwise import Fit

K = (1, 2, 3, 5, 9)
RUNS = (3, 5)


def tree_of(seed=1, chains=4, draws=600, shift=0.0):
    """Draws of two systems that ran 3 and 5 times; `shift` moves the chains apart."""
    random = np.random.default_rng(seed)
    over, size = ("chain", "draw"), (chains, draws)
    ability = random.normal(0.4, 0.2, size=(*size, 1)) + shift * np.arange(chains)[:, None, None]
    correlation = random.beta(8, 3, size=(*size, 2))
    posterior = xr.Dataset(
        {
            "ability": ((*over, "system"), np.concatenate([ability, -ability], axis=-1)),
            "trial_correlation": ((*over, "system"), correlation),
            "mean": (over, random.normal(0.3, 0.2, size=size)),
            "difficulty_sd": (over, random.gamma(20, 1 / 15, size=size)),
        },
        coords={"system": ["A", "B"]},
        attrs={"model": "repeated", "prior": [1.0]},
    )
    trials = xr.Dataset(
        {"trials": (("item", "system"), np.tile(RUNS, (9, 1)))}, {"system": ["A", "B"]}
    )
    return xr.DataTree.from_dict({"posterior": posterior, "constant_data": trials})


def draws_of(tree, kind, k=K):
    return of_runs.of_draws(Fit.from_tree(tree, ("repeated",)), k, np.array(RUNS), kind)


def exchanged(tree):
    groups = {name: tree[name].to_dataset().isel(system=[1, 0]) for name in tree.children}
    return xr.DataTree.from_dict(groups)


POINTS = st.tuples(st.floats(-6, 6), st.floats(0.05, 6), st.floats(1e-6, 1 - 1e-6))


@settings(max_examples=60, deadline=None)
@given(POINTS)
def test_more_runs_succeed_less_often_within_the_bounds_of_any_shape(point):
    place, spread, correlation = (np.array(v) for v in point)
    numbers = [1, 2, 3, 7, 20]
    all_of = rasch.all_succeed(place[None], spread, correlation[None], numbers)[:, 0]
    once = rasch.expected_score(np.zeros(1), place, spread, None)
    assert all_of[0] == pytest.approx(once.item(), abs=1e-12)
    assert (np.diff(all_of) <= 1e-15).all()
    for r, known in zip(numbers, all_of, strict=True):
        for k, value in zip(numbers, all_of, strict=True):
            if k > r:
                assert known ** (k / r) * (1 - 1e-12) <= value <= known


@pytest.mark.parametrize("correlation", [1e-7, 0.02, 0.4, 0.97])
def test_equal_items_have_the_moments_of_a_beta(correlation):
    place, kappa = np.array([-2.0, 0.3, 3.0]), 1 / correlation - 1
    share = special.expit(place)
    found = rasch.all_succeed(place, np.array(1e-9), np.full(3, correlation), [1, 4, 30])
    for k, values in zip((1, 4, 30), found, strict=True):
        j = np.arange(k)[:, None]
        assert values == pytest.approx(np.prod((kappa * share + j) / (kappa + j), axis=0), rel=1e-7)
    assert found[1] == pytest.approx(
        stats.betabinom.pmf(4, 4, kappa * share, kappa * (1 - share)), rel=1e-5
    )


@pytest.mark.parametrize(("spread", "correlation"), [(0.3, 0.5), (2.0, 0.01), (5.0, 1e-5)])
def test_difficulties_are_integrated_out(spread, correlation):
    kappa = 1 / correlation - 1

    def density(z, k=12):
        share = special.expit(0.8 - spread * z)
        j = np.arange(k)
        return np.prod((kappa * share + j) / (kappa + j)) * stats.norm.pdf(z)

    exact = integrate.quad(density, -12, 12, epsabs=1e-13, points=[0.8 / spread], limit=200)[0]
    found = rasch.all_succeed(np.array([0.8]), np.array(spread), np.array([correlation]), [12])
    assert found.item() == pytest.approx(exact, abs=1e-8)


@pytest.mark.parametrize("kind", ["all", "any"])
def test_every_draw_is_within_its_bounds_and_ordered_in_k(kind):
    value, low, high = draws_of(tree_of(), kind)
    assert (low <= value + 1e-14).all()
    assert (value <= high + 1e-14).all()
    identified = np.array(K) <= np.array(RUNS)[:, None]
    assert (low == high)[..., identified].all()
    assert (low < high)[..., ~identified].all()
    assert (np.diff(value) * (1 if kind == "any" else -1) > 0).all()


def test_one_run_is_all_and_any():
    both = [draws_of(tree_of(), kind, (1,))[0] for kind in ("all", "any")]
    assert both[0] == pytest.approx(both[1], abs=1e-14)


@pytest.mark.parametrize("kind", ["all", "any"])
def test_exchanged_systems_mirror_the_answer(kind):
    one, other = (bt.fits.reliability(t, k=K, kind=kind) for t in (tree_of(), exchanged(tree_of())))
    other = other.sel(system=["A", "B"], system_a=["A", "B"], system_b=["A", "B"])
    # the error of a bound is a distance of two draws, which may be the next ones when reversed
    ends = [f"difference_{end}_mcse" for end in ("lower", "upper")]
    one, other = one.drop_vars(ends), other.drop_vars(ends)
    xr.testing.assert_allclose(one, other, rtol=1e-12)
    mirrored = one.rename(system_a="system_b", system_b="system_a").transpose(
        "system_a", "system_b", ...
    )
    xr.testing.assert_allclose(one["prob_better"], 1 - mirrored["prob_better"])
    xr.testing.assert_allclose(one["difference_lower"], -mirrored["difference_upper"])


def test_the_table_is_that_of_the_draws():
    value, low, high = draws_of(tree_of(), "all")
    found = bt.fits.reliability(tree_of(), k=K, ci_kind="eti")
    assert found["reliability"].values == pytest.approx(value.mean((0, 1)))
    ends = np.quantile(value, [0.025, 0.975], axis=(0, 1))
    assert np.stack([found["lower"], found["upper"]]) == pytest.approx(ends)
    assert found["bound_lower"].values == pytest.approx(np.quantile(low, 0.025, axis=(0, 1)))
    assert found["bound_upper"].values == pytest.approx(np.quantile(high, 0.975, axis=(0, 1)))
    assert found["runs"].values.tolist() == list(RUNS)
    ahead = (value[:, :, 0] > value[:, :, 1]).mean((0, 1))
    assert found["prob_better"].sel(system_a="A", system_b="B").values == pytest.approx(ahead)
    sampled = [n for n in found if not str(n).endswith("_mcse") and f"{n}_mcse" in found]
    assert {"reliability", "lower", "bound_upper", "prob_better", "difference_mean"} <= {*sampled}
    assert all((found[f"{n}_mcse"] >= 0).all() for n in sampled)
    assert found.attrs["kind"] == "all"


def test_beyond_the_runs_there_is_no_verdict():
    found = bt.fits.reliability(tree_of(), k=K, threshold=0.51)
    assert found["extrapolated"].values.tolist() == [
        [False] * 3 + [True] * 2,
        [False] * 4 + [True],
    ]
    verdict = found["verdict"].sel(system_a="A", system_b="B").values.tolist()
    assert verdict == ["a_better"] * 3 + ["no_verdict"] * 2
    assert set(found["verdict"].sel(system_a="A", system_b="A").values) == {"undecided"}


def test_chains_that_disagree_give_no_verdict():
    with pytest.warns(UserWarning, match="no verdict: R-hat"):
        found = bt.fits.reliability(tree_of(shift=0.5), k=1)
    assert found["verdict"].sel(system_a="A", system_b="B").item() == "no_verdict"


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"k": 0}, "k is 0; give a whole number of at least 1"),
        ({"k": (1, 2.5)}, "k is 2.5; give a whole number"),
        ({"k": ()}, "k is empty; give numbers of runs"),
        ({"k": (3, 3)}, r"k is \[3, 3\], which repeats a number"),
        ({"k": 5000}, "k is 5000; give at most 1,000"),
        ({"k": "3"}, "k is '3'; give a whole number"),
        ({"kind": "most"}, "kind is 'most'; choose one of all, any"),
        ({"rope": -1}, "rope is -1"),
    ],
)
def test_choices_that_are_refused(choices, message):
    with pytest.raises(ValueError, match=message):
        bt.fits.reliability(tree_of(), **choices)


def test_a_fit_of_another_model_is_refused():
    with pytest.raises(ValueError, match=r"is a fit of davidson; give a fit .*, of repeated"):
        bt.fits.reliability(bt.datasets.example_fit("davidson"))
