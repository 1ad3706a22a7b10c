"""Answers under a PyMC distribution, beside those of numbers and of quadrature."""

import arviz as az
import numpy as np
import pymc as pm
import pytest

import betterthan as bt
from betterthan.models import beta_binomial, dirichlet_multinomial, hierarchical, judge
from betterthan.models.sampling import Sampling
from validation import distances, of_pooled_pairs

COUNTS = bt.counts.from_table({("A", "B"): (12, 2, 30), ("A", "C"): (5, 6, 7)})


@pytest.fixture(scope="module")
def pooled():
    """Six pairs whose concentration is estimated, and their counts."""
    counts = of_pooled_pairs.simulate(rng=4)["counts"]
    prior = of_pooled_pairs.prior()
    return dirichlet_multinomial.fit(counts, prior=prior, sampling=Sampling(draws=500), rng=7)


@pytest.mark.sampled
def test_pairs_that_pool_agree_with_quadrature(pooled, whole):
    whole(pooled)
    counts = of_pooled_pairs.simulate(rng=4)["counts"].values
    concentration, better = of_pooled_pairs.exact(counts)
    of = distances.from_weights(distances.drawn(pooled, "concentration"), concentration)
    assert max(of["abs_z_mean"], of["abs_z_sd"]) < 4
    assert distances.from_probability(distances.drawn(pooled, "difference"), better) < 4
    alone = dirichlet_multinomial.closed_form(of_pooled_pairs.simulate(rng=4)["counts"]).values
    assert np.abs(better - alone).max() > 0.02  # a prior of its own says something else


@pytest.mark.sampled
def test_summary_has_rows_of_a_parameter_that_pairs_share(pooled):
    table = bt.fits.summary(pooled)
    assert {"concentration", "difference[A0 vs B0]"} <= set(table.index)


@pytest.mark.sampled
def test_fit_says_in_words_what_its_prior_is(pooled, tmp_path, round_trip):
    text = "Dirichlet(concentration * [1. 1. 1.]), concentration ~ Gamma(2.0, 1 / 0.1)"
    assert pooled["posterior"].attrs["prior"] == text
    round_trip(pooled, tmp_path / "fit.nc")
    with az.from_netcdf(tmp_path / "fit.nc") as back:
        assert back["posterior"].attrs["prior"] == text
        assert back["posterior"]["concentration"].dims == ("chain", "draw")


def test_quadrature_of_a_concentration_that_is_known_is_the_closed_form(monkeypatch):
    monkeypatch.setattr(of_pooled_pairs, "GAMMA", (1e8, 1e8 / 3))  # 3, to four digits
    counts = of_pooled_pairs.simulate(rng=2)["counts"]
    _, better = of_pooled_pairs.exact(counts.values)
    alone = dirichlet_multinomial.closed_form(counts, prior=(3, 3, 3)).values
    np.testing.assert_allclose(better, alone, atol=1e-5)


@pytest.mark.parametrize(
    ("model", "counts", "numbers", "distribution"),
    [
        (dirichlet_multinomial, COUNTS, (2, 2, 1), pm.Dirichlet.dist(a=[2, 2, 1])),
        (beta_binomial, COUNTS, (2, 3), pm.Beta.dist(2, 3)),
        (
            hierarchical,
            hierarchical.simulate(3, pairs=2, rng=1)["counts"],
            (2, 2, 1),
            pm.Dirichlet.dist(a=[2, 2, 1]),
        ),
    ],
    ids=["dirichlet_multinomial", "beta_binomial", "hierarchical"],
)
def test_distribution_has_the_posterior_density_of_its_numbers(
    model, counts, numbers, distribution
):
    built = [model.build(counts, prior=prior) for prior in (numbers, distribution)]
    random = np.random.default_rng(1)
    start = {k: random.normal(size=np.shape(v)) for k, v in built[0].initial_point().items()}
    first, second = (float(b.compile_logp(mode="FAST_COMPILE")(start)) for b in built)
    # PyMC holds whole numbers of a Beta in single precision
    assert second == pytest.approx(first, rel=1e-8)


def test_judge_under_a_distribution_has_the_posterior_density_of_its_numbers():
    """On cells, as one model has the shares of signals and the other those of truths."""
    counts = judge.simulate(50, gold=10, rng=1)
    cells = np.random.default_rng(1).dirichlet(np.ones(9)).reshape(1, 3, 3)  # signal, truth
    share, theta = cells.sum(2), cells.sum(1)
    confusion = cells.swapaxes(1, 2) / theta[..., None]
    numbers = {"share": share, "given": cells / share[..., None]}
    own = {"theta": theta, "confusion": confusion}
    found = []
    for values, sums, prior in (
        (numbers, share, (1, 1, 1)),
        (own, theta, pm.Dirichlet.dist(a=[1, 1, 1])),
    ):
        built = judge.build(counts, prior=prior)
        at = {
            built.rvs_to_values[built[name]].name: built.rvs_to_transforms[built[name]]
            .forward(value)
            .eval(mode="FAST_COMPILE")
            for name, value in values.items()
        }
        log = built.compile_logp(jacobian=False, mode="FAST_COMPILE")(at)
        found.append(float(log) - 2 * np.log(sums).sum())  # cells are sum times part, of two each
    assert found[1] == pytest.approx(found[0], rel=1e-8)
