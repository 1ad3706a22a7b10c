"""Recognize logs of tools that are not read, and say what to use instead."""

from collections.abc import Callable
from dataclasses import dataclass

from betterthan.logs.heads import Preview

_TABLE = "write a table with columns system, item, score from it"


@dataclass(frozen=True)
class Unread:
    """A kind of file that is refused by its name."""

    description: str
    recognises: Callable[[Preview], bool]
    instead: str = _TABLE


def _is_openai_evals(preview: Preview) -> bool:
    return preview.kind in ("object", "lines") and preview.has("spec.eval_name")


def _is_bfcl(preview: Preview) -> bool:
    return preview.kind in ("object", "lines") and preview.has(
        "accuracy", "correct_count", "total_count"
    )


def _is_lighteval(preview: Preview) -> bool:
    if preview.kind != "parquet":
        return False
    return all(
        any(name in word for word in preview.members) for name in ("model_response", "metric")
    )


UNREAD = (
    Unread("a log of openai/evals, which is not read", _is_openai_evals),
    Unread(
        "a score file of BFCL, which lists failures only, so what passed is not in it",
        _is_bfcl,
        "write a table with columns system, item, score from it and the file of results",
    ),
    Unread("a file of details of lighteval, which is not read", _is_lighteval),
)


def why_unread(preview: Preview) -> str | None:
    """Describe a file of a known tool that is not read, and what to do."""
    kind = next((kind for kind in UNREAD if kind.recognises(preview)), None)
    return None if kind is None else f"is {kind.description}; {kind.instead}"
