"""Decimal numbers that are read many at once are the floats that Python reads one by one."""

from fractions import Fraction

import numpy as np
import pytest

from betterthan.io import plain_cells
from betterthan.io.delimited import parse_delimited
from betterthan.io.plain_cells import LETTERS, decimals

RNG = np.random.default_rng(3)
N = 20_000


def written(value, digits):
    """A fraction of at least 0 with some digits behind the point."""
    cell = str(round(value * 10**digits)).rjust(digits + 1, "0")
    return f"{cell[:-digits]}.{cell[-digits:]}"


def between(value):
    """The middle between a float and the next one."""
    return (Fraction(value) + Fraction(float(np.nextafter(value, 2.0)))) / 2


NUMBERS = {
    "shares": [repr(x) for x in RNG.random(N).tolist()],
    "any size": [
        f"{x * 10.0**k:.{digits}f}"
        for x, k, digits in zip(
            RNG.standard_normal(N), RNG.integers(-6, 10, N), RNG.integers(0, 20, N), strict=True
        )
    ],
    "whole": [str(x) for x in RNG.integers(-(10**18), 10**18, N).tolist()],
    "nearly between floats": [written(between(x), 17) for x in RNG.random(N).tolist()],
    "by hand": ["0", "-0", "007", ".5", "5.", "-.5", "0.1", "9007199254740993"],
}


def letters(cells):
    array = np.array([cell.encode() for cell in cells], dtype=f"S{LETTERS}")
    places = np.ascontiguousarray(array.view(np.uint8).reshape(len(cells), LETTERS).T)
    return decimals(places, np.array([len(cell) for cell in cells]))


@pytest.mark.parametrize("what", NUMBERS)
def test_numbers_are_the_nearest_floats(what):
    cells = NUMBERS[what]
    values, plain = letters(cells)
    assert plain.mean() > 0.8
    np.testing.assert_array_equal(values[plain], np.array(list(map(float, cells)))[plain])


def test_a_number_exactly_between_two_floats_is_left_to_python():
    cells = [written(between(k + 0.0), 1) for k in (2**52 + 1, 2**52 + 2)]
    assert not letters(cells)[1].any()


ODD = ["-", ".", "-.", "1.2.3", "--1", "1-2", "+1", "1e3", "inf", "nan", "1_0", "0x1", "true"]


def test_what_is_not_plainly_a_number_is_left_to_python():
    assert not letters([*ODD, " 1", "1" + 30 * "0", 30 * "0"])[1].any()


@pytest.mark.parametrize(
    "odd", ["1e-05", "+1", " 2", "1E400", "nan", "0x1", "1_0", "\xa01", 40 * "9"]
)
def test_one_odd_cell_among_many_numbers_is_read_as_python_reads_it(odd):
    cells = [f"0.{k}" for k in range(1, 99)]
    cells[40] = odd
    text = "item,A\n" + "".join(f"q{k},{cell}\n" for k, cell in enumerate(cells))
    column = parse_delimited(text.encode(), "r.csv", ",").columns["A"]
    try:
        values = np.array(list(map(float, cells)))
    except ValueError:
        values = np.array([np.inf])
    if np.isinf(values).any() or odd in ("1_0", "\xa01"):
        assert list(column) == cells
    else:
        np.testing.assert_array_equal(column.values, values)


@pytest.mark.parametrize("mixes", [[0, 0, 0], None])
def test_long_ids_that_share_their_beginning_stay_apart(monkeypatch, mixes):
    if mixes:  # so that they have one number
        monkeypatch.setattr(plain_cells, "_MIXES", np.array(mixes, "<u8"))
    ids = [f"question/{k // 4}/é" for k in range(80)]
    text = "item,system,score\n" + "".join(f"{id},s{k % 4},1\n" for k, id in enumerate(ids))
    column = parse_delimited(text.encode(), "r.csv", ",").columns["item"]
    assert list(column) == ids
    assert list(column.distinct) == ids[::4]
