import numpy as np
import pytest
import xarray as xr
from scipy import special, stats

import betterthan as bt
from betterthan.models import judge as model
from betterthan.models.sampling import Sampling, without_compiler

GOLD, JUDGED = np.array([[18, 2, 5], [3, 9, 4], [4, 3, 12]]), np.array([210, 120, 170])
NINE = np.array(
    [[1, 1, 0, 0, 0, 0, 0, 0, 1], [1, 3, 0, 0, 2, 0, 0, 0, 0], [0, 3, 2, 0, 2, 0, 1, 0, 3]]
)
FEW = np.array([[16, 1, 0], [3, 6, 1], [1, 2, 0]]), np.array([60, 28, 6])


@pytest.fixture(scope="module")
def counts():
    return bt.judged.from_table({("A", "B"): (GOLD, JUDGED), ("C", "D"): FEW})


@pytest.fixture(scope="module")
def tree(counts):
    return model.fit(counts, sampling=Sampling(draws=500), rng=7)


@pytest.mark.sampled
def test_fit_is_whole_and_passes_the_gate(tree, whole, sensitive):
    whole(tree)
    assert tree["posterior"].attrs["labels"] == "inside"
    sensitive(tree)


@pytest.mark.sampled
def test_fit_agrees_with_the_closed_form(tree, counts, agrees):
    import arviz as az

    agrees(tree, model.closed_form(counts))
    assert bt.fits.cross_check(counts, tree)["agrees"].all()
    assert bt.prob_better(tree).values == pytest.approx(bt.prob_better(counts).values, abs=0.05)
    size, d = bt.difference(counts), tree["posterior"]["difference"]
    for found, name in ((d.mean(("chain", "draw")), "mean"), (d.std(("chain", "draw")), "sd")):
        assert (np.abs(found - size[name].values) < 4 * az.mcse(d, method=name)).all()


@pytest.mark.sampled
def test_adopted_draws_agree_with_the_closed_form(tree, counts):
    adopted = bt.fits.adopt(tree, counts)
    assert bt.fits.cross_check(counts, adopted, prior=(1, 1, 1))["agrees"].all()
    assert adopted["posterior"]["system_b"].values.tolist() == ["B", "D"]


@pytest.mark.sampled
def test_tree_survives_netcdf_and_predicts_as_many_items(tree, counts, tmp_path, round_trip):
    round_trip(tree, tmp_path / "fit.nc")
    predicted = tree["posterior_predictive"]
    assert predicted["y"].sizes == {"chain": 4, "draw": 500, "pair": 2, "signal": 3}
    gold = predicted["gold"].isel(chain=0, draw=0).values.reshape(2, -1)
    assert gold.sum(1).tolist() == [60, 30]


@pytest.mark.sampled
def test_a_comparison_by_both_ways_agrees_and_the_sampled_one_says_how_it_was_made(tree):
    table = {
        ("A", "B"): (GOLD, JUDGED),
        ("C", "B"): ([[9, 1, 2], [4, 12, 1], [2, 2, 7]], (15, 15, 10)),
    }
    counts, sampling = bt.judged.from_table(table), Sampling(draws=500)

    def at(answer, name):
        return answer[name].sel(system_a="A", system_b="B").item()

    both = bt.compare(counts, method="both", sampling=sampling, rng=3, systems=["C", "B", "A"])
    exact = bt.compare(counts, systems=["C", "B", "A"])
    np.testing.assert_array_equal(both["prob_better"], exact["prob_better"])
    z = both["z"].values
    assert 0 < np.nanmax(np.abs(z)) < 4
    np.testing.assert_array_equal(z, -z.T)
    sampled = both.alternatives["mcmc"]
    assert sampled["system_a"].values.tolist() == ["C", "B", "A"]
    assert abs(at(sampled, "difference_mean") - at(both, "difference_mean")) < 0.02
    assert 0 < at(sampled, "prob_better_mcse") < 0.03
    alone = bt.compare(counts, method="mcmc", sampling=sampling, rng=3)
    assert at(alone, "prob_better") == at(sampled, "prob_better")
    assert (alone.provenance.seed, alone.provenance.draws, alone.provenance.failures) == (
        3,
        500,
        (),
    )


def test_labels_from_elsewhere():
    """Weights on the density of scipy, below: 0.130, 0.238, 0.737 (ESS 132,600 of 2e6 draws)."""
    random, rest = np.random.default_rng(2), JUDGED - GOLD.sum(0)
    theta = random.dirichlet(np.ones(3), size=400_000)
    confusion = np.stack([random.dirichlet(1 + row, size=400_000) for row in GOLD], axis=1)
    log = np.log(np.einsum("dt,dts->ds", theta, confusion)) @ rest
    weight = np.exp(log - log.max())
    weight /= weight.sum()
    difference = theta[:, 0] - theta[:, 1]
    mean = weight @ difference
    sd = np.sqrt(weight @ np.square(difference - mean))
    error = sd * np.sqrt(np.square(weight).sum())
    assert mean == pytest.approx(0.130, abs=4 * error)
    assert sd == pytest.approx(0.238, abs=4 * error)
    assert weight @ (difference > 0) == pytest.approx(0.737, abs=4 * error / sd / 2)
    assert error < 0.002


@pytest.mark.usefixtures("prior_for_nuts")
def test_a_fit_to_labels_from_elsewhere_is_whole(counts):
    posterior = model.fit(counts, labels="elsewhere", rng=7, predictive=False)["posterior"]
    assert posterior.attrs["labels"] == "elsewhere"
    win, loss, _ = posterior["theta"].transpose("outcome", ...)
    np.testing.assert_allclose(posterior["difference"], win - loss, atol=1e-12)


def _at(built, **values):
    """The log density of a built model at values of its variables."""
    given = {name: np.asarray(v) for name, v in values.items()}
    transformed = {}
    for rv in built.free_RVs:
        value, transform = built.rvs_to_values[rv], built.rvs_to_transforms[rv]
        transformed[value.name] = transform.forward(given[rv.name]).eval(mode="FAST_COMPILE")
    with without_compiler():
        return built.compile_logp(mode="FAST_COMPILE", jacobian=False)(transformed)


@pytest.mark.parametrize("signals", [3, 9])
def test_logp_is_that_of_all_cells(signals):
    gold, judged = (GOLD, JUDGED) if signals == 3 else (NINE, np.full(9, 40))
    prior, random = np.array([1.0, 2.0, 0.5]), np.random.default_rng(1)
    built = model.build(bt.judged.from_table({("A", "B"): (gold, judged)}), prior=prior)
    alpha = np.repeat(prior[:, None] / 3, signals, axis=1)
    phi = random.dirichlet(np.full(3 * signals, 2.0)).reshape(3, signals)
    share, given = phi.sum(0), (phi / phi.sum(0)).T
    rest = judged - gold.sum(0)
    expected = (
        stats.dirichlet.logpdf(phi.ravel(), alpha.ravel())
        + 2 * np.log(share).sum()  # of (share, given) for phi: share_y squared each
        + stats.multinomial.logpmf(gold.ravel(), gold.sum(), phi.ravel())
        + stats.multinomial.logpmf(rest, rest.sum(), share)
    )
    assert _at(built, share=share[None], given=given[None]) == pytest.approx(expected, rel=1e-9)


def test_logp_of_labels_from_elsewhere_is_that_of_scipy():
    counts = bt.judged.from_table({("A", "B"): (GOLD, JUDGED)})
    built = model.build(counts, labels="elsewhere", prior=(1.0, 2.0, 0.5))
    random, rest = np.random.default_rng(2), JUDGED - GOLD.sum(0)
    theta, confusion = random.dirichlet(np.ones(3)), random.dirichlet(np.full(3, 3.0), size=3)
    expected = stats.dirichlet.logpdf(theta, [1.0, 2.0, 0.5]) + 3 * special.gammaln(3)
    expected += stats.multinomial.logpmf(rest, rest.sum(), theta @ confusion)
    expected += sum(
        stats.multinomial.logpmf(row, row.sum(), p) for row, p in zip(GOLD, confusion, strict=True)
    )
    found = _at(built, theta=theta[None], confusion=confusion[None])
    assert found == pytest.approx(expected, rel=1e-9)


def test_closed_form_is_that_of_judged_counts(counts):
    exact = model.closed_form(counts)
    assert exact.values == pytest.approx([0.947146441983, 0.928549684360], abs=1e-12)


def test_simulate_is_repeatable_and_draws_from_the_prior():
    first, again = (model.simulate(30, gold=8, pairs=4, rng=1) for _ in range(2))
    xr.testing.assert_identical(first, again)
    assert first["gold"].sum(("truth", "signal")).values.tolist() == [8] * 4
    for labels in ("inside", "elsewhere"):
        data = model.simulate(3, gold=3, pairs=4000, labels=labels, prior=(2, 1, 1), rng=2)
        theta = data["theta"].mean("pair").values
        assert theta == pytest.approx([0.5, 0.25, 0.25], abs=4 * 0.25 / np.sqrt(4000))


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ({"labels": "here"}, "labels is 'here'"),
        ({"prior": (0, 1, 1)}, "prior"),
    ],
)
def test_choices_that_are_refused(counts, what, said):
    for refuse in (model.build, model.fit):
        with pytest.raises(ValueError, match=said):
            refuse(counts, **what)


def test_counts_that_are_refused(counts):
    with pytest.raises(ValueError, match="expected judged counts"):
        model.build(bt.counts.from_table({("A", "B"): (3, 2, 1)}))
    many = {(f"A{k}", f"B{k}"): (GOLD, JUDGED) for k in range(bt.names.MCMC_PAIRS_MAX + 1)}
    with pytest.raises(ValueError, match="sampled jointly"):
        model.build(bt.judged.from_table(many))
    with pytest.raises(ValueError, match="n is 0"):
        model.simulate(0, gold=3)
