"""One line: what is wrong, and what would be right."""

import re

import numpy as np
import pytest
import xarray as xr

import betterthan as bt

PLAN = bt.plan
ONLY_DECISIVE = bt.counts.from_table({("A", "B"): (12, 2)})
TWO_PAIRS = bt.counts.from_table({("A", "B"): (1, 2, 3), ("A", "C"): (1, 2, 3)})

WRONG = [
    (lambda: PLAN.foresee((12, -6, 32), more=5), "counts hold -6"),
    (lambda: PLAN.foresee((12, 6.5, 32), more=5), "counts hold 6.5"),
    (lambda: PLAN.foresee((12, 6, 32), more=-1), "more is -1"),
    (lambda: PLAN.foresee((12, 6, 32), more=2.5), "more is 2.5"),
    (lambda: PLAN.foresee((12, 6, 32), more=[]), "more is empty"),
    (lambda: PLAN.foresee((12, 6, 32)), "pass more= or until="),
    (lambda: PLAN.foresee((12, 6, 32), more=1, until=60), "pass more= or until="),
    (lambda: PLAN.foresee((12, 6, 32), until=40), "there are 50 items already"),
    (lambda: PLAN.foresee(ONLY_DECISIVE, more=5, rope=0.1), "a rope needs the number of ties"),
    (lambda: PLAN.foresee((12, 6), more=5, rope=0.1), "a rope needs the number of ties"),
    (lambda: PLAN.replication((12, 6), rope=0.1), "a rope needs the number of ties"),
    (lambda: PLAN.fragility((12, 6), rope=0.1), "a rope needs the number of ties"),
    (lambda: PLAN.e_value((12, 6), 0.1), "a rope needs the number of ties"),
    (lambda: PLAN.confidence_sequence((12, 6)), "needs the number of ties"),
    (lambda: PLAN.confidence_sequence((12, 6, 1), error=1), "error is 1"),
    (lambda: PLAN.foresee((12, 6, 32), more=5, rope=1), "rope is 1"),
    (lambda: PLAN.foresee((12, 6, 32), more=5, threshold=0.4), "threshold is 0.4"),
    (lambda: PLAN.assurance(-1), "n is -1"),
    (lambda: PLAN.assurance(10.5), "n is 10.5"),
    (lambda: PLAN.assurance([]), "n is empty"),
    (lambda: PLAN.assurance(10, design=(1, 1), rope=0.1), "a rope needs the ties"),
    (lambda: PLAN.assurance(10, design=ONLY_DECISIVE, rope=0.1), "needs the number of ties"),
    (lambda: PLAN.assurance(10, theta=(0.5, 0.5), rope=0.1), "a rope needs the ties"),
    (lambda: PLAN.assurance(10, theta=(0.5, 0.3, 0.3)), "add up to 1"),
    (lambda: PLAN.assurance(10, theta=(1.5, -0.5, 0)), "add up to 1"),
    (lambda: PLAN.assurance(10, theta="a"), "theta is 'a'"),
    (lambda: PLAN.assurance(10, design=(1, 0, 1)), "design for loss is 0"),
    (lambda: PLAN.assurance(10, design="nothing"), "design is 'nothing'"),
    (lambda: PLAN.assurance(10, design=(1, 1, 1), theta=(0.1, 0.1, 0.8)), "give one of the two"),
    (lambda: PLAN.items_needed((6, 3, 11), target=1), "target is 1"),
    (lambda: PLAN.items_needed((6, 3, 11), of="better"), "of is 'better'"),
    (lambda: PLAN.items_needed((6, 3, 11), keep=True), "keep=True needs a pilot"),
    (lambda: PLAN.items_needed(TWO_PAIRS), "counts of 3 pairs"),
    (lambda: PLAN.assurance(100, design=TWO_PAIRS), "counts of 3 pairs"),
    (lambda: PLAN.stopping_boundary(0), "n_max is 0"),
    (lambda: PLAN.stopping_boundary(10, looks=11), "10 items at most"),
    (lambda: PLAN.stopping_boundary(10, looks=[5, 12]), "looks hold 12, beyond n_max"),
    (lambda: PLAN.stopping_boundary(10, looks=[5, 5]), "looks do not ascend"),
    (lambda: PLAN.stopping_boundary(10, error=0), "error is 0"),
    (lambda: PLAN.peeking(10, boundary=3), "boundary is 3"),
    (lambda: PLAN.peeking(20, boundary=PLAN.stopping_boundary(10)), "the boundary ends at 10"),
    (lambda: PLAN.peeking(10, bayes_factor=0.5), "bayes_factor is 0.5"),
    (lambda: PLAN.peeking(10, rope=0.1), "a rope needs the ties"),
    (
        lambda: PLAN.peeking(10, rope=0.1, theta=(0.1, 0.1, 0.8), bayes_factor=20),
        "leave out bayes_factor",
    ),
    (lambda: PLAN.sign_power(0), "n is 0"),
    (lambda: PLAN.sign_power(10, 1.5), "theta is 1.5"),
    (lambda: PLAN.sign_power(10, alternative="both"), "alternative is 'both'"),
    (lambda: PLAN.mcnemar_power(10, 0.5), "theta is 0.5"),
    (lambda: PLAN.mcnemar_power(10, (0.8, 0.7)), "1 together at most"),
]


@pytest.mark.parametrize(("call", "said"), WRONG, ids=[said for _, said in WRONG])
def test_one_line(call, said):
    with pytest.raises(ValueError, match=re.escape(said)) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_boundaries_that_no_number_of_wins_reaches():
    found = bt.plan.stopping_boundary(4)
    assert (found["wins"] == -1).all()
    assert float(found["error"][-1]) == 0
    assert "No number of wins" in found.lines[0]
    assert np.isfinite(found.attrs["threshold"])


@pytest.mark.parametrize("plan", ["e_value", "confidence_sequence", "fragility", "replication"])
def test_counts_of_runs_are_warned_of(plan):
    scores = xr.DataArray(
        np.random.default_rng(1).integers(0, 2, (60, 2)).astype(float),
        dims=("item", "system"),
        coords={"item": np.arange(60) // 3, "epoch": ("item", np.arange(60) % 3)}
        | {"system": ["A", "B"]},
    )
    with pytest.warns(UserWarning, match="Runs of an item count as independent"):
        getattr(PLAN, plan)(bt.count(scores))
