"""Logs of tools that are known and not read: what each is, and what to give instead."""

from collections.abc import Callable
from dataclasses import dataclass

from betterthan.logs.heads import Head

_TABLE = "write a table with columns system, item, score from it"


@dataclass(frozen=True)
class Unread:
    """A kind of file that is refused by its name."""

    what: str
    recognises: Callable[[Head], bool]
    instead: str = _TABLE


def _is_openai_evals(head: Head) -> bool:
    return head.kind in ("object", "lines") and head.has("spec.eval_name")


def _is_bfcl(head: Head) -> bool:
    return head.kind in ("object", "lines") and head.has("accuracy", "correct_count", "total_count")


def _is_lighteval(head: Head) -> bool:
    if head.kind != "parquet":
        return False
    return all(any(name in word for word in head.members) for name in ("model_response", "metric"))


UNREAD = (
    Unread("a log of openai/evals, which is not read", _is_openai_evals),
    Unread(
        "a score file of BFCL, which lists failures only, so what passed is not in it",
        _is_bfcl,
        "write a table with columns system, item, score from it and the file of results",
    ),
    Unread("a file of details of lighteval, which is not read", _is_lighteval),
)


def why_unread(head: Head) -> str | None:
    """What a file is, where its tool is known and not read, and what to do."""
    kind = next((kind for kind in UNREAD if kind.recognises(head)), None)
    return None if kind is None else f"is {kind.what}; {kind.instead}"
