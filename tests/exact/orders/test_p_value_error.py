"""The stated error of a p-value by the corrected normal distribution covers both alternatives."""

import numpy as np

from betterthan.exact import rankings


def test_a_two_sided_p_may_be_wrong_by_twice_the_error_of_one_side():
    n = rankings.EXACT_MAX
    exact = np.minimum(np.cumsum(rankings.probabilities(n)), 1.0)
    k = np.arange(len(exact) // 2)
    off = np.abs(2 * rankings.normal_tail(k, n) - 2 * exact[k]).max()
    many = np.array([n + 1])
    told = {
        side: rankings.p_value(np.array([9_000]), many, side)[1][0]
        for side in ("greater", "less", "two-sided")
    }
    assert told["two-sided"] == 2 * told["greater"] == 2 * told["less"]
    assert told["greater"] < off <= told["two-sided"]
