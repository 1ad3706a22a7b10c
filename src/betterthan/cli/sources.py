"""What a command reads: files, folders, patterns, or one for each system as name=file."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from betterthan import names
from betterthan.cli.console import say

if TYPE_CHECKING:
    import xarray as xr

Source = str | Path | list[str | Path] | dict[str, str | Path]


def source_of(arguments: list[str]) -> Source:
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
    split = [_split(argument) for argument in arguments]
    named = [name is not None for name, _ in split]
    if not any(named):
        return arguments[0] if len(arguments) == 1 else list(arguments)
    if not all(named):
        lone = arguments[named.index(False)]
        raise ValueError(f"{lone} has no name, while others have; give name=file for each, or none")
    names = [str(name) for name, _ in split]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"the name {twice!r} is given twice; give each system its own")
    return {str(name): path for name, path in split}


def read_arguments(arguments: list[str], **options: Any) -> "xr.DataArray":
    """Read the arguments with the options of a command line, and print the import summary."""
    import betterthan as bt

    data = bt.read(source_of(arguments), **reading_options(**options))
    say(str(data.attrs["reading"]))
    return data


def refuse_percentages(data: "xr.DataArray", **widths: float) -> None:
    """Refuse differences of scores as percentages, unless the scores are within 0 and 1."""
    for name, width in widths.items():
        if not isinstance(width, names.Percentage) or names.ITEM not in data.dims:
            continue
        low, high = float(data.min()), float(data.max())
        if names.TALLY not in data.dims and not 0 <= low <= high <= 1:
            option = name.replace("_", "-")
            raise ValueError(
                f"--{option} {100 * width:g}% is for scores within 0 and 1; these go from {low:g} "
                f"to {high:g}: pass --{option} in units of the score, without a percent sign"
            )


def inputs_of(arguments: list[str]) -> list[Path]:
    """List every input file, so that none is overwritten."""
    paths: list[Path] = []
    for _, argument in map(_split, arguments):
        path = Path(argument)
        if path.is_dir():
            paths += [inside for inside in path.rglob("*") if inside.is_file()]
        else:
            paths.append(path)
    return paths


def reading_options(**options: Any) -> dict[str, Any]:
    """The options that were set, as `betterthan.read` takes them; lists are split at commas.

    Examples
    --------
    >>> reading_options(task="a,b", tool=None, percent=False, lower_is_better=True)
    {'task': ['a', 'b'], 'higher_is_better': False}
    """
    options = {k: v for k, v in options.items() if v is not None and v is not False}
    if options.pop("lower_is_better", False):
        if "higher_is_better" in options:
            raise ValueError("pass --lower-is-better or --higher-is-better, not both")
        options["higher_is_better"] = False
    if "tool" in options:
        options["format"] = options.pop("tool")
    if "items" in options:
        lines = options["items"].read_text("utf-8").splitlines()
        options["items"] = [line.strip() for line in lines if line.strip()]
    return {k: v.split(",") if k in _LISTS and v != "" else v for k, v in options.items()}


_LISTS = ("systems", "ignore", "true", "false", "task", "judge", "strata")


def _split(argument: str) -> tuple[str | None, str]:
    """Split off the name before the first ``=``, unless the argument is a file."""
    name, sign, path = argument.partition("=")
    if not sign or not name or Path(argument).exists():
        return None, argument
    return name, path
