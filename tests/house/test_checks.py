"""A message says what kind of thing came, and never its contents."""

import numpy as np
import pandas as pd
import pytest

from betterthan import checks

MANY = np.arange(1000.0)


@pytest.mark.parametrize(
    ("check", "words"),
    [
        (lambda: checks.one_of(MANY, ("a", "b"), "kind"), "kind is a ndarray; choose one of a, b"),
        (lambda: checks.one_of("c", ("a", "b"), "kind"), "kind is 'c'; choose one of a, b"),
        (lambda: checks.real(MANY, "beta"), "beta is a ndarray; give a number"),
        (lambda: checks.probability(MANY, "alpha"), "alpha is a ndarray; give a number"),
        (lambda: checks.whole(pd.DataFrame(), "draws"), "draws is a DataFrame; give a whole"),
        (lambda: checks.whole(2.5, "draws"), "draws is 2.5; give a whole"),
        (lambda: checks.prior(object()), "prior is a object; give a name"),
        (lambda: checks.positive("x", "sd"), "sd is 'x'; give positive numbers"),
        (lambda: checks.p_values([["x"], [1, 2]]), "p-values are a list; give numbers"),
        (lambda: checks.of_type(3, list, "rows are", "list"), "rows are a int; give a list"),
    ],
)
def test_what_came_is_told_by_its_kind(check, words):
    with pytest.raises(ValueError, match=f"^{words}") as caught:
        check()
    assert len(str(caught.value)) < 120
