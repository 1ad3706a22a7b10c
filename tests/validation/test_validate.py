import importlib
import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from validation import calibration, designs, models, of_hierarchical, of_pairs, refit
from validation.roster import ROSTER, validation_of

JOINT = [row.name for row in ROSTER if row.fit_design is not None]
FOLDERS = sorted(p.parent for p in (Path(__file__).parents[2] / "models").glob("*/evidence.json"))


# models of wins, losses and ties
PAIRS = [
    f for f in FOLDERS if f.name in ("beta_binomial", "dirichlet_multinomial", "independent_betas")
]


@pytest.fixture(params=FOLDERS, ids=lambda f: f.name)
def evidence(request):
    return json.loads((request.param / "evidence.json").read_text("utf-8"))


@pytest.fixture(params=PAIRS, ids=lambda f: f.name)
def evidence_of_pairs(request):
    return json.loads((request.param / "evidence.json").read_text("utf-8"))


def evidence_on(name):
    folder = next(f for f in FOLDERS if f.name == name)
    return json.loads((folder / "evidence.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def regression():
    return evidence_on("performance_function")


def test_ranks_are_uniform(evidence):
    found = evidence["calibration"]
    others = [form.name for form in validation_of(evidence["model"]).forms[1:]]
    of_all = sum(evidence[name]["calibration"]["simulations"] for name in others)
    least = 200 if evidence["model"] in JOINT else 1000
    assert found["simulations"] + of_all >= least
    assert found["divergences"] <= found["simulations"] / 200  # of 2000 transitions each
    for name, bars in found["histogram"].items():
        assert sum(bars) == found["simulations"]
        assert found["uniformity_p"][name] > 0.001


def test_intervals_cover_what_they_say(evidence):
    n = evidence["calibration"]["simulations"]
    for kind in ("eti", "hdi"):
        for shares in evidence["coverage"][kind].values():
            for mass, share in shares.items():
                p = float(mass)
                assert abs(share - p) < 4 * np.sqrt(p * (1 - p) / n), (kind, mass, share)


def test_fits_agree_with_the_closed_form_and_with_print(evidence_of_pairs):
    grid, published = (
        evidence_of_pairs["agreement"]["grid"],
        evidence_of_pairs["agreement"]["published"],
    )
    assert grid["max_abs_z_probability"] < 4
    assert grid["max_abs_z_mean"] < 4.5
    assert grid["divergences"] == 0
    assert grid["rhat_max"] <= 1.01
    assert grid["ess_min"] >= 400
    assert published["reproduced_by_closed_form"] == published["cases"]
    assert published["max_abs_z_probability"] < 4


def test_pairs_that_pool_agree_with_quadrature():
    found = evidence_on("dirichlet_multinomial")["quadrature_of_pooled_pairs"]
    assert max(*found["concentration"].values(), found["max_abs_z_probability"]) < 4
    assert found["divergences"] == 0


def test_table_of_the_approximation():
    table = of_pairs.approximation_error()["error_on_one_test_set"]
    rows = {tuple(row["counts"]): row for row in table}
    first, second = rows[(12, 2, 986)], rows[(210, 200, 590)]
    assert first["independent"] == pytest.approx(0.99641068147406, rel=1e-9)
    assert first["exact"] == pytest.approx(0.996307373046875, rel=1e-9)
    assert second["error"] == pytest.approx(0.7099604608263 - 0.6890599769822636, rel=1e-6)


def test_histogram_counts_every_rank():
    ranks = np.array([0, 4, 5, 99, 50])
    bars = calibration.histogram(ranks, 100)
    assert bars.sum() == 5
    assert (bars[0], bars[1], bars[10], bars[19]) == (2, 1, 1, 1)


def test_no_reference_no_run(tmp_path, capsys):
    for which in ("beta_binomial", "--all"):
        assert models.main([which, "--output", str(tmp_path)]) == 2
    assert "no reference.toml" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_coverage_is_that_of_the_exact_posterior(evidence_of_pairs):
    """On the same simulated truths: what is left is the sampler's error, not the luck of the
    truths.
    """
    evidence = evidence_of_pairs
    model = importlib.import_module(f"betterthan.models.{evidence['model']}")
    simulations = evidence["calibration"]["simulations"]
    truth = model.simulate(
        np.resize(calibration.EXAMPLES, simulations), pairs=simulations, rng=evidence["seed"]
    )
    for name, (value, successes, failures) in conjugate(truth).items():
        level = stats.beta(successes, failures).cdf(value)
        for mass, share in evidence["coverage"]["eti"][name].items():
            exact = (np.abs(level - 0.5) < float(mass) / 2).mean()
            assert abs(share - exact) < 0.025, (name, mass, share, exact)


def conjugate(truth):
    """Each scalar parameter: the truth and its Beta posterior under the default prior."""
    if "theta" in truth:
        k, n, size = truth["counts"].values, truth["counts"].sum("outcome").values, 3
        theta = truth["theta"].values
        columns = {
            f"theta_{o}": (theta[:, j], k[:, j]) for j, o in enumerate(("win", "loss", "tie"))
        }
    elif "decisive" in truth:
        k, n, size = truth["decisive"].values, truth["n"].values, 2
        columns = {
            f"p_{o}": (truth[f"p_{o}"].values, k[:, j]) for j, o in enumerate(("win", "loss"))
        }
    else:
        k, n, size = truth["counts"].values, truth["counts"].sum("outcome").values, 2
        columns = {"p": (truth["p"].values, k[:, 0])}
    return {name: (value, 1 + x, size - 1 + n - x) for name, (value, x) in columns.items()}


def test_regression_agrees_with_quadrature_and_with_print(regression):
    for row in regression["agreement"]["quadrature"]:
        assert row["divergences"] == 0
        for name in ("mean", "sd", "positive"):
            assert row[f"max_abs_z_{name}"] < 4  # 24 numbers
    apart = regression["agreement"]["published"]["standard_errors_apart"]
    assert all(abs(value) < 0.5 for value in apart.values())  # shrunk a little, towards 0


def test_ordinal_regression_is_calibrated_too(regression):
    found = regression["ordinal"]["calibration"]
    assert found["simulations"] >= 250
    assert found["divergences"] <= found["simulations"] / 200
    assert min(found["uniformity_p"].values()) > 0.001
    for kind in ("eti", "hdi"):
        for shares in regression["ordinal"]["coverage"][kind].values():
            for mass, share in shares.items():
                p = float(mass)
                assert abs(share - p) < 4 * np.sqrt(p * (1 - p) / found["simulations"])


def test_mallows_agrees_with_quadrature_and_with_print():
    found = evidence_on("mallows")["agreement"]
    assert len(found["quadrature"]) == 6
    for row in found["quadrature"]:
        assert row["divergences"] == 0
        assert max(row[f"max_abs_z_{name}"] for name in ("mean", "sd", "probability")) < 4
    assert found["published"]["max_error_of_log_normaliser"] < 1e-12
    assert found["published"]["taus_reproduced"] == 2


def test_slopes_agree_with_quadrature_and_with_print():
    found = evidence_on("subject_slopes")["agreement"]
    for row in found["quadrature"]:
        assert row["divergences"] == 0
        assert max(row[f"abs_z_{name}"] for name in ("mean", "sd", "positive")) < 4
    assert abs(found["published"]["standard_errors_apart"]) < 0.25


def test_repeated_runs_agree_with_importance_sampling_and_with_print():
    found = evidence_on("repeated")["agreement"]
    assert found["divergences"] == 0
    assert found["ess"] > 20_000  # of the weights: small next to the error of the fit
    for row in found["importance_sampling"]:
        assert max(row[f"abs_z_{name}"] for name in ("mean", "sd", "positive")) < 4, row
    published = found["published"]
    assert published["error_of_log_likelihood"] < 0.05
    assert max(published[f"relative_error_of_{k}"] for k in ("alpha", "beta")) < 5e-4


def test_unequal_runs_are_calibrated_and_bounds_hold_for_any_shape():
    evidence = evidence_on("repeated")
    found = evidence["unequal"]["calibration"]
    for each in (found, evidence["calibration"]):
        assert each["pooled"]["largest"] <= each["pooled"]["limit"]
    assert found["divergences"] <= found["simulations"] / 200
    assert min(found["uniformity_p"].values()) > 0.001
    told = evidence["extrapolation"]
    least = 0.95 - 4 * np.sqrt(0.95 * 0.05 / told["replications"])
    for name, truth in told["truths"].items():
        assert min(truth["bounds"]) > least, name


@pytest.fixture(params=JOINT)
def joint(request):
    return evidence_on(request.param)


def test_joint_models_agree_with_limits_quadrature_and_print(joint):
    def all_z(found):
        if isinstance(found, dict):
            return [z for k, v in found.items() for z in ([v] if "z_" in k else all_z(v))]
        return [z for one in found for z in all_z(one)] if isinstance(found, list) else []

    numbers = all_z(joint["agreement"])
    assert len(numbers) >= 3
    assert max(numbers) < 4
    published = joint["agreement"]["published"]
    if "cases" in published:
        assert published["reproduced_by_closed_form"] == published["cases"] == 2
    limits = {
        "max_error_of_abilities": 0.006,
        "max_error_of_parameters": 0.001,
        "error_of_log_likelihood": 0.001,
        "error_of_t": 5e-5,
        "error_of_p": 5e-7,
    }
    for name in set(limits) & set(published):
        assert published[name] < limits[name]


def test_second_forms_are_calibrated_too(joint):
    forms = [form.name for form in validation_of(joint["model"]).forms]
    assert forms[0] == joint["model"]
    if len(forms) == 1:
        assert joint["model"] in ("clustered", "graded")
        return
    (form,) = forms[1:]
    found = joint[form]["calibration"]
    assert found["simulations"] >= 200
    assert found["divergences"] <= found["simulations"] / 200
    assert min(found["uniformity_p"].values()) > 0.001
    for shares in joint[form]["coverage"]["eti"].values():
        for mass, share in shares.items():
            p = float(mass)
            assert abs(share - p) < 4 * np.sqrt(p * (1 - p) / found["simulations"])


BY_WEIGHTS = [row for row in ROSTER if row.forms[0].weighted]


def test_four_models_are_drawn_by_weights():
    names = ["clustered", "davidson", "hierarchical", "item_response"]
    assert [row.name for row in BY_WEIGHTS] == names


@pytest.mark.parametrize("row", BY_WEIGHTS, ids=lambda row: row.name)
def test_draws_by_weights_are_calibrated(row):
    found = evidence_on(row.name)["laplace"]
    forms = {form.name: form for form in (*row.forms, row.larger) if form.weighted}
    assert set(found) == set(forms)
    for name, told in found.items():
        ranks = told["calibration"]
        assert ranks["simulations"] >= row.simulations(forms[name]) >= 500
        assert ranks["pooled"]["largest"] <= ranks["pooled"]["limit"], name
        assert min(ranks["uniformity_p"].values()) > 0.001
        assert told["pareto_k"]["largest"] <= 0.7  # none of them was left to NUTS
        for shares in told["coverage"]["eti"].values():
            for mass, share in shares.items():
                p = float(mass)
                assert abs(share - p) < 4 * np.sqrt(p * (1 - p) / ranks["simulations"])


def test_joint_models_sample_well_on_twenty_designs(joint):
    rows = joint["quality"]
    assert len(rows) == len(designs.DESIGNS) == 20
    for row in rows:
        assert row["divergences"] == 0, row
        assert row["rhat_max"] <= 1.01, row
        assert min(row["ess_bulk_min"], row["ess_tail_min"]) > 400, row


def test_designs_span_what_they_should():
    n, ties, systems, sets = zip(
        *((d.n, d.ties, d.systems, d.datasets) for d in designs.DESIGNS), strict=True
    )
    assert (min(n), max(n), min(ties), max(ties)) == (20, 2000, 0.0, 0.9)
    assert (min(systems), max(systems), min(sets), max(sets)) == (2, 30, 1, 15)
    assert sum(d.sweep for d in designs.DESIGNS) >= 5
    swept = designs.scores_of(designs.DESIGNS[0], 1)
    assert (swept.values[:, -1] == 1).all()


def test_every_model_has_a_row_and_every_row_a_model():
    assert len(models.MODELS) == len(set(models.MODELS)) == 13
    assert [row.name for row in ROSTER] == sorted(f.name for f in FOLDERS)
    for row in ROSTER:
        assert (row.looks is None) == (row.fit_design is None)
        assert row.forms[0].name == row.name
        # the first is run whole, or all of them share the simulations
        assert row.forms[0].part == 1 or {form.part for form in row.forms} == {len(row.forms)}


def test_forms_are_told_in_the_evidence(evidence):
    row = validation_of(evidence["model"])
    for form in row.forms:
        told = evidence if form is row.forms[0] else evidence[form.name]
        assert form.design.items() <= told["calibration"].items()
        truth, *_ = form.simulate(3, 5)
        assert set(form.scalars(truth)) == set(told["calibration"]["histogram"])


@pytest.mark.sampled
def test_a_stopped_calibration_goes_on(tmp_path, monkeypatch):
    import nutpie

    monkeypatch.setattr(calibration, "KEEP_EVERY", 2)
    monkeypatch.setattr(refit, "DRAWS", 60)
    compiled, compile_model = [], nutpie.compile_pymc_model

    def compile_once(model):  # data come in afterwards
        return compiled[0] if compiled else compiled.append(compile_model(model)) or compiled[0]

    monkeypatch.setattr(nutpie, "compile_pymc_model", compile_once)
    form = of_hierarchical.FORMS[0]
    whole = calibration.calibrate(form, 4, 5)
    calibration.calibrate(form, 2, 5, tmp_path)  # stopped after two
    resumed = calibration.calibrate(form, 4, 5, tmp_path)
    for name, ranks in whole.ranks.items():
        np.testing.assert_array_equal(resumed.ranks[name], ranks)
