"""Name the system of each run, so that two settings never share a name."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from betterthan import checks
from betterthan.io.problems import listed
from betterthan.logs.record import Run
from betterthan.text import escaped

_LONGEST = 40  # characters of a prompt in a name
_NO_SETTING = ("limit", "samples", "sample_id", "epochs")  # how much was run, not of what
_SUFFIXES = (".gz", ".zst", ".jsonl", ".json", ".eval", ".csv", ".tsv", ".txt")


def named(
    runs: Sequence[Run], keys: Sequence[str | None], of_run: Callable[[Run], str] | None = None
) -> list[str]:
    """Name the system of each run.

    The key of a mapping has precedence, then `of_run`, then the names in the log and of its file.
    Where runs of one name and task differ in their settings, the settings are appended.
    """
    base = [str(of_run(run)) if of_run else run.system or stem(run) for run in runs]
    base = _with_parts(runs, _with_keys(keys, base))
    return _with_settings(runs, base)


def stem(run: Run) -> str:
    """The name of the first file of a run, without its suffixes."""
    name = PurePosixPath(run.files[0]).name
    while name.lower().endswith(_SUFFIXES):
        name = name.rpartition(".")[0]
    return name


def chosen(systems: Any, present: Sequence[str]) -> dict[str, str]:
    """The systems to keep, in order, with what each is to be called.

    Parameters
    ----------
    systems : list of str, or mapping of str to str, or None
        A list picks and orders; a mapping renames and keeps the others.
    present : sequence of str
        Those there are.
    """
    if systems is None or callable(systems):
        return {name: name for name in present}
    if isinstance(systems, str) or not isinstance(systems, Sequence | Mapping):
        kind = type(systems).__name__
        raise ValueError(f"systems is a {kind}; give a list of names, or a mapping to new names")
    absent = [name for name in systems if name not in present]
    if absent:
        raise ValueError(f"there is no system {absent[0]!r} among {listed(present)}")
    if isinstance(systems, Mapping):
        renamed = {name: str(systems.get(name, name)) for name in present}
        checks.unique(list(renamed.values()), "system")
        return renamed
    checks.unique([str(name) for name in systems], "system")
    return {str(name): str(name) for name in systems}


def _with_keys(keys: Sequence[str | None], base: list[str]) -> list[str]:
    """Use the key of the mapping as name; add the logged name if one key has several."""
    names_by_key: dict[str, set[str]] = {}
    for key, name in zip(keys, base, strict=True):
        names_by_key.setdefault(key or "", set()).add(name)
    return [
        name if key is None else key if len(names_by_key[key]) == 1 else f"{key} | {name}"
        for key, name in zip(keys, base, strict=True)
    ]


def _with_parts(runs: Sequence[Run], base: list[str]) -> list[str]:
    """Add the parts that have several values, such as the prompt, to the names."""
    kinds = list(dict.fromkeys(kind for run in runs for kind in run.parts))
    several = [k for k in kinds if len({run.parts.get(k) for run in runs}) > 1]
    if not several:
        return base
    # of one system and several prompts, the prompts are the systems
    prefixes = [[]] * len(base) if len(set(base)) == 1 else [[name] for name in base]
    parts = [[_plain(run.parts.get(k, "")) for k in several] for run in runs]
    short, full = (
        [
            " | ".join(name + [as_(x) for x in part])
            for name, part in zip(prefixes, parts, strict=True)
        ]
        for as_ in (_cut, str)
    )
    return short if len(set(short)) == len(set(full)) else full


def _with_settings(runs: Sequence[Run], base: list[str]) -> list[str]:
    """Names with the settings in which runs of one name and task differ."""
    tasks: dict[tuple[str, str], list[int]] = {}
    for k, (run, name) in enumerate(zip(runs, base, strict=True)):
        tasks.setdefault((name, run.task), []).append(k)
    differing: dict[str, list[str]] = {}
    for (name, _), places in tasks.items():
        keys = differing.setdefault(name, [])
        keys += [k for k in _differ([runs[p].config for p in places]) if k not in keys]
    return [
        f"{name} ({', '.join(f'{_last(k)}={_format_value(run.config.get(k))}' for k in keys)})"
        if (keys := differing[name])
        else name
        for run, name in zip(runs, base, strict=True)
    ]


def _differ(configs: Sequence[Mapping[str, Any]]) -> list[str]:
    """The settings that are not the same in all runs."""
    keys = dict.fromkeys(key for config in configs for key in config)
    return [
        k
        for k in keys
        if _last(k) not in _NO_SETTING and len({repr(config.get(k)) for config in configs}) > 1
    ]


def _last(key: str) -> str:
    return key.rpartition(".")[2]


def _format_value(value: Any) -> str:
    return _cut(_plain(str(value)))


def _plain(text: str) -> str:
    return " ".join(escaped(text).split())


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
