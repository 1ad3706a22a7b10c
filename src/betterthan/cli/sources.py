"""What a command reads: files, folders, patterns, or one for each system as name=file."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from betterthan.cli.console import say

if TYPE_CHECKING:
    import xarray as xr

Given = str | Path | list[str | Path] | dict[str, str | Path]


def source_of(given: list[str]) -> Given:
    """What `betterthan.read` takes: a path, several, or those of each name.

    Raises
    ------
    ValueError
        If some are named and others are not, or a name is given twice.

    Examples
    --------
    >>> source_of(["old=a.csv", "new=b.csv"])
    {'old': 'a.csv', 'new': 'b.csv'}
    """
    split = [_split(one) for one in given]
    named = [name is not None for name, _ in split]
    if not any(named):
        return given[0] if len(given) == 1 else list(given)
    if not all(named):
        lone = given[named.index(False)]
        raise ValueError(f"{lone} has no name, while others have; give name=file for each, or none")
    names = [str(name) for name, _ in split]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"the name {twice!r} is given twice; give each system its own")
    return {str(name): path for name, path in split}


def read_given(given: list[str], **choices: Any) -> "xr.DataArray":
    """What was given, read as it was asked; how is said."""
    import betterthan as bt

    data = bt.read(source_of(given), **chosen(**choices))
    say(str(data.attrs["reading"]))
    return data


def inputs_of(given: list[str]) -> list[Path]:
    """Every file that is read, so that none is written over."""
    found: list[Path] = []
    for _, one in map(_split, given):
        path = Path(one)
        if path.is_dir():
            found += [inside for inside in path.rglob("*") if inside.is_file()]
        else:
            found.append(path)
    return found


def ids_in(file: Path | None) -> list[str] | None:
    """The ids in a file, one a line."""
    if file is None:
        return None
    return [line.strip() for line in file.read_text("utf-8").splitlines() if line.strip()]


def chosen(**choices: Any) -> dict[str, Any]:
    """The choices that were made, lists from text with commas."""
    lists = ("systems", "ignore", "true", "false", "task", "judge", "strata")
    made = {name: value for name, value in choices.items() if value is not None}
    return {k: v.split(",") if k in lists and v != "" else v for k, v in made.items()}


def _split(one: str) -> tuple[str | None, str]:
    """The name before the first ``=``, unless the whole is a file."""
    name, sign, path = one.partition("=")
    if not sign or not name or Path(one).exists():
        return None, one
    return name, path
