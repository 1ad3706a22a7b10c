"""Formulas as inline SVG, drawn by matplotlib at build time: the pages need no network and no
TeX.
"""

import html
from functools import cache
from typing import Any

from docutils import nodes
from matplotlib.font_manager import FontProperties
from matplotlib.path import Path
from matplotlib.textpath import TextPath

_EM = 16.0  # units of the drawing to one em of the text around it
_SCALE = 1.08  # these letters look smaller than the text
_LETTERS = {Path.MOVETO: "M", Path.LINETO: "L", Path.CURVE3: "Q", Path.CURVE4: "C"}


@cache
def svg(tex: str) -> str:
    """One formula; its baseline is that of the line it stands in."""
    font = FontProperties(math_fontfamily="stix")
    path = TextPath((0, 0), f"${' '.join(tex.split())}$", size=_EM, prop=font)
    box = path.get_extents()
    left, top, width, height = box.x0 - 0.5, -box.y1 - 0.5, box.width + 1, box.height + 1
    em = [f"{_SCALE * v / _EM:.3f}em" for v in (width, height, min(box.y0, 0.0) - 0.5)]
    return (
        f'<svg class="formula" role="img" aria-label="{html.escape(tex)}" '
        f'xmlns="http://www.w3.org/2000/svg" '
        f'style="width:{em[0]};height:{em[1]};vertical-align:{em[2]}" '
        f'viewBox="{left:.2f} {top:.2f} {width:.2f} {height:.2f}">'
        f'<path fill="currentColor" d="{_commands(path)}"/></svg>'
    )


def _commands(path: Path) -> str:
    written = []
    for points, code in path.iter_segments(curves=True, simplify=False):
        if code == Path.CLOSEPOLY:
            written.append("Z")
        else:
            pairs = zip(points[::2], points[1::2], strict=True)
            written.append(_LETTERS[code] + " ".join(f"{x:.2f} {-y:.2f}" for x, y in pairs))
    return "".join(written)


def _inline(translator: Any, node: nodes.math) -> None:
    translator.body.append(svg(node.astext()))
    raise nodes.SkipNode


def _block(translator: Any, node: nodes.math_block) -> None:
    lines = [line for line in node.astext().split("\\\\") if line.strip()]
    translator.body.append(
        "".join(f'<div class="formula-block">{svg(line)}</div>\n' for line in lines)
    )
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    """Register the renderer."""
    app.add_html_math_renderer("svg", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
