"""Files written whole or not at all, and never over what was read.

A new file has the mode that the umask leaves; one that is replaced keeps its mode. A link stays,
and the file that it points to is replaced. Each file is first written next to its place, and locked
while its writer lives: so the next write to a folder can remove what a killed writer left there.
"""

import errno
import os
import stat
from collections.abc import Iterable, Mapping
from contextlib import ExitStack, suppress
from itertools import product
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
    waiting: list[tuple[Path, Path]] = []
    target, cleared = Path(), set[Path]()
    with ExitStack() as locks:
        try:
            for written, content in contents.items():
                target = expanded(written)
                if target.is_dir():
                    raise IsADirectoryError(0, "it is a folder")
                if target.exists() and not target.is_file():
                    raise OSError(0, "it is a pipe or a device, no file")
                place = Path(os.path.realpath(target))
                if place.is_symlink():
                    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
                place.parent.mkdir(parents=True, exist_ok=True)
                if place.parent not in cleared:
                    _clear(place.parent)
                    cleared.add(place.parent)
                name, handle = _temporary(place, locks)
                waiting.append((name, place))
                with os.fdopen(handle, "wb") as file:
                    file.write(content.encode("utf-8") if isinstance(content, str) else content)
            while waiting:
                os.replace(*waiting[0])
                waiting.pop(0)
        except OSError as error:
            reason = f"{target}: cannot be written ({error.strerror})"
            raise ValueError(f"{reason}; give a place you may write to") from None
        finally:
            for name, _ in waiting:
                os.unlink(name)


_BINARY, _NO_LINK = getattr(os, "O_BINARY", 0), getattr(os, "O_NOFOLLOW", 0)


def _temporary(place: Path, locks: ExitStack) -> tuple[Path, int]:
    """Open a new file next to a place, locked, with the mode that the file there will have."""
    mode = stat.S_IMODE(place.stat().st_mode) if place.exists() else None
    flags, private = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o600
    while True:
        name = place.with_name(f".betterthan.{os.urandom(8).hex()}.part")
        handle = os.open(name, flags, 0o666 if mode is None else private)
        locked = _lock(handle)
        if locked is None or (locked and name.exists()):
            break
        os.close(handle)  # another writer removed it, or is about to, before it was locked
    if locked:
        locks.callback(os.close, os.dup(handle))
    if mode is not None:
        os.chmod(name, mode)
    return name, handle


def _clear(folder: Path) -> None:
    """Remove the files that killed writers left."""
    for path in folder.glob(".betterthan.*.part"):
        with suppress(OSError):
            handle = os.open(path, os.O_RDWR | _NO_LINK)
            try:
                if _lock(handle):
                    os.unlink(path)
            finally:
                os.close(handle)


def _lock(handle: int) -> bool | None:
    """Lock an open file, which the end of the process unlocks; False where another process has
    locked it, None where files cannot be locked.
    """
    try:
        import fcntl  # not on Windows

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except (ImportError, OSError):
        return None
    return True


def refuse_inputs(targets: Iterable[Path], inputs: Iterable[Path]) -> None:
    """Refuse to write over a file that is read, by whatever name or link it is reached.

    Raises
    ------
    ValueError
        If a target is an input.
    """
    for target, source in product(map(expanded, targets), map(expanded, inputs)):
        if same_file(target, source):
            named = "" if str(target) == str(source) else f", {source}"
            right = "writing there would destroy it, give another place"
            raise ValueError(f"{target}: is a file that is read{named}; {right}")


def expanded(path: str | Path) -> Path:
    """A path with the home folder in the place of ~."""
    return Path(os.path.expanduser(path))


_ANSWERS = (".html", ".md", ".tex", ".nc")  # of reports and saved answers, which hold no scores
# of tables of pairs and of answers as JSON, in the first two lines
_MARKS = {".csv": b"system,other,prob_better,", ".json": b'"schema": "betterthan.'}


def is_answer(path: Path) -> bool:
    """Whether a file in a folder is a report, or another answer of this package, and no data."""
    suffix = path.suffix.lower()
    if suffix not in _MARKS:
        return suffix in _ANSWERS
    try:
        with path.open("rb") as file:
            return _MARKS[suffix] in (file.readline(4096) + file.readline(4096))
    except OSError:
        return False


def same_file(target: Path, source: Path) -> bool:
    """Whether two names are of one file, also through links and folders that do not exist yet."""
    try:
        return os.path.samefile(target, source)
    except OSError:  # one of them is not there: then it is a matter of names
        return os.path.realpath(target) == os.path.realpath(source)
