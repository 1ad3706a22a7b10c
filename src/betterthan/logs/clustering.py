"""Cluster items by content, or by metadata of the samples."""

from collections.abc import Sequence

from betterthan.io.problems import problem
from betterthan.logs.recognising import Sorted
from betterthan.logs.record import Run
from betterthan.logs.roster import READERS

CONTENT = "content"


def by_content(runs: Sequence[Run]) -> None:
    """Assign items with equal content to one cluster."""
    for run in runs:
        digests = [content.hex() for content in run.cells.content if content is not None]
        if len(digests) < len(run.cells):
            reason = "does not hold what was asked, so that cluster='content' does not apply"
            raise problem(run.files[0], reason)
        run.cells.cluster = [*digests]


def refuse_cluster(files: Sorted, metadata: str | None) -> None:
    """Refuse a metadata name for logs without metadata."""
    takers = [reader for reader in READERS if reader.takes_cluster]
    if metadata is not None and not {*files.by_reader} <= {reader.name for reader in takers}:
        tools = ", ".join(reader.tool for reader in takers)
        message = f"cluster={metadata!r} is for metadata of samples in logs of {tools}"
        raise ValueError(f"{message}; cluster='content' is for all that hold what was asked")
