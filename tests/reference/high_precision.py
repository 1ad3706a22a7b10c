"""Values of high precision for the tests: `python tests/reference/high_precision.py` writes the two
CSV files.

The roads differ from the package's: the incomplete Beta function is its continued fraction in
mpmath, P(X > Y) is integrated over the wider of the two variables, and probabilities of d =
theta_win - theta_loss over p, not over the share of decisive examples, from terms that are all
positive. Each integral is done with n and 2 n nodes, which must agree to 18 digits.
"""

import csv
import sys
from pathlib import Path

import mpmath as mp

mp.mp.dps = 60  # two tails of the incomplete Beta function are subtracted
HERE = Path(__file__).parent
AGREE = mp.mpf(10) ** -18

GREATER = [
    (3, 5, 4, 2),
    (1, 1, 1, 1),
    (0.5, 0.5, 0.5, 0.5),
    (0.01, 0.02, 0.03, 0.01),
    (1.5, 3.5, 2.5, 2.5),
    (13, 989, 3, 999),
    (211, 791, 201, 801),
    (10, 400, 100, 300),
    (300, 100, 30, 400),
    (0.3, 200, 50, 3),
    (50, 3, 0.3, 200),
    (0.01, 5, 5, 0.01),
    (7.25, 0.5, 0.5, 9.75),
    (0.01, 1000, 0.01, 1000),
    (1000, 10000, 1100, 10000),
    (1000, 10000, 2000, 10000),
    (5, 10000, 900, 10000),
    (40, 1e6, 300, 1e6),
    (1e6, 1e6, 1e6, 1.002e6),
    (1e6, 1e6, 1.03e6, 1e6),
    (3, 4, 1e6, 1e6),
    (1e6, 10, 10, 0.01),
    (2e5, 3e5, 1.5, 2.25),
    (0.5, 1e6, 0.5, 1e5),
    (700, 800, 650, 100),
    (60.5, 1, 1, 2.5),
]
# a, b, t, x of d under Dirichlet(a, b, t)
DIFFERENCE = [
    (1, 1, 1, 0.3),
    (13, 3, 987, 0.01),
    (13, 3, 987, 0.0005),
    (29, 45, 300, 0.05),
    (29, 45, 300, 0.2),
    (45, 29, 300, 1e-6),
    (2, 1, 0.5, 0.3),
    (0.5, 0.5, 0.5, 0.1),
    (30, 1, 1, 0.9),
    (200, 20, 1, 0.7),
    (200, 20, 1, 0.05),
    (211, 201, 591, 0.02),
    (1, 1, 5000, 0.001),
    (6.5, 0.5, 20.5, 0.1),
    (1000, 1200, 50, 0.3),
    (300, 900, 1e4, 0.02),
    (1e4, 1.1e4, 1e5, 0.004),
    (3, 900, 4, 0.5),
    (12.5, 0.01, 3, 0.4),
    # one-sided tails down to 1e-250
    (1000, 1200, 50, 0.56),
    (29, 45, 300, 0.842),
    (400, 90, 2.5, 0.9997),
    (1, 800, 2000, 0.0075),
    (2, 3, 1e5, 5e-5),
    (1e6, 1e6, 1e6, 0.0159),
    # next to 0, where the density of d has a pole once a + b is at most 1
    (0.5, 0.5, 0.5, 2**-53),
    (0.5, 0.5, 0.5, 1e-17),
    (0.5, 0.5, 0.5, 1e-30),
    (0.2, 0.3, 1, 2**-53),
    (0.3, 0.2, 1, 1e-17),
    (1, 1, 0.2, 1e-17),
    (0.05, 0.1, 0.02, 2**-53),
    (18.5, 9.5, 0.01, 1e-17),
    (0.3, 0.4, 12, 1e-17),
]


def ibeta(a, b, x, y):
    """P(X < x) for X ~ Beta(a, b), y = 1 - x: the continued fraction, of the side where it
    converges fast.
    """
    if x <= 0 or y <= 0:
        return mp.mpf(int(y <= 0))
    if x * (a + b + 2) > a + 1:
        return 1 - ibeta(b, a, y, x)
    front = mp.exp(a * mp.log(x) + b * mp.log(y) - log_beta(a, b)) / a
    c, d = mp.mpf(1), 1 / (1 - (a + b) * x / (a + 1))
    h = d
    for m in range(1, 10**7):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for top in (even, odd):
            d, c = 1 / (1 + top * d), 1 + top / c
            h *= d * c
        if abs(d * c - 1) < mp.eps:
            return front * h
    raise ArithmeticError("the continued fraction did not converge")


def log_beta(a, b):
    return mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b)


def expit(u):
    return 1 / (1 + mp.exp(-u))


def line_integral(f, guess, width):
    """Integral over the line of a positive function with one hump: trapezoid rule on v = top +
    width sinh(tau).
    """
    scan = [guess + width * mp.sinh(mp.mpf(k) / 4) for k in range(-40, 41)]
    for _ in range(6):
        heights = [f(v) for v in scan]
        best = max(range(len(scan)), key=heights.__getitem__)
        low, high = scan[max(best - 1, 0)], scan[min(best + 1, len(scan) - 1)]
        centre = scan[best]
        scan = [low + (high - low) * k / 12 for k in range(13)]
    peak, narrow = f(centre), width
    while min(f(centre + narrow), f(centre - narrow)) < peak / 4:
        narrow /= 2
    low, high = (reach(f, centre, side * narrow, peak) for side in (-1, 1))
    before, step = None, mp.mpf(1) / 10
    while step > mp.mpf(1) / 2000:
        taus = [k * step for k in range(int(-low / step) - 1, int(high / step) + 2)]
        total = step * narrow * mp.fsum(f(centre + narrow * mp.sinh(t)) * mp.cosh(t) for t in taus)
        if before is not None and abs(total - before) < AGREE * total:
            return total
        before, step = total, step / 2
    raise ArithmeticError("the trapezoid rule did not converge")


def reach(f, centre, unit, peak):
    """How far to go, as asinh of units, until a function has faded."""
    tiny = peak * mp.mpf(10) ** -27
    return next(
        mp.mpf(k) / 5 for k in range(1, 80) if f(centre + unit * mp.sinh(mp.mpf(k) / 5)) < tiny
    )


def greater(a, b, c, d):
    """P(X > Y), integrated over the log odds of the wider of the two."""
    a, b, c, d = map(mp.mpf, (a, b, c, d))
    guess = mp.log((a + c) / (b + d))
    over_y = a + b >= c + d
    m, n = (c, d) if over_y else (a, b)
    scale = log_beta(m, n)

    def f(u):
        tail = ibeta(b, a, expit(-u), expit(u)) if over_y else ibeta(c, d, expit(u), expit(-u))
        return mp.exp(m * u - (m + n) * mp.log1p(mp.exp(u)) - scale) * tail

    return line_integral(f, guess, mp.sqrt((m + n) / (m * n)))


def difference(a, b, t, x, kind):
    """P(d > x), P(d < x) or P(|d| < x) for x > 0."""
    a, b, t, x = map(mp.mpf, (a, b, t, x))
    high, low = (1 + x) / 2, (1 - x) / 2
    if kind == "above":
        return over_p(a, b, t, x, beyond=True)
    if kind == "below":  # p is at most (1 + x) / 2, or too few examples are decisive
        return ibeta(a, b, high, low) + over_p(a, b, t, x, beyond=False)
    a, b = max(a, b), min(a, b)  # the same probability, from two small tails rather than two near 1
    middle = ibeta(a, b, high, low) - ibeta(a, b, low, high)
    return middle + over_p(a, b, t, x, beyond=False) + over_p(b, a, t, x, beyond=False)


def over_p(a, b, t, x, beyond):
    """P(p > (1 + x) / 2, and the share s of decisive examples is beyond, or below, x / (2 p -
    1)).
    """
    start, scale = (1 + x) / 2, log_beta(a, b)

    def f(v):  # p = start + (1 - start) expit(v)
        e, rest = expit(v), expit(-v)
        p, q = start + (1 - start) * e, (1 - start) * rest
        share, other = x / (2 * p - 1), (2 * p - 1 - x) / (2 * p - 1)
        tail = ibeta(t, a + b, other, share) if beyond else ibeta(a + b, t, share, other)
        return (
            mp.exp((a - 1) * mp.log(p) + (b - 1) * mp.log(q) - scale)
            * (1 - start)
            * e
            * rest
            * tail
        )

    p = min(max(a / (a + b), start + (1 - start) / 50), 1 - (1 - start) / 50)
    return line_integral(f, mp.log((p - start) / (1 - p)), 1)


def write(name, heads, rows):
    with open(HERE / f"high_precision_{name}.csv", "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(heads)
        for row in rows:
            out.writerow(row)
            file.flush()


def main():
    """Write both files, or only those that are named."""
    named = sys.argv[1:] or ["beta", "difference"]
    if "beta" in named:
        rows = (
            [*c, mp.nstr(greater(*c), 22), mp.nstr(greater(*c[2:], *c[:2]), 22)] for c in GREATER
        )
        write("beta", ["a", "b", "c", "d", "greater", "less"], rows)
    if "difference" in named:
        kinds = ["above", "below", "within"]
        rows = ([*c, *(mp.nstr(difference(*c, kind), 22) for kind in kinds)] for c in DIFFERENCE)
        write("difference", ["a", "b", "t", "x", *kinds], rows)


if __name__ == "__main__":
    main()
