"""Numbers that say that a score is missing are no scores: nobody wins by them, and nobody loses."""

import numpy as np
import pandas as pd
import pytest

import betterthan as bt


def ratings(*codes, highest=5, n=30):
    """Ratings of two systems; each code takes the place of some ratings of one."""
    table = pd.DataFrame(
        np.random.default_rng(2).integers(0, highest + 1, (n, 2)), columns=["A", "B"]
    )
    table = table.astype(float)
    for system, code in zip("AB", codes, strict=False):
        if code is not None:
            table.loc[:3, system] = code
    return table.assign(item=[f"q{k}" for k in range(n)])


@pytest.mark.parametrize(
    ("codes", "highest"),
    [((-1,), 1), ((None, -1), 5), ((99,), 5), ((999, 999), 100), ((-99, -99), 1), ((-9,), 5)],
)
def test_a_code_is_refused_until_the_systems_are_named(codes, highest):
    table = ratings(*codes, highest=highest)
    code = next(c for c in codes if c is not None)
    message = f"{code} may mean missing: [48] scores of .* pass systems=.'A', 'B'. if it is a score"
    with pytest.raises(ValueError, match=message):
        bt.read(table)
    assert (bt.read(table, systems=["A", "B"]) == code).any()
    long = table.melt("item", var_name="system", value_name="score")
    with pytest.raises(ValueError, match=f"{code} may mean missing"):
        bt.read(long)
    blank = table.replace(code, np.nan)
    assert bt.read(blank).attrs["n_missing"] == 4 * len([c for c in codes if c is not None])


@pytest.mark.parametrize(
    ("codes", "highest"),
    [((-1, -1), 1), ((99,), 100), ((99,), 20), ((-2,), 5), ((9,), 5), ((-1, -5), 5)],
)
def test_other_numbers_are_scores(codes, highest):
    assert bt.read(ratings(*codes, highest=highest)).sizes == {"item": 30, "system": 2}
