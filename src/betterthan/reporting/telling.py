"""A comparison as it shows itself: the answer, systems, matrix or pairs, the signature."""

import os
import shutil
import sys
from typing import Any

from betterthan.progress import on_terminal
from betterthan.reporting.answering import said
from betterthan.reporting.facts import facts
from betterthan.reporting.kinds import plain
from betterthan.reporting.of_comparison import brief
from betterthan.reporting.plain import WIDTH
from betterthan.reporting.plain import as_text as page_as_text
from betterthan.reporting.templated import as_part


def lines(comparison: Any) -> list[str]:
    """The answer in sentences."""
    return said(facts(comparison))


def as_text(comparison: Any) -> str:
    """For `print`, as wide as the terminal, where there is one."""
    return page_as_text(brief(plain(comparison)), width()).rstrip("\n")


def as_html(comparison: Any) -> str:
    """For a notebook."""
    return as_part(brief(plain(comparison)))


def width() -> int:
    """Of what is written to: of a terminal its own, up to a readable one."""
    if not on_terminal(sys.stdout):
        return WIDTH
    return max(40, min(shutil.get_terminal_size().columns, 160))


def coloured() -> bool:
    """Whether there is a terminal that may be coloured; https://no-color.org."""
    plain_one = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return on_terminal(sys.stdout) and not plain_one
