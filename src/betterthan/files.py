"""Files written whole or not at all."""

import os
import tempfile
from pathlib import Path


def write_whole(path: str | Path, content: str | bytes) -> None:
    """Write a file so that a reader never sees half of it, and a failure leaves what was there.

    Raises
    ------
    ValueError
        If the folder cannot be written to.
    """
    target = Path(path)
    data = content.encode("utf-8") if isinstance(content, str) else content
    name = None
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(name, 0o644)
        os.replace(name, target)
    except OSError as error:
        if name is not None and os.path.exists(name):
            os.unlink(name)
        raise ValueError(f"{target}: cannot be written ({error.strerror}); give a folder you may write to") from None
