"""Files written whole or not at all."""

import os
import tempfile
from collections.abc import Mapping
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
            if target.is_dir():
                raise IsADirectoryError(0, "it is a folder")
            target.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
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
