"""Figures as SVG that needs nothing from outside."""

import re
from html import escape
from io import StringIO

from betterthan.results.document import Figure

# what is written shorter: a glyph at a place, and coordinates to a hundredth of a point
_SHORTER = (
    (re.compile(r"<!--.*?-->", re.S), ""),
    (re.compile(r"\n\s*"), "\n"),
    (re.compile(r"(\d{2,}\.\d\d)\d+"), r"\1"),
    (re.compile(r"(?<=[\"#])DejaVuSans-"), "dv"),
    (re.compile(r'xlink:href="#'), 'href="#'),
    (
        re.compile(r'(<use href="#\w+") transform="translate\((-?\d+)(?:\.\d+)? 0\)"/>'),
        r'\1 x="\2"/>',
    ),
)


def as_svg(figure: Figure) -> str:
    """A figure as SVG, without the XML before it.

    Paths instead of fonts, and no date: the page looks the same everywhere and every time.
    """
    found = figure.draw()
    if isinstance(found, str):
        return found
    from matplotlib import rc_context

    buffer = StringIO()
    with rc_context({"svg.fonttype": "path", "svg.hashsalt": "betterthan"}):
        drawn = found.figure
        drawn.set_layout_engine("none")  # it was laid out when it was finished
        drawn.savefig(
            buffer, format="svg", bbox_inches="tight", metadata={"Date": None, "Creator": None}
        )
    svg = buffer.getvalue()
    said = f'<svg role="img" aria-label="{escape(figure.caption)}" '
    shown = svg[svg.index("<svg") :].replace("<svg ", said, 1)
    for pattern, short in _SHORTER:
        shown = pattern.sub(short, shown)
    return "".join(c if c.isprintable() or c == "\n" else " " for c in shown)
