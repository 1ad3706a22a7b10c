"""The matrix of many systems as a picture with names: made by hand, for the layout of hundreds of
labels takes a drawing library seconds.
"""

import base64
import struct
import zlib
from html import escape

import numpy as np
import xarray as xr

from betterthan import names
from betterthan.plot import drawing

_PITCH = 8  # units from row to row
_NAMES = 150  # units for the names at the left
_EVERY = 10  # columns of which one has its number
_LIGHT, _DARK = np.array([255.0, 255.0, 255.0]), np.array([31.0, 78.0, 121.0])
_BLANK = np.array([200.0, 200.0, 200.0])  # pairs that were never compared


def matrix_svg(comparison: xr.Dataset, caption: str) -> str:
    """P(row better than column) of every pair, systems as they stand, as SVG.

    Parameters
    ----------
    comparison : xarray.Dataset
        A comparison by one engine.
    caption : str
        What it shows, for those who do not see it.
    """
    n, is_compared = (
        comparison.sizes[names.SYSTEM_A],
        comparison["verdict"].transpose(*names.SQUARE) != "no_data",
    )
    p = comparison["prob_better"].transpose(*names.SQUARE).where(is_compared).values
    side, top = n * _PITCH, 2 * _PITCH
    place = f'x="{_NAMES}" y="{top}" width="{side}" height="{side}"'
    picture = f'<image {place} preserveAspectRatio="none" style="image-rendering:pixelated" '
    picture += f'href="data:image/png;base64,{_png(_colours(p))}"/>'
    box = f'viewBox="0 0 {_NAMES + side + 8} {top + side + 4}" width="{_NAMES + side + 8}"'
    attributes = f'role="img" aria-label="{escape(caption)}" font-family="sans-serif" font-size="7"'
    labels = _names([str(s) for s in comparison[names.SYSTEM_A].values], top)
    return f"<svg {attributes} {box}>{picture}{labels}</svg>"


def _names(systems: list[str], top: int) -> str:
    """Every row with its name and number, and the numbers of some columns."""
    rows = [
        _text(_NAMES - 4, top + (k + 0.78) * _PITCH, f"{name}  {k + 1}", "end")
        for k, name in enumerate(drawing.labels(systems))
    ]
    marked = [0, *range(_EVERY - 1, len(systems), _EVERY)]
    columns = [_text(_NAMES + (k + 0.5) * _PITCH, top - 4, str(k + 1), "middle") for k in marked]
    return "".join(rows + columns)


def _text(x: float, y: float, text: str, anchor: str) -> str:
    printable_text = "".join(c if c.isprintable() else " " for c in text)
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}">{escape(printable_text)}</text>'


def _colours(p: np.ndarray) -> np.ndarray:
    """From light to dark, (row, column, colour)."""
    share = np.nan_to_num(p)[..., None]
    shades = np.where(np.isnan(p)[..., None], _BLANK, _LIGHT + share * (_DARK - _LIGHT))
    return np.round(shades).astype(np.uint8)


def _png(colours: np.ndarray) -> str:
    """As a picture in base64 (ISO/IEC 15948): a header, the rows each after a filter byte of 0."""
    height, width, _ = colours.shape
    lines = np.concatenate([np.zeros((height, 1), np.uint8), colours.reshape(height, -1)], axis=1)
    chunks = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(lines.tobytes(), 9)),
        (b"IEND", b""),
    )
    encoded = (_chunk(name, data) for name, data in chunks)
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"".join(encoded)).decode()


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
