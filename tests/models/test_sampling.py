"""Models are compiled once, and sampled in one place."""

import inspect
import logging
import os
import pickle
import shutil
import subprocess
import sys
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
import xarray as xr

import betterthan as bt
from betterthan import names
from betterthan.models import (
    beta_binomial,
    clustered,
    dirichlet_multinomial,
    graded,
    hierarchical,
    likelihood_data,
    performance_function,
    sampling,
    subject_slopes,
)
from betterthan.models.fitting import Run
from betterthan.models.sampling import Graph, Sampling
from validation.given import as_features, as_repeated, as_scores
from validation.roster import validation_of

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


def of_columns(n):
    """Two columns of n rows, their labels by n; where chains start follows from the data."""
    import pymc as pm

    random = np.random.default_rng(n)
    with pm.Model(coords={"row": np.arange(n), "column": [f"l{n}", f"m{n}"]}) as model:
        at = sampling.held("at", random.normal(size=n))
        width = pm.Data("width", random.uniform(1, 2, size=2), dims="column")
        level = pm.Normal("level", at.mean(), width, dims="column")
        y = pm.Data("response", random.normal(size=(n, 2)), dims=("row", "column"))
        pm.Normal("y", level, 2.0, observed=y, dims=("row", "column"))
    return model


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
    monkeypatch.setattr(sampling, "_CACHE", sampling.deque(maxlen=8))
    with sampling.steady_arithmetic():
        _, found = (sampling.sample(of_columns(n), seed=5, **QUICK) for n in (20, 30))
        assert len(compiled) == 1
        wanted = pm.sample(
            **QUICK,
            nuts_sampler="nutpie",
            random_seed=5,
            cores=1,
            progressbar=False,
            quiet=True,
            model=of_columns(30),
        )
    for name, draws in wanted["posterior"].data_vars.items():
        np.testing.assert_array_equal(found["posterior"][name], draws)
        assert found["posterior"][name].coords.identical(draws.coords)
    for group in ("observed_data", "constant_data"):
        assert found[group].to_dataset().equals(wanted[group].to_dataset())


def pairs(count, value=3):
    coords = likelihood_data.simulated(count) | {"outcome": list(names.OUTCOMES)}
    return xr.DataArray(np.full((count, 3), value), dims=("pair", "outcome"), coords=coords)


@pytest.mark.parametrize("name", ["beta_binomial", "dirichlet_multinomial", "independent_betas"])
def test_too_many_pairs_point_to_the_closed_form(name):
    model = getattr(bt.models, name)
    with pytest.raises(ValueError, match=r"501 pairs are more than the 500 .* closed form"):
        model.fit(pairs(501))
    assert model.closed_form(pairs(501)).sizes == {"pair": 501}


@pytest.mark.parametrize("name", ["beta_binomial", "dirichlet_multinomial", "independent_betas"])
def test_closed_form_keeps_both_tails(name):
    counts = bt.counts.from_table({("A", "B"): (400, 10, 100), ("A", "C"): (3, 2, 5)})
    exact = getattr(bt.models, name).closed_form(counts)
    assert 0 < float(exact.sel(system_a="B", system_b="A")) < 1e-90
    swapped = getattr(bt.models, name).closed_form(
        bt.counts.from_table({("B", "A"): (10, 400, 100), ("C", "A"): (2, 3, 5)})
    )
    np.testing.assert_allclose(
        exact.values, swapped.sel(system_a=["A", "B", "C"], system_b=["A", "B", "C"]), rtol=1e-9
    )
    np.testing.assert_allclose(exact.values + exact.values.T, 1, rtol=1e-15)


def test_counts_beyond_int32_point_to_the_closed_form():
    with pytest.raises(ValueError, match=r"a count of 3000000000 is more .* closed form"):
        beta_binomial.build(pairs(2, 3_000_000_000))


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        ({"draws": 0}, "draws is 0"),
        ({"tune": 1.5}, "tune is 1.5"),
        ({"chains": 0}, "chains is 0"),
        ({"target_accept": 1.0}, "target_accept is 1.0"),
        ({"nuts_sampler": "stan"}, "nuts_sampler is 'stan'; choose one of nutpie, pymc"),
    ],
)
def test_sampling_refuses_in_one_line_what_no_sampler_takes(choice, words):
    with pytest.raises(ValueError, match=words) as caught:
        Sampling(**choice)
    assert "\n" not in str(caught.value)


def test_sampling_is_frozen():
    with pytest.raises(FrozenInstanceError):
        Sampling().draws = 5


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        ({"sampling": {"draws": 500}}, "sampling is dict; give betterthan.models.Sampling"),
        ({"sampling": 500}, "sampling is int; give betterthan.models.Sampling"),
        ({"rng": -1}, "rng is -1; give a whole number of at least 0"),
        ({"prior": (1, 0)}, "positive"),
        ({"draws": -1}, "draws is -1; give a whole number of at least 1"),
        ({"tune": 0.5}, "tune is 0.5; give a whole number"),
        ({"chains": 0}, "chains is 0; give a whole number of at least 1"),
        ({"target_accept": 2}, "target_accept is 2; give a number between 0 and 1"),
        ({"random_seed": -1}, "-1; give a whole number of at least 0"),
        ({"random_seed": 1, "rng": 1}, "rng and random_seed are both given; give one"),
        ({"nuts_sampler": "stan"}, "nuts_sampler is 'stan'; choose one of nutpie, pymc, numpyro"),
        (
            {"sampling": Sampling(draws=9), "draws": 8},
            "draws is 8, and 9 in sampling; give it once",
        ),
    ],
)
def test_bad_arguments_are_refused_in_one_line(choice, words):
    with pytest.raises(ValueError, match=words) as caught:
        beta_binomial.fit(pairs(1), **choice)
    assert "\n" not in str(caught.value)


def test_an_unknown_option_is_refused_with_those_there_are():
    known = "draws, tune, chains, target_accept, nuts_sampler, random_seed"
    with pytest.raises(TypeError, match=f"'cores' is no option of fit; choose of {known}"):
        beta_binomial.fit(pairs(1), cores=2)


@pytest.mark.parametrize("name", ["numpyro", "blackjax"])
def test_a_sampler_whose_package_is_missing_is_refused_with_its_name(name, monkeypatch):
    monkeypatch.setattr(
        "betterthan.models.fitting.find_spec", lambda package: None if package == name else 1
    )
    with pytest.raises(ValueError, match=f"needs {name}, which is not installed: pip install"):
        beta_binomial.fit(pairs(1), nuts_sampler=name)


@pytest.mark.parametrize("name", bt.models.__all__)
def test_every_fit_takes_the_options_of_pymc(name):
    """Refused before any data are looked at, so that every fit asks in the one place."""
    if not hasattr(getattr(bt.models, name), "fit"):
        return
    needed = [
        p
        for p in inspect.signature(getattr(bt.models, name).fit).parameters.values()
        if p.default is p.empty and p.kind is not p.VAR_KEYWORD
    ]
    with pytest.raises(ValueError, match="chains is 0"):
        getattr(bt.models, name).fit(*[None for _ in needed], chains=0)


@pytest.mark.parametrize("name", [n for n in bt.models.__all__ if n != "Sampling"])
def test_every_fit_documents_how_it_is_sampled(name):
    model = getattr(bt.models, name)
    shared = ["sampling", "rng", "predictive", "options"]
    assert list(inspect.signature(model.fit).parameters)[-4:] == shared
    for start in ("sampling : ", "rng : ", "predictive : ", "**options\n    ``draws``"):
        assert f"\n{start}" in inspect.getdoc(model.fit)
    default = getattr(model, "TARGET_ACCEPT", names.TARGET_ACCEPT)
    assert f"``target_accept``, {default} here" in model.fit.__doc__ or (
        f"``target_accept`` is {default} here" in model.fit.__doc__
    )


def test_options_replace_those_of_the_record_that_were_not_chosen():
    run = Run.from_options({"sampling": Sampling(draws=9), "chains": 2, "random_seed": 3})
    assert (run.sampling, run.seed) == (Sampling(draws=9, chains=2), 3)


def test_a_named_nuts_sampler_takes_the_place_of_weights(no_nuts):
    data = bt.models.davidson.simulate(3, judgments=30, rng=1)
    with pytest.raises(no_nuts):
        bt.models.davidson.fit(data, nuts_sampler="nutpie", rng=1)
    with pytest.raises(ValueError, match="'laplace' and nuts_sampler='pymc' exclude each other"):
        bt.models.davidson.fit(data, sampler="laplace", nuts_sampler="pymc", rng=1)


@pytest.mark.sampled
def test_options_are_those_of_the_record_and_pymc_samples_the_same_posterior():
    record = Sampling(draws=400, tune=300, chains=2, target_accept=0.85)
    options = {"draws": 400, "tune": 300, "chains": 2, "target_accept": 0.85}
    one = beta_binomial.fit(pairs(2), sampling=record, rng=3, predictive=False)
    same = beta_binomial.fit(pairs(2), **options, random_seed=3, predictive=False)
    xr.testing.assert_identical(one["posterior"].to_dataset(), same["posterior"].to_dataset())
    other = beta_binomial.fit(
        pairs(2), **options, random_seed=3, nuts_sampler="pymc", predictive=False
    )
    mine, theirs = one["posterior"].attrs, other["posterior"].attrs
    assert set(mine) == set(theirs)
    assert {k for k in mine if mine[k] != theirs[k]} == {
        "inference_library",
        "inference_library_version",
        "versions",
    }
    assert theirs["inference_library"] == "pymc"
    assert bt.fits.diagnose(other).divergences == 0
    np.testing.assert_allclose(other["posterior"]["p"].mean(), 0.5, atol=0.02)


def same_groups(model, theirs):
    for name, own in sampling.data_groups(model).items():
        other = theirs[name].to_dataset() if name in theirs.children else xr.Dataset()
        xr.testing.assert_equal(own, other)
        for variable in other.variables:
            assert own[variable].dtype == other[variable].dtype, variable


@pytest.mark.sampled
def test_data_groups_are_those_of_pymc():
    import pymc as pm

    with pm.Model(coords={"row": ["a", "b", "c"]}) as model:
        x = pm.Data("x", np.array([1.0, 2.0, 3.0]), dims="row")
        pm.Data("no_dims", np.eye(2))
        pm.Data("only_observed", np.array([1.0, 2.0, 3.0]), dims="row")
        slope = pm.Normal("slope")
        pm.Normal("of_whole", slope * x, observed=pm.Data("n", np.array([1, 2, 3])), dims="row")
        pm.Normal("y", slope * x, observed=model["only_observed"], dims="row")
        pm.Normal("z", slope, observed=np.array([[0.1, 2.0]]))
        quick = {"quiet": True, "compile_kwargs": {"mode": "FAST_COMPILE"}}
        theirs = pm.sample(draws=5, tune=5, chains=1, random_seed=1, cores=1, **quick)
    same_groups(model, theirs)


@pytest.mark.parametrize(
    "name", [n for n in bt.models.__all__ if hasattr(getattr(bt.models, n), "build")]
)
def test_data_groups_of_every_model_are_those_of_pymc(name):
    import pymc as pm

    row = validation_of(name)
    for k, (shape, form) in enumerate(row.cases):
        given = row.given(row.model.simulate(**shape, rng=k))
        model = row.model.build(*given.data, **given.named, **form)
        with sampling.quiet_logger(), sampling.without_compiler():
            theirs = pm.sample_prior_predictive(  # of one variable: what it draws is not looked at
                draws=1,
                model=model,
                var_names=[model.free_RVs[0].name],
                compile_kwargs={"mode": "FAST_COMPILE"},
                random_seed=1,
            )
        same_groups(model, theirs)


def test_log_densities_of_many_draws_at_a_time_are_those_of_pymc(monkeypatch):
    import pymc as pm

    monkeypatch.setattr(sampling, "_BLOCK", 2)  # of three draws: a whole block and a rest
    with pm.Model(coords={"row": ["a", "b"], "side": ["x", "y", "z"]}) as model:
        shares = pm.Dirichlet("shares", np.ones(3), dims=("row", "side"), shape=(2, 3))
        scale = pm.HalfNormal("scale", 2.0)
        lines = pm.Normal("lines", 0.0, scale, dims="row")
        pm.Multinomial("n", 6, shares, observed=[[1, 2, 3], [0, 0, 6]], dims=("row", "side"))
        pm.Normal("y", lines[np.array([0, 1, 1])], scale, observed=[0.1, 2.0, 0.3])
        quick = {"mode": "FAST_COMPILE"}
        draws = pm.sample_prior_predictive(3, random_seed=1, compile_kwargs=quick)["prior"]
        theirs = xr.DataTree.from_dict({"posterior": draws.to_dataset()})
        pm.compute_log_likelihood(theirs, progressbar=False, compile_kwargs=quick)
        pm.stats.compute_log_prior(theirs, progressbar=False, compile_kwargs=quick)
    for group in ("log_likelihood", "log_prior"):
        own = sampling.log_density(model, draws.to_dataset(), group)
        xr.testing.assert_allclose(own, theirs[group].to_dataset(), rtol=1e-12)
        assert {k: v for k, v in own.attrs.items() if k != "created_at"} == {
            k: v for k, v in theirs[group].attrs.items() if k != "created_at"
        }


PREDICTED = """
import pickle, sys
from pathlib import Path
import pymc as pm, xarray as xr
from pytensor.configdefaults import config
from betterthan.models import davidson, sampling

model = davidson.build(davidson.simulate(3, judgments=20, rng=1))
quick = {"mode": "FAST_COMPILE"}
prior = pm.sample_prior_predictive(10, model, random_seed=1, compile_kwargs=quick)["prior"]
tree = xr.DataTree.from_dict({"posterior": prior.to_dataset()})
sampling.add_predictive(model, tree, seed=1)
groups = {name: tree[name].to_dataset().to_dict() for name in tree.children}
Path(sys.argv[1]).write_bytes(pickle.dumps((config.cxx, groups)))
"""


@pytest.mark.skipif(shutil.which("g++") is None, reason="no compiler of C++")
def test_predictions_with_a_compiler_are_those_without(tmp_path, monkeypatch):
    """Users may have a compiler, and tests use none: conftest.py at the top."""
    flags = os.environ.get("PYTENSOR_FLAGS", "").split(",")
    compiling = {"PYTENSOR_FLAGS": ",".join(f for f in flags if f and not f.startswith("cxx="))}
    words = [sys.executable, "-c", PREDICTED, str(tmp_path / "compiled")]
    subprocess.run(words, env=os.environ | compiling, check=True, capture_output=True)
    monkeypatch.setattr(sys, "argv", ["", str(tmp_path / "here")])
    exec(PREDICTED, {})
    compiler, found = pickle.loads((tmp_path / "compiled").read_bytes())
    _, expected = pickle.loads((tmp_path / "here").read_bytes())
    assert compiler
    assert expected.keys() == found.keys() > {"posterior_predictive", "log_likelihood"}
    for group in expected:
        one, other = (xr.Dataset.from_dict(groups[group]) for groups in (found, expected))
        xr.testing.assert_allclose(one, other, rtol=1e-12)


@pytest.fixture
def fastmath():
    """As users have it, other than tests: conftest.py at the top."""
    from pytensor.configdefaults import config

    with config.change_flags(numba__fastmath=True):
        yield


@pytest.mark.usefixtures("fastmath")
@pytest.mark.sampled
def test_every_choice_is_passed_on_and_recorded(monkeypatch, capsys):
    import nutpie

    seen = {}
    real = nutpie.sample

    def spy(model, **choices):
        from pytensor.configdefaults import config

        seen.update(choices, fastmath=config.numba__fastmath)
        return real(model, **choices)

    monkeypatch.setattr(nutpie, "sample", spy)
    before = logging.getLogger("pymc").level
    tree = beta_binomial.fit(pairs(2), rng=np.random.default_rng(1), predictive=False)
    assert {k: seen[k] for k in ("draws", "tune", "chains", "target_accept")} == {
        "draws": names.DRAWS,
        "tune": names.TUNE,
        "chains": names.CHAINS,
        "target_accept": names.TARGET_ACCEPT,
    }
    assert not seen["progress_bar"]
    assert not seen["fastmath"]
    first = np.random.default_rng(tree["posterior"].attrs["seed"]).spawn(1)[0]
    assert first.integers(2**30) == seen["seed"]  # as pm.sample has it
    assert logging.getLogger("pymc").level == before
    printed = capsys.readouterr()
    assert printed.out == ""


def test_models_load_without_pymc():
    code = (
        "import sys, betterthan as bt\n"
        "counts = bt.counts.from_table({('A', 'B'): (12, 2, 986)})\n"
        "bt.models.dirichlet_multinomial.closed_form(counts)\n"
        "bt.models.independent_betas.closed_form(counts)\n"
        "print(sorted({'pymc', 'arviz', 'nutpie', 'matplotlib'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.usefixtures("fastmath")
def test_no_folder_for_compiled_models(monkeypatch):
    from pytensor.configdefaults import config

    from betterthan.models.sampling import steady_arithmetic

    class NoFolder:
        base_compiledir = "/no/.pytensor"

        @property
        def compiledir(self):
            raise ValueError("Unable to create the compiledir directory. Check the permissions.")

    monkeypatch.setattr("pytensor.configdefaults.config", NoFolder())
    message = r"compiled models in /no/\.pytensor, .* set PYTENSOR_FLAGS=base_compiledir=FOLDER"
    with pytest.raises(ValueError, match=message), steady_arithmetic():
        pass
    monkeypatch.undo()
    assert config.numba__fastmath
    with steady_arithmetic():
        assert not config.numba__fastmath
