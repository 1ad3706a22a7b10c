"""Load published tables, each with its citation, and small fits for experiments."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
