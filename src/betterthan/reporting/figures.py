"""Figures as SVG that needs nothing from outside."""

from io import StringIO

from betterthan.reporting.page import Figure


def as_svg(figure: Figure) -> str:
    """A figure as SVG, without the XML before it.

    Paths instead of fonts, and no date: the page looks the same everywhere and every time.
    """
    from matplotlib import rc_context

    buffer = StringIO()
    with rc_context({"svg.fonttype": "path", "svg.hashsalt": "betterthan"}):
        figure.draw().figure.savefig(
            buffer, format="svg", bbox_inches="tight", metadata={"Date": None, "Creator": None}
        )
    svg = buffer.getvalue()
    shown = svg[svg.index("<svg") :]
    # names stand in comments, too, with whatever marks of direction are in them
    return "".join(c if c.isprintable() or c == "\n" else " " for c in shown)
