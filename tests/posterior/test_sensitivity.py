import numpy as np
import pytest
from scipy import stats

import betterthan as bt


def swept(*counts, **choice):
    return bt.posterior.prior_sweep(
        bt.counts.to_pairs(bt.counts.from_table({("A", "B"): counts})), **choice
    ).isel(pair=0)


def test_pseudo_examples_by_brute_force():
    found = swept(20, 6, 10)
    against = next(m for m in range(100) if stats.beta.sf(0.5, 21, 7 + m) < 0.95)
    even = next(m for m in range(100) if stats.beta.sf(0.5, 21 + m / 2, 7 + m / 2) < 0.95)
    assert (found["pseudo_against"].item(), found["pseudo_even"].item()) == (against, even)


def test_a_verdict_on_the_brink_flips():
    found = swept(5, 0, 40)
    assert found["prob_better"].sel(prior="uniform").item() == pytest.approx(1 - 0.5**6)
    assert not found["flips"].item()
    brink = swept(3, 0, 5)
    assert brink["verdict"].sel(prior="uniform").item() == "undecided"
    assert brink["verdict"].sel(prior="haldane").item() == "a_better"
    assert brink["flips"].item()
    assert np.isnan(brink["pseudo_even"].item())


def test_exchanging_the_systems_exchanges_the_verdicts():
    counts = bt.datasets.intent_detection()
    found = bt.posterior.prior_sweep(counts, priors={"uniform": (1, 1), "informed": (6, 2)})
    exchanged = found["verdict"].transpose("prior", "system_b", "system_a").values
    mirrored = {"a_better": "b_better", "b_better": "a_better", "undecided": "undecided"}
    np.testing.assert_array_equal(found["verdict"].values, np.vectorize(mirrored.get)(exchanged))
    np.testing.assert_array_equal(found["pseudo_even"].values, found["pseudo_even"].values.T)


def test_a_rope_needs_ties():
    assert swept(10, 10, 5000, rope=0.02)["verdict"].values.tolist() == ["equivalent"] * 4
    with pytest.raises(ValueError, match="needs the number of ties"):
        swept(10, 2, rope=0.02)
    with pytest.raises(ValueError, match="priors is empty"):
        swept(10, 2, priors={})


def test_ties_for_b_let_b_win():
    counts = bt.counts.from_table({("A", "B"): (10, 10, 20)})
    swept = bt.posterior.prior_sweep(counts, ties="to_b").sel(system_a="A", system_b="B")
    assert swept["verdict"].sel(prior="uniform").item() == "b_better"
