"""Student's t of a mean: truncated to the range that a mean can have, and with Hall's correction
for skewness next to it.

All arrays are over columns, such as pairs of systems. Where the skewness of the units is known,
every probability is the one of t and Hall's t that is nearer to 1/2, or 1/2 where the two favor
different sides: each of the two alone names one of two equal systems too often, t where the units
are skewed, Hall's where they have heavy tails (P. Hall 1992, Journal of the Royal Statistical
Society B 54(1), 221-228).

With fewer than 2 degrees of freedom t is not truncated; only its intervals are cut at the range.
Truncation would take so much from its tails that it names one of two equal systems too often.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy import special

TOO_SKEWED = 0.25  # of |skewness| / sqrt(units): above it, so few units are far from normal
DF_MIN = 2.0  # degrees of freedom, of which and of fewer t has no variance
DF_TRUNCATED = 2.0  # degrees of freedom from which on t is truncated
_NORMAL = 9  # degrees of freedom from which on t is taken to a normal score
_RAISED = 31  # degrees of freedom that fewer than these are raised to
_FAR = 1e100  # errors: further out is as far
_ROUNDING = 1e-15  # of a probability
FEWEST_VALUES = 5  # units other than 0, below which the skewness itself is a guess


@dataclass(frozen=True)
class Student:
    """Posterior of means: ``mean`` + ``error`` times Student's t of ``df`` degrees of freedom."""

    mean: np.ndarray
    error: np.ndarray  # above 0, else every answer is nan
    df: np.ndarray
    low: float = -np.inf  # the range of the mean
    high: float = np.inf
    skewness: np.ndarray | None = None  # of the units
    units: np.ndarray | None = None  # their number, for the skewness

    def take(self, index: np.ndarray) -> "Student":
        """Some of the columns."""
        held = {k: v[index] for k, v in vars(self).items() if isinstance(v, np.ndarray)}
        some = replace(self, **held)
        for name in {"_range", "_range_hall"} & {*vars(self)}:  # they are known
            vars(some)[name] = tuple(part[index] for part in vars(self)[name])
        return some

    def prob_above(self, delta: float) -> np.ndarray:
        """P(mean > delta), precise in the tail where it is small."""
        return self._nearer_half(delta, above=True)

    def prob_below(self, delta: float) -> np.ndarray:
        """P(mean < delta), precise in the tail where it is small."""
        return self._nearer_half(delta, above=False)

    def _nearer_half(self, delta: float, *, above: bool) -> np.ndarray:
        """A tail by t or by Hall's t, the one that is nearer to 1/2."""
        plain = self._tail(delta, hall=False, above=above)
        if self.skewness is None:
            return plain
        other = self._tail(delta, hall=True, above=above)
        lower, upper = np.minimum(plain, other), np.maximum(plain, other)
        return np.where(lower > 0.5, lower, np.where(upper < 0.5, upper, 0.5))

    def inside(self) -> np.ndarray:
        """The probability of t within the range."""
        return self._range[2]

    def tails(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """P(mean < x), P(mean > x), both by t alone, and `inside`."""
        inner = self._standard(np.clip(x, *self._limits()))
        low, high, inside = self._range
        return _mass(low, inner, self.df) / inside, _mass(inner, high, self.df) / inside, inside

    def mirrored(self) -> "Student":
        """Posterior of the means with their signs changed."""
        skewness = None if self.skewness is None else -self.skewness
        return replace(self, mean=-self.mean, low=-self.high, high=-self.low, skewness=skewness)

    def quantile(self, prob: Any, *, hall: bool = False) -> np.ndarray:
        """The mean below which the posterior probability is `prob`, by t or by Hall's t.

        Examples
        --------
        >>> one = Student(np.array([0.6]), np.array([0.4]), np.array([4.0]), -1, 1)
        >>> one.quantile(0.025).round(9).tolist(), one.prob_above(0.0).round(9).tolist()
        ([-0.464075167], [0.880823844])
        """
        if self.within(hall):
            result = self.place(self._plain_quantile(prob), hall)
            return np.where(self.error > 0, np.clip(result, self.low, self.high), np.nan)
        low, high, mass = self._range_hall if hall else self._range
        below, above = special.stdtr(self.df, low), special.stdtr(self.df, -high)
        # from the end whose tail is smaller
        up = below <= above
        z = special.stdtrit(self.df, np.where(up, below + prob * mass, above + (1 - prob) * mass))
        result = self.place(np.where(up, z, -z), hall)
        return np.where(self.error > 0, np.clip(result, self.low, self.high), np.nan)

    def interval(self, prob: float, kind: str) -> tuple[np.ndarray, np.ndarray]:
        """Bounds of the narrowest ("hdi") or the equal-tailed ("eti") interval, nan without error.

        With a skewness it is the union with the equal-tailed interval of Hall's t.
        """
        tail = (1 - prob) / 2
        if kind == "hdi":
            lower, upper = self._narrowest(prob)
        else:
            lower, upper = self.quantile(tail), self.quantile(1 - tail)
        if self.skewness is None:
            return lower, upper
        limits = self.quantile(tail, hall=True), self.quantile(1 - tail, hall=True)
        return np.minimum(lower, limits[0]), np.maximum(upper, limits[1])

    def _narrowest(self, prob: float) -> tuple[np.ndarray, np.ndarray]:
        """Narrowest interval of t: symmetric about the mean, or from one end of the range."""
        if self.unbounded:
            return self.quantile((1 - prob) / 2), self.quantile((1 + prob) / 2)
        low, high = self._limits()
        half = self.error * special.stdtrit(self.df, (1 + prob * self.inside()) / 2)
        lower, upper = self.mean - half, self.mean + half
        over, under = upper > high, lower < low
        nearer = self.mean - self.low >= self.high - self.mean
        to_high, to_low = over & (~under | nearer), under & ~(over & nearer)
        lower = np.where(to_high, self.quantile(1 - prob), np.where(to_low, self.low, lower))
        upper = np.where(to_low, self.quantile(prob), np.where(to_high, self.high, upper))
        good = self.error > 0
        lower, upper = (np.clip(end, self.low, self.high) for end in (lower, upper))
        return np.where(good, lower, np.nan), np.where(good, upper, np.nan)

    def _tail(self, delta: float, *, hall: bool, above: bool) -> np.ndarray:
        if self.unbounded:
            z = self._standard(delta, hall)
            tail = special.stdtr(self.df, -z if above else z)
            return np.where(self.error > 0, tail, np.nan)
        low, high, whole = self._range_hall if hall else self._range
        inner = self._standard(np.clip(delta, *self._limits()), hall)
        tail = _mass(inner, high, self.df) if above else _mass(low, inner, self.df)
        return np.where(self.error > 0, tail / whole, np.nan)

    @cached_property
    def _range(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The ends of the range, standardized, and the probability of t between them."""
        low, high = (self._standard(end) for end in self._limits())
        return low, high, _mass(low, high, self.df)

    @cached_property
    def _range_hall(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The same by Hall's t."""
        low, high = (self._standard(end, hall=True) for end in self._limits())
        return low, high, _mass(low, high, self.df)

    @property
    def unbounded(self) -> bool:
        """Whether the range of the mean is not known."""
        return self.low == -np.inf and self.high == np.inf

    def within(self, hall: bool = False) -> bool:
        """Whether t, or Hall's t, lies within the range of the mean but for rounding."""
        if self.unbounded:
            return True
        mass = (self._range_hall if hall else self._range)[2]
        return bool((mass[self.error > 0] > 1 - _ROUNDING).all())

    def _plain_quantile(self, prob: float) -> np.ndarray:
        """Quantiles of t, computed once for each number of degrees of freedom."""
        df, place = np.unique(self.df, return_inverse=True)
        upper = special.stdtrit(df, max(prob, 1 - prob))[place]
        return upper if prob >= 0.5 else -upper

    def _limits(self) -> tuple[np.ndarray, np.ndarray]:
        """Where t is truncated, (column,)."""
        cut = self.df >= DF_TRUNCATED
        return np.where(cut, self.low, -np.inf), np.where(cut, self.high, np.inf)

    def _standard(self, x: Any, hall: bool = False) -> np.ndarray:
        """Standardize x; with `hall`, to the t of the same probability as Hall's t."""
        error = np.where(self.error > 0, self.error, 1.0)
        z = (x - self.mean) / error
        return -hall_transform(-z, *self._skew()) if hall else z

    def place(self, z: np.ndarray, hall: bool) -> np.ndarray:
        """The mean that lies z errors from the middle of t, or where Hall's t has the same
        probability below.
        """
        return self.mean - self.error * (hall_inverse(-z, *self._skew()) if hall else -z)

    def _skew(self) -> tuple[Any, Any]:
        return self.skewness, self.units


def log_rise(z: np.ndarray, df: np.ndarray) -> np.ndarray:
    """log(1 + z^2 / df), which the probability and the density of t share."""
    z = np.clip(z, -_FAR, _FAR)
    z *= z
    z /= df
    return np.log1p(z, out=z)


def distribution(
    z: np.ndarray, df: np.ndarray | None, rise: np.ndarray | None = None
) -> np.ndarray:
    """P(t < z) of Student's t, or of a normal without degrees of freedom; `rise` is the
    `log_rise` of z or of -z, where it is known.

    Of `_NORMAL` degrees of freedom and more z becomes a normal score (G. W. Hill 1970,
    Communications of the ACM 13(10), 617-619), which is several times as fast and within 1e-8.
    Fewer are raised to `_RAISED` by twos, which adds to each tail as many terms of a finite sum
    (Abramowitz & Stegun 26.7.3 and 26.7.4): within 1e-12.

    Examples
    --------
    >>> distribution(np.array([2.0, 2.0]), np.array([4.0, 4.0])).round(9).tolist()
    [0.941941738, 0.941941738]
    """
    if df is None:
        return special.ndtr(z)
    rise = log_rise(z, df) if rise is None else rise
    if not df.size or df.min() >= _NORMAL:
        return _hill_probability(z, df, rise)
    steps = int(np.ceil((_RAISED - df.min()) / 2))
    # on the scale of the angle whose cosine squared is exp(-rise), z of more degrees stays the same
    below = _hill_probability(z, df + 2 * steps, rise)
    return np.subtract(below, np.copysign(_raised(df, rise, steps), z), out=below)


def _hill_probability(z: np.ndarray, df: np.ndarray, rise: np.ndarray) -> np.ndarray:
    """P(t < z) by Hill's normal score, from this `rise`."""
    a = df - 0.5
    y = a * rise
    b = 48 * a * a
    below = 0.8 * y * y
    below += 100 + b
    score = -0.4 * y
    for term in (-3.3, -24.0):
        score += term
        score *= y
    score -= 85.5
    score /= below
    score += y
    score += 3
    score /= b
    score += 1
    score *= np.sqrt(y, out=y)
    return special.ndtr(np.copysign(score, z, out=score), out=score)


def _raised(df: np.ndarray, rise: np.ndarray, steps: int) -> np.ndarray:
    """By how much a tail falls when degrees of freedom rise by twice `steps`, at the same angle."""
    cosine = np.exp(-rise)  # squared
    total = np.ones_like(cosine)
    for k in range(steps - 2, -1, -1):
        total *= cosine
        total *= (df + 2 * k + 1) / (df + 2 * k + 2)
        total += 1
    log = special.gammaln((df + 1) / 2) - special.gammaln(df / 2 + 1) - np.log(2 * np.sqrt(np.pi))
    np.multiply(rise, -df / 2, out=cosine)
    cosine += log
    total *= np.exp(cosine, out=cosine)
    np.negative(rise, out=cosine)
    np.expm1(cosine, out=cosine)
    np.negative(cosine, out=cosine)
    total *= np.sqrt(cosine, out=cosine)  # the sine
    return total


def heights(
    z: np.ndarray, df: np.ndarray | None, rise: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Density at z, and by how much its log falls there; `rise` as in `distribution`."""
    if df is None:
        return np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi), z
    log = special.gammaln((df + 1) / 2) - special.gammaln(df / 2) - 0.5 * np.log(np.pi * df)
    height = (df + 1) / 2 * (log_rise(z, df) if rise is None else rise)
    np.subtract(log, height, out=height)
    fall = z * z
    fall += df
    return np.exp(height, out=height), np.divide((df + 1) * z, fall, out=fall)


def quantile(prob: np.ndarray | float, df: np.ndarray | None) -> np.ndarray:
    """The z below which the probability is `prob`; precise where that is small."""
    return special.ndtri(prob) if df is None else special.stdtrit(df, prob)


def hall_transform(t: np.ndarray, skewness: Any, units: Any) -> np.ndarray:
    """Hall's monotone transformation of Student's t.

    Examples
    --------
    >>> hall_transform(np.array([1.90391376728]), 1.80794160552, 10).round(8).tolist()
    [2.77355927]
    """
    a = skewness / (3 * np.sqrt(units))
    with np.errstate(invalid="ignore"):
        transformed = t + a * t**2 + a**2 * t**3 / 3 + a / 2
    return np.where(np.isinf(t), t, transformed)


def hall_inverse(h: np.ndarray, skewness: Any, units: Any) -> np.ndarray:
    """The t of which `hall_of` is h.

    Examples
    --------
    >>> hall_inverse(np.array([2.77355926623]), 1.80794160552, 10).round(8).tolist()
    [1.90391377]
    """
    a = skewness / (3 * np.sqrt(units))
    root = np.cbrt(1 + 3 * a * (h - a / 2))
    return 3 * (h - a / 2) / (root**2 + root + 1)  # (root - 1) / a, also where a is small


def too_skewed(skewness: np.ndarray, units: np.ndarray, nonzero: np.ndarray) -> np.ndarray:
    """Where the mean of so few units is too skewed for either t, (column,)."""
    with np.errstate(invalid="ignore", divide="ignore"):
        far = np.abs(skewness) / np.sqrt(units) > TOO_SKEWED
    return (units > 1) & (far | (nonzero < FEWEST_VALUES))


def _mass(a: np.ndarray, b: np.ndarray, df: np.ndarray) -> np.ndarray:
    """P(a < t < b), from the tail that is smaller."""
    swap = b > -a
    first, last = np.where(swap, -b, a), np.where(swap, -a, b)
    return special.stdtr(df, last) - special.stdtr(df, first)
