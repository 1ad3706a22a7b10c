"""The options of reading, written once: `read` takes them, and what reads passes them on."""

from collections.abc import Sequence
from typing import TypedDict


class ReadOptions(TypedDict, total=False):
    """How a table or a log is read; `read` documents each option.

    ``systems`` and ``unit`` are not among them: where `compare` reads, they have its own meaning.
    """

    layout: str | None
    names: str | None
    task: str | Sequence[str] | None
    metric: str | None
    filter: str | None
    epoch: int | None
    join: str
    again: str | None
    errors: str
    unscored: str
    format: str | None
    items: Sequence[str] | None
    cluster: str | None
    item: str | None
    system: str | None
    score: str | None
    ignore: str | Sequence[str] | None
    true: str | Sequence[str] | None
    false: str | Sequence[str] | None
    percent: bool
    decimal: str
    sep: str | None
    higher_is_better: bool | None
    scale: int
    judge: str | Sequence[str] | None
    human: str | None
    strata: str | Sequence[str] | None
    drop: bool
    lazy: bool
