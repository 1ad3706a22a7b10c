"""What scores in blocks need beside the rest of the package."""

from importlib.util import find_spec


def needed(*modules: str) -> None:
    """Refuse in one line where a module is not installed.

    Raises
    ------
    ValueError
        That names the first one that is absent, and what to install.
    """
    for name in modules:
        if find_spec(name) is None:
            raise ValueError(
                f"this needs {name}, which is not installed: pip install 'betterthan[scale]'"
            )
