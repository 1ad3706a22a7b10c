"""A page as text for the terminal."""

import os
import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import takewhile

from betterthan.progress import on_terminal
from betterthan.results.document import PAIRWISE_VERDICT, VERDICT, Document, Part, Table
from betterthan.text import can_encode, places

WIDTH = 110
_HEADING = 10  # characters of a name that may head a column
_NAME = 40  # characters of a name before it is folded
_NARROW = 14  # characters that a name has at least, if it is so long
_BETWEEN = (3, 2)  # characters from one column to the next, and where these are too many
_MATRIX_SYSTEMS = 10  # systems whose matrix fits a terminal
_WORD = re.compile(r"\s*(?:[<>=≤≥] )?\S+\s*")  # with the blanks behind it; "> 0.999" is one
_CONTROLS: dict[int, None] = dict.fromkeys((7, 8, 11, 12, 13))  # a terminal would act on them
_BOLD, _GREY = "bold", "bright_black"

_Line = tuple[str, str]  # and its style


def as_text(page: Document, width: int = WIDTH, *, colour: bool = False) -> str:
    """A page in columns of at most `width` characters.

    Parameters
    ----------
    page : Document
    width : int, default 110
    colour : bool, default False
        Headings and the answer in bold, signatures and the question in grey: for a terminal.
    """
    styled = _page(page, width)
    lines = [painted(*line) for line in styled] if colour else [line for line, _ in styled]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(line.rstrip() for line in lines) + "\n").lstrip("\n")


def printed(page: Document) -> str:
    """For `print`, as wide as the terminal, where there is one."""
    text = encodable(as_text(page, terminal_width()).rstrip("\n"))
    return text.encode(output_encoding(), "replace").decode(output_encoding())


def encodable(text: str) -> str:
    """A text with its signs in ASCII where standard output cannot encode it; letters stay.

    Examples
    --------
    >>> encodable("P(|d| ≤ 0.05)")
    'P(|d| ≤ 0.05)'
    """
    return text if can_encode(text, output_encoding()) else text.translate(ASCII_SIGNS)


def output_encoding() -> str:
    """That of standard output."""
    return getattr(sys.stdout, "encoding", None) or "utf-8"


ASCII_SIGNS = str.maketrans(
    {"−": "-", "–": "-", "─": "-", "±": "+/-", "≤": "<=", "≥": ">=", "†": "+", "…": "~", "←": "<-"}
    | {"·": "-", "×": "x", "✓": "x", "“": '"', "”": '"', "’": "'", "↓": "v", "→": "->"}
)


def terminal_width() -> int:
    """Of what is written to: that of a terminal, up to a readable one."""
    if not on_terminal(sys.stdout):
        return WIDTH
    return max(40, min(shutil.get_terminal_size().columns, 160))


def coloured() -> bool:
    """Whether there is a terminal that may be coloured; https://no-color.org."""
    no_colour = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return on_terminal(sys.stdout) and not no_colour


def _page(page: Document, width: int) -> Iterator[_Line]:
    if page.title:
        yield from _paragraph(page.title, width, _BOLD)
        yield "=" * min(len(page.title), width), ""
    if page.chapters:
        yield from _list(page.contents, width)
    for _, chapter in page.numbered_chapters:
        if page.chapters:
            yield from _paragraph(f"\n{chapter.title}", width, _BOLD)
            yield "-" * min(len(chapter.title), width), _BOLD
        if chapter.question:
            yield from _paragraph(chapter.question, width, _GREY)
        if chapter.answer and chapter.title:
            yield from _paragraph("\nAnswer", width, _BOLD)
            yield from _list(chapter.answer, width, _BOLD)
        if not chapter.title:
            yield from _answer(chapter, width)
        for part in chapter.parts:
            yield from _part(part, width)
        if chapter.footer:
            yield "", ""
            yield from _paragraph(chapter.footer, width)
    if page.limits:
        yield from _paragraph("\nLimits", width, _BOLD)
        yield from _list(page.limits, width)
    if page.signatures:
        yield "", ""
    for signature in page.signatures:  # of one piece, to be copied
        yield signature.translate(_CONTROLS), _GREY


def _answer(page: Document, width: int) -> Iterator[_Line]:
    """The sentences, the picture, and the warnings, which begin with an exclamation mark."""
    warnings = [line for line in page.answer if line.startswith("!")]
    for line in page.answer:
        if line not in warnings:
            yield from _paragraph(line, width, _BOLD)
    if page.picture and max(map(len, page.picture)) <= width:
        yield "", ""
        yield from ((line, "") for line in page.picture)
        if warnings:
            yield "", ""
    for line in warnings:
        yield from _paragraph(line, width, _BOLD)


def with_short_names(page: Document) -> Document:
    """Where a system has a name of more than 24 characters, the table of systems numbers all, and
    tables of pairs have the numbers; without a table of systems names are shortened. Sentences
    have the whole name once, and then its number, or the shortened name.
    """
    tables = [t for part in page.parts for t in part.tables if t.heads[0] == "System" or t.shades]
    names = {cell for t in tables for row in t.rows for cell in row[: 1 + t.of_pairs]}
    if not (short := short_names(sorted(names))):
        return page
    lists = [t for t in tables if not (t.of_pairs or t.shades)]
    rank = {row[0]: f"#{k + 1}" for k, row in enumerate(lists[0].rows)} if lists else {}
    numbered = names <= rank.keys() and may_number(names)

    def labelled(table: Table) -> Table:
        if table not in tables:
            return table
        label = rank if numbered else short
        if numbered and table in lists:
            label = {name: f"{number} {short.get(name, name)}" for name, number in rank.items()}

        def cell(column: int, text: str) -> str:
            name = text.removesuffix(_BETTER) if table.heads[column] in _VERDICTS else text
            named = column <= table.of_pairs or name != text
            return label.get(name, name) + text[len(name) :] if named else text

        rows = [tuple(cell(*pair) for pair in enumerate(row)) for row in table.rows]
        heads = [label.get(head, head) if table.shades else head for head in table.heads]
        return replace(table, heads=tuple(heads), rows=rows)

    parts = [replace(part, tables=list(map(labelled, part.tables))) for part in page.parts]
    mentioned: set[str] = set()

    def mention(match: re.Match[str]) -> str:
        name = match[0]
        if name in mentioned:
            return rank[name] if numbered else short[name]
        mentioned.add(name)
        return f"{rank[name]} {name}" if numbered else name

    long = re.compile("|".join(map(re.escape, sorted(short, key=len, reverse=True))))
    return replace(page, parts=parts, answer=[long.sub(mention, line) for line in page.answer])


_BETTER, _VERDICTS = " better", (VERDICT, PAIRWISE_VERDICT)  # after a name, in these columns


def may_number(names: Iterable[str]) -> bool:
    """Whether `#1` cannot be taken for the name of a system."""
    return not any(name.lstrip().startswith("#") for name in names)


def short_names(names: Sequence[str], most: int = 24) -> dict[str, str]:
    """Names of more than `most` characters, shortened in the middle; where several would be the
    same, the part in which they differ, or a number at the end.

    Examples
    --------
    >>> short_names(["base", "20251205_sonar-foundation-agent_claude-opus-4-5"])
    {'20251205_sonar-foundation-agent_claude-opus-4-5': '20251205_so…ude-opus-4-5'}
    >>> list(short_names([f"llama3-dpo-beta{b}-lr5e-7-epochs2" for b in (0.5, 0.05)], 18).values())
    ['…dpo-beta0.05-lr5…', '…dpo-beta0.5-lr5…']
    """
    # in one order wherever they are numbered
    long = sorted({name for name in names if places(name) > most})
    for head in (most // 2 - 1, most * 3 // 4, most // 4):
        short = {name: f"{name[:head]}…{name[len(name) - (most - 1 - head) :]}" for name in long}
        if len({*short.values(), *names}) == len(long) + len({*names}):
            return short
    start = _in_common(long)
    end = _in_common([name[start:][::-1] for name in long])
    room = most - 2 - max(len(name) - start - end for name in long)
    if room >= 0:  # for what they have in common
        before = min(start, room * 2 // 3)
        after = min(end, room - before)
        first, last = "…" * (before < start), "…" * (after < end)
        cut = {name: name[start - before : len(name) - end + after] for name in long}
        return {name: f"{first}{part}{last}" for name, part in cut.items()}
    return {name: f"{name[: most - 5]}…{k + 1}" for k, name in enumerate(long)}


def _in_common(names: Sequence[str]) -> int:
    """How many characters all names begin with."""
    return len([*takewhile(lambda place: len({*place}) == 1, zip(*names, strict=False))])


def _part(part: Part, width: int) -> Iterator[_Line]:
    """A section without what a terminal cannot show; a table needs no heading, its caption says
    the same.
    """
    tables = [t for t in part.tables if not (t.shades and len(t.rows) > _MATRIX_SYSTEMS)]
    if not (part.facts or tables or part.notes or part.lines):
        return
    if part.facts or not tables:
        yield from _paragraph(f"\n{part.heading}", width, _BOLD)
    if part.facts:
        yield from _two_columns([(f"  {key}", value) for key, value in part.facts], 2, width)
    for table in tables:
        yield from _table(_numbered(table) if table.shades else table.shortened, width)
    if part.notes or part.lines:
        yield from _list([*part.notes, *part.lines], width)


def _paragraph(text: str, width: int, style: str = "") -> Iterator[_Line]:
    """A text in lines."""
    yield from ((line, style) for line in _wrapped(text, width))


def _list(lines: Sequence[str], width: int, style: str = "") -> Iterator[_Line]:
    return _two_columns([("  -", line) for line in lines], 1, width, style)


def _two_columns(
    rows: Sequence[tuple[str, str]], gap: int, width: int, style: str = ""
) -> Iterator[_Line]:
    """Pairs of texts in columns, the left one at most half as wide as the page where the right one
    needs the other half.
    """
    left, right = (max((places(row[k]) for row in rows), default=0) for k in (0, 1))
    left = min(left, max(width - gap - right, width // 2 - gap))
    for key, text in rows:
        cells = [_wrapped(key, left), _wrapped(text, width - gap - left)]
        yield from ((line, style) for line in _in_columns(cells, (left, 0), "ll", gap))


def _table(table: Table, width: int) -> Iterator[_Line]:
    """A table in as many pieces as it takes: no number is cropped or wrapped."""
    yield from _paragraph(f"\n{table.caption}", width, _BOLD)
    gap, column_widths, pieces = fitted(table, width - 1)  # one is the edge
    if len(pieces) > 1 and len(fitted(_unnamed(table), width - 1)[2]) < len(pieces):
        table = _unnamed(table)
        gap, column_widths, pieces = fitted(table, width - 1)
    all_sides = table.sides
    for columns in pieces:
        widths, sides = [column_widths[k] for k in columns], [all_sides[k] for k in columns]
        # where names and one more column are wider than the terminal the widest ones give way
        for _ in range(sum(widths) + gap * (len(widths) - 1) - (width - 1)):
            widest = widths.index(max(widths))
            widths[widest] = max(widths[widest] - 1, 1)
        heads, *rows = (
            [_wrapped(row[k], w) for k, w in zip(columns, widths, strict=True)]
            for row in (table.heads, *table.rows)
        )
        yield "", ""
        for line in _in_columns(heads, widths, sides, gap, bottom=True):
            yield f" {line}", _BOLD
        yield f" {'─' * (sum(widths) + gap * (len(widths) - 1))}", ""
        for cells in rows:
            yield from ((f" {line}", "") for line in _in_columns(cells, widths, sides, gap))
        yield "", ""


def _unnamed(table: Table) -> Table:
    """A table of pairs whose verdicts do not repeat the name that the row begins with."""
    if not table.of_pairs:
        return table

    def cell(row: Sequence[str], heading: str, text: str) -> str:
        return text.removeprefix(f"{row[0]} ") if heading in _VERDICTS else text

    rows = [tuple(cell(row, *c) for c in zip(table.heads, row, strict=True)) for row in table.rows]
    return replace(table, rows=rows)


def _wrapped(text: str, width: int) -> list[str]:
    """In lines of at most so many characters, of which some take two places."""
    lines: list[str] = []
    for paragraph in text.translate(_CONTROLS).split("\n"):
        line = ""
        for word in _WORD.findall(paragraph.expandtabs()):
            size = places(word.rstrip())
            if line and places(line) + size > width:
                lines.append(line.rstrip())
                line = ""
            *full, line = _chopped(word, width) if size > width else [line + word]
            lines += full
        lines.append(line.rstrip())
    return lines


def _in_columns(
    cells: Sequence[list[str]],
    widths: Sequence[int],
    sides: Sequence[str],
    gap: int,
    *,
    bottom: bool = False,
) -> Iterator[str]:
    """The lines of the cells of a row, from the first line or down to the last."""
    most = max(map(len, cells))
    blank = [[""] * (most - len(cell)) for cell in cells]
    full = [b + c if bottom else c + b for b, c in zip(blank, cells, strict=True)]
    for line in zip(*full, strict=True):
        parts = zip(line, widths, sides, strict=True)
        yield (" " * gap).join(_padded(part, width, side) for part, width, side in parts)


def _chopped(text: str, width: int) -> list[str]:
    """A text in pieces of at most so many places."""
    if text.isascii() and text.isprintable():
        return [text[k : k + width] for k in range(0, len(text), width)]
    from rich.cells import chop_cells

    return chop_cells(text, width)


def _padded(text: str, width: int, side: str) -> str:
    """A text as wide as its column: at the left (l), at the right (r) or centered (c)."""
    text = text if side == "l" else text.rstrip()
    free = width - places(text)
    before = {"l": 0, "r": free, "c": free // 2}[side]
    return " " * before + text + " " * (free - before)


def painted(line: str, style: str) -> str:
    """As a terminal shows it in its style."""
    return f"\x1b[{_CODES[style]}m{line}\x1b[0m" if line and style else line


_CODES = {
    **{"bold": "1", "bright_black": "90"},
    **{"bold red": "1;31", "bold green": "1;32", "bold yellow": "1;33"},
}


def _numbered(matrix: Table) -> Table:
    """A matrix whose columns are numbered where its names are too long to head them."""
    if max(map(len, matrix.heads)) <= _HEADING:
        return matrix
    heads = ("", *(str(k + 1) for k in range(len(matrix.rows))))
    rows = [(f"{k + 1} {row[0]}", *row[1:]) for k, row in enumerate(matrix.rows)]
    return replace(matrix, heads=heads, rows=rows)


def fitted(table: Table, width: int) -> tuple[int, list[int], list[list[int]]]:
    """Characters between columns, how wide each is, and which stand in each piece of a table, of
    which every piece has the names: one piece where all fit, with names folded if need be.
    """
    # the widest cell, or the longest word of the heading, which may break
    narrow = []
    for k, heading in enumerate(table.heads):
        words = [word.strip() for word in _WORD.findall(heading)]
        narrow.append(max([1, *(len(row[k]) for row in table.rows), *map(len, words)]))
    widths = [max(w, len(heading)) for w, heading in zip(narrow, table.heads, strict=True)]
    if sum(widths) + _BETWEEN[0] * len(widths) > width:  # headings break before names do
        widths = narrow
    texts = [k for k, side in enumerate(table.sides) if side == "l"]
    if len(texts) < len(widths):  # only sentences without numbers take the full width
        widths = [min(w, _NAME) if k in texts else w for k, w in enumerate(widths)]
    gap = next((gap for gap in _BETWEEN if sum(widths) + gap * len(widths) <= width), _BETWEEN[-1])
    for _ in range(sum(widths) + gap * len(widths) - width):
        longest = max(texts, key=lambda k: widths[k], default=None)
        if longest is not None and widths[longest] > _NARROW:
            widths[longest] -= 1
    names = list(range(min(table.left, 2) or 1))
    pieces = [names[:]]
    for k in range(len(names), len(widths)):
        used = sum(widths[c] + gap for c in pieces[-1])
        if used + widths[k] > width and len(pieces[-1]) > len(names):
            pieces.append(names[:])
        pieces[-1].append(k)
    return gap, widths, pieces
