"""Is my system better than yours, and how sure can we be?"""

import lazy_loader as _lazy

__version__ = "0.1.0"

_load, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)


def __getattr__(name: str) -> object:
    """Load a public name at first use; of a misspelt one the error names what is close."""
    try:
        return _load(name)
    except AttributeError as error:
        from difflib import get_close_matches

        close = get_close_matches(name, __all__, 1)
        hint = f"; did you mean betterthan.{close[0]}?" if close else ""
        raise AttributeError(f"{error}{hint}") from None
