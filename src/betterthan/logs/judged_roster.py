"""Registry of the judgment files that can be read: one row each."""

from dataclasses import dataclass
from importlib import import_module
from typing import Any

from betterthan.io.table import Table
from betterthan.logs.heads import JSON, LogFile, Preview


@dataclass(frozen=True)
class Judged:
    """A kind of file of judgments.

    Its file ``logs/judged_<name>.py`` has two functions: ``recognises(head)``, and ``table(file)``,
    a table with columns ``model_a, model_b, winner``, for `io.read_judgments`, with ``judge``,
    ``cluster`` (the prompt) and ``order`` (which game of the prompt) where they are known. A blank
    winner is a judgment that failed.
    """

    name: str
    tool: str  # as its makers write it
    note: str  # how a judgment is read, where there is a choice
    kinds: tuple[str, ...] = JSON  # of `Head`; its own file is loaded for these alone

    def recognises(self, preview: Preview) -> bool:
        """Whether a file is of this kind."""
        return preview.kind in self.kinds and self._file.recognises(preview)

    def table(self, file: LogFile) -> Table:
        """Its judgments."""
        return self._file.table(file)

    @property
    def _file(self) -> Any:
        return import_module(f"betterthan.logs.judged_{self.name}")


_TABLES = (*JSON, "text", "parquet")

JUDGED: tuple[Judged, ...] = (
    Judged("one_hot", "votes with a column for each outcome", "", _TABLES),
    Judged(
        "mt_bench",
        "MT-bench",
        "two games that disagree are a tie, as the tool has it; a pair with a game that failed is "
        "left out; nobody was shown first",
    ),
    Judged(
        "arena_hard",
        "arena-hard",
        "each game is a judgment, the second with its sides exchanged; of a pair with a game that "
        "failed the other counts, where the tool leaves out both; a strong verdict counts once, "
        "where the tool counts it three times",
    ),
    Judged(
        "alpaca_eval",
        "AlpacaEval",
        "a preference below 1.5 is for the first generator, above for the second, 1.5 a tie",
        _TABLES,
    ),
)


def judgment_kind(preview: Preview) -> Judged | None:
    """Return the kind of a judgment file."""
    return next((kind for kind in JUDGED if kind.recognises(preview)), None)
