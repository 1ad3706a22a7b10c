"""The published tables this package reproduces, each with its citation, and small fits to try
things on.
"""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
