"""Items of one cluster: by what was asked, or by metadata that a reader reads."""

from collections.abc import Sequence

from betterthan.io.problems import problem
from betterthan.logs.recognising import Sorted
from betterthan.logs.record import Run
from betterthan.logs.roster import READERS

CONTENT = "content"


def by_content(runs: Sequence[Run]) -> None:
    """Make copies of a question one cluster."""
    for run in runs:
        known = [content.hex() for content in run.cells.content if content is not None]
        if len(known) < len(run.cells):
            what = "does not hold what was asked, so that cluster='content' does not apply"
            raise problem(run.files[0], what)
        run.cells.cluster = [*known]


def refuse_cluster(files: Sorted, metadata: str | None) -> None:
    """Refuse the name of metadata for logs that have none."""
    takers = [reader for reader in READERS if reader.takes_cluster]
    if metadata is not None and not {*files.by_reader} <= {reader.name for reader in takers}:
        tools = ", ".join(reader.tool for reader in takers)
        said = f"cluster={metadata!r} is for metadata of samples in logs of {tools}"
        raise ValueError(f"{said}; cluster='content' is for all that hold what was asked")
