import numpy as np
import pytest
from scipy import stats

from betterthan.exact.numeric.monte_carlo import one_seed, probability_z


def test_it_is_the_distance_in_standard_errors():
    z = probability_z(np.array([0.3]), np.array([0.35]), np.array([1000]))
    assert z[0] == pytest.approx(0.05 / np.sqrt(0.21 / 1000))


def test_near_the_ends_it_is_the_binomial_tail():
    z = probability_z(np.array([0.0005, 0.9995]), np.array([0.004, 0.996]), np.array([1000, 1000]))
    expected = -stats.norm.ppf(stats.binom.sf(3, 1000, 0.0005))
    np.testing.assert_allclose(z, [expected, -expected], rtol=1e-9)


@pytest.mark.parametrize("p", [1e-300, 1e-12, 1 - 1e-12])
def test_all_draws_on_the_right_side_is_no_distance(p):
    assert probability_z(np.array([p]), np.array([round(p)]), np.array([4000.0]))[0] == 0


def test_a_draw_that_cannot_be_is_far_away():
    assert probability_z(np.array([1e-9]), np.array([0.001]), np.array([4000.0]))[0] > 4


def test_seeds():
    assert one_seed(7) == 7
    assert one_seed(np.int64(7)) == 7
    assert one_seed(2**40) == one_seed(2**40) < 2**32
    assert one_seed(None) != one_seed(None)
    with pytest.raises(ValueError, match="rng is -1; give a whole number of at least 0"):
        one_seed(-1)
