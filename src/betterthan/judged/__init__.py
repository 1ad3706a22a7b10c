"""Correct the errors of an LLM-as-a-judge with human labels on some of the items."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
