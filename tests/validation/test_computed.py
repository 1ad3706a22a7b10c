"""The key of the evidence sees what changes the numbers of a model, and nothing else."""

import inspect
import json
from dataclasses import replace

import numpy as np
import pytest
from pytensor.configdefaults import config

from betterthan.exact.numeric import monte_carlo
from betterthan.models import beta_binomial, davidson, paired_judgments, sampling, shrinkage
from validation import computed, in_step
from validation.roster import ROSTER

CASES = {
    "davidson": [({"systems": 3, "judgments": 20, "position": True}, {"position": True})],
    "beta_binomial": [({"n": 10, "pairs": 2}, {})],
}


def patched_rows(monkeypatch):
    row_of = computed.validation_of
    monkeypatch.setattr(
        computed, "validation_of", lambda name: replace(row_of(name), cases=CASES[name])
    )


@pytest.fixture
def small(monkeypatch):
    patched_rows(monkeypatch)


@pytest.fixture(scope="module")
def davidson_before():
    with pytest.MonkeyPatch.context() as patched:
        patched_rows(patched)
        return computed.computes("davidson")


def test_every_model_has_three_data_sets_or_more():
    assert min(len(row.cases) for row in ROSTER) >= 3


def test_a_changed_prior_is_seen(small, davidson_before, monkeypatch):
    monkeypatch.setattr(davidson, "_EFFECT", 1.51)
    after = computed.computes("davidson")
    (was,), (now,) = (
        found["data_sets"][0]["simulate"]["position"] for found in (davidson_before, after)
    )
    told = in_step.what_differs(davidson_before, after)
    assert told.startswith(
        f"position of simulate of data set 1, number 1: was {was:.12g}, is {now:.12g} (and "
    )


def test_a_changed_helper_is_seen_wherever_it_stands(small, davidson_before, monkeypatch):
    # of the coordinates alone: what is drawn stays
    monkeypatch.setattr(shrinkage, "_DISCOUNT", 0.6)
    after = computed.computes("davidson")
    was, now = (found["data_sets"][0]["log_density"][0] for found in (davidson_before, after))
    told = in_step.what_differs(davidson_before, after)
    assert told.startswith(
        f"log density of data set 1 at point 1: was {was:.12g}, is {now:.12g} (and "
    )


def test_a_helper_told_anew_voids_nothing(small, davidson_before, monkeypatch):
    coordinates, chances = shrinkage.abilities, paired_judgments.log_chances
    monkeypatch.setattr(
        shrinkage, "abilities", lambda won, tried: coordinates(won=1 * won, tried=tried + 0.0)
    )
    monkeypatch.setattr(paired_judgments, "log_chances", lambda *arguments: chances(*arguments))
    from_file = json.loads(json.dumps(davidson_before, allow_nan=False))
    assert in_step.what_differs(from_file, computed.computes("davidson")) == ""


def test_a_changed_seed_is_seen(small, monkeypatch):
    before = computed.computes("beta_binomial")
    monkeypatch.setattr(beta_binomial, "one_seed", lambda rng: monte_carlo.one_seed(rng) + 1)
    told = in_step.what_differs(before, computed.computes("beta_binomial"))
    assert "simulate of data set 1" in told


def test_a_changed_closed_form_is_seen(small, monkeypatch):
    before = computed.computes("beta_binomial")
    formula = beta_binomial.prob_above_half
    monkeypatch.setattr(beta_binomial, "prob_above_half", lambda a, b: formula(a * (1 + 1e-6), b))
    told = in_step.what_differs(before, computed.computes("beta_binomial"))
    assert told.startswith("prob better of closed form of data set 1, number 1: was 0.")


def test_what_only_rounds_is_not_seen(small, monkeypatch):
    before = computed.computes("beta_binomial")
    formula = beta_binomial.prob_above_half
    monkeypatch.setattr(beta_binomial, "prob_above_half", lambda a, b: formula(a * (1 + 1e-12), b))
    after = computed.computes("beta_binomial")
    assert after != before
    assert in_step.what_differs(before, after) == ""


def test_changed_settings_of_the_sampler_are_seen(monkeypatch):
    with config.change_flags(numba__fastmath=True):  # as users have it
        before = computed._sampler(davidson)
    assert before["target_accept"] == 0.95
    assert before["fastmath"] is False
    monkeypatch.setattr(davidson, "TARGET_ACCEPT", 0.9)
    told = in_step.what_differs({"sampler": before}, {"sampler": computed._sampler(davidson)})
    assert told == "target accept of sampler: was 0.95, is 0.9"
    signature = inspect.signature(davidson.fit)
    choices = [
        p.replace(default=sampling.Sampling(tune=500)) if p.name == "sampling" else p
        for p in signature.parameters.values()
    ]
    monkeypatch.setattr(davidson.fit, "__signature__", signature.replace(parameters=choices))
    told = in_step.what_differs({"sampler": before}, {"sampler": computed._sampler(davidson)})
    assert told == "tune of sampler: was 1000, is 500 (and 1 more)"
    monkeypatch.setattr(sampling, "SAMPLER", "pymc")
    told = in_step.what_differs({"sampler": before}, {"sampler": computed._sampler(davidson)})
    assert told == "name of sampler: was nutpie, is pymc (and 2 more)"


@pytest.mark.parametrize("row", ROSTER, ids=lambda row: row.name)
def test_what_is_told_of_the_sampler_is_what_a_fit_passes_on(row, monkeypatch):
    class Sampled(Exception):  # noqa: N818
        pass

    def sample(model, *, seed, **settings):
        raise Sampled(settings)

    monkeypatch.setattr(sampling, "sample", sample)
    shape, form = row.cases[0]
    given = row.given(row.model.simulate(**shape, rng=1))
    if "sampler" in inspect.signature(row.model.fit).parameters:
        form = form | {"sampler": "nuts"}
    with pytest.raises(Sampled) as caught:
        row.model.fit(*given.data, **given.named, **form)
    (settings,) = caught.value.args
    assert settings.items() <= computed._sampler(row.model).items()
    few = sampling.Sampling(draws=5, target_accept=0.7)
    with pytest.raises(Sampled) as caught:
        row.model.fit(*given.data, **given.named, **form, sampling=few)
    (chosen,) = caught.value.args
    assert chosen == settings | {"draws": 5, "target_accept": 0.7}


def test_what_was_added_or_left_out_is_seen():
    assert in_step.what_differs({"closed_form": {}}, {"closed_form": {"p": [0.5]}}) == (
        "p of closed form, number 1: was not there, is 0.5"
    )
    assert "is not there" in in_step.what_differs({"data_sets": [{"a": 1.0}]}, {"data_sets": []})


def test_nothing_is_0_up_to_rounding_alone():
    assert in_step.what_differs({"a": 0.0}, {"a": 1e-13}) == ""
    assert in_step.what_differs({"a": 0.0}, {"a": 1e-9}) == "a: was 0, is 1e-09"
    assert in_step.what_differs({"a": 1.0}, {"a": float("nan")}) == "a: was 1, is nan"


def test_a_long_vector_is_told_in_few_numbers_that_see_each_of_its_own():
    values = np.random.default_rng(1).normal(size=50)
    short = in_step.short(values)
    assert len(short) == 6
    for k in range(50):
        other = values.copy()
        other[k] += 1e-6
        assert in_step.what_differs({"a": short}, {"a": in_step.short(other)})
    swapped = values.copy()
    swapped[[20, 30]] = values[[30, 20]]
    assert in_step.what_differs({"a": short}, {"a": in_step.short(swapped)}).startswith(
        "a, number 2: "
    )
