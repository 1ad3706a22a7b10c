"""Compute the posterior of wins, losses, and ties for two systems, without sampling."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
