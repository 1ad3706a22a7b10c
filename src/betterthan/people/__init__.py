"""Analyze human evaluations and user studies: ratings, times, and agreement of raters."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
