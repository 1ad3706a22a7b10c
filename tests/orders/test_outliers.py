"""A judge stands apart only if judges like the others seldom would."""

import numpy as np
import pytest

import betterthan as bt


def orders(judges, documents, items, random, noise=None):
    """Judges who see the same quality of the items with noise, all equal unless told."""
    noise = np.ones(judges) if noise is None else noise
    found = {}
    for d in range(documents):
        quality = random.normal(size=items)
        seen = quality + noise[:, None] * random.normal(size=(judges, items))
        placed = np.argsort(-seen, axis=1)
        found[f"d{d}"] = {f"j{j}": [f"i{k}" for k in placed[j]] for j in range(judges)}
    return found if documents > 1 else found["d0"]


@pytest.mark.parametrize(("judges", "documents", "items"), [(4, 5, 8), (8, 6, 6), (15, 4, 8)])
def test_of_equal_judges_hardly_any_is_named(judges, documents, items):
    random, sets = np.random.default_rng(judges), 60
    named = [
        bool((bt.orders.agreement(given)["outlier_p"] <= 0.05).any())
        for given in (orders(judges, documents, items, random) for _ in range(sets))
    ]
    assert np.mean(named) <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / sets)


def test_one_who_guesses_is_named():
    noise = np.where(np.arange(6) == 2, 50.0, 0.5)
    found = bt.orders.agreement(orders(6, 10, 8, np.random.default_rng(1), noise))
    assert found["outlier_p"].idxmin().item() == "j2"
    assert found["outlier_p"].min().item() < 0.001
    assert (found["outlier_p"].values > 0.05).sum() == 5
    assert found.attrs["least_p"] == pytest.approx(6 * 6.0**-10)


def test_p_is_the_share_of_all_draws_of_a_judge_a_document():
    given = orders(4, 3, 6, np.random.default_rng(2))
    found = bt.orders.agreement(given)
    each = np.array([bt.orders.agreement(one)["mean_tau"].values for one in given.values()])
    sums = [each[0, a] + each[1, b] + each[2, c] for a, b, c in np.ndindex(4, 4, 4)]
    p = np.array([np.mean(np.array(sums) <= own + 1e-9) for own in each.sum(0)])
    worst = int(p.argmin())
    assert found["outlier_p"].values[worst] == pytest.approx(min(4 * p[worst], 1), abs=1e-9)


def test_of_one_document_items_are_what_is_drawn():
    judges = {str(k): list("abcdefgh") for k in range(4)}
    judges |= {"swap": list("bacdefgh"), "odd": list("hgfedcba")}
    found = bt.orders.agreement(judges)
    assert found.attrs["outlier_unit"] == "item"
    assert found["outlier_p"].sel(system="odd").item() == pytest.approx(6 * 6.0**-8)
    assert (found["outlier_p"].values > 0.05).sum() == 5


def test_of_one_document_few_equal_judges_are_named():
    # ranks of neighbouring items hang together: not exact, up to .12 (it was .66 before)
    random, sets = np.random.default_rng(8), 60
    each = (bt.orders.agreement(orders(8, 1, 8, random))["outlier_p"] for _ in range(sets))
    named = [bool((p <= 0.05).any()) for p in each]
    assert np.mean(named) <= 0.12 + 2 * np.sqrt(0.12 * 0.88 / sets)


def test_of_judges_with_other_items_nobody_is_named():
    judges = {"1": list("abcd"), "2": list("abce"), "3": list("abcd"), "4": list("dcba")}
    with pytest.warns(UserWarning, match="cover different proportions"):
        found = bt.orders.agreement(judges, restrict="common")
    assert np.isnan(found["outlier_p"]).all()
