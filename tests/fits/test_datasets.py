"""Several data sets: weights, a new one, and what pooling hides."""

import numpy as np
import pytest

import betterthan as bt
from betterthan.exact.numeric import monte_carlo
from betterthan.signed import Signature


@pytest.fixture(scope="module")
def data():
    """A large data set that prefers B, and four small ones that prefer A."""
    values = np.array([[20, 120, 100], [14, 3, 8], [12, 4, 9], [15, 5, 5], [11, 2, 12]])
    table = {(f"A{k}", f"B{k}"): tuple(v) for k, v in enumerate(values)}
    one = [bt.counts.to_pairs(bt.counts.from_table({("A", "B"): v})) for v in table.values()]
    import xarray as xr

    return xr.concat(one, xr.DataArray(list("vwxyz"), dims="dataset", name="dataset"), join="exact")


@pytest.fixture(scope="module")
def tree(data):
    return bt.models.hierarchical.fit(data, rng=1, predictive=False)


def test_weights_change_the_verdict(tree):
    found = bt.fits.compare(tree, weights={"v": 0.6, "w": 0.1, "x": 0.1, "y": 0.1, "z": 0.1})
    at = found["prob_better"].isel(pair=0)
    assert found["prob_better_pooled"].item() < 0.001
    assert at.sel(target="size").item() < 0.01
    assert at.sel(target="equal").item() > 0.95
    assert at.sel(target="given").item() < at.sel(target="equal").item()
    assert 0.5 < at.sel(target="new").item() < at.sel(target="equal").item()
    assert found["verdict_changes"].sel(target="equal").item()
    assert found["verdict_pooled"].item() == "b_better"
    assert found["prob_better_dataset"].sel(dataset="v").item() < 0.01


def test_one_weight_is_that_data_set(tree):
    found = bt.fits.compare(tree, weights={"v": 1, "w": 0, "x": 0, "y": 0, "z": 0})
    given = found["prob_better"].sel(target="given").item()
    assert given == pytest.approx(found["prob_better_dataset"].sel(dataset="v").item())


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"v": 0.5, "w": 0.1, "x": 0.1, "y": 0.1, "z": 0.1}, "weights sum to 0.9"),
        ({"v": 1.0}, "data set 'w' has no weight"),
        ({"v": 0.6, "w": 0.1, "x": 0.1, "y": 0.1, "q": 0.1}, "there is no data set 'q'"),
        ({"v": 1.4, "w": -0.4, "x": 0, "y": 0, "z": 0}, "a weight is -0.4"),
        ([0.2] * 5, "give a mapping"),
    ],
)
def test_bad_weights(tree, weights, message):
    with pytest.raises(ValueError, match=message):
        bt.fits.compare(tree, weights=weights)


def test_leaving_one_out(data):
    found = bt.fits.leave_one_dataset_out(data, rng=1)
    assert (found["elpd"].sum() > found["elpd_pooled"].sum()).item()
    assert found["level"].sel(dataset="v").item() < 0.1  # not foreseen by the small ones
    others = data.values.sum(0) - data.values[0] + 1
    by_hand = monte_carlo.log_probability(data.values[0], others)
    assert found["elpd_pooled"].sel(dataset="v").values == pytest.approx(by_hand)


def test_log_probability_sums_to_one():
    tables = np.array([[[w, x, 4 - w - x]] for w in range(5) for x in range(5 - w)])
    log = np.array([monte_carlo.log_probability(t, np.array([[0.7, 2.0, 1.3]])) for t in tables])
    assert np.exp(log).sum() == pytest.approx(1.0)
    assert monte_carlo.log_mean_exp(np.log(np.array([1.0, 3.0]))) == pytest.approx(np.log(2))


def test_data_set_without_a_decision_is_answered_with_a_warning(data):
    tied = data.copy()
    tied.values[2] = [[0, 0, 25]]
    tree = bt.models.hierarchical.fit(tied, rng=1, predictive=False)
    with pytest.warns(UserWarning, match="result of A and B in data set 'x' comes from the other"):
        found = bt.fits.compare(tree)
    assert found["prob_better_dataset"].sel(dataset="x").item() > 0.3


def test_verdict_is_withheld(tree):
    with pytest.warns(UserWarning, match="no verdict"):
        found = bt.fits.compare(tree.isel(draw=slice(0, 40)))
    assert (found["verdict"] == "no_verdict").all()


def test_what_is_no_fit_of_these_models_is_refused(tree):
    other = bt.datasets.example_fit("performance_function")
    with pytest.raises(ValueError, match=r"tree is a fit of performance_function; give a fit of"):
        bt.fits.compare(other)
    with pytest.raises(ValueError, match=r"tree is a fit of hierarchical; .* of davidson"):
        bt.fits.transitivity(tree)
    with pytest.raises(ValueError, match="items is for a fit of mallows; this is one of hier"):
        bt.fits.compare(tree, items=5)


def test_threshold_moves_the_verdicts(tree):
    better = bt.fits.compare(tree)["prob_better"].isel(pair=0).sel(target="new").item()
    assert 0.55 < better < 0.95
    thresholds = (better - 0.05, better - 0.001, better + 0.01)
    found = [bt.fits.compare(tree, threshold=t) for t in thresholds]
    verdicts = [str(f["verdict"].isel(pair=0).sel(target="new").item()) for f in found]
    assert verdicts == ["a_better", "undecided", "undecided"]
    close = [bool(f["too_close"].isel(pair=0).sel(target="new").item()) for f in found]
    assert close == [False, True, False]  # within two Monte Carlo errors
    with pytest.raises(ValueError, match=r"threshold is 0\.5; give a number above 0.5"):
        bt.fits.compare(tree, threshold=0.5)


def test_an_answer_says_how_it_was_made(tree):
    made = Signature.from_attrs(bt.fits.compare(tree, rope=0.02).attrs)
    assert (made.answer, made.model, made.unit) == ("pairs", "hierarchical", "item")
    assert (made.rope, made.ci_prob, made.ci_kind, made.threshold) == (0.02, 0.95, "hdi", 0.95)
    assert (made.chains, made.draws, made.seed, made.failures) == (4, 1000, 1, ())
