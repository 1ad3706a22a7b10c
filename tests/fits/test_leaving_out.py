"""What PSIS-LOO leaves out of each model: rows of its likelihood, and never a whole pair."""

import warnings

import numpy as np
import pytest
import xarray as xr

import betterthan as bt
from betterthan.models import sampling
from validation.roster import validation_of

BY_WEIGHTS = {"clustered", "davidson", "hierarchical", "item_response"}
OF_PAIRS = ["beta_binomial", "dirichlet_multinomial", "independent_betas", "judge"]
BY_ROW = {
    "clustered": {"cluster", "pair"},
    "davidson": {"row"},
    "graded": {"row"},
    "hierarchical": {"dataset", "pair"},
    "item_response": {"item"},
    "mallows": {"cell"},
    "performance_function": {"dialogue"},
    "repeated": {"item"},
    "subject_slopes": {"row"},
}


def fitted(name):
    """A fit by weights; of the others draws from the prior in the place of the posterior's."""
    import pymc as pm

    row = validation_of(name)
    shape, form = row.cases[0]
    given = row.given(row.model.simulate(**shape, rng=1))
    if name in BY_WEIGHTS:
        few = sampling.Sampling(draws=100)
        return row.model.fit(*given.data, **given.named, **form, sampling=few, rng=1)
    model = row.model.build(*given.data, **given.named, **form)
    quick = {"mode": "FAST_COMPILE"}
    with sampling.quiet_logger(), sampling.without_compiler():
        drawn = pm.sample_prior_predictive(
            draws=100, model=model, compile_kwargs=quick, random_seed=1
        )
        tree = xr.DataTree.from_dict({"posterior": drawn["prior"].to_dataset()})
        with model:
            pm.compute_log_likelihood(tree, progressbar=False, compile_kwargs=quick)
    tree["observed_data"] = sampling.data_groups(model)["observed_data"]
    return tree


def test_every_model_is_looked_at():
    models = {n for n in bt.models.__all__ if hasattr(getattr(bt.models, n), "fit")}
    assert models == {*OF_PAIRS, *BY_ROW}


@pytest.mark.parametrize("name", OF_PAIRS)
def test_a_whole_pair_is_not_left_out(name):
    tree = fitted(name)
    assert set(tree["log_likelihood"]["y"].dims) - {"outcome"} == {"chain", "draw", "pair"}
    with pytest.raises(
        ValueError, match=r"'a' has one observation for each pair: .* fit models.gra"
    ) as e:
        bt.fits.loo({"a": tree, "b": tree})
    assert "\n" not in str(e.value)


def test_draws_of_ones_own_hear_how_to_add_the_log_likelihood():
    tree = bt.datasets.example_fit("davidson")
    bare = xr.DataTree.from_dict({"posterior": tree["posterior"].to_dataset()})
    with pytest.raises(ValueError, match=r"'a' has no log likelihood; .*pm\.compute_log_like"):
        bt.fits.loo({"a": bare, "b": tree})


def test_the_observed_variable_may_have_any_name():
    tree = fitted("davidson")
    groups = {k: v.to_dataset() for k, v in tree.children.items()}
    for group in ("log_likelihood", "observed_data"):
        groups[group] = groups[group].rename(y="votes")
    own = xr.DataTree.from_dict(groups)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # draws are few, and of the prior
        table, right = (bt.fits.loo({"a": one, "b": one}) for one in (own, tree))
    assert table["elpd"].tolist() == right["elpd"].tolist()


@pytest.mark.parametrize("name", BY_ROW)
def test_a_row_is_left_out(name):
    tree = fitted(name)
    assert set(tree["log_likelihood"]["y"].dims) - {"chain", "draw"} == BY_ROW[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # draws are few, and of the prior
        table = bt.fits.loo({"a": tree, "b": tree})
    assert np.isfinite(table["elpd"]).all()


def test_loo_of_one_tree_asks_for_a_mapping():
    with pytest.raises(ValueError, match="trees is DataTree; give two fits or more, as a mapping"):
        bt.fits.loo(bt.datasets.example_fit("davidson"))
