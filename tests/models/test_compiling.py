import numpy as np
import pytest

from betterthan.models import (
    beta_binomial,
    clustered,
    compiling,
    dirichlet_multinomial,
    graded,
    hierarchical,
    performance_function,
    sampling,
    subject_slopes,
)
from betterthan.models.compiling import Graph
from validation.given import as_features, as_repeated, as_scores

QUICK = {"draws": 100, "tune": 200, "chains": 2, "target_accept": 0.9}


def of_scores(items, datasets=1):
    return graded.build(*as_scores(graded.simulate(items, datasets=datasets, rng=1)).data)


def of_features(n, features=2, **kind):
    given = as_features(performance_function.simulate(n, features=features, rng=1, **kind))
    return performance_function.build(*given.data, **given.named)


def of_subjects(rows, subjects=3):
    data = subject_slopes.simulate(subjects=subjects, rows=rows, rng=1)
    return subject_slopes.build(*as_repeated(data).data)


@pytest.mark.parametrize(
    "model",
    [
        of_scores,
        lambda n: of_scores(n, datasets=3),
        of_features,
        lambda n: of_features(n, groups=3),
        of_subjects,
        lambda n: clustered.build(clustered.simulate(n, size=n, rng=n)["counts"]),
        lambda n: hierarchical.build(hierarchical.simulate(n, n=n, rng=n)["counts"]),
        lambda n: beta_binomial.build(beta_binomial.simulate(n, rng=n)["counts"]),
    ],
)
def test_other_items_judgments_clusters_and_rows_are_the_same_computation(model):
    assert Graph.from_model(model(12)).same_as(Graph.from_model(model(17)))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (of_scores(12), of_scores(12, datasets=3)),
        (of_features(12), of_features(12, features=3)),
        (of_subjects(6), of_subjects(6, subjects=4)),
        (
            hierarchical.build(hierarchical.simulate(3, rng=1)["counts"]),
            hierarchical.build(hierarchical.simulate(3, pairs=2, rng=1)["counts"]),
        ),
    ],
)
def test_another_number_of_unknowns_is_not(one, other):
    assert not Graph.from_model(one).same_as(Graph.from_model(other))


def test_another_prior_is_other_data():
    counts = hierarchical.simulate(3, rng=1)["counts"]
    flat, even = hierarchical.build(counts), hierarchical.build(counts, prior=(2, 2, 1))
    assert Graph.from_model(flat).same_as(Graph.from_model(even))
    pair = dirichlet_multinomial.simulate(40, rng=1)["counts"]
    flat, even = (dirichlet_multinomial.build(pair, prior=p) for p in ((1, 1, 1), (2, 2, 1)))
    assert Graph.from_model(flat).same_as(Graph.from_model(even))


@pytest.mark.sampled
def test_the_second_fit_compiles_nothing_and_draws_what_pymc_draws(monkeypatch):
    import nutpie
    import pymc as pm

    compiled, real = [], nutpie.compile_pymc_model
    monkeypatch.setattr(
        nutpie,
        "compile_pymc_model",
        lambda model, **more: compiled.append(model) or real(model, **more),
    )
    monkeypatch.setattr(compiling, "_CACHE", compiling.deque(maxlen=8))
    first, second = (hierarchical.simulate(n, n=30, rng=n)["counts"] for n in (4, 6))
    second = second.assign_coords(pair=["p"], system_b=("pair", ["Z"]))
    models = [hierarchical.build(first), hierarchical.build(second)]
    with sampling.steady_arithmetic():
        _, found = (sampling.sample(model, seed=5, **QUICK) for model in models)
        assert len(compiled) == 1
        wanted = pm.sample(
            **QUICK,
            nuts_sampler="nutpie",
            random_seed=5,
            cores=1,
            progressbar=False,
            quiet=True,
            model=hierarchical.build(second),
        )
    for name, draws in wanted["posterior"].data_vars.items():
        np.testing.assert_array_equal(found["posterior"][name], draws)
        assert found["posterior"][name].coords.identical(draws.coords)
    for group in ("observed_data", "constant_data"):
        assert found[group].to_dataset().equals(wanted[group].to_dataset())
