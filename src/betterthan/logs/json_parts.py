"""Check the types of JSON values."""

from typing import Any

from betterthan.io.problems import problem


def objects(value: Any, source: str, role: str) -> list[dict[str, Any]]:
    """A list of objects; none is an empty one.

    Raises
    ------
    ValueError
        If it is anything else; the message names the file and `role`.
    """
    if value is None:
        return []
    if not isinstance(value, list):
        raise problem(source, f"{role} is no list", value=value)
    for row, element in enumerate(value, start=1):
        if not isinstance(element, dict):
            raise problem(source, f"an entry of {role} is no object", row=row, value=element)
    return value


def entries(value: Any) -> list[dict[str, Any]]:
    """The objects in a list; none where it is no list."""
    return (
        [element for element in value if isinstance(element, dict)]
        if isinstance(value, list)
        else []
    )


def mapping(value: Any) -> dict[str, Any]:
    """An object; empty where there is none."""
    return value if isinstance(value, dict) else {}


def as_text(value: Any) -> str:
    """A value as text: a text as it is."""
    return value if isinstance(value, str) else "" if value is None else str(value)
