"""Outcomes by a judge that errs, such as a model, with labels of people on part of the items."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
