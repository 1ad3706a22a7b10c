import pytest

from betterthan.posterior.verdicts import decide


@pytest.mark.parametrize(
    ("a", "b", "within", "rope", "verdict", "also"),
    [
        (0.95, 0.05, 0.0, 0.0, "a_better", False),
        (0.9499, 0.0501, 0.0, 0.0, "undecided", False),
        (0.05, 0.95, 0.94, 0.1, "b_better", False),
        (0.99, 0.01, 0.95, 0.1, "equivalent", True),
        (0.6, 0.4, 0.96, 0.1, "equivalent", False),
        (0.6, 0.4, 1.0, 0.0, "undecided", False),  # without a rope nothing is equivalent
    ],
)
def test_the_rule(a, b, within, rope, verdict, also):
    found, beside = decide(a, b, within, rope)
    assert (str(found), bool(beside)) == (verdict, also)
