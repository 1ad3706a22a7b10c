"""Plan sample sizes and interim looks, and check how stable a verdict is."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
