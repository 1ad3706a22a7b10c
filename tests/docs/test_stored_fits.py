"""Draws that pages read are those of the models as they are."""

import sys
from pathlib import Path

import arviz as az
import numpy as np
import pytest
import xarray as xr

import betterthan as bt
from betterthan.models import sampling

DOCS = Path(__file__).parents[2] / "docs"
ASKED = {"seed": 7, **bt.models.Sampling().settings(0.9)}


@pytest.fixture
def stored(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(DOCS / "_ext")
    import stored_fits

    monkeypatch.setenv(stored_fits.FRESH, str(tmp_path))
    return stored_fits


def model(wins=18, losses=9, **choices):
    return bt.models.beta_binomial.build(
        bt.counts.from_table({("A", "B"): (wins, losses)}), **choices
    )


def refuse(*_, **__):
    raise AssertionError("a kept fit is read, not sampled")


def test_a_name_is_of_what_is_sampled(stored):
    one = stored.name(model(), ASKED)
    assert one == stored.name(model(), dict(reversed(ASKED.items())))
    others = [
        stored.name(model(wins=19), ASKED),
        stored.name(model(prior="jeffreys"), ASKED),
        stored.name(model(), ASKED | {"seed": 8}),
        stored.name(model(), ASKED | {"draws": 999}),
    ]
    assert len({one, *others}) == 5


def test_the_fit_of_a_page_is_read(stored, tmp_path):
    """The first of docs/methods/mcmc.md."""
    tree = stored.with_stored_draws(refuse)(model(), **ASKED)
    assert bt.fits.diagnose(tree).passed
    assert stored.lacking(tmp_path) == [
        f"git rm docs/fits/{k.name}"
        for k in sorted(stored.STORED.glob("*.nc"))
        if not (tmp_path / k.name).with_suffix(".read").exists()
    ]


def test_what_is_not_kept_is_sampled_and_said(stored, tmp_path, monkeypatch):
    monkeypatch.setattr(stored, "STORED", tmp_path / "fits")
    drawn = bt.datasets.example_fit("davidson")
    calls = []

    def sample(model, **asked):
        calls.append(asked)
        return drawn

    found = stored.with_stored_draws(sample)(model(), **ASKED)
    assert calls == [ASKED]
    for name, values in drawn["posterior"].data_vars.items():
        np.testing.assert_allclose(found["posterior"][name], values, rtol=1e-5)
    xr.testing.assert_identical(
        found["observed_data"].to_dataset(), drawn["observed_data"].to_dataset()
    )
    (to_do,) = stored.lacking(tmp_path)
    assert to_do.startswith("cp ")
    assert f"{stored.name(model(), ASKED)}.nc" in to_do


def test_the_module_that_samples_is_met_when_it_loads(stored, monkeypatch):
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    monkeypatch.delitem(sys.modules, "betterthan.models.sampling")
    monkeypatch.setattr(bt.models, "sampling", sampling, raising=False)
    stored.install()
    import importlib

    again = importlib.import_module("betterthan.models.sampling")
    assert again.sample.__qualname__.startswith("with_stored_draws.")
    (finder,) = (f for f in sys.meta_path if isinstance(f, stored._Finder))
    assert finder.waiting == {"pymc"}


def test_the_sampler_of_pymc_is_called_inside_of_its_model(stored, tmp_path, monkeypatch):
    monkeypatch.setattr(stored, "STORED", tmp_path / "fits")
    drawn = bt.datasets.example_fit("davidson")
    built, calls = model(), []

    def sample(model, **asked):
        calls.append((model, asked))
        return drawn

    with built:
        stored.with_stored_draws(sample)(draws=100, random_seed=1, quiet=True)
    ((sampled, asked),) = calls
    assert sampled is built
    assert asked == {"draws": 100, "random_seed": 1, "quiet": True}
    name = stored.name(built, {"draws": 100, "random_seed": 1})
    assert (tmp_path / f"{name}.nc").exists()


def test_kept_fits_are_small(stored):
    sizes = [path.stat().st_size for path in stored.STORED.glob("*")]
    assert 0 < sum(sizes) < 10_000_000  # of nine notebooks, and the pages that sample


@pytest.mark.sampled
def test_a_kept_fit_equals_a_fresh_one(stored):
    kept = stored.with_stored_draws(refuse)(model(), **ASKED)["posterior"]["p"]
    fresh = sampling.sample(model(), **ASKED)["posterior"]["p"]
    error = np.hypot(*(float(az.mcse(x, method="mean").squeeze()) for x in (kept, fresh)))
    assert abs(float(kept.mean()) - float(fresh.mean())) < 4.5 * error
    assert isinstance(kept, xr.DataArray)
    assert abs(float(kept.std()) / float(fresh.std()) - 1) < 0.1
