"""Files written whole or not at all, and never over what was read."""

import os
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path


def write_whole(path: str | Path, content: str | bytes) -> None:
    """Write a file so that a reader never sees half of it, and a failure leaves what was there.

    Raises
    ------
    ValueError
        If the file cannot be written.
    """
    write_all({Path(path): content})


def write_all(contents: Mapping[Path, str | bytes]) -> None:
    """Write several files, each whole, and none before all of them are safely beside their places.

    Raises
    ------
    ValueError
        If one cannot be written.
    """
    waiting: list[tuple[str, Path]] = []
    target = Path()
    try:
        for target, content in contents.items():
            _refuse_no_file(target)
            target.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=target.parent, prefix=".betterthan.")
            waiting.append((name, target))
            with os.fdopen(handle, "wb") as file:
                file.write(content.encode("utf-8") if isinstance(content, str) else content)
            os.chmod(name, 0o644)
        while waiting:
            os.replace(*waiting[0])
            waiting.pop(0)
    except OSError as error:
        raise ValueError(
            f"{target}: cannot be written ({error.strerror}); give a place you may write to"
        ) from None
    finally:
        for name, _ in waiting:
            os.unlink(name)


def refuse_inputs(targets: Iterable[Path], inputs: Iterable[Path]) -> None:
    """Refuse to write over a file that is read, by whatever name or link it is reached.

    Raises
    ------
    ValueError
        If a target is an input.
    """
    read = list(inputs)
    for target in targets:
        for source in read:
            if _same(target, source):
                named = "" if str(target) == str(source) else f", {source}"
                raise ValueError(
                    f"{target}: is a file that is read{named}; writing there would destroy it, "
                    "give another place"
                )


def _same(target: Path, source: Path) -> bool:
    """Whether two names are of one file, also through links and folders that do not exist yet."""
    try:
        return os.path.samefile(target, source)
    except OSError:  # one of them is not there: then it is a matter of names
        return os.path.realpath(target) == os.path.realpath(source)


def _refuse_no_file(target: Path) -> None:
    """Refuse a folder, a pipe or a device where a file is to be put."""
    if target.is_dir():
        raise IsADirectoryError(0, "it is a folder")
    if target.exists() and not target.is_file():
        raise OSError(0, "it is a pipe or a device, no file")
