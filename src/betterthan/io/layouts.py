"""Registry of the layouts of columns: one row each."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from betterthan.io.table import Reading


@dataclass(frozen=True)
class Layout:
    """A way to lay out results in columns.

    A new layout is a row of `LAYOUTS` with a reader from a table to a `Reading`, its name in
    `names.LAYOUTS`, its names of columns in `roles.ALIASES`, and its sentence in the docstring of
    `betterthan.read`.
    """

    name: str
    needs: tuple[str, ...]  # roles that columns must play, the one that gives it away first
    by: str  # how it is recognised: by its columns, by gold, as the rest, or only when asked for
    gives: str  # scores, counts, tallies or judgments
    read_in: str  # file and function of its reader; loaded where there is one to read
    sentence: str  # its columns
    takes: tuple[str, ...] = ()  # choices of `betterthan.read` that apply to it
    unit: str | None = None  # what one count stands for, unless told

    @property
    def reader(self) -> Callable[..., Reading]:
        """From a table to what was read."""
        file, function = self.read_in.split(".")
        return getattr(import_module(f"betterthan.io.{file}"), function)


LAYOUTS = (
    Layout(
        "wide",
        (),
        "rest",
        "scores",
        "wide.wide_scores",
        "a column of item ids (may be absent), and a column of scores for each system",
        takes=("higher_is_better", "systems"),
    ),
    Layout(
        "long",
        ("system", "item", "score"),
        "columns",
        "scores",
        "long.long_scores",
        "``system, item, score``",
        takes=("higher_is_better",),
    ),
    Layout(
        "predictions",
        ("gold",),
        "gold",
        "scores",
        "wide.predicted_scores",
        "item ids, ``gold``, and a column of predicted labels for each system",
        takes=("systems",),
    ),
    Layout(
        "votes",
        ("system_a", "system_b", "winner"),
        "columns",
        "counts",
        "votes.vote_counts",
        "``model_a, model_b, winner``; the winner is a side, a name, or a tie",
        takes=("unit",),
        unit="judgment",
    ),
    Layout(
        "counts",
        ("system_a", "system_b", "wins", "losses"),
        "columns",
        "counts",
        "pair_counts.pair_counts",
        "``system_a, system_b, wins, losses``; ties are unknown without a column ``ties``",
        takes=("unit",),
        unit="unknown",
    ),
    Layout(
        "tallies",
        ("system", "item", "tp", "fp", "fn"),
        "columns",
        "tallies",
        "tally_rows.tallies",
        "``system, item, tp, fp, fn`` and an optional ``label``; see `io.tallies_from_table`",
        takes=("scale",),
    ),
    Layout(
        "judgments",
        ("system_a", "system_b", "winner"),
        "asking",
        "judgments",
        "judged.judgments",
        "those of votes, and an optional ``judge``, each judgment by itself; see "
        "`io.read_judgments`",
        unit="judgment",
    ),
)


def layout_by_name(name: str) -> Layout:
    """Return the layout of this name."""
    return next(layout for layout in LAYOUTS if layout.name == name)


def that_take(choice: str) -> str:
    """The layouts that a choice is for, as they stand in a message."""
    return " and ".join(sorted(layout.name for layout in LAYOUTS if choice in layout.takes))
