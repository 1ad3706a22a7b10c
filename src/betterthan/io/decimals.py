"""Decimal numbers in letters as the nearest floats, many at once."""

import numpy as np

LETTERS = 23  # of a number; behind a point there are at most 22 digits
_POWERS = np.array([float(10**k) for k in range(LETTERS)])  # exact, as those up to 22 are
_SPLIT = 2.0**27 + 1  # halves the digits of a float
_MOST, _SAFE = 2**58, 18  # a number that may grow by a digit; digits that need no such question


def decimals(letters: np.ndarray, sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Numbers, and which cells are plainly such, or blank, which is NaN.

    Parameters
    ----------
    letters : numpy.ndarray of uint8
        (place, cell), with zeros behind each cell.
    sizes : numpy.ndarray of int
        Letters of each cell, also those that were left out.

    Returns
    -------
    values : numpy.ndarray of float64
        What `float` gives.
    plain : numpy.ndarray of bool
        Whether a cell is blank or has digits, with at most one point among them and a minus before
        them; False as well where it has too many digits.

    Examples
    --------
    >>> letters = np.array([b"-0.25", b"1e3", b"7", b""], dtype="S5")
    >>> decimals(letters.view(np.uint8).reshape(4, 5).T, np.array([5, 3, 1, 0]))
    (array([-0.25, 13.  ,  7.  ,   nan]), array([ True, False,  True,  True]))
    """
    digits = letters - np.uint8(ord("0"))
    is_digit, is_point, minus = digits < 10, letters == ord("."), letters[0] == ord("-")
    n_digits, n_points = (is_one.sum(0, dtype=np.uint8) for is_one in (is_digit, is_point))
    plain = (n_digits + n_points + minus == sizes) & (n_points < 2) & (n_digits > 0)
    whole = np.zeros(len(sizes), np.int64)
    factors, terms = 1 + np.uint8(9) * is_digit, digits * is_digit
    for k, (factor, term) in enumerate(zip(factors, terms, strict=True)):
        if k >= _SAFE:
            plain &= (factor == 1) | (whole <= _MOST)
        whole *= factor
        whole += term
    values = whole.astype(np.float64)
    if n_points.any():
        place = np.arange(len(letters), dtype=np.uint8)[:, None]
        point = (is_point * place).sum(0, dtype=np.uint8)
        power = _POWERS[np.where(plain & (n_points > 0), sizes - 1 - point, 0)]
        values, nearest = _quotients(whole, power)
        plain &= nearest
    values[minus] *= -1
    values[sizes == 0] = np.nan
    return values, plain | (sizes == 0)


def _quotients(whole: np.ndarray, power: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Whole numbers by powers of ten, and whether each is certainly the nearest float."""
    high = whole.astype(np.float64)
    quotient = high / power
    if whole.max(initial=0) < 2**53:  # both are exact
        return quotient, np.ones(len(whole), dtype=bool)
    low = (whole - high.astype(np.int64)).astype(np.float64)
    product = quotient * power
    (head, tail), (power_head, power_tail) = map(_halves, (quotient, power))
    error = head * power_head - product + head * power_tail + tail * power_head + tail * power_tail
    rest = (high - product - error + low) / power
    nearest = quotient + rest * (1 + 2**-40) == quotient + rest * (1 - 2**-40)
    return quotient + rest, nearest


def _halves(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first digits of floats and the others, whose products are exact."""
    head = values * _SPLIT
    head -= head - values
    return head, values - head
