"""Cells as somebody would type or save them: a shell cell without its magic, a written file under
its name.
"""

from typing import Any

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

_SHELL, _FILE = "%%bash", "%%writefile "


class PlainCells(SphinxPostTransform):
    """Take the first line, which is a magic, away from what is shown."""

    default_priority = 50

    def run(self, **_: Any) -> None:
        """Look at every block of code."""
        for block in list(self.document.findall(nodes.literal_block)):
            first, _, rest = block.astext().partition("\n")
            if first.strip() == _SHELL:
                _becomes(block, rest, "bash")
            elif first.startswith(_FILE):
                _becomes(block, rest, "text")
                block.replace_self(_named(block, first.removeprefix(_FILE).strip()))


def _becomes(block: nodes.literal_block, text: str, language: str) -> None:
    text = text.strip("\n")
    block.rawsource, block["language"] = text, language
    block.children = []
    block += nodes.Text(text)


def _named(block: nodes.literal_block, name: str) -> nodes.container:
    caption = nodes.caption("", "", nodes.literal("", name))
    wrapper = nodes.container("", literal_block=True, classes=["literal-block-wrapper"])
    wrapper["ids"].append(f"file-{nodes.make_id(name)}")
    wrapper.extend((caption, block.deepcopy()))
    return wrapper


def setup(app: Any) -> dict[str, bool]:
    """Register the transform."""
    app.add_post_transform(PlainCells)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
