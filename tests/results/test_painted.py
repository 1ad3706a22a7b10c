"""The matrix as a picture: its pixels are the probabilities."""

import base64
import re
import struct
import zlib

import numpy as np
import pytest

import betterthan as bt
from betterthan.plot import drawing
from betterthan.plot.matrices import matrix_svg
from betterthan.results.context import report_context

NAMES = ["<b>&", *(f"s{k}" for k in range(11))]


@pytest.fixture(scope="module")
def whole():
    rng = np.random.default_rng(1)
    pairs = {
        (a, b): tuple(int(v) for v in rng.integers(1, 9, 3))
        for k, a in enumerate(NAMES)
        for b in NAMES[k + 1 :]
        if (a, b) != ("s3", "s4")
    }
    return report_context(bt.compare(bt.counts.from_table(pairs)).by_engine()).data


def pixels(svg):
    """Of the picture in it, by reading PNG as it is defined."""
    data = base64.b64decode(re.search(r"base64,([^\"]+)", svg)[1])
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    found, at = {}, 8
    while at < len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        name, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        assert struct.unpack(">I", data[at + 8 + length : at + 12 + length])[0] == zlib.crc32(
            name + body
        )
        found[name] = body
        at += 12 + length
    width, height = struct.unpack(">II", found[b"IHDR"][:8])
    lines = np.frombuffer(zlib.decompress(found[b"IDAT"]), np.uint8).reshape(height, -1)
    assert (lines[:, 0] == 0).all()
    return lines[:, 1:].reshape(height, width, 3).astype(int)


def test_a_cell_has_the_color_of_its_class_and_grey_was_never_compared(whole):
    shown = pixels(matrix_svg(whole, "The matrix"))
    p = whole["prob_better"].transpose("system_a", "system_b").values
    never = (whole["verdict"] == "no_data").transpose("system_a", "system_b").values
    assert never.sum() == 2
    assert (shown[never] == 200).all()
    hexes = np.array([f"#{r:02x}{g:02x}{b:02x}" for r, g, b in shown[~never].tolist()])
    expected = np.array(drawing.CLASSES)[drawing.class_of(p[~never], 0.95)]
    np.testing.assert_array_equal(hexes, expected)
    assert len(set(hexes)) > 2


def test_names_are_text(whole):
    svg = matrix_svg(whole, 'A "caption"')
    assert "&lt;b&gt;&amp;" in svg
    assert "<b>" not in svg
    assert svg.count("<text") == 12 + 2
    assert 'aria-label="A &quot;caption&quot;"' in svg
