"""Priors: numbers, arrays, and PyMC distributions."""

import arviz as az
import numpy as np
import pymc as pm
import pytest
import xarray as xr

import betterthan as bt
from betterthan import names
from betterthan.models import (
    beta_binomial,
    clustered,
    dirichlet_multinomial,
    hierarchical,
    independent_betas,
    judge,
)
from betterthan.models.priors import Prior
from betterthan.models.sampling import Graph, Sampling, quiet_logger, without_compiler
from validation import distances, of_pooled_pairs

PAIR_COUNTS = bt.counts.from_table({("A", "B"): (12, 2, 30), ("A", "C"): (5, 6, 7)})


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
        (dirichlet_multinomial, PAIR_COUNTS, (2, 2, 1), pm.Dirichlet.dist(a=[2, 2, 1])),
        (beta_binomial, PAIR_COUNTS, (2, 3), pm.Beta.dist(2, 3)),
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


ROWS = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [0.5, 0.5, 0.5]]
TABLE = {("A", "B"): (12, 2, 30), ("A", "C"): (5, 6, 7), ("B", "C"): (1, 2, 3)}
COUNTS = bt.counts.from_table(TABLE)
SQUARE = [{"system_a": a, "system_b": b} for a, b in ((0, 1), (0, 2), (1, 2))]
JUDGED = judge.simulate(50, gold=10, pairs=3, rng=1)
# of each model counts of three pairs, and the variable whose prior is asked for
THREE = {
    "dirichlet_multinomial": (dirichlet_multinomial, COUNTS, "theta"),
    "clustered": (clustered, clustered.simulate(6, pairs=3, rng=1)["counts"], "theta"),
    "hierarchical": (hierarchical, hierarchical.simulate(3, pairs=3, rng=1)["counts"], "mu"),
    "judge": (judge, JUDGED, "theta"),
}
ONE = {
    "beta_binomial": (beta_binomial, COUNTS, "p"),
    "independent_betas": (independent_betas, COUNTS, "p_win"),
}


def pooled_distribution():
    return pm.Dirichlet.dist(a=pm.Gamma.dist(2, 0.1, name="concentration") * np.ones(3))


def test_array_has_the_posterior_density_of_its_rows():
    start = np.random.default_rng(1).normal(size=(3, 2))

    def log(built, values):
        (name,) = built.initial_point()
        with without_compiler():
            return float(built.compile_logp(mode="FAST_COMPILE")({name: values}))

    whole = log(dirichlet_multinomial.build(COUNTS, prior=ROWS), start)
    alone = [
        log(dirichlet_multinomial.build(bt.counts.from_table({k: v}), prior=row), start[[n]])
        for n, ((k, v), row) in enumerate(zip(TABLE.items(), ROWS, strict=True))
    ]
    assert whole == pytest.approx(sum(alone), rel=1e-10)


@pytest.mark.usefixtures("prior_for_nuts")
def test_array_is_kept_with_the_draws(tmp_path, round_trip):
    by_pair = dirichlet_multinomial.fit(COUNTS, prior=ROWS, rng=3)
    assert by_pair["posterior"].attrs["prior"] == "array"
    kept = by_pair["constant_data"]["prior"]
    assert kept.dims == ("pair", "outcome")
    assert kept["pair"].values.tolist() == ["A vs B", "A vs C", "B vs C"]
    np.testing.assert_array_equal(kept, ROWS)
    round_trip(by_pair, tmp_path / "fit.nc")


def from_prior(model, *variables, draws=2000):
    quick = {"mode": "FAST_COMPILE"}
    with quiet_logger():
        tree = pm.sample_prior_predictive(
            draws, model=model, var_names=variables, random_seed=1, compile_kwargs=quick
        )
    return tree["prior"].to_dataset().isel(chain=0, drop=True)


@pytest.mark.parametrize("name", THREE)
def test_distribution_of_three_probabilities_is_the_prior_of_each_pair(name):
    model, counts, variable = THREE[name]
    prior = from_prior(model.build(counts, prior=pm.Dirichlet.dist(a=[2, 3, 5])), variable)
    assert prior[variable].sizes == {"draw": 2000, "pair": 3, "outcome": 3}
    np.testing.assert_allclose(prior[variable].sum("outcome"), 1)
    expected = np.broadcast_to([0.2, 0.3, 0.5], (3, 3))
    np.testing.assert_allclose(prior[variable].mean("draw"), expected, atol=0.02)
    assert abs(np.corrcoef(prior[variable].isel(outcome=0).T)[0, 1]) < 0.1


@pytest.mark.parametrize("name", ONE)
def test_distribution_of_one_probability_is_the_prior_of_each_pair(name):
    model, counts, variable = ONE[name]
    prior = from_prior(model.build(counts, prior=pm.Beta.dist(2, 6)), variable)
    assert prior[variable].sizes == {"draw": 2000, "pair": 3}
    np.testing.assert_allclose(prior[variable].mean("draw"), 0.25, atol=0.02)


@pytest.mark.parametrize("name", [*THREE, *ONE])
def test_rows_of_an_array_are_the_priors_of_the_pairs(name):
    model, counts, variable = (THREE | ONE)[name]
    rows = np.array(ROWS) if name in THREE else np.array(ROWS)[:, :2]
    built = model.build(counts, prior=rows)
    np.testing.assert_array_equal(built["prior"].get_value(), rows)
    mean = rows / rows.sum(1, keepdims=True)
    found = from_prior(built, variable)[variable].mean("draw")
    np.testing.assert_allclose(found, mean if name in THREE else mean[:, 0], atol=0.03)


@pytest.mark.parametrize("name", [*THREE, *ONE])
def test_closed_form_takes_an_array(name):
    model, counts, _ = (THREE | ONE)[name]
    rows = ROWS if name in THREE else [row[:2] for row in ROWS]
    found = model.closed_form(counts, prior=rows)
    for k, row in enumerate(rows):
        alone = model.closed_form(counts, prior=row)
        by_pair = {"pair": k} if "pair" in found.dims else SQUARE[k]
        assert float(found.isel(by_pair)) == pytest.approx(float(alone.isel(by_pair)), rel=1e-12)


@pytest.mark.parametrize("name", [*THREE, *ONE])
def test_closed_form_takes_no_distribution(name):
    model, counts, _ = (THREE | ONE)[name]
    prior = pm.Dirichlet.dist([1, 1, 1]) if name in THREE else pm.Beta.dist(1, 1)
    with pytest.raises(ValueError, match=r"a closed form takes numbers; sample it: fit\("):
        model.closed_form(counts, prior=prior)


def test_labels_of_an_array_count_and_not_its_order():
    order = {"pair": ["B vs C", "A vs B", "A vs C"], "outcome": ["tie", "win", "loss"]}
    prior = xr.DataArray(np.arange(9.0).reshape(3, 3) + 1, dims=tuple(order), coords=order)
    for given in (prior, prior.T):
        built = dirichlet_multinomial.build(COUNTS, prior=given)
        assert built["prior"].get_value().tolist() == [[5, 6, 4], [8, 9, 7], [2, 3, 1]]


def test_hyperprior_is_one_variable_that_all_pairs_share():
    built = dirichlet_multinomial.build(COUNTS, prior=pooled_distribution())
    assert [v.name for v in built.free_RVs] == ["concentration", "theta"]
    assert built["concentration"].ndim == 0
    alike = pm.Dirichlet.dist(a=pm.Gamma.dist(2, 0.1) * np.ones(3))
    assert dirichlet_multinomial.build(COUNTS, prior=alike)["prior_gamma"].ndim == 0


def test_two_hyperpriors_without_names_have_names_of_their_own():
    a, b = pm.Gamma.dist(2, 0.1), pm.Gamma.dist(3, 0.1)
    built = beta_binomial.build(COUNTS, prior=pm.Beta.dist(a, b))
    assert {v.name for v in built.free_RVs} == {"prior_gamma", "prior_gamma_2", "p"}
    assert [a.name, b.name] == [None, None]  # what the user holds stays as it is


@pytest.mark.parametrize("name", [*THREE, *ONE])
def test_a_hyperprior_of_a_name_of_the_model_is_one_line_about_the_prior(name):
    def prior(called):
        a = pm.Gamma.dist(2, 0.1, name=called)
        return pm.Dirichlet.dist(a=a * np.ones(3)) if name in THREE else pm.Beta.dist(a, 2)

    model, counts, _ = (THREE | ONE)[name]
    built = model.build(counts, prior=prior("own"))
    for taken in sorted({*built.named_vars, *built.coords} - {"own"}):
        with pytest.raises(ValueError, match=f"prior has a hyperparameter named '{taken}'.*; give"):
            model.build(counts, prior=prior(taken))


def test_a_hyperprior_may_be_called_as_a_variable_of_another_model():
    prior = pm.Beta.dist(pm.Gamma.dist(2, 0.1, name="mu"), pm.Gamma.dist(2, 0.1, name="theta"))
    built = beta_binomial.build(COUNTS, prior=prior)
    assert {v.name for v in built.free_RVs} == {"mu", "theta", "p"}


def test_a_prior_with_hyperpriors_raises_no_warning_of_pymc():
    mu, sd = pm.Normal.dist(0, 1, name="mu"), pm.HalfNormal.dist(1, name="sd")
    built = beta_binomial.build(COUNTS, prior=pm.LogitNormal.dist(mu, sd))  # warnings are errors
    assert {v.name for v in built.free_RVs} == {"mu", "sd", "p"}


def test_distribution_may_have_a_pair_dim_already():
    kappa = pm.Gamma.dist(2, 0.1, shape=(3, 1))
    built = dirichlet_multinomial.build(COUNTS, prior=pm.Dirichlet.dist(a=kappa * np.ones(3)))
    assert from_prior(built, "prior_gamma", draws=5)["prior_gamma"].shape == (5, 3, 1)


def test_wins_and_losses_have_draws_of_their_own():
    built = independent_betas.build(COUNTS, prior=pm.Beta.dist(2, 2))
    prior = from_prior(built, "p_win", "p_loss")
    assert abs(np.corrcoef(prior["p_win"].isel(pair=0), prior["p_loss"].isel(pair=0))[0, 1]) < 0.1


def test_components_of_a_mixture_are_no_variables():
    parts = [pm.Beta.dist(pm.Gamma.dist(2, 0.1, name="kappa"), 2), pm.Beta.dist(1, 1)]
    built = beta_binomial.build(COUNTS, prior=pm.Mixture.dist([0.5, 0.5], parts))
    assert {v.name for v in built.free_RVs} == {"kappa", "p"}


@pytest.mark.parametrize(
    ("prior", "transform"),
    [
        (pm.Beta.dist(2, 2), "LogOddsTransform"),
        (pm.LogitNormal.dist(0, 1), "LogOddsTransform"),  # PyMC gives it none
        (pm.Uniform.dist(0.2, 0.8), "Interval"),
    ],
)
def test_chain_stays_where_the_prior_has_mass(prior, transform):
    built = beta_binomial.build(COUNTS, prior=prior)
    assert type(built.rvs_to_transforms[built["p"]]).__name__ == transform


def test_clusters_under_a_distribution_have_the_density_of_its_numbers():
    """p and s follow from theta, where of numbers theta follows from them: the same posterior."""
    _, counts, _ = THREE["clustered"]
    numbers, own = (
        clustered.build(counts, prior=prior, correlation=0.1)
        for prior in ((2, 2, 1), pm.Dirichlet.dist(a=[2, 2, 1]))
    )
    at = np.array([[0.3, -0.5], [0.1, 0.2], [-1.0, 0.7]])  # log odds of p and of s
    of_numbers = {"p_logodds__": at[:, 0], "s_logodds__": at[:, 1]}
    compiled = [model.compile_logp(mode="FAST_COMPILE") for model in (numbers, own)]
    first, second = compiled[0](of_numbers), compiled[1]({"theta_decisivefirst__": at})
    # PyMC holds the numbers of a Beta that are whole in single precision
    assert float(second) == pytest.approx(float(first), rel=1e-8)


@pytest.mark.parametrize(
    ("prior", "text"),
    [
        (pm.Dirichlet.dist(a=[2, 2, 1]), "Dirichlet([2 2 1])"),
        (
            pooled_distribution(),
            "Dirichlet(concentration * [1. 1. 1.]), concentration ~ Gamma(2, 1 / 0.1)",
        ),
        (
            pm.Mixture.dist(
                [0.5, 0.5], [pm.Dirichlet.dist([1, 1, 1]), pm.Dirichlet.dist([9, 9, 9])]
            ),
            "Mixture([0.5 0.5], Dirichlet([1 1 1]), Dirichlet([9 9 9]))",
        ),
    ],
)
def test_distribution_in_words(prior, text):
    known = Prior.parse(prior, bt.counts.to_pairs(COUNTS))
    assert known.text == text
    assert known.recorded == ([2, 2, 1] if text.startswith("Dirichlet([") else text)


@pytest.mark.parametrize(
    ("prior", "labels", "numbers"),
    [
        (pm.Dirichlet.dist(a=[0.5, 2, 1]), names.OUTCOMES, [0.5, 2, 1]),
        (pm.Beta.dist(2, 3), names.DECISIVE, [2, 3]),
        (pm.Beta.dist(mu=0.4, sigma=0.2), names.DECISIVE, [2, 3]),
        (pm.Dirichlet.dist(ROWS), names.OUTCOMES, None),
        (pm.Beta.dist(pm.Exponential.dist(1), 3), names.DECISIVE, None),
        (pm.Uniform.dist(0.2, 0.9), names.DECISIVE, None),
    ],
)
def test_a_conjugate_distribution_is_recorded_as_its_numbers(prior, labels, numbers):
    known = Prior.parse(prior, bt.counts.to_pairs(COUNTS), labels)
    assert known.recorded == (pytest.approx(numbers) if numbers else known.text)


@pytest.mark.parametrize(
    ("prior", "message"),
    [
        (ROWS[:2], r"prior has shape \(2, 3\); give \(3, 3\), for each of 3 pairs win, loss, tie$"),
        (np.ones((3, 2)), r"prior has shape \(3, 2\); give \(3, 3\)"),
        ([[1, 2, 3], [1, 2]], r"prior is no array of numbers; give numbers of shape \(3, 3\)"),
        (
            [[1, 2, 3], [1, -2, 3], [1, 2, 3]],
            r"^prior for loss is -2.0; every prior number must be positive \(pair 'A vs C'\)$",
        ),
        ([[1, 2, 3], [1, 2, np.nan], [1, 2, 3]], r"^prior for tie is nan; .* \(pair 'A vs C'\)$"),
        ([[1, 2, 3], [1, 2, np.inf], [1, 2, 3]], r"^prior for tie is inf; .* \(pair 'A vs C'\)$"),
        (
            xr.DataArray(np.ones((3, 3)), dims=("a", "b")),
            r"has dims \(a, b\); give \(pair, outcome",
        ),
        (
            xr.DataArray(
                np.ones((3, 3)),
                dims=("pair", "outcome"),
                coords={"pair": ["A vs B", "A vs C", "C vs B"]},
            ),
            "prior has no pair 'B vs C'; give one for each pair",
        ),
        (
            xr.DataArray(
                np.ones((4, 3)),
                dims=("pair", "outcome"),
                coords={"pair": ["A vs B", "A vs C", "B vs C", "X vs Y"]},
            ),
            "prior has a pair 'X vs Y', which the counts do not have",
        ),
        (
            pm.Dirichlet.dist([1, 1]),
            r"^prior is Dirichlet\(\[1 1\]\), whose draws have shape \(2,\); give \(3,\), such as "
            r"pm.Dirichlet.dist\(a=\[2, 2, 1\]\), or \(3, 3\), for each of 3 pairs$",
        ),
        (
            pm.Dirichlet.dist(np.ones((2, 3))),
            r"draws have shape \(2, 3\); give \(3,\).*or \(3, 3\)",
        ),
        (pm.Beta.dist(2, 2), r"whose draws have shape \(\); give \(3,\)"),
        (
            pm.Beta.dist(2, 2, shape=3),
            r"^prior is Beta\(2, 2\), which is no distribution of three probabilities that sum to "
            r"1; give one such as pm.Dirichlet.dist\(a=\[2, 2, 1\]\)$",
        ),
        (pm.Dirichlet.dist([-1, 1, 1]), r"\[-1 1 1\]\), which cannot be drawn: alpha < 0$"),
        (
            pm.Dirichlet.dist(a=pm.Poisson.dist(2) + np.ones(3)),
            r"^prior depends on Poisson\(2\), which has no density; give continuous distributions",
        ),
        (
            pm.math.softmax(pm.Normal.dist(shape=3)),
            r"^prior is an expression of PyMC; give a distribution, such as pm.Dirichlet.dist",
        ),
    ],
)
def test_prior_that_is_none_of_three_probabilities_is_refused(prior, message):
    for refuse in (dirichlet_multinomial.build, dirichlet_multinomial.fit):
        with pytest.raises(ValueError, match=message) as refused:
            refuse(COUNTS, prior=prior)
        assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("prior", "message"),
    [
        (
            pm.Normal.dist(0.5, 0.01),  # not one of its draws is outside
            r"^prior is Normal\(0.5, 0.01\), which is no distribution of one probability, within 0 "
            r"and 1; give one such as pm.Beta.dist\(2, 2\)$",
        ),
        (pm.Gamma.dist(100, 200), "is no distribution of one probability"),
        (pm.Dirichlet.dist([1, 1, 1]), "is no distribution of one probability"),
        (pm.Bernoulli.dist(0.5), r"^prior is Bernoulli\(0.5\), which has no density; give"),
        (pm.Censored.dist(pm.Beta.dist(2, 2), lower=0.1, upper=0.9), "which has no density"),
        (
            pm.Beta.dist(2, 2, shape=2),
            r"draws have shape \(2,\); give \(\).*or \(3,\), for each of 3",
        ),
        (
            np.ones((2, 2)),
            r"prior has shape \(2, 2\); give \(3, 2\), for each of 3 pairs win, loss$",
        ),
    ],
)
def test_prior_that_is_none_of_one_probability_is_refused(prior, message):
    for model in (beta_binomial, independent_betas):
        with pytest.raises(ValueError, match=message):
            model.build(COUNTS, prior=prior)


def test_three_columns_are_refused_where_they_would_mean_something_else():
    by_label = xr.DataArray(np.ones((3, 3)), dims=("outcome", "pair"))
    for prior in (ROWS, by_label):
        with pytest.raises(ValueError, match="give two numbers, of success and failure"):
            independent_betas.build(COUNTS, prior=prior)
    built = beta_binomial.build(COUNTS, prior=ROWS)  # wins and losses are the first two
    assert built["prior"].get_value().tolist() == [row[:2] for row in ROWS]


@pytest.mark.parametrize("prior", [pooled_distribution(), ROWS], ids=["distribution", "array"])
@pytest.mark.parametrize("name", ["clustered", "hierarchical"])
def test_models_drawn_by_weights_go_to_nuts_and_say_so(name, prior, no_nuts):
    model, counts, _ = THREE[name]
    with pytest.raises(
        ValueError, match=r"^sampler='laplace' takes one prior of numbers, and prio"
    ):
        model.fit(counts, prior=prior, sampler="laplace")
    with (
        pytest.warns(UserWarning, match="^sampled by NUTS, as draws by weights take one prior of"),
        pytest.raises(no_nuts),
    ):
        model.fit(counts, prior=prior)
    with pytest.raises(no_nuts):  # and no warning where it was asked for
        model.fit(counts, prior=prior, sampler="nuts")


def test_held_centre_leaves_no_place_for_a_prior():
    with pytest.raises(ValueError, match="prior is of mu, which centre holds; give one of the two"):
        hierarchical.build(THREE["hierarchical"][1], prior=pooled_distribution(), centre=(1, 1, 1))


@pytest.mark.parametrize(
    ("model", "prior"),
    [
        (beta_binomial, (2.0, 3.0)),
        (independent_betas, (2.0, 3.0)),
        (dirichlet_multinomial, (2.0, 3.0, 4.0)),
        (clustered, (2.0, 3.0, 4.0)),
    ],
)
def test_numbers_of_a_prior_are_data_that_a_built_model_can_change(model, prior):
    data = PAIR_COUNTS
    if model is clustered:
        data = clustered.simulate(20, pairs=1, rng=3)["counts"]
    built, changed = model.build(data, prior=prior), model.build(data)
    assert Graph.from_model(built).same_as(Graph.from_model(changed))  # compiled once
    with changed:
        pm.set_data({"prior": prior})
    with without_compiler():
        first, second = (
            m.compile_logp(mode="FAST_COMPILE")(m.initial_point(random_seed=1))
            for m in (built, changed)
        )
    assert first == pytest.approx(second, rel=1e-12)
