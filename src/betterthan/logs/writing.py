"""Records of logs as one long table in a file."""

from pathlib import Path

import pandas as pd

from betterthan.files import write_whole
from betterthan.logs.record import Logs

_HASHES = ("item_hash", "prompt_hash")


def write(logs: Logs, path: str | Path) -> Path:
    r"""Write the records of logs as a long table with the status of every cell.

    Parameters
    ----------
    logs : Logs
        From `betterthan.read_logs`.
    path : path
        Ends in ``.csv`` or ``.parquet``, which needs pyarrow.

    Returns
    -------
    pathlib.Path
        The file that was written.

    Raises
    ------
    ValueError
        If these are no logs, or the path ends in anything else or cannot be written.

    Notes
    -----
    Columns ``system, task, metric, item, epoch, score, status, raw, cluster, run, file, row,
    item_hash, prompt_hash``; digests are hexadecimal. ``score`` is blank unless the status is
    ``ok``.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import betterthan as bt
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for system, scores in [("old", (1.0, 0.2)), ("new", (0.9, 0.4))]:
    ...     text = "".join(f"map\tq{k}\t{score}\n" for k, score in enumerate(scores, 1))
    ...     _ = (folder / f"{system}.txt").write_text(text)
    >>> file = write(bt.read_logs(folder), folder / "records.csv")
    >>> file.read_text().splitlines()[1].split(",")[:7]
    ['new', '', 'map', 'q1', '1', '0.9', 'ok']
    """
    if not isinstance(logs, Logs):
        raise ValueError(f"logs is a {type(logs).__name__}; give what betterthan.read_logs returns")
    if not isinstance(path, str | Path):
        raise ValueError(f"path is a {type(path).__name__}; give the name of a file")
    target = Path(path)
    if target.suffix.lower() not in (".csv", ".parquet"):
        raise ValueError(f"path {str(target)!r} ends in {target.suffix!r}; give .csv or .parquet")
    table = _table(logs)
    if target.suffix.lower() == ".csv":
        write_whole(target, table.to_csv(index=False))
    else:
        write_whole(target, table.to_parquet(index=False))
    return target


def _table(logs: Logs) -> pd.DataFrame:
    first = ["system", "task", "metric", "item", "epoch", "score", "status", "raw", "cluster"]
    table = pd.DataFrame({name: logs.records[name] for name in [*first, "run", "file", "row"]})
    for name in _HASHES:
        digests = logs.records[name].tolist()
        table[name] = [value.hex() if isinstance(value, bytes) else None for value in digests]
    return table
